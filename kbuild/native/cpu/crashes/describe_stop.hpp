// The text of reports about stopped threads.
#ifndef KBUILD_CPU_CRASHES_DESCRIBE_STOP_HPP
#define KBUILD_CPU_CRASHES_DESCRIBE_STOP_HPP

#include "crashes/line_table.hpp"
#include "crashes/stop.hpp"

#include <string>

namespace kbuild::cpu {

// Returns whether the thread is in the code of the image, and not in a library that it calls.
bool is_in_image(const Stop& stop);

struct CrashParts {
    std::string signal;  // such as "SIGSEGV (segmentation fault)"
    SourceLine line;     // the file is empty if it is unknown
    std::string cause;   // what the address is, or empty
};
CrashParts describe_parts(const Stop& stop);

// Returns the report of a crash, which ends with a newline.
std::string describe_crash(const Stop& stop);

// Returns the report of a kernel that has run for a long time.
std::string describe_long_run(const Stop& stop, double seconds);

// Returns the report of a kernel that exceeds the time limit. Says what ends: the launch or the program.
std::string describe_limit(const Stop& stop, double seconds, bool ends_program);

// Writes the facts of a crash to stderr, without memory from the heap.
void write_raw_crash(const Stop& stop) noexcept;

// Writes a text to stderr at once.
void write_report(const char* text, std::size_t size) noexcept;

}  // namespace kbuild::cpu

#endif
