/* Joins the tables of objects to the module of their linked device code.  Included only by the stub
 * unit that a device link makes, which defines KBUILD_OBJECT_COUNT, the number of the objects. */
#ifndef KBUILD_DETAIL_LINKED_MODULE_H
#define KBUILD_DETAIL_LINKED_MODULE_H

#include <kbuild/detail/link_names.h>
#include <kbuild/module.h>
#include <stdlib.h>

static const struct kbuild_module *kbuild_objects[KBUILD_OBJECT_COUNT];
static unsigned kbuild_object_count;
/* The module of the unit, and the same module with the rows of the objects. */
static const struct kbuild_module *kbuild_plain_module;
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

/* Registers the linked code when the constructors of all objects, and of this unit, have run.  The
 * tables are never freed, because kernels can run until the process ends. */
static inline void kbuild_register_if_complete(void) {
    struct kbuild_kernel *kernels;
    struct kbuild_variable *variables;
    uint64_t kernel_count = 0, variable_count = 0, row;
    unsigned index;
    if (kbuild_plain_module == 0 || kbuild_object_count != KBUILD_OBJECT_COUNT) return;
    for (index = 0; index < KBUILD_OBJECT_COUNT; index++) {
        kernel_count += kbuild_objects[index]->kernel_count;
        variable_count += kbuild_objects[index]->variable_count;
    }
    kernels = (struct kbuild_kernel *)calloc(kernel_count + 1, sizeof *kernels);
    variables = (struct kbuild_variable *)calloc(variable_count + 1, sizeof *variables);
    if (kernels == 0 || variables == 0) return;
    kbuild_linked_module = *kbuild_plain_module;
    kbuild_linked_module.kernels = kernels;
    kbuild_linked_module.variables = variables;
    for (index = 0; index < KBUILD_OBJECT_COUNT; index++) {
        for (row = 0; row < kbuild_objects[index]->kernel_count; row++)
            kernels[kbuild_linked_module.kernel_count++] = kbuild_objects[index]->kernels[row];
        kbuild_append_variables(variables, &kbuild_linked_module.variable_count,
                                kbuild_objects[index]);
    }
    kbuild_register_module(&kbuild_linked_module, kbuild_unregister_linked);
}

/* The constructor of the unit calls it. */
static inline void kbuild_register_linked_module(const struct kbuild_module *module) {
    kbuild_plain_module = module;
    kbuild_register_if_complete();
}

/* The constructor of each object calls it.  Returns the module with the object's rows. */
static inline const struct kbuild_module *kbuild_add_object(const struct kbuild_module *object,
                                                            const char *address) {
    __asm__ volatile("" : : "r"(address));
    kbuild_objects[kbuild_object_count++] = object;
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

#endif
