#if !defined(KBUILD_MIXED)
#error "kbuild: the cpu backend does not support cooperative groups: cooperative_groups.h"
#endif
#pragma once
#pragma GCC system_header
#include "kbuild_cpu_device.h"

/* Mixed sources often include this header in all files.  The compiler reports only the functions
 * that make a group or use one, where device code calls them. */
#define KBUILD_CPU_NO_GROUPS(name)                                                       \
    __attribute__((error("kbuild: the cpu backend does not support cooperative groups: " #name)))

namespace cooperative_groups {

struct __unsupported_group {
    template <class... __A> KBUILD_CPU_NO_GROUPS(sync) void sync(__A&&...) const;
    template <class __T, class... __A> KBUILD_CPU_NO_GROUPS(shfl) __T shfl(__T, __A&&...) const;
    template <class __T, class... __A> KBUILD_CPU_NO_GROUPS(shfl_up) __T shfl_up(__T, __A&&...) const;
    template <class __T, class... __A> KBUILD_CPU_NO_GROUPS(shfl_down) __T shfl_down(__T, __A&&...) const;
    template <class __T, class... __A> KBUILD_CPU_NO_GROUPS(shfl_xor) __T shfl_xor(__T, __A&&...) const;
    KBUILD_CPU_NO_GROUPS(any) int any(int) const;
    KBUILD_CPU_NO_GROUPS(all) int all(int) const;
    KBUILD_CPU_NO_GROUPS(ballot) unsigned int ballot(int) const;
    KBUILD_CPU_NO_GROUPS(is_valid) bool is_valid() const;
    KBUILD_CPU_NO_GROUPS(thread_rank) static unsigned int thread_rank();
    KBUILD_CPU_NO_GROUPS(size) static unsigned int size();
    KBUILD_CPU_NO_GROUPS(num_threads) static unsigned int num_threads();
    KBUILD_CPU_NO_GROUPS(meta_group_rank) static unsigned int meta_group_rank();
    KBUILD_CPU_NO_GROUPS(meta_group_size) static unsigned int meta_group_size();
    KBUILD_CPU_NO_GROUPS(block_rank) static unsigned int block_rank();
    KBUILD_CPU_NO_GROUPS(num_blocks) static unsigned int num_blocks();
    KBUILD_CPU_NO_GROUPS(group_index) static dim3 group_index();
    KBUILD_CPU_NO_GROUPS(thread_index) static dim3 thread_index();
    KBUILD_CPU_NO_GROUPS(group_dim) static dim3 group_dim();
    KBUILD_CPU_NO_GROUPS(dim_threads) static dim3 dim_threads();
};

struct thread_group : __unsupported_group {};
struct thread_block : thread_group {};
struct grid_group : thread_group {};
struct multi_grid_group : thread_group {};
struct coalesced_group : thread_group {};
template <unsigned int, class = void>
struct thread_block_tile : thread_group {};

KBUILD_CPU_NO_GROUPS(this_thread_block) thread_block this_thread_block();
KBUILD_CPU_NO_GROUPS(this_grid) grid_group this_grid();
KBUILD_CPU_NO_GROUPS(this_multi_grid) multi_grid_group this_multi_grid();
KBUILD_CPU_NO_GROUPS(coalesced_threads) coalesced_group coalesced_threads();
template <unsigned int __N, class __G>
KBUILD_CPU_NO_GROUPS(tiled_partition) thread_block_tile<__N, __G> tiled_partition(const __G&);
template <class __G>
KBUILD_CPU_NO_GROUPS(tiled_partition) thread_group tiled_partition(const __G&, unsigned int);
template <class __G>
KBUILD_CPU_NO_GROUPS(sync) void sync(const __G&);

}  // namespace cooperative_groups

#undef KBUILD_CPU_NO_GROUPS
