/* Divides stub units into tables and functions.
 *
 * The functions of all stub units of a backend are the same, and take most of the time to compile.  If many
 * units with the same options become separate files, they can be compiled once: with
 * KBUILD_ONLY_FUNCTIONS (kbuild/native/registration.cpp), and each unit with KBUILD_ONLY_TABLES.  Every
 * unit is then linked with its own copy of the functions, which have static data.  With neither
 * macro, a stub unit is complete. */
#ifndef KBUILD_DETAIL_REGISTRATION_H
#define KBUILD_DETAIL_REGISTRATION_H

#include <kbuild/module.h>

#include <stdint.h>

#if !defined(KBUILD_ONLY_TABLES) && !defined(KBUILD_ONLY_FUNCTIONS)
#define KBUILD_REGISTRATION_DATA static
#define KBUILD_REGISTRATION_FUNCTION static inline
#else
#define KBUILD_REGISTRATION_DATA
#define KBUILD_REGISTRATION_FUNCTION __attribute__((visibility("hidden")))

#ifdef __cplusplus
extern "C" {
#endif

extern struct kbuild_runtime kbuild_runtime __attribute__((visibility("hidden")));
KBUILD_REGISTRATION_FUNCTION void kbuild_unregister_module(const struct kbuild_module *module);
KBUILD_REGISTRATION_FUNCTION void kbuild_initialize_managed(void);
KBUILD_REGISTRATION_FUNCTION void kbuild_report_call(const char *symbol);
KBUILD_REGISTRATION_FUNCTION void kbuild_resolve_handles(struct kbuild_kernel *rows,
                                                         uint64_t count);
KBUILD_REGISTRATION_FUNCTION void kbuild_resolve_shadows(struct kbuild_variable *rows,
                                                         uint64_t count);

#ifdef __cplusplus
}
#endif
#endif
#endif
