// The kernels as fibers. With a device link, and a pointer to a function, kernels can call anything.
#include "kernels.cu"

using function = void (*)();
