/* The runtime of the toy backend, which runs kernels on the host. */
#ifndef TOY_RUNTIME_H
#define TOY_RUNTIME_H

#include <kbuild/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern struct kbuild_runtime toy_runtime;
void toy_register(const struct kbuild_module *module);
void toy_unregister(const struct kbuild_module *module);

#ifdef __cplusplus
}
#endif
#endif
