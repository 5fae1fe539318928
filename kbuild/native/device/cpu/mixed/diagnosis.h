/* The words of the device language in a text that is only compiled for its diagnostics: as if all of it were C++. */
#define __kbuild_global__
#define __kbuild_device__
#define __kbuild_constant__
#define __kbuild_managed__
#define __kbuild_host__
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
#define __kbuild_no_algorithm__
