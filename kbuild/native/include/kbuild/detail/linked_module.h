/* Joins the tables of objects to the module of their linked device code.  Included only by the unit of
 * a device link, which defines these:
 *
 *     KBUILD_OBJECT_COUNT      the number of the objects
 *     kbuild_linked_container  the container with the linked images */
#ifndef KBUILD_DETAIL_LINKED_MODULE_H
#define KBUILD_DETAIL_LINKED_MODULE_H

#include <kbuild/detail/link_names.h>
#include <kbuild/module.h>
#include <stdlib.h>

static const struct kbuild_module *kbuild_objects[KBUILD_OBJECT_COUNT + 1];
static unsigned kbuild_object_count;
static struct kbuild_module kbuild_linked_module;

static inline void kbuild_unregister_linked(void) {
    kbuild_unregister_module(&kbuild_linked_module);
}

/* Appends the variables of an object.  Several objects can have an inline variable with one shadow. */
static inline void kbuild_append_variables(struct kbuild_variable *rows, uint64_t *count,
                                           const struct kbuild_module *object) {
    uint64_t row, known;
    for (row = 0; row < object->variable_count; row++) {
        for (known = 0; known < *count; known++)
            if (rows[known].shadow == object->variables[row].shadow) break;
        if (known == *count) rows[(*count)++] = object->variables[row];
    }
}

/* Registers the linked code with the kernels and variables of all objects.  The tables are never
 * freed, because kernels can run until the process ends. */
static inline void kbuild_register_objects(void) {
    struct kbuild_kernel *kernels;
    struct kbuild_variable *variables;
    uint64_t kernel_count = 0, variable_count = 0, row;
    unsigned index;
    for (index = 0; index < KBUILD_OBJECT_COUNT; index++) {
        kernel_count += kbuild_objects[index]->kernel_count;
        variable_count += kbuild_objects[index]->variable_count;
    }
    kernels = (struct kbuild_kernel *)calloc(kernel_count + 1, sizeof *kernels);
    variables = (struct kbuild_variable *)calloc(variable_count + 1, sizeof *variables);
    if (kernels == 0 || variables == 0) return;
    kernel_count = variable_count = 0;
    for (index = 0; index < KBUILD_OBJECT_COUNT; index++) {
        for (row = 0; row < kbuild_objects[index]->kernel_count; row++)
            kernels[kernel_count++] = kbuild_objects[index]->kernels[row];
        kbuild_append_variables(variables, &variable_count, kbuild_objects[index]);
    }
    kbuild_linked_module.kernels = kernels;
    kbuild_linked_module.kernel_count = kernel_count;
    kbuild_linked_module.variables = variables;
    kbuild_linked_module.variable_count = variable_count;
    kbuild_register_module(&kbuild_linked_module, kbuild_unregister_linked);
}

/* The constructor of each object calls it once. */
static inline const struct kbuild_module *kbuild_add_object(const struct kbuild_module *object,
                                                            const char *address) {
    __asm__ volatile("" : : "r"(address));
    kbuild_objects[kbuild_object_count++] = object;
    if (kbuild_object_count == KBUILD_OBJECT_COUNT) {
        kbuild_linked_module = *object;
        kbuild_linked_module.target = "linked device code";
        kbuild_linked_module.containers = &kbuild_linked_container;
        kbuild_linked_module.container_count = 1;
        kbuild_linked_module.runtime = &kbuild_runtime;
        kbuild_register_objects();
    }
    return &kbuild_linked_module;
}

/* Defines what an object refers to. */
#define KBUILD_DEFINE_LINKED_OBJECT(id) \
    extern const char KBUILD_LINKED_OBJECT(id) __attribute__((visibility("hidden"))); \
    const struct kbuild_module *KBUILD_LINK_FUNCTION(id)(const struct kbuild_module *object) \
        __attribute__((visibility("hidden"))); \
    const struct kbuild_module *KBUILD_LINK_FUNCTION(id)(const struct kbuild_module *object) { \
        return kbuild_add_object(object, &KBUILD_LINKED_OBJECT(id)); \
    }

#endif
