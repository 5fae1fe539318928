/* Joins the tables of objects to the module of their linked device code.  Included only by stub units
 * that register the result of a device link, which define KBUILD_LINKED_OBJECTS, the list of the
 * objects, and KBUILD_LINKED_OBJECT_COUNT. */
#ifndef KBUILD_DETAIL_LINKED_MODULE_H
#define KBUILD_DETAIL_LINKED_MODULE_H

#include <kbuild/detail/link_names.h>
#include <kbuild/module.h>
#include <stdint.h>
#include <stdlib.h>

/* The module of the unit, which comes first, and those of the objects. */
static const struct kbuild_module *kbuild_parts[KBUILD_LINKED_OBJECT_COUNT + 1];
static unsigned kbuild_part_count = 1;
/* The module of the unit with the rows of all parts. */
static struct kbuild_module kbuild_linked_module;
static struct kbuild_runtime kbuild_linked_runtime;

static inline void kbuild_unregister_linked(void) {
    kbuild_unregister_module(&kbuild_linked_module);
}

/* Launches through the part that defines the kernel, and can have a debug stub for it. */
static int kbuild_launch_linked(const void *handle, const struct kbuild_launch_config *config,
                                void *const *args) {
    unsigned index = 0;
    uint64_t row;
    if (*(const void *const *)handle != 0)
        for (index = KBUILD_LINKED_OBJECT_COUNT; index > 0; index--) {
            const struct kbuild_module *const part = kbuild_parts[index];
            for (row = 0; row < part->kernel_count; row++)
                if (part->kernels[row].handle == handle)
                    return part->runtime->launch(handle, config, args);
        }
    return kbuild_parts[0]->runtime->launch(handle, config, args);
}

/* Appends the variables of a part.  Several parts can have an inline variable with one shadow. */
static inline void kbuild_append_variables(struct kbuild_variable *rows, uint64_t *count,
                                           const struct kbuild_module *part) {
    uint64_t row, known;
    for (row = 0; row < part->variable_count; row++) {
        for (known = 0; known < *count; known++)
            if (rows[known].shadow == part->variables[row].shadow) break;
        if (known < *count) continue;
        rows[*count] = part->variables[row];
        rows[(*count)++].container = 0; /* that of the linked code */
    }
}

static inline void kbuild_append_kernels(struct kbuild_kernel *rows, uint64_t *count,
                                         const struct kbuild_module *part) {
    uint64_t row;
    for (row = 0; row < part->kernel_count; row++) {
        rows[*count] = part->kernels[row];
        rows[(*count)++].container = 0;
    }
}

/* Registers the linked code when the constructors of all objects, and of this unit, have run.  The
 * tables are never freed, because kernels can run until the process ends. */
static inline void kbuild_register_if_complete(void) {
    struct kbuild_kernel *kernels;
    struct kbuild_variable *variables;
    uint64_t kernel_count = 0, variable_count = 0;
    unsigned index;
    if (kbuild_parts[0] == 0 || kbuild_part_count != KBUILD_LINKED_OBJECT_COUNT + 1) return;
    for (index = 0; index < kbuild_part_count; index++) {
        kernel_count += kbuild_parts[index]->kernel_count;
        variable_count += kbuild_parts[index]->variable_count;
    }
    kernels = (struct kbuild_kernel *)calloc(kernel_count + 1, sizeof *kernels);
    variables = (struct kbuild_variable *)calloc(variable_count + 1, sizeof *variables);
    if (kernels == 0 || variables == 0) return;
    kbuild_linked_runtime = *kbuild_parts[0]->runtime;
    kbuild_linked_runtime.launch = kbuild_launch_linked;
    kbuild_linked_module = *kbuild_parts[0];
    kbuild_linked_module.runtime = &kbuild_linked_runtime;
    kbuild_linked_module.kernels = kernels;
    kbuild_linked_module.kernel_count = 0;
    kbuild_linked_module.variables = variables;
    kbuild_linked_module.variable_count = 0;
    for (index = 0; index < kbuild_part_count; index++) {
        kbuild_append_kernels(kernels, &kbuild_linked_module.kernel_count, kbuild_parts[index]);
        kbuild_append_variables(variables, &kbuild_linked_module.variable_count,
                                kbuild_parts[index]);
    }
    kbuild_register_module(&kbuild_linked_module, kbuild_unregister_linked);
}

/* The constructor of the unit calls it. */
static inline void kbuild_register_linked_module(const struct kbuild_module *module,
                                                 void (*unregister)(void), const void **data) {
    (void)unregister, (void)data; /* the runtime links no images */
    kbuild_parts[0] = module;
    kbuild_register_if_complete();
}

/* The constructor of each object calls it.  Returns the module with the object's rows. */
static inline const struct kbuild_module *kbuild_add_object(const struct kbuild_module *object,
                                                            const char *address) {
    __asm__ volatile("" : : "r"(address));
    kbuild_parts[kbuild_part_count++] = object;
    kbuild_register_if_complete();
    return &kbuild_linked_module;
}

/* Defines what an object refers to, and refers to the object, so that a linker takes it from its
 * archive. */
#define KBUILD_DEFINE_LINKED_OBJECT(id) \
    extern const char KBUILD_LINKED_OBJECT(id) __attribute__((visibility("hidden"))); \
    const struct kbuild_module *KBUILD_LINK_FUNCTION(id)(const struct kbuild_module *object) \
        __attribute__((visibility("hidden"))); \
    const struct kbuild_module *KBUILD_LINK_FUNCTION(id)(const struct kbuild_module *object) { \
        return kbuild_add_object(object, &KBUILD_LINKED_OBJECT(id)); \
    }

#ifdef __cplusplus
extern "C" {
#endif
KBUILD_LINKED_OBJECTS(KBUILD_DEFINE_LINKED_OBJECT)
#ifdef __cplusplus
}
#endif

#endif
