// A handwritten version of the adapter unit that the backend generates for kernels.cu.
#include <kbuild/cpu_adapter.h>

struct Affine {
    double scale;
    int offset;
};

extern "C" {
void saxpy(int, float, const float *, float *);
void store_indices(void *, void *);
void block_sum(const int *, int *);
void reverse(const int *, int *);
void early_exit(int *);
void staggered_exit(int *);
void count_votes(int *);
void wait_in_many_ways(int *, int);
void histogram(const unsigned char *, int, unsigned int *);
void count_launches(int *);
void apply(Affine, float *) __asm__("_ZN2ns5applyIfEEv6AffinePT_");
void divide(volatile float *);
void spin(volatile int *, volatile int *);
void exchange(int *);
void converge(unsigned int *);
void cooperate(int *, int);
void meet(int *);
void lock(int *, int *);
void wait_by_clock(int *, int);
void wait_for_each_other();
void name_wrong_lane();
void exit_before_grid_barrier();
void exit_after_others_wait();
void spin_forever(int *);
void wait_for_host(const volatile int *);
void nothing();
void fail(int *, int);
}

namespace {

// Runs the threads of the block that have not started. Generated images have such loops in their
// kernels; see kbuild_cpu/threads.h.
template <class Kernel>
void for_each_thread(Kernel run_thread) {
    const uint32_t suspensions = kbuild_cpu_progress.suspensions;
    uint32_t x = kbuild_cpu_progress.start.x, y = kbuild_cpu_progress.start.y;
    for (uint32_t z = kbuild_cpu_progress.start.z; z < blockDim.z; ++z, y = 0)
        for (; y < blockDim.y; ++y, x = 0)
            for (; x < blockDim.x; ++x) {
                threadIdx.x = x;
                threadIdx.y = y;
                threadIdx.z = z;
                run_thread();
                if (kbuild_cpu_progress.suspensions != suspensions) return;
            }
}

template <auto kernel>
struct Adapter;

template <class... P, void (*kernel)(P...)>
struct Adapter<kernel> {
    template <int... i>
    struct Indices {
        static void run(void *const *args) {
            (void)args;
            do for_each_thread([&] { kernel(*static_cast<P *>(args[i])...); });
            while (start_next_block());
        }
    };
};

constexpr kbuild_param pointers[] = {{0, 8}, {8, 8}};
constexpr kbuild_param fail_params[] = {{0, 8}, {8, 4}};
constexpr kbuild_param saxpy_params[] = {{0, 4}, {4, 4}, {8, 8}, {16, 8}};
constexpr kbuild_param histogram_params[] = {{0, 8}, {8, 4}, {16, 8}};
constexpr kbuild_param apply_params[] = {{0, 16}, {16, 8}};

#define KERNEL(function, symbol, params, count, ...) \
    {symbol,  Adapter<&function>::Indices<__VA_ARGS__>::run, \
     params,  count, \
     0,       nullptr, \
     nullptr, nullptr, \
     0}

const kbuild_cpu_kernel kernels[] = {
    KERNEL(saxpy, "saxpy", saxpy_params, 4, 0, 1, 2, 3),
    KERNEL(store_indices, "store_indices", pointers, 2, 0, 1),
    KERNEL(block_sum, "block_sum", pointers, 2, 0, 1),
    KERNEL(reverse, "reverse", pointers, 2, 0, 1),
    KERNEL(early_exit, "early_exit", pointers, 1, 0),
    KERNEL(staggered_exit, "staggered_exit", pointers, 1, 0),
    KERNEL(count_votes, "count_votes", pointers, 1, 0),
    KERNEL(wait_in_many_ways, "wait_in_many_ways", fail_params, 2, 0, 1),
    KERNEL(histogram, "histogram", histogram_params, 3, 0, 1, 2),
    KERNEL(count_launches, "count_launches", pointers, 1, 0),
    KERNEL(apply, "_ZN2ns5applyIfEEv6AffinePT_", apply_params, 2, 0, 1),
    KERNEL(divide, "divide", pointers, 1, 0),
    KERNEL(spin, "spin", pointers, 2, 0, 1),
    KERNEL(exchange, "exchange", pointers, 1, 0),
    KERNEL(converge, "converge", pointers, 1, 0),
    KERNEL(cooperate, "cooperate", fail_params, 2, 0, 1),
    KERNEL(meet, "meet", pointers, 1, 0),
    KERNEL(lock, "lock", pointers, 2, 0, 1),
    KERNEL(wait_by_clock, "wait_by_clock", fail_params, 2, 0, 1),
    KERNEL(wait_for_each_other, "wait_for_each_other", nullptr, 0),
    KERNEL(name_wrong_lane, "name_wrong_lane", nullptr, 0),
    KERNEL(exit_before_grid_barrier, "exit_before_grid_barrier", nullptr, 0),
    KERNEL(exit_after_others_wait, "exit_after_others_wait", nullptr, 0),
    KERNEL(spin_forever, "spin_forever", pointers, 1, 0),
    KERNEL(wait_for_host, "wait_for_host", pointers, 1, 0),
    KERNEL(nothing, "nothing", nullptr, 0),
    KERNEL(fail, "fail", fail_params, 2, 0, 1),
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const kbuild_cpu_image kbuild_cpu_image = {
    KBUILD_CPU_IMAGE_ABI,
    sizeof kernels / sizeof *kernels,
    kernels,
    attach,
    builtins,
    nullptr,
    0,
    0,
};
