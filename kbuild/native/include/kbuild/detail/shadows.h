/* Resolves the shadows of device variables that host texts define.  Included by stub units only. */
#ifndef KBUILD_DETAIL_SHADOWS_H
#define KBUILD_DETAIL_SHADOWS_H

#include <kbuild/detail/registration.h>

#ifndef KBUILD_ONLY_TABLES
#include <link.h>
#include <stdint.h>

/* Returns whether a loaded file contains the address. */
static inline int kbuild_holds(const struct dl_phdr_info *object, const void *__address) {
    const uintptr_t offset = (uintptr_t)__address - object->dlpi_addr;
    unsigned index;
    for (index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type == PT_LOAD && offset - segment->p_vaddr < segment->p_memsz) return 1;
    }
    return 0;
}

/* Rows to resolve. */
struct kbuild_variable_rows {
    struct kbuild_variable *__rows;
    uint64_t __count;
};

static inline int kbuild_mark_foreign(struct dl_phdr_info *object, size_t size, void *data) {
    const struct kbuild_variable_rows *const own = (const struct kbuild_variable_rows *)data;
    uint64_t index;
    (void)size;
    if (!kbuild_holds(object, own->__rows)) return 0;
    for (index = 0; index < own->__count; index++)
        if (!kbuild_holds(object, own->__rows[index].shadow))
            own->__rows[index].kind |= KBUILD_VARIABLE_FOREIGN;
    return 1;
}

/* Replaces the addresses of slots with those of the shadows.  If two files define a variable with one
 * name, host code of both can use the shadow of the first. */
KBUILD_REGISTRATION_FUNCTION void kbuild_resolve_shadows(struct kbuild_variable *__rows,
                                                         uint64_t __count) {
    struct kbuild_variable_rows own = {__rows, __count};
    uint64_t index;
    for (index = 0; index < __count; index++) {
        __rows[index].shadow = kbuild_find_shadow(&__rows[index]);
        __rows[index].kind &= ~KBUILD_VARIABLE_INDIRECT;
    }
    dl_iterate_phdr(kbuild_mark_foreign, &own);
}

#endif
#endif
