/* The linkable function kbuild_launch, for languages that cannot use kbuild's headers. */
#ifndef KBUILD_DETAIL_LAUNCH_ENTRY_H
#define KBUILD_DETAIL_LAUNCH_ENTRY_H

#include <kbuild/module.h>

/* Stub units define these functions, with the visibility of their target.  They are weak because
 * host code can be linked without any stub unit, and because a program can contain several. */
#if defined(KBUILD_TARGET_VISIBILITY)
#define KBUILD_STUB_UNIT_FUNCTION __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)))
#else
#define KBUILD_STUB_UNIT_FUNCTION __attribute__((weak))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a kernel of any module in the process, through its debug stub if it has one.  In C and
 * C++, the inline function kbuild_launch of the host API has the same name and costs less.  Returns
 * an error code of the runtime that the kernel's module is linked to. */
int kbuild_launch_in_module(const void *__kernel, const struct kbuild_launch_config *__config,
                            void *const *__args) __asm__("kbuild_launch") KBUILD_STUB_UNIT_FUNCTION;

/* Returns the debug stub of a kernel, or the start of its code if the kernel is an instance of a template; null if the address is not that of a kernel's handle.  Debug stubs define it. */
const void *kbuild_find_stub(const void *__kernel) KBUILD_STUB_UNIT_FUNCTION;

/* Returns whether the content of a handle is the start of code, and not an address: that of an instance of
 * a template (templates/instance.j2), or a function that another compiler made. */
static inline int kbuild_is_code(kbuild_uint64 __content) { return __content >> 48 != 0; }

/* Returns whether launches of a kernel must go through a debug stub. */
static inline int kbuild_has_stub(const void *__kernel) {
    const kbuild_uint64 __content = __kernel != 0 ? *(const kbuild_uint64 *)__kernel : 0;
    return __builtin_expect(__content != 0, 0) &&
           (!kbuild_is_code(__content) || kbuild_find_stub != 0);
}

/* Returns whether to launch a kernel through its module, because it has a debug stub. */
static inline int kbuild_has_debug_stub(const void *__kernel) {
    return kbuild_has_stub(__kernel) && kbuild_launch_in_module != 0;
}

#ifdef __cplusplus
}
#endif
#endif
