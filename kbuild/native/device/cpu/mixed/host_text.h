#if defined(__clang__)
#if defined(__x86_64__)
#define __kbuild_handle__ gnu_inline, naked, aligned(8), used, no_instrument_function, nocf_check
#else
#define __kbuild_handle__ gnu_inline, naked, aligned(8), used, no_instrument_function
#endif
#define __kbuild_kernel__ inline __attribute__((__kbuild_handle__))
#define __kbuild_kernel_body__ \
    { \
        __asm__(".quad 0"); \
    }
#define __kbuild_specialization__ __kbuild_kernel__
#define __kbuild_specialization_body__ __kbuild_kernel_body__
#else
#define __kbuild_kernel__ inline __attribute__((gnu_inline))
#define __kbuild_kernel_body__ \
    { \
        __builtin_apply_args(); \
        __asm__ volatile("" : : : "memory"); \
    }
#define __kbuild_specialization__
#define __kbuild_specialization_body__ ;
#endif
#define __kbuild_function__ inline __attribute__((gnu_inline, always_inline))
#define __kbuild_unused__ __attribute__((unused))
#define __kbuild_shadow__ __attribute__((used))
#define __kbuild_global__
#define __kbuild_device__
#define __kbuild_constant__
#define __kbuild_managed__
#define __kbuild_host__
#define __kbuild_launch_bounds__(...)
#define __kbuild_cluster_dims__(...)
#define __kbuild_grid_constant__
#define __kbuild_shared__ thread_local
#define __kbuild_needs_block__
#define __kbuild_call_needs_block__
#define __kbuild_yields__
#define __kbuild_block_barrier__
#define __kbuild_warp_barrier__
#define __kbuild_block_operation__
#define __kbuild_warp_operation__
#define __kbuild_warp_function__
#define __kbuild_block_primitive__
#define __kbuild_warp_primitive__
