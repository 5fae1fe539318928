// The peer: what the kernels do, as OpenMP loops over blocks and plain loops over threads.
#pragma once

namespace loops {

void nothing();
void saxpy(int n, float a, const float* x, float* y);
void matmul_naive(int n, const float* a, const float* b, float* c);
void matmul_tiled(int n, const float* a, const float* b, float* c);
void block_sums(int n, const float* values, float* sums);

} // namespace loops
