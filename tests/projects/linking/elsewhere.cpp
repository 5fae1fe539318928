// The kernels as another translation unit sees them.
#include "twins.hpp"

const void* first_elsewhere() { return reinterpret_cast<const void*>(first); }
const void* add_elsewhere() { return reinterpret_cast<const void*>(twins::add<int>); }
