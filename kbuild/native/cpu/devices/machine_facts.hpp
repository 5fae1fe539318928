// What the operating system says about the processor and its memory.
#ifndef KBUILD_CPU_DEVICES_MACHINE_FACTS_HPP
#define KBUILD_CPU_DEVICES_MACHINE_FACTS_HPP

#include <cstddef>
#include <string>

namespace kbuild::cpu {

struct ProcessorFacts {
    std::string name;
    int clock_khz;
    int last_level_cache_bytes;
};

struct MemoryFacts {
    std::size_t free;
    std::size_t total;
};

ProcessorFacts read_processor_facts();

// Returns the memory that the process can use: the machine's, or less in a control group.
MemoryFacts read_memory_facts();

}  // namespace kbuild::cpu

#endif
