// Device code that must compile without a warning. With UNSUPPORTED, the file also contains code that must not
// compile.
#include <kbuild/kbuild.hpp>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/scan.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
#include <mma.h>
#include <memory>  // the C++ library still works after the qualifiers

__global__ void __cluster_dims__(2, 1, 1) cluster(int *p) { *p = 1; }

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ const float table[2] = {1, 2};
static __constant__ float internal_weights[4];
__device__ __managed__ int managed_counter;
__shared__ float namespace_scope[8];

static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "");
static_assert(sizeof(double4) == 32 && alignof(double4) == 16, "");
static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "");
static_assert(sizeof(char2) == 2 && alignof(char2) == 2, "");
static_assert(sizeof(longlong2) == 16 && alignof(longlong2) == 16, "");
static_assert(std::is_same<decltype(min(1, 2u)), unsigned>::value, "");
static_assert(std::is_same<decltype(max(1, 2.0f)), float>::value, "");
static_assert(std::is_same<decltype(max(1.0f, 2.0)), double>::value, "");
static_assert(std::is_same<decltype(min(1LL, 2u)), long long>::value, "");
static_assert(dim3(3).y == 1 && max(2, -1) == 2, "");

__host__ __device__ static inline float twice(float x) { return 2 * x; }
__device__ __noinline__ float root(float x) { return rsqrtf(x) + __expf(x) + sqrt(x) + abs(x); }
__device__ __forceinline__ unsigned bits(unsigned x) { return __popc(x) + __clz(x) + __brev(x); }

namespace ns {
template <class T, int N>
__global__ void __launch_bounds__(256, 2) transpose(const T *__restrict__ in, T *out)
{
    __shared__ T tile[N][N + 1];
    extern __shared__ float dynamic[];
    tile[threadIdx.y][threadIdx.x] = __ldg(&in[threadIdx.y * N + threadIdx.x]);
    dynamic[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + dynamic[0];
}
template __global__ void transpose<float, 16>(const float *, float *);
}  // namespace ns

static __global__ void internal(const __grid_constant__ dim3 size, int *p, float4 v)
{
    static __shared__ int once;
    once = 1;
    *p += once;
    const dim3 block = blockDim;
    const uint3 grid = gridDim;
    unsigned counter = 0;
    unsigned long long wide = 0;
    double sum = 0;
    atomicAdd(&counter, 1);
    atomicMax(&wide, 5);
    atomicAdd(&sum, 1);
    atomicCAS_system(p, 1, 2);
    atomicInc(&counter, 10);
    namespace_scope[threadIdx.x % 8] = twice(v.x) + root(v.y);
    *p += static_cast<int>(block.x + grid.x + size.z + bits(counter)) + managed_counter + warpSize;
    *p += static_cast<int>(weights[0] + table[1] + internal_weights[2]);
    printf("%d\n", *p);
    __threadfence();
}

static __global__ void groups(int *p)
{
    namespace cg = cooperative_groups;
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    cg::thread_group any_group = tile;
    any_group.sync();
    cg::memcpy_async(tile, p, p + 8, 16);
    cg::wait(tile);
    *p = cg::reduce(tile, *p, cg::plus<int>()) + cg::exclusive_scan(tile, 1.5f) + __activemask();
    *p += __shfl_xor_sync(~0u, *p, 1) + __match_all_sync(~0u, 1.0, p) + tile.shfl(short(1), 0);
    cg::this_grid().sync();
    cg::labeled_partition(cg::coalesced_threads(), *p).sync();
    cg::invoke_one(tile, [=] { ++*p; });
}

template <class T>
__device__ T shuffle(T value, int lane)
{
    value = __shfl_sync(~0u, value, lane);
    value = __shfl_up_sync(~0u, value, 1);
    value = __shfl_down_sync(~0u, value, 1, 16);
    return __shfl_xor_sync(~0u, value, lane);
}

template <class T>
__device__ void assign_nothing(T *value)
{
    *value = {};
}

static __global__ void small_floats(half *a, half2 *b, __nv_bfloat16 *c, __nv_bfloat162 *d, float4 *e)
{
    *a = shuffle(*a, 1), *b = shuffle(*b, 1), *c = shuffle(*c, 1), *d = shuffle(*d, 1);
    assign_nothing(b + 1), assign_nothing(d + 1), assign_nothing(e);
}

static __global__ void textures(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float4 *out)
{
    tex2D(out, texture, 1.0f, 2.0f);
    out->x += tex3D<float>(texture, 1, 2, 3) + tex1Dfetch<float1>(texture, 3).x;
    out->y += tex2DGrad<float2>(texture, 1, 2, make_float2(1, 0), make_float2(0, 1)).y;
    out->z += tex2Dgather<uchar4>(texture, 1, 2, 3).z + tex2DLayeredLod<short>(texture, 1, 2, 3, 4);
    surf3Dwrite(*out, surface, 16, 1, 2, cudaBoundaryModeZero);
    surf2DLayeredread(out, surface, 16, 1, 2);
    surf1Dwrite(surf1Dread<int>(surface, 4, cudaBoundaryModeClamp), surface, 8);
}

static __global__ void copies(int *p)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    const auto block = cooperative_groups::this_thread_block();
    init(&barrier, blockDim.x);
    auto pipe = cuda::make_pipeline(block, &state, cuda::pipeline_role::producer);
    pipe.producer_acquire();
    cuda::memcpy_async(block, p, p + 4, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
    cuda::memcpy_async(p, p + 4, sizeof *p, barrier);
    barrier.arrive_and_wait();
    nvcuda::experimental::pipeline own;
    nvcuda::experimental::memcpy_async(p[0], p[1], own);
    __pipeline_memcpy_async(p, p + 4, 16, 4);
}

static __global__ void matrices(const __half *a, const __half *b, float *c)
{
    namespace wmma = nvcuda::wmma;
    wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::row_major> part_of_a;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::col_major> part_of_b;
    wmma::fragment<wmma::accumulator, 32, 8, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(part_of_a, a, 16);
    wmma::load_matrix_sync(part_of_b, b, 16);
    wmma::mma_sync(sum, part_of_a, part_of_b, sum);
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

KBUILD_KERNEL void unsupported(int *p)
{
    int v = p[0];
#if defined(UNSUPPORTED)
    v += __shfl_down(v, 16);  // feature 1
    v = __ballot(v > 1);  // feature 2
    cooperative_groups::this_multi_grid();  // feature 3
    v = __isShared(p);  // feature 9
    __barrier_sync(1);  // feature 12
    v = __pm0();  // feature 13
    __cluster_map_shared_multicast(p, 1);  // feature 10
#endif
    p[0] = v;
}

// g++ accepts a constexpr function only if it can be a constant expression.
__device__ constexpr int find_bits(int bits)
{
    return 32 - __clz(bits) + __ffs(bits) + __clzll(bits) + __ffsll(bits) + __popc(1u) + __popcll(1u);
}
static_assert(find_bits(8) == 4 + 4 + 60 + 4 + 1 + 1, "as on a GPU");
