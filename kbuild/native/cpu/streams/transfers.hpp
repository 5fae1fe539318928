// Copies and fills in streams.
#ifndef KBUILD_CPU_STREAMS_TRANSFERS_HPP
#define KBUILD_CPU_STREAMS_TRANSFERS_HPP

#include <kbuild/cpu_runtime.h>

namespace kbuild::cpu {

// Copies after the work of the stream. Waits if `is_awaited`, or if the program could change or read
// ordinary host memory too early. Throws Failure.
void submit_copy(const kbuild_cpu_area_copy& copy, void* stream, bool is_awaited);

// Like submit_copy for memory that was checked.
void submit_checked_copy(const kbuild_cpu_area_copy& copy, void* stream, bool is_awaited);

void submit_fill(const kbuild_cpu_area_fill& fill, unsigned element_bytes, void* stream,
                 bool is_awaited);

}  // namespace kbuild::cpu

#endif
