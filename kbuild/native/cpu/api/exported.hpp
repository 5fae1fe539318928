// The runtime's functions as this build of it shows them: exported from the shared library,
// hidden in the static one, so that two copies in a process never mix.
#ifndef KBUILD_CPU_API_EXPORTED_HPP
#define KBUILD_CPU_API_EXPORTED_HPP

#if defined(KBUILD_CPU_STATIC)
#pragma GCC visibility push(hidden)
#else
#pragma GCC visibility push(default)
#endif
#include <kbuild/cpu_runtime.h>
#pragma GCC visibility pop

#endif
