// The ways that all backends have. `Stream`, `launch_by_chevrons`, and `launch_by_kbuild_chevrons` are
// those of peer.hpp.
#pragma once
#include <kbuild/kbuild.hpp>

extern "C" KBUILD_KERNEL void direct(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void stubbed(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void elsewhere(int n, float a, const float* x, float* y);

namespace {

Stream stream;
float* memory;

void by_chevrons() { launch_by_chevrons(1, 2.0f, memory, memory, stream); }

void by_kbuild_chevrons() { launch_by_kbuild_chevrons(1, 2.0f, memory, memory, stream); }

void by_kbuild() { (void)kbuild::launch(direct, {1, 32, 0, stream}, 1, 2.0f, memory, memory); }

void by_kbuild_stub() {
    (void)kbuild::launch(stubbed, {1, 32, 0, stream}, 1, 2.0f, memory, memory);
}

void by_kbuild_elsewhere() {
    (void)kbuild::launch(elsewhere, {1, 32, 0, stream}, 1, 2.0f, memory, memory);
}

}  // namespace
