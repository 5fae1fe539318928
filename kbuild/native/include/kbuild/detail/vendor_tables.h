/* The part of the tables of stub units that is the same over every GPU vendor's runtime.
 *
 * The registration header of a backend defines these macros, and includes this header:
 *
 *     KBUILD_VENDOR_WRAPPER_SECTION       the section with one wrapper record per container
 *     KBUILD_VENDOR_WRAPPER_MAGIC         the record's magic number
 *     KBUILD_VENDOR_LINKED_WRAPPER_VERSION  the version of the record of linked device code
 *     KBUILD_VENDOR_LINK_SECTION          the section with the ids of objects that wait for a device
 *                                         link
 *     KBUILD_VENDOR_LINK_FUNCTION(id)     the function that a device link defines for such an object.
 *                                         It calls its first argument with the container that was
 *                                         linked
 *
 * If the device code of the stub unit waits for a device link, the unit defines KBUILD_LINK_ID. */
#ifndef KBUILD_DETAIL_VENDOR_TABLES_H
#define KBUILD_DETAIL_VENDOR_TABLES_H

#include <kbuild/detail/link_names.h>
#include <kbuild/detail/registration.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void kbuild_link_function(void (*add)(void **), void *wrapper, void *name,
                                  void (*refer)(void *));

/* The record for each container that the vendor's runtime and tools look for. */
struct kbuild_wrapper {
    uint32_t magic;
    uint32_t version;
    const void *data;
    const void *prelinked;
};

#define KBUILD_WRAPPER_VERSION 1u

#ifdef KBUILD_LINK_ID
static const char kbuild_link_id[] __attribute__((section(KBUILD_VENDOR_LINK_SECTION), used)) =
    KBUILD_QUOTE(KBUILD_LINK_ID);
kbuild_link_function KBUILD_VENDOR_LINK_FUNCTION(KBUILD_LINK_ID);
/* The device link refers to the record by this symbol. */
#define KBUILD_DECLARE_WRAPPER(name) \
    extern struct kbuild_wrapper name __asm__("__fatbinwrap" KBUILD_QUOTE(KBUILD_LINK_ID)) \
        __attribute__((visibility("hidden"))); \
    struct kbuild_wrapper name
#else
#define KBUILD_DECLARE_WRAPPER(name) static struct kbuild_wrapper name
#endif
#define KBUILD_DEFINE_WRAPPER_OF(name, version, data, prelinked) \
    KBUILD_DECLARE_WRAPPER(name) \
    __attribute__((section(KBUILD_VENDOR_WRAPPER_SECTION), aligned(8), used)) = { \
        KBUILD_VENDOR_WRAPPER_MAGIC, version, data, prelinked};
#define KBUILD_DEFINE_WRAPPER(name, data) \
    KBUILD_DEFINE_WRAPPER_OF(name, KBUILD_WRAPPER_VERSION, data, 0)
/* For code that the device linker made.  `prelinked` is a null-terminated list of the containers
 * that it was linked from. */
#define KBUILD_DEFINE_LINKED_WRAPPER(name, data, prelinked) \
    KBUILD_DEFINE_WRAPPER_OF(name, KBUILD_VENDOR_LINKED_WRAPPER_VERSION, data, prelinked)
#define KBUILD_WRAPPER(name) &name

/* Registers the containers of a module, or lets the device link register the only one. */
KBUILD_REGISTRATION_FUNCTION void kbuild_register_containers(const struct kbuild_module *module,
                                                             void (*unregister)(void));
KBUILD_REGISTRATION_FUNCTION void kbuild_register_by_link(const struct kbuild_module *module,
                                                          void (*unregister)(void),
                                                          kbuild_link_function *link,
                                                          const char *id);

/* Registers the module.  A failure cannot be reported here; instead, launches of its kernels fail
 * with an error.
 *
 * `atexit` belongs to the object that calls it, so that dlclose unregisters the module as well. */
static inline void kbuild_register_module(const struct kbuild_module *module,
                                          void (*unregister)(void)) {
#ifdef KBUILD_LINK_ID
    kbuild_register_by_link(module, unregister, KBUILD_VENDOR_LINK_FUNCTION(KBUILD_LINK_ID),
                            kbuild_link_id);
#else
    kbuild_register_containers(module, unregister);
#endif
}

#ifdef __cplusplus
}
#endif
#endif
