/* Annotations of names in these headers, which kbuild reads in preprocessed text.  Each one is directly before
 * the name in its declaration, and the passes define it as nothing. */
#ifndef KBUILD_CPU_ANNOTATIONS_H
#define KBUILD_CPU_ANNOTATIONS_H

#pragma GCC system_header

#if defined(KBUILD_MIXED) || defined(KBUILD_MARK_KERNELS)
/* A function that needs the index of the thread or the other threads of its block.  So it does not exist in
 * host code. */
#define KBUILD_NEEDS_BLOCK __kbuild_needs_block__
/* A function that stops the thread only if it is called in a loop that waits for another thread. */
#define KBUILD_YIELDS __kbuild_yields__
/* A function that stops the thread until the others of its block or warp have called it, without or with a value
 * of each thread. kbuild_cpu/regions has a class with the name. */
#define KBUILD_BLOCK_BARRIER __kbuild_block_barrier__
#define KBUILD_WARP_BARRIER __kbuild_warp_barrier__
#define KBUILD_BLOCK_OPERATION __kbuild_block_operation__
#define KBUILD_WARP_OPERATION __kbuild_warp_operation__
/* The same for a function that is declared as a divided one, too; see `collective` in kbuild_cpu/regions. */
#define KBUILD_WARP_FUNCTION __kbuild_warp_function__
/* A class of objects with which the threads of a block or warp call functions together; see `team` in
 * kbuild_cpu/regions. */
#define KBUILD_BLOCK_PRIMITIVE __kbuild_block_primitive__
#define KBUILD_WARP_PRIMITIVE __kbuild_warp_primitive__
/* The same as KBUILD_NEEDS_BLOCK, if programs use the name for other things, too: for a class, or a function with a common name.
 * Only calls, template arguments, and qualified names count. */
#define KBUILD_CALL_NEEDS_BLOCK __kbuild_call_needs_block__
#else
#define KBUILD_NEEDS_BLOCK
#define KBUILD_YIELDS
#define KBUILD_BLOCK_BARRIER
#define KBUILD_WARP_BARRIER
#define KBUILD_BLOCK_OPERATION
#define KBUILD_WARP_OPERATION
#define KBUILD_WARP_FUNCTION
#define KBUILD_BLOCK_PRIMITIVE
#define KBUILD_WARP_PRIMITIVE
#define KBUILD_CALL_NEEDS_BLOCK
#endif

#endif
