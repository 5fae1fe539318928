/* Annotations of names in these headers, which kbuild reads in the preprocessed text of kernels.  Each one is
 * directly before the name in its declaration. */
#ifndef KBUILD_CPU_ANNOTATIONS_H
#define KBUILD_CPU_ANNOTATIONS_H

#pragma GCC system_header

#if defined(KBUILD_MIXED) || defined(KBUILD_MARK_KERNELS)
/* A class of CUB whose functions do not exist on the CPU. */
#define KBUILD_NO_ALGORITHM __kbuild_no_algorithm__
#else
#define KBUILD_NO_ALGORITHM
#endif

#endif
