// Parameters of device functions: each thread has its own, which others can change.
#include "region_results.h"

__device__ void own_guards(int* out, int id)
{
    int lane = id % 4;
    __syncthreads();
    if (lane == 0)
        out[id] = 1;
}

__device__ void own_subscripts(int* out, int n)
{
    int offset = n * 2;
    __syncthreads();
    out[threadIdx.x + offset] = threadIdx.x;
}

__device__ void bump(int& value) { value += 100; }

__device__ int changed_by_calls(int x)
{
    int y = x * 2;
    bump(x);
    __syncthreads();
    return y * 1000 + x;
}

__device__ int changed_by_operators(int x)
{
    int y = x * 2;
    x or_eq 64;
    __syncthreads();
    return y * 1000 + x;
}

__device__ int changed_by_pointers(int x)
{
    int y = x + 1, *place = &x;
    __syncthreads();
    *place += 500;
    __syncthreads();
    return y * 1000 + x;
}

__device__ int changed_in_lists(int x)
{
    int y = x * 2, list[2] = {x, x += 100};
    __syncthreads();
    return y * 1000 + x + list[0] * 0;
}

// What belongs to a function exists once, whichever kernel calls it, and however large its blocks are.
template <class T> __device__ int& count_of(T)
{
    static int count;
    return count;
}
__device__ int count_types()
{
    struct Own {};
    auto own = [] {};
    __syncwarp();
    return atomicAdd(&count_of(Own()), 1) + atomicAdd(&count_of(own), 1);
}
__device__ const int* find_constant()
{
    static constexpr int constants[] = {3, 4};
    __syncwarp();
    return constants;
}
__device__ const int* found;

__device__ void aliases(const int& read, int& written)
{
    written = 5;
    __syncwarp();
    written += read;
}

__device__ auto trailing(int x) -> decltype(x + 1u)
{
    __syncwarp();
    return x;
}

__global__ void guards(int* out) { own_guards(out, threadIdx.x); }
__global__ void subscripts(int* out)
{
    own_subscripts(out, threadIdx.x == 0 || threadIdx.x == 31 ? 0 : 50);
}
__global__ void calls(int* out) { out[threadIdx.x] = changed_by_calls(threadIdx.x); }
__global__ void assignments(int* out) { out[threadIdx.x] = changed_by_operators(threadIdx.x); }
__global__ void lists(int* out) { out[threadIdx.x] = changed_in_lists(threadIdx.x); }
__global__ void types_once(int* out) { out[count_types() / 2] = 1; }
__global__ void __launch_bounds__(16) types_in_small_blocks(int* out) { out[count_types() / 2] = 1; }
__global__ void constants_once(int*) { found = find_constant(); }
__global__ void __launch_bounds__(16) constants_in_small_blocks(int* out)
{
    out[threadIdx.x] = find_constant() == found;
}
__global__ void pointers(int* out) { out[threadIdx.x] = changed_by_pointers(threadIdx.x); }
__global__ void references(int* out)
{
    int a = threadIdx.x;
    aliases(a, a);
    out[threadIdx.x] = a;
}
__global__ void result_types(int* out) { out[threadIdx.x] = trailing(threadIdx.x); }

// The temporary object ends with the expression, behind the barrier.
struct Numbers {
    int first, second;
};
__device__ const Numbers& pass_on(const Numbers& numbers) { return numbers; }
__device__ int add(const Numbers& numbers)
{
    __syncthreads();
    return numbers.first + numbers.second;
}
__global__ void temporaries(int* out)
{
    const int sum = add(pass_on(Numbers{int(threadIdx.x), 100}));
    out[threadIdx.x] = sum;
}

// A value that is computed again depends on a parameter that an operator of a class changes.
struct Stream {
    int value;
};
__device__ Stream operator>>(Stream stream, int& x)
{
    x = stream.value;
    return stream;
}
__device__ int read_stream(int x)
{
    int doubled = x * 2;
    Stream stream{77};
    stream >> x;
    __syncthreads();
    return doubled * 1000 + x;
}
__global__ void streams(int* out) { out[threadIdx.x] = read_stream(threadIdx.x); }

// The object that the parameter refers to is that of the thread.
__device__ int read_index(const uint3& index)
{
    __syncwarp();
    return index.x;
}
__global__ void indices(int* out) { out[threadIdx.x] = read_index(threadIdx); }

// Two functions stand for the template, and their parameters differ.
template <class T> __device__ T exchange(T value, T other = T(5))
{
    return __shfl_xor_sync(~0u, value, 1) * 10 + other;
}
__global__ void defaults(int* out) { out[threadIdx.x] = exchange(2) + 100 * exchange(3, 4); }

// The index is a constant, which overloads and deduced types see.
__device__ int tell(const uint3&) { return 1; }
__device__ int tell(uint3&) { return 2; }
__device__ int tell(const unsigned&) { return 10; }
__device__ int tell(unsigned&) { return 20; }
__device__ int tell_own()
{
    auto& index = threadIdx;
    static_assert(sizeof(tell(index)) && !__is_same(decltype(index), uint3&));
    auto read = [] { return tell(threadIdx.y); };
    return tell(index) + read();
}
__device__ int tell_across()
{
    const int first = tell(threadIdx) + tell(threadIdx.x);
    __syncthreads();
    return first + tell_own() * 100;
}
__global__ void constants(int* out)
{
    out[threadIdx.x] = tell(threadIdx) + tell(threadIdx.z) + 100 * tell_own();
}
__global__ void constants_across(int* out) { out[threadIdx.x] = tell_across(); }

// All threads of a grid share the object of such a parameter.
struct Setting {
    int step, values[2];
    __device__ const Setting* self() const { return this; }
};
__device__ const void* volatile published;
__device__ void publish(const void* object)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) published = object;
    while (published == nullptr) {
    }
}
template <class... Before>
__global__ void shared_in_loops(int* out, Before... before, const __grid_constant__ Setting setting)
{
    publish(setting.self());
    auto read = [=] { return setting.values[1]; };
    out[blockIdx.x * 64 + threadIdx.x] = (published == &setting) + read() + (0 + ... + before);
}
__global__ void shared_in_regions(const Setting __grid_constant__ setting, int* out,
                                  const __grid_constant__ int number)
{
    out[blockIdx.x * 64 + threadIdx.x] = setting.step;
    __shared__ const int* place;
    if (threadIdx.x == 0) place = &number;
    __syncthreads();
    publish(&setting.values);
    out[blockIdx.x * 64 + threadIdx.x] += (published == setting.values) + (place == &number);
}
__global__ void shared_in_fibers(int* out, const __grid_constant__ Setting setting)
{
    switch (setting.step) {
    case 7:
        out[blockIdx.x * 64 + threadIdx.x] = setting.values[0];
        __syncthreads();
        publish(&setting.step);
        out[blockIdx.x * 64 + threadIdx.x] += published == &setting;
    }
}
__global__ void reset_published() { published = nullptr; }

// A kernel has a copy of the bytes of an object. Its copy constructor and its destructor are for the host.
struct Counted {
    int *counts, value;
    __host__ __device__ Counted(int* counts, int value) : counts(counts), value(value) {}
    __host__ __device__ Counted(const Counted& other) : counts(other.counts), value(other.value)
    {
        add();
    }
    __host__ __device__ ~Counted() { add(); }
    __host__ __device__ void add()
    {
#ifdef __CUDA_ARCH__
        atomicAdd(counts, 1);
#endif
    }
};
struct OfHost {
    int value;
    explicit OfHost(int value) : value(value) {}
    OfHost(const OfHost& other) : value(other.value)
    {
        int* memory;
        cudaMalloc(&memory, 4);
        cudaFree(memory);
    }
};
template <class Object>
__global__ void bytes_in_loops(const Object object, int* out)
{
    out[threadIdx.x] = object.value;
}
template <class Object>
__global__ void bytes_in_fibers(Object object, int* out)
{
    __shared__ const void* places[64];
    places[threadIdx.x] = &object;
    object.value += threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = object.value + 1000 * (places[(threadIdx.x + 1) % 64] == &object);
}
template <class First, class... Object>
__global__ void bytes_of_packs_in_loops(const First first, int* out, Object... objects)
{
    if (threadIdx.x == 63) return;
    ((objects.value += threadIdx.x), ...);
    auto add = [&] { return (first.value + ... + objects.value); };
    out[threadIdx.x] = add() + 1000 * sizeof...(objects);
}
template <class... Object> __global__ void bytes_of_packs_in_fibers(int* out, Object... objects)
{
    __shared__ int values[64];
    values[63 - threadIdx.x] = (threadIdx.x + ... + objects.value);
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x] + (0 + ... + objects.value);
}

// The index of a thread has one address in all regions.
__device__ const unsigned* find_address(const unsigned& of) { return &of; }
struct View {
    const unsigned& of;
    const unsigned* address;
    __device__ View(const unsigned& of) : of(of), address(nullptr) {}
    __device__ void set(const unsigned& other) { address = &other; }
};
__global__ void addresses_of_index(int* out)
{
    const unsigned& reference = threadIdx.x;
    const unsigned* pointer = &threadIdx.x;
    const unsigned* assigned;
    assigned = find_address(threadIdx.x);
    auto deduced = find_address(threadIdx.x);
    View view(threadIdx.x);
    view.set(threadIdx.x);
    __syncthreads();
    const bool are_same = pointer == &reference && pointer == &threadIdx.x && pointer == deduced;
    out[threadIdx.x] = are_same ? reference + *pointer + *assigned + *deduced + view.of + *view.address : -1;
}
__device__ int add_behind_barrier(const unsigned& first, const int& second)
{
    __syncwarp();
    return first + second;
}
__global__ void index_by_reference(int* out)
{
    out[threadIdx.x] = add_behind_barrier(threadIdx.x, 3) + add_behind_barrier(blockDim.x, threadIdx.x);
}
int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    guards<<<1, 64>>>(results);
    check("guards", 64, [](int i) { return i % 4 == 0; });
    subscripts<<<1, 32>>>(results);
    check("subscripts", 132, [](int i) {
        const bool is_first = i == 0 || i == 31, is_other = i > 100 && i < 131;
        return is_first ? i : is_other ? i - 100 : 0;
    });
    calls<<<1, 64>>>(results);
    check("calls", 64, [](int i) { return i * 2000 + i + 100; });
    assignments<<<1, 64>>>(results);
    check("assignments", 64, [](int i) { return i * 2000 + (i | 64); });
    lists<<<1, 64>>>(results);
    check("lists", 64, [](int i) { return i * 2000 + i + 100; });
    types_once<<<1, 1>>>(results);
    types_in_small_blocks<<<1, 1>>>(results);
    check("types_once", 2, [](int) { return 1; });
    constants_once<<<1, 1>>>(results);
    constants_in_small_blocks<<<1, 1>>>(results);
    check("constants_once", 1, [](int) { return 1; });
    pointers<<<1, 64>>>(results);
    check("pointers", 64, [](int i) { return (i + 1) * 1000 + i + 500; });
    references<<<1, 64>>>(results);
    check("references", 64, [](int) { return 10; });
    result_types<<<1, 64>>>(results);
    check("result_types", 64, [](int i) { return i; });
    temporaries<<<1, 64>>>(results);
    check("temporaries", 64, [](int i) { return i + 100; });
    streams<<<1, 64>>>(results);
    check("streams", 64, [](int i) { return i * 2000 + 77; });
    indices<<<1, 64>>>(results);
    check("indices", 64, [](int i) { return i; });
    defaults<<<1, 64>>>(results);
    check("defaults", 64, [](int) { return 25 + 3400; });
    constants<<<1, 64>>>(results);
    check("constants", 64, [](int) { return 1111; });
    constants_across<<<1, 64>>>(results);
    check("constants_across", 64, [](int) { return 1111; });
    const Setting setting{7, {20, 30}};
    reset_published<<<1, 1>>>();
    shared_in_loops<int, int><<<2, 64>>>(results, 1, 2, setting);
    check("shared_in_loops", 128, [](int) { return 34; });
    reset_published<<<1, 1>>>();
    shared_in_regions<<<2, 64>>>(setting, results, 9);
    check("shared_in_regions", 128, [](int) { return 9; });
    reset_published<<<1, 1>>>();
    shared_in_fibers<<<2, 64>>>(results, setting);
    check("shared_in_fibers", 128, [](int) { return 21; });
    int* copies;
    cudaMallocManaged(&copies, sizeof *copies);
    *copies = 0;
    bytes_in_loops<<<1, 64>>>(Counted(copies, 7), results);
    check("bytes_in_loops", 64, [](int) { return 7; });
    bytes_in_loops<<<1, 64>>>(OfHost(7), results);
    check("bytes_in_loops", 64, [](int) { return 7; });
    bytes_in_fibers<<<1, 64>>>(Counted(copies, 7), results);
    check("bytes_in_fibers", 64, [](int i) { return 7 + i; });
    bytes_in_fibers<<<1, 64>>>(OfHost(7), results);
    check("bytes_in_fibers", 64, [](int i) { return 7 + i; });
    bytes_of_packs_in_loops<<<1, 64>>>(Counted(copies, 7), results, OfHost(1), Counted(copies, 2));
    check("bytes_of_packs_in_loops", 63, [](int i) { return 2010 + 2 * i; });
    bytes_of_packs_in_loops<<<1, 64>>>(Counted(copies, 7), results);
    check("bytes_of_packs_in_loops", 63, [](int) { return 7; });
    bytes_of_packs_in_fibers<<<1, 64>>>(results, OfHost(1), Counted(copies, 2));
    check("bytes_of_packs_in_fibers", 64, [](int i) { return 63 - i + 6; });
    if (*copies != 0) std::printf("%d copies in device code\n", *copies);
    addresses_of_index<<<1, 64>>>(results);
    check("addresses_of_index", 64, [](int i) { return 6 * i; });
    index_by_reference<<<1, 64>>>(results);
    check("index_by_reference", 64, [](int i) { return 2 * i + 3 + 64; });
    std::puts("done");
}
