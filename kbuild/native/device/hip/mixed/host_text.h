#define __kbuild_kernel__ \
    inline __attribute__((gnu_inline, naked, nodebug, section(".kbuild_unused")))
#define __kbuild_kernel_body__ \
    { \
        __asm__(""); \
    }
#define __kbuild_specialization__ __kbuild_kernel__
#define __kbuild_specialization_body__ __kbuild_kernel_body__
#define __kbuild_shadow__ __attribute__((used))
#define __kbuild_global__
#define __kbuild_device__ __attribute__((device))
#define __kbuild_constant__ __attribute__((constant))
#define __kbuild_managed__ __attribute__((managed))
#define __kbuild_host__ __attribute__((host))
# 1 "<kbuild>" 3
