/* Finds the modules of kbuild in the loaded files of a process, by their notes.  Stub units use
 * them to explain failed launches better than the runtime can.  Included by stub units only. */
#ifndef KBUILD_DETAIL_MODULE_SEARCH_H
#define KBUILD_DETAIL_MODULE_SEARCH_H

#include <kbuild/detail/launch/entry.h>
#include <kbuild/detail/shadows.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A search for the module that defines a kernel, or for the number of device variables with one
 * shadow. */
struct kbuild_module_search {
    const void *handle;
    const struct kbuild_module *module;
    const void *shadow;
    unsigned definitions;
};

static inline int kbuild_has_handle(const struct kbuild_module *module, const void *handle) {
    uint64_t row;
    for (row = 0; row < module->kernel_count; row++)
        if (module->kernels[row].handle == handle) return 1;
    return 0;
}

/* Two sources of a target can have the same shadow: that of an inline variable.  Foreign rows do not
 * count, also in modules whose constructors have not run yet. */
static inline unsigned kbuild_count_rows(const struct dl_phdr_info *object,
                                         const struct kbuild_module *module, const void *shadow) {
    const uint32_t foreign =
        KBUILD_VARIABLE_FOREIGN | (kbuild_holds(object, shadow) ? 0 : KBUILD_VARIABLE_INDIRECT);
    unsigned found = 0;
    uint64_t row;
    if (module->size < sizeof *module) return 0;
    for (row = 0; row < module->variable_count; row++)
        found += (module->variables[row].kind & foreign) == 0 &&
                 kbuild_find_shadow(&module->variables[row]) == shadow;
    return found;
}

/* Examines the modules that kbuild's notes between `note` and `end` refer to. */
static inline void kbuild_search_notes(const struct dl_phdr_info *object, const char *note,
                                       const char *end, struct kbuild_module_search *search) {
    while (end - note >= (long)sizeof(ElfW(Nhdr)) && search->module == 0) {
        const ElfW(Nhdr) *header = (const ElfW(Nhdr) *)(const void *)note;
        const char *__name = note + sizeof *header;
        const char *content = __name + ((header->n_namesz + 3) & ~3u);
        note = content + ((header->n_descsz + 3) & ~3u);
        if (header->n_type == KBUILD_NOTE_TYPE && header->n_namesz == sizeof "kbuild" &&
            memcmp(__name, "kbuild", sizeof "kbuild") == 0) {
            const struct kbuild_note_header *own =
                (const struct kbuild_note_header *)(const void *)content;
            const struct kbuild_module *module =
                (const struct kbuild_module *)(const void *)((const char *)&own->descriptor +
                                                             own->descriptor);
            if (own->version != KBUILD_NOTE_VERSION || module->abi != KBUILD_MODULE_ABI) continue;
            if (search->shadow != 0)
                search->definitions += kbuild_count_rows(object, module, search->shadow);
            else if (kbuild_has_handle(module, search->handle))
                search->module = module;
        }
    }
}

static inline int kbuild_search_object(struct dl_phdr_info *object, size_t size, void *data) {
    struct kbuild_module_search *search = (struct kbuild_module_search *)data;
    unsigned index;
    (void)size;
    for (index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        const char *start = (const char *)object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_NOTE)
            kbuild_search_notes(object, start, start + segment->p_memsz, search);
    }
    return search->module != 0;
}

/* Two addresses, and the loaded files that contain them. */
struct kbuild_address_pair {
    const void *first, *second;
    struct dl_phdr_info first_object, second_object;
};

static inline int kbuild_note_objects(struct dl_phdr_info *object, size_t size, void *data) {
    struct kbuild_address_pair *pair = (struct kbuild_address_pair *)data;
    (void)size;
    if (kbuild_holds(object, pair->first)) pair->first_object = *object;
    if (kbuild_holds(object, pair->second)) pair->second_object = *object;
    return pair->first_object.dlpi_phdr != 0 && pair->second_object.dlpi_phdr != 0;
}

/* Returns the dynamic section of a loaded file and sets its string table.  Returns null if the
 * file has none. */
static inline const ElfW(Dyn) *
    kbuild_find_dynamic(const struct dl_phdr_info *object, const char **strings) {
    const ElfW(Dyn) *dynamic = 0, *entry;
    unsigned index;
    for (index = 0; index < object->dlpi_phnum; index++)
        if (object->dlpi_phdr[index].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[index].p_vaddr);
    *strings = 0;
    for (entry = dynamic; entry != 0 && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) /* glibc has relocated the address, other loaders have not */
            *strings = (const char *)(entry->d_un.d_ptr < object->dlpi_addr
                                          ? object->dlpi_addr + entry->d_un.d_ptr
                                          : entry->d_un.d_ptr);
    return *strings != 0 ? dynamic : 0;
}

/* Returns whether the file names the other file in DT_NEEDED. */
static inline int kbuild_needs(const struct dl_phdr_info *object, const char *__name) {
    const char *strings;
    const ElfW(Dyn) *entry = kbuild_find_dynamic(object, &strings);
    for (; entry != 0 && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strcmp(strings + entry->d_un.d_val, __name) == 0) return 1;
    return 0;
}

/* Returns whether the file that contains `first` stays loaded as long as the one that contains
 * `second`. That is the case if both are the same file, or if the second names the first in
 * DT_NEEDED. */
static inline int kbuild_outlives(const void *first, const void *second) {
    struct kbuild_address_pair pair;
    const ElfW(Dyn) * entry;
    const char *strings, *slash;
    memset(&pair, 0, sizeof pair);
    pair.first = first;
    pair.second = second;
    if (!dl_iterate_phdr(kbuild_note_objects, &pair)) return 0;
    if (pair.first_object.dlpi_phdr == pair.second_object.dlpi_phdr) return 1;
    for (entry = kbuild_find_dynamic(&pair.first_object, &strings);
         entry != 0 && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_SONAME)
            return kbuild_needs(&pair.second_object, strings + entry->d_un.d_val);
    slash = strrchr(pair.first_object.dlpi_name, '/');
    return kbuild_needs(&pair.second_object, slash != 0 ? slash + 1 : pair.first_object.dlpi_name);
}

/* Appends each architecture in the kernel table (`"arch":"..."`) once to the text. */
static inline void kbuild_list_architectures(const struct kbuild_module *module, char *text,
                                             size_t capacity) {
    static const char key[] = "\"arch\":\"";
    const char *position = module->record, *end = position + module->record_size;
    char *const list = text + strlen(text);
    for (; end - position > (long)sizeof key; position++) {
        char word[40];
        size_t length = 0, used = strlen(text);
        if (memcmp(position, key, sizeof key - 1) != 0) continue;
        position += sizeof key - 1;
        while (length < sizeof word - 2 && position + length < end && position[length] != '"') {
            word[length] = position[length];
            length++;
        }
        word[length] = '\0';
        /* The comma tells an architecture from a longer one with the same prefix: sm_90, sm_90a. */
        strcat(word, ",");
        if (strstr(list, word) == 0 && capacity - used > length + 3)
            snprintf(text + used, capacity - used, " %s", word);
    }
    if (list[0] != '\0') text[strlen(text) - 1] = '\0';
}

/* Returns the module that defines the kernel, or null if no module of kbuild does. */
static inline const struct kbuild_module *kbuild_find_module(const void *handle) {
    struct kbuild_module_search search = {handle, 0, 0, 0};
    dl_iterate_phdr(kbuild_search_object, &search);
    return search.module;
}

/* See kbuild/detail/launch/entry.h.  Every stub unit defines it in the same way, so it does not matter
 * whose definition the linker keeps. */
int kbuild_launch_in_module(const void *__kernel, const struct kbuild_launch_config *__config,
                            void *const *__args) {
    const struct kbuild_module *const module = kbuild_find_module(__kernel);
    const int invalid_kernel = 98; /* of all runtimes */
    return module != 0 ? module->runtime->launch(__kernel, __config, __args) : invalid_kernel;
}

/* Returns how many device variables have this shadow. */
static inline unsigned kbuild_count_shadows(const void *shadow) {
    struct kbuild_module_search search = {0, 0, shadow, 0};
    dl_iterate_phdr(kbuild_search_object, &search);
    return search.definitions;
}

#endif
