// Test code: reads the registered wrapper record and its bundle.
#ifndef RECORDING_HIP_BUNDLE_HPP
#define RECORDING_HIP_BUNDLE_HPP

#include <vector>

#include "registry.hpp"

namespace recording {

// Returns the code objects that a wrapper record refers to. Violations of clang's format end the
// program.
std::vector<CodeObject> read_wrapper(const void* wrapper);

}  // namespace recording

#endif
