// The addresses of the kernels in another translation unit.
#include "twins.hpp"

const void* first_elsewhere() { return reinterpret_cast<const void*>(first); }
const void* add_elsewhere() { return reinterpret_cast<const void*>(twins::add<int>); }
