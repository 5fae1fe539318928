// CTest runs each test in a process of its own: some of them break the device or set variables that
// the runtime reads once.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
