/* Connects stub units of the toy backend to its runtime. */
#ifndef TOY_REGISTRATION_H
#define TOY_REGISTRATION_H

#include "toy_runtime.h"

#include <stdlib.h>

#define KBUILD_DEFINE_WRAPPER(name, data)
#define KBUILD_DEFINE_LINKED_WRAPPER(name, data, prelinked)
#define KBUILD_WRAPPER(name) 0
#define kbuild_runtime toy_runtime

static inline void kbuild_register_module(const struct kbuild_module *module, void (*unregister)(void))
{
    toy_register(module);
    (void)atexit(unregister);
}

static inline void kbuild_unregister_module(const struct kbuild_module *module)
{
    toy_unregister(module);
}

#endif
