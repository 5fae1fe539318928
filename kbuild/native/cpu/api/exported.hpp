// Declares the runtime's functions with the visibility of the shared library. The build of the static
// library hides them.
#ifndef KBUILD_CPU_API_EXPORTED_HPP
#define KBUILD_CPU_API_EXPORTED_HPP

#pragma GCC visibility push(default)
#include <kbuild/cpu_driver.h>
#include <kbuild/cpu_rtc.h>
#include <kbuild/cpu_runtime.h>
#pragma GCC visibility pop

#endif
