// Test code: the record that is registered, and the bundle that it leads to.
#ifndef RECORDING_HIP_BUNDLE_HPP
#define RECORDING_HIP_BUNDLE_HPP

#include <vector>

#include "registry.hpp"

namespace recording {

// The code objects behind a wrapper record; a violation where clang's format is not kept.
std::vector<CodeObject> read_wrapper(const void* wrapper);

}  // namespace recording

#endif
