// Test code: finds the loaded file that contains an address, and the names in it.
#ifndef RECORDING_HIP_LOADED_FILE_HPP
#define RECORDING_HIP_LOADED_FILE_HPP

#include <string>

namespace recording {

// Returns the base name of the file that contains `address`, or an empty string.
std::string file_of(const void* address);

// Returns the section that contains `address`, or an empty string.
std::string section_of(const void* address);

// Returns whether the file has a symbol with this name at exactly this address. The name can end in the
// numbers that tell handles with one name apart.
bool is_named(const void* address, const std::string& name);

// Returns whether the file has any symbol at exactly this address.
bool has_name(const void* address);

// Returns the symbol that contains a code address, for stack traces, or "?".
std::string function_around(const void* address);

}  // namespace recording

#endif
