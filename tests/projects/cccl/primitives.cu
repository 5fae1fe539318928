// CUB's algorithms for blocks and warps in kernels that are divided into regions. The program prints hashes of what
// they compute, which are those of CUB's own code, with fibers.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <cstdio>
#include <cstring>

// Matrices of 2 x 2 modulo a number, whose product is not commutative.
struct Mat {
    int a, b, c, d;
};
struct Mul {
    __host__ __device__ Mat operator()(const Mat &x, const Mat &y) const {
        return {(x.a * y.a + x.b * y.c) % 10007, (x.a * y.b + x.b * y.d) % 10007,
                (x.c * y.a + x.d * y.c) % 10007, (x.c * y.b + x.d * y.d) % 10007};
    }
};
struct Last {
    template <class T>
    __device__ T operator()(T a, T b) const {
        return a / T(2) - b;
    }
};
template <class T>
__device__ T make(int i) {
    return T((i * 7919 + 13) % 1013) / T(7);
}
template <>
__device__ Mat make<Mat>(int i) {
    return {i % 11 + 1, i % 7, i % 5, i % 3 + 1};
}
template <class T>
struct Count {
    T run;
    __device__ T operator()(T all) {
        T old = run;
        run = run + all;
        return old;
    }
};

template <class T, int X, int Y, int Z, cub::BlockReduceAlgorithm A, class Op>
__global__ void reduce(T *out, int valid, Op op) {
    using Reduce = cub::BlockReduce<T, X, A, Y, Z>;
    __shared__ typename Reduce::TempStorage temp;
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    T x = make<T>(t + blockIdx.x * 1000);
    T one = Reduce(temp).Reduce(x, op);
    __syncthreads();
    T some = Reduce(temp).Reduce(x, op, valid);
    __syncthreads();
    T items[3] = {make<T>(t), make<T>(t + 5), make<T>(t * 3)};
    T all = Reduce(temp).Reduce(items, op);
    if (t == 0) {
        out[blockIdx.x * 3] = one;
        out[blockIdx.x * 3 + 1] = some;
        out[blockIdx.x * 3 + 2] = all;
    }
}
template <class T, int X, int Y, int Z, cub::BlockReduceAlgorithm A>
__global__ void sum(T *out, int valid) {
    using Reduce = cub::BlockReduce<T, X, A, Y, Z>;
    __shared__ typename Reduce::TempStorage temp;
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    T x = make<T>(t + blockIdx.x * 1000);
    T one = Reduce(temp).Sum(x);
    __syncthreads();
    T some = Reduce(temp).Sum(x, valid);
    __syncthreads();
    T items[3] = {make<T>(t), make<T>(t + 5), make<T>(t * 3)};
    T all = Reduce(temp).Sum(items);
    if (t == 0) {
        out[blockIdx.x * 3] = one;
        out[blockIdx.x * 3 + 1] = some;
        out[blockIdx.x * 3 + 2] = all;
    }
}
template <class T, int X, int Y, int Z, cub::BlockScanAlgorithm A, class Op>
__global__ void scan(T *out, Op op) {
    using Scan = cub::BlockScan<T, X, A, Y, Z>;
    __shared__ typename Scan::TempStorage temp;
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int n = blockDim.x * blockDim.y * blockDim.z;
    T x = make<T>(t), y, z, all;
    const T start = make<T>(77);
    Scan(temp).InclusiveScan(x, y, op);
    out[t] = y;
    __syncthreads();
    Scan(temp).ExclusiveScan(x, y, start, op);
    out[n + t] = y;
    __syncthreads();
    Scan(temp).ExclusiveScan(x, z, op, all);
    if (t) out[2 * n + t] = z;
    out[3 * n + t] = all;
    __syncthreads();
    Scan(temp).InclusiveScan(x, x, op, all);
    out[4 * n + t] = x;
    __syncthreads();
    T items[3] = {make<T>(t), make<T>(t + 5), make<T>(t * 3)}, to[3];
    Scan(temp).ExclusiveScan(items, to, start, op, all);
    for (int i = 0; i < 3; ++i) out[(5 + i) * n + t] = to[i];
    __syncthreads();
    Scan(temp).InclusiveScan(items, items, op);
    for (int i = 0; i < 3; ++i) out[(8 + i) * n + t] = items[i];
    __syncthreads();
    Scan(temp).ExclusiveScan(items, to, op, all);
    for (int i = 0; i < 3; ++i)
        if (t || i) out[(11 + i) * n + t] = to[i];
}
template <class T, int X, int Y, int Z, cub::BlockScanAlgorithm A>
__global__ void sums(T *out) {
    using Scan = cub::BlockScan<T, X, A, Y, Z>;
    __shared__ typename Scan::TempStorage temp;
    const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    const int n = blockDim.x * blockDim.y * blockDim.z;
    T x = make<T>(t), y, all;
    Count<T> before{make<T>(4)};
    for (int turn = 0; turn < 2; ++turn) {
        Scan(temp).InclusiveSum(x, y, before);
        out[turn * n + t] = y;
        __syncthreads();
        Scan(temp).ExclusiveSum(x, y, before);
        out[(2 + turn) * n + t] = y;
        __syncthreads();
    }
    Scan(temp).ExclusiveSum(x, y);
    out[4 * n + t] = y;
    __syncthreads();
    Scan(temp).InclusiveSum(x, y, all);
    out[5 * n + t] = y + all;
    __syncthreads();
    T items[3] = {make<T>(t), make<T>(t + 5), make<T>(t * 3)}, to[3], one[1] = {x};
    Scan(temp).InclusiveSum(items, to, all);
    for (int i = 0; i < 3; ++i) out[(6 + i) * n + t] = to[i];
    __syncthreads();
    Scan(temp).ExclusiveSum(items, items, before);
    for (int i = 0; i < 3; ++i) out[(9 + i) * n + t] = items[i];
    __syncthreads();
    Scan(temp).InclusiveSum(one, one);
    out[12 * n + t] = one[0];
    out[13 * n + t] = t < 32 ? before.run : T(0);
}
template <class T, int W, class Op>
__global__ void warps(T *out, Op op) {
    using Reduce = cub::WarpReduce<T, W>;
    using Scan = cub::WarpScan<T, W>;
    __shared__ union {
        typename Reduce::TempStorage reduce[64];
        typename Scan::TempStorage scan[64];
    } temp;
    const int t = threadIdx.x, n = blockDim.x, w = threadIdx.x / W;
    T x = make<T>(t), y, z, all;
    T r = Reduce(temp.reduce[w]).Reduce(x, op);
    out[t] = t % W ? x : r;
    r = Reduce(temp.reduce[w]).Reduce(x, op, W > 3 ? W - 3 : 1);
    out[n + t] = t % W ? x : r;
    T s = Reduce(temp.reduce[w]).HeadSegmentedReduce(x, t % 5 == 0, op);
    out[2 * n + t] = s;
    s = Reduce(temp.reduce[w]).TailSegmentedReduce(x, t % 7 == 0, op);
    out[3 * n + t] = s;
    __syncthreads();
    Scan(temp.scan[w]).InclusiveScan(x, y, op);
    out[4 * n + t] = y;
    Scan(temp.scan[w]).ExclusiveScan(x, y, make<T>(t), op, all);
    out[5 * n + t] = y;
    out[6 * n + t] = all;
    Scan(temp.scan[w]).Scan(x, y, z, make<T>(3), op);
    out[7 * n + t] = y;
    out[8 * n + t] = z;
    T b = Scan(temp.scan[w]).Broadcast(x, W - 1);
    out[9 * n + t] = b;
}
template <class T, int W>
__global__ void warp_sums(T *out) {
    using Reduce = cub::WarpReduce<T, W>;
    using Scan = cub::WarpScan<T, W>;
    __shared__ typename Reduce::TempStorage reduce[64];
    __shared__ typename Scan::TempStorage scan[64];
    const int t = threadIdx.x, n = blockDim.x, w = threadIdx.x / W;
    T x = make<T>(t), y, all;
    T a = Reduce(reduce[w]).Sum(x), b = Reduce(reduce[w]).Max(x),
      c = Reduce(reduce[w]).Min(x, W > 2 ? W - 2 : 1);
    out[t] = t % W ? x : a;
    out[n + t] = t % W ? x : b;
    out[2 * n + t] = t % W ? x : c;
    Scan scanner(scan[w]);
    scanner.InclusiveSum(x, y, all);
    out[3 * n + t] = y;
    out[4 * n + t] = all;
    scanner.ExclusiveSum(x, y);
    out[5 * n + t] = y;
}
#ifdef PART_KERNELS
using Block = cub::BlockReduce<int, 128>;
typedef cub::BlockScan<int, 128> Scan128;
struct Weighted {
    __device__ int operator()(int a, int b) const { return a + b * (int)(threadIdx.x + 1); }
};
__global__ void op_reads_index(int *out) {
    __shared__ Block::TempStorage temp;
    int r = Block(temp).Reduce(threadIdx.x * 3 + 1, Weighted());
    if (threadIdx.x == 0) out[0] = r;
    __shared__ Scan128::TempStorage s;
    int y;
    Scan128(s).InclusiveScan((int)threadIdx.x, y, Weighted());
    out[1 + threadIdx.x] = y;
}
struct Prefix {
    int total;
    int *out;
    __device__ int operator()(int all) {
        if (threadIdx.x == 0) atomicAdd(out + 300, all);
        int old = total;
        total += all;
        return old;
    }
};
__global__ void prefix(int *out) {
    __shared__ Scan128::TempStorage temp;
    Prefix before{5, out};
    for (int i = 0; i < 3; ++i) {
        int x = (threadIdx.x * 7 + i) % 13;
        Scan128(temp).ExclusiveSum(x, x, before);
        __syncthreads();
        out[i * 128 % 256 + threadIdx.x] += x;
    }
}
__global__ void named(int *out) {
    __shared__ Scan128::TempStorage temp;
    int x = threadIdx.x % 5, all;
    Scan128 scan(temp);
    scan.InclusiveSum(x, x, all);
    auto again = Scan128(temp);
    __syncthreads();
    again.ExclusiveSum(x, x);
    out[threadIdx.x] = x + all;
}
template <class T, int N>
__device__ T block_sum(T v) {
    using R = cub::BlockReduce<T, N>;
    __shared__ typename R::TempStorage temp;
    __shared__ T shared;
    T r = R(temp).Sum(v);
    if (threadIdx.x == 0) shared = r;
    __syncthreads();
    return shared;
}
__global__ void function(int *out) {
    int a = block_sum<int, 128>(threadIdx.x);
    __syncthreads();
    int b = block_sum<int, 128>(a + threadIdx.x);
    out[threadIdx.x] = a + b;
}
__global__ void uniform(int *out, int n) {
    __shared__ Block::TempStorage temp;
    int sum = 0;
    if (n > 2)
        for (int i = 0; i < n; ++i) {
            sum += Block(temp).Sum(threadIdx.x * i);
            __syncthreads();
        }
    if (threadIdx.x == 0) out[0] = sum;
}
__global__ void divergent(int *out) {
    __shared__ cub::WarpReduce<int>::TempStorage temp[4];
    int x = threadIdx.x;
    if (threadIdx.x < 64) {
        int s = cub::WarpReduce<int>(temp[threadIdx.x / 32]).Sum(x);
        if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = s;
    }
    if (threadIdx.x / 32 == 3) {
        int s = cub::WarpReduce<int>(temp[3]).Max(x);
        if (threadIdx.x % 32 == 0) out[3] = s;
    }
}
__device__ int twice(int &i) { return i *= 2; }
__global__ void expressions(int *out) {
    __shared__ Block::TempStorage temp[3];
    int i = threadIdx.x;
    int a = i++, b = Block(temp[0]).Sum(i);
    int c = (twice(i), Block(temp[1]).Sum(i));
    int k = 1;
    int d = Block(temp[++k]).Sum(k);
    if (threadIdx.x == 0) {
        out[0] = b;
        out[1] = c;
        out[2] = d;
    }
    out[10 + threadIdx.x] = a + i + k;
    out[200 + threadIdx.x % 128] =
        Block(temp[0]).Sum(threadIdx.x) * (threadIdx.x == 0) + out[10 + threadIdx.x];
}
using Pair = cub::KeyValuePair<int, float>;
__global__ void pairs(int *out) {
    using R = cub::BlockReduce<Pair, 128>;
    __shared__ R::TempStorage temp;
    Pair mine(threadIdx.x, (threadIdx.x * 37 % 101) * 0.5f);
    Pair best = R(temp).Reduce(
        mine, [](const Pair &a, const Pair &b) { return b.value > a.value ? b : a; });
    __syncthreads();
    Pair other = R(temp).Reduce(mine, cub::ArgMin());
    __syncthreads();
    float limit = 20;
    auto below = [limit](const Pair &a, const Pair &b) {
        return b.value > a.value && b.value < limit ? b : a;
    };
    Pair third = R(temp).Reduce(mine, below);
    __syncthreads();
    Pair fourth = R(temp).Reduce(mine, [&](const Pair &a, const Pair &b) {
        return b.value < a.value && b.value > limit ? b : a;
    });
    if (threadIdx.x == 0) {
        out[0] = best.key;
        out[1] = other.key;
        out[2] = third.key;
        out[3] = fourth.key;
    }
}
__global__ void dynamic(int *out) {
    extern __shared__ char memory[];
    auto &temp = *reinterpret_cast<Block::TempStorage *>(memory);
    int r = Block(temp).Sum(threadIdx.x);
    __syncthreads();
    int q = Block(reinterpret_cast<Block::TempStorage &>(memory)).Sum(threadIdx.x + 1);
    __syncthreads();
    int p = Block(*reinterpret_cast<Block::TempStorage *>(memory)).Sum(threadIdx.x + 2);
    if (threadIdx.x == 0) out[0] = r, out[1] = q, out[2] = p;
}
__device__ int larger(int a, int b) { return a < b ? b : a; }
__global__ void pointers(int *out) {
    __shared__ Block::TempStorage temp;
    int r = Block(temp).Reduce(threadIdx.x * 7 % 31, larger);
    int n = 0;
    auto count = [n](int a, int b) mutable {
        ++n;
        return a + b + n;
    };
    __syncthreads();
    int q = Block(temp).Reduce((int)threadIdx.x, count);
    if (threadIdx.x == 0) out[0] = r, out[1] = q;
}
__global__ void early(int *out, int n) {
    __shared__ Block::TempStorage temp;
    int valid = n;
    if ((int)threadIdx.x >= n) return;
    int r = Block(temp).Sum(threadIdx.x, valid);
    if (threadIdx.x == 0) out[0] = r;
}
__global__ void smaller(int *out) {
    __shared__ cub::BlockReduce<int, 256>::TempStorage temp;
    int r = cub::BlockReduce<int, 256>(temp).Sum(threadIdx.x, blockDim.x);
    if (threadIdx.x == 0) out[0] = r;
    int p = cub::BlockReduce<int, 128>().Sum(threadIdx.x);
    if (threadIdx.x == 0) out[1] = p;
}
struct Storage {
    Block::TempStorage temp;
    int *count;
    __device__ operator Block::TempStorage &() {
        atomicAdd(count, 1);
        return temp;
    }
};
struct Derived : Block {
    using Block::Block;
    __device__ int Sum(int x) { return Block::Sum(x) * 2; }
};
__global__ void conversions(int *out) {
    __shared__ char room[sizeof(Storage) + 16];
    Storage &storage = *reinterpret_cast<Storage *>(room);
    if (threadIdx.x == 0) storage.count = out + 3;
    __syncthreads();
    int r = Block(storage).Sum(threadIdx.x);
    __syncthreads();
    int q = Derived(storage.temp).Sum(threadIdx.x);
    if (threadIdx.x == 0) out[0] = r, out[1] = q;
}
struct Complex {
    float x, y;
    __device__ Complex() {}
    __device__ Complex(float a, float b) : x(a), y(b) {}
    __device__ Complex operator+(const Complex &o) const { return Complex(x + o.x, y * o.y); }
};
template <class R>
__global__ void parameter(int *out) {
    __shared__ typename R::TempStorage temp;
    Complex c = R(temp).Sum(Complex(threadIdx.x * 0.3f, 1 + threadIdx.x * 1e-3f));
    if (threadIdx.x == 0) memcpy(out, &c, sizeof c);
}
template <int N>
struct Traits {
    typedef cub::BlockReduce<Complex, N> Reduce;
};
template <int N>
__global__ void traits(int *out) {
    __shared__ typename Traits<N>::Reduce::TempStorage temp;
    Complex c =
        typename Traits<N>::Reduce(temp).Sum(Complex(threadIdx.x * 0.3f, 1 + threadIdx.x * 1e-3f));
    if (threadIdx.x == 0) memcpy(out, &c, sizeof c);
}
struct Fake {
    int v;
    __device__ Fake(int x) : v(x) {}
    __device__ int Sum(int x) const { return v * 10 + x; }
};
__global__ void own(int *out) {
    typedef Fake BlockReduce;
    int x = BlockReduce(3).Sum(threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = x;
}
__global__ void until(int *out) {
    __shared__ Block::TempStorage temp;
    __shared__ int go;
    int x = threadIdx.x, turns = 0;
    do {
        int s = Block(temp).Reduce(x, cuda::maximum<>());
        if (threadIdx.x == 0) go = s > 3;
        __syncthreads();
        x /= 2;
        ++turns;
    } while (go);
    out[threadIdx.x] = turns * 100 + x;
}
__global__ void mixed(float *out) {
    using W = cub::WarpScan<float>;
    __shared__ W::TempStorage temp[4];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float v = threadIdx.x * 0.1f, inc, exc, all;
    W(temp[warp]).InclusiveSum(v, inc, all);
    v = __shfl_sync(~0u, inc, 31 - lane);
    W(temp[warp]).ExclusiveScan(v, exc, 1.5f, cuda::minimum<float>{});
    out[threadIdx.x] = inc + exc * all;
}
#endif
template <class T, int N, int I, cub::BlockLoadAlgorithm L, cub::BlockStoreAlgorithm S>
__global__ void transfer(const T *in, T *out, int n) {
    using Load = cub::BlockLoad<T, N, I, L>;
    using Store = cub::BlockStore<T, N, I, S>;
    using Scan = cub::BlockScan<T, N>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan;
    } temp;
    T items[I];
    const int start = blockIdx.x * N * I;
    Load(temp.load).Load(in + start, items, n - start, T(1));
    __syncthreads();
    T all;
    Scan(temp.scan).InclusiveSum(items, items, all);
    __syncthreads();
    Store(temp.store).Store(out + start, items, n - start);
    if (threadIdx.x == 0) out[n + blockIdx.x] = all;
}
template <class K, class V, int N, int I>
__global__ void sort(const K *in, K *out, V *values, int begin, int end) {
    using Load = cub::BlockLoad<K, N, I, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<K, N, I, V>;
    using Keys = cub::BlockRadixSort<K, N, I>;
    __shared__ typename Load::TempStorage load;
    __shared__ typename Sort::TempStorage temp;
    __shared__ typename Keys::TempStorage temp2;
    K keys[I], other[I];
    V v[I];
    Load(load).Load(in, keys);
    for (int k = 0; k < I; ++k) v[k] = V(threadIdx.x * I + k), other[k] = keys[k];
    Sort(temp).Sort(keys, v, begin, end);
    for (int k = 0; k < I; ++k)
        out[threadIdx.x * I + k] = keys[k], values[threadIdx.x * I + k] = v[k];
    __syncthreads();
    Sort(temp).SortDescendingBlockedToStriped(keys, v);
    for (int k = 0; k < I; ++k)
        out[N * I + threadIdx.x * I + k] = keys[k], values[N * I + threadIdx.x * I + k] = v[k];
    Keys(temp2).SortDescending(other, begin);
    for (int k = 0; k < I; ++k) out[2 * N * I + threadIdx.x * I + k] = other[k];
}
char *memory;
constexpr size_t room = 1 << 18;

void report(const char *name) {
    const cudaError_t error = cudaDeviceSynchronize();
    unsigned long long hash = 1469598103934665603ull;
    for (size_t i = 0; i < room; ++i)
        hash = (hash ^ static_cast<unsigned char>(memory[i])) * 1099511628211ull;
    std::printf("%s %016llx %s\n", name, hash, cudaGetErrorString(error));
    std::memset(memory, 0, room);
}
template <class T>
T *results() {
    return reinterpret_cast<T *>(memory);
}
template <class T>
T *fill() {
    T *in = reinterpret_cast<T *>(memory + room);
    for (int i = 0; i < 4096; ++i) in[i] = T((i * 7919 % 1013) - 500) / T(2);
    in[3] = T(-0.0);
    in[9] = T(0);
    return in;
}
#define RUN(...) \
    __VA_ARGS__; \
    report(#__VA_ARGS__);

template <class T, int X, int Y, int Z, class Op>
void run_block(Op op) {
    constexpr int size = X * Y * Z;
    const dim3 block(X, Y, Z);
    T *out = results<T>();
    RUN(reduce<T, X, Y, Z, cub::BLOCK_REDUCE_WARP_REDUCTIONS>
        <<<4, block>>>(out, (size + 2) / 3, op))
    RUN(reduce<T, X, Y, Z, cub::BLOCK_REDUCE_RAKING><<<4, block>>>(out, (size + 2) / 3, op))
    RUN(reduce<T, X, Y, Z, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY><<<4, block>>>(out, size, op))
    RUN(scan<T, X, Y, Z, cub::BLOCK_SCAN_RAKING><<<1, block>>>(out, op))
    RUN(scan<T, X, Y, Z, cub::BLOCK_SCAN_WARP_SCANS><<<1, block>>>(out, op))
}
template <class T, int X, int Y, int Z>
void run_sums() {
    constexpr int size = X * Y * Z;
    const dim3 block(X, Y, Z);
    T *out = results<T>();
    RUN(sum<T, X, Y, Z, cub::BLOCK_REDUCE_WARP_REDUCTIONS><<<4, block>>>(out, (size + 2) / 3))
    RUN(sum<T, X, Y, Z, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY><<<4, block>>>(out, size + 5))
    RUN(sums<T, X, Y, Z, cub::BLOCK_SCAN_RAKING_MEMOIZE><<<1, block>>>(out))
    RUN(sums<T, X, Y, Z, cub::BLOCK_SCAN_WARP_SCANS><<<1, block>>>(out))
}

int main() {
    cudaMallocManaged(reinterpret_cast<void **>(&memory), 2 * room);
    std::memset(memory, 0, room);
#ifdef PART_BLOCKS
    run_block<Mat, 128, 1, 1>(Mul());
    run_block<float, 16, 8, 2>(Last());
    run_block<Mat, 7, 5, 3>(Mul());
#endif
#ifdef PART_SUMS
    run_sums<float, 256, 1, 1>();
    run_sums<double, 100, 1, 1>();
    run_sums<int, 8, 4, 2>();
#endif
#ifdef PART_WARPS
    RUN(warps<Mat, 32><<<1, 96>>>(results<Mat>(), Mul()))
    RUN(warps<float, 8><<<1, 96>>>(results<float>(), Last()))
    RUN(warp_sums<float, 16><<<1, 64>>>(results<float>()))
    RUN(warp_sums<int, 32><<<1, 64>>>(results<int>()))
#endif
#ifdef PART_TRANSFERS
    RUN(transfer<float, 64, 3, cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT>
        <<<3, 64>>>(fill<float>(), results<float>(), 500))
    RUN(transfer<int, 64, 4, cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_VECTORIZE>
        <<<3, 64>>>(fill<int>(), results<int>(), 700))
    RUN(transfer<double, 96, 5, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE>
        <<<2, 96>>>(fill<double>(), results<double>(), 900))
#endif
#ifdef PART_SORTS
    RUN(sort<int, float, 128, 4>
        <<<1, 128>>>(fill<int>(), results<int>(), results<float>() + 20000, 0, 32))
    RUN(sort<float, short, 60, 3>
        <<<1, 60>>>(fill<float>(), results<float>(), results<short>() + 20000, 0, 32))
    RUN(sort<double, int, 64, 2>
        <<<1, 64>>>(fill<double>(), results<double>(), results<int>() + 20000, 3, 61))
#endif
#ifdef PART_KERNELS
    int *out = results<int>();
    RUN(op_reads_index<<<1, 128>>>(out))
    RUN(prefix<<<1, 128>>>(out))
    RUN(named<<<1, 128>>>(out))
    RUN(function<<<1, 128>>>(out))
    RUN(uniform<<<1, 128>>>(out, 4))
    RUN(divergent<<<1, 128>>>(out))
    RUN(expressions<<<1, 128>>>(out))
    RUN(pairs<<<1, 128>>>(out))
    RUN(dynamic<<<1, 128, 8192>>>(out))
    RUN(pointers<<<1, 128>>>(out))
    RUN(smaller<<<1, 128>>>(out))
    RUN(conversions<<<1, 128>>>(out))
    RUN(parameter<cub::BlockReduce<Complex, 128>><<<1, 128>>>(out))
    RUN(traits<128><<<1, 128>>>(out))
    RUN(own<<<1, 128>>>(out))
    RUN(until<<<1, 128>>>(out))
    RUN(mixed<<<1, 128>>>(results<float>()))
    RUN(early<<<1, 128>>>(out, 70))
#endif
}
