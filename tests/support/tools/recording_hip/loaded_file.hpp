// Test code: which file of the process an address lies in, and what is there by its names.
#ifndef RECORDING_HIP_LOADED_FILE_HPP
#define RECORDING_HIP_LOADED_FILE_HPP

#include <string>

namespace recording {

// The base name of the file that `address` was loaded from; empty where it is in none.
std::string file_of(const void* address);

// The section of its file that holds `address`; empty where none does.
std::string section_of(const void* address);

// Whether the file gives this very address the name.
bool is_named(const void* address, const std::string& name);

// Whether any symbol of the file lies at this very address.
bool has_name(const void* address);

// The symbol around a code address, for stack traces; "?" where there is none.
std::string function_around(const void* address);

}  // namespace recording

#endif
