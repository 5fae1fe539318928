/* The qualifiers of a source without host code. Device functions are hidden, so that only host code, which
 * the backend reports, has default visibility. */
#define __kbuild_device__ __attribute__((visibility("hidden")))
#define __kbuild_constant__ __attribute__((visibility("hidden")))
#define __kbuild_managed__ __attribute__((visibility("hidden"), section(".data.kbuild_managed")))
#define __kbuild_host__
