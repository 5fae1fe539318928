// What the checks know of an instrumented image: its variables, and the lines of its code.
#ifndef KBUILD_CPU_CHECKS_IMAGE_FACTS_HPP
#define KBUILD_CPU_CHECKS_IMAGE_FACTS_HPP

#include "checks/cells.hpp"
#include "crashes/line_file.hpp"
#include "fork_safe_mutex.hpp"
#include "launches/shared_memory.hpp"

#include <kbuild/cpu_image.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace kbuild::cpu::checks {

// A variable of device code. The addresses of shared ones are offsets.
struct Variable {
    std::uintptr_t start;
    std::size_t bytes;
    std::string name;
    std::size_t place = 0;  // of a shared variable: its offset in the memory of a block
};

// By source and line.
using CoveredLines = std::map<std::string, std::map<unsigned, bool>>;

class ImageFacts {
public:
    ImageFacts(const std::string& path, const kbuild_cpu_image& table, const void* base,
               const StorageLayout& storage);

    const kbuild_cpu_image& table() const noexcept { return table_; }
    std::uintptr_t base() const noexcept { return base_; }
    const StorageLayout& storage() const noexcept { return storage_; }

    // The bytes that all shared variables of a block need, with gaps between them.
    std::size_t shared_bytes() const noexcept { return shared_bytes_; }
    // Returns the shared variable whose place in thread-local storage is at the offset, or null.
    const Variable* find_place(std::size_t offset) const noexcept;
    // Returns the shared variable in the memory of a block that contains the offset, or the one before
    // it, or null.
    const Variable* find_shared(std::size_t offset) const noexcept;
    // Returns the variable that contains the address, or in whose section it is, or null.
    const Variable* find_variable(std::uintptr_t address) const noexcept;
    // Returns whether the address is in a `__constant__` variable.
    bool is_constant(std::uintptr_t address) const noexcept;
    // Returns whether the address is in a variable of kbuild's own headers.
    bool is_own(std::uintptr_t address) const noexcept;
    // Returns the bytes of a word of data that belong to variables. There are gaps between them.
    unsigned find_valid_bytes(std::uintptr_t word) const noexcept;

    // The memory of device variables.
    Region& data() noexcept { return data_; }
    bool contains(std::uintptr_t address) const noexcept { return address - base_ < bytes_; }

    // Forgets what another thread could have been changing when the process forked.
    void restart() {
        abandon(found_lines_);
        abandon(data_.bytes_of_words);
    }

    // Returns the line of the instruction before this offset in the image.
    const SourceLine& find_line(std::uint32_t site);

    // One byte for each byte of the code: whether the access before it has run.
    std::vector<unsigned char>& run_sites() noexcept { return run_sites_; }
    // Returns the lines with accesses, and whether one of them has run, also after the image is unloaded.
    CoveredLines list_lines() const;

private:
    void read_symbols(std::string_view file);
    void note_section(const char* name, std::uintptr_t start, std::size_t bytes);
    bool has_only_variables(std::uintptr_t address) const noexcept;
    void lay_out_shared();
    void find_segments();
    void find_sites();

    const kbuild_cpu_image& table_;
    const std::uintptr_t base_;
    const StorageLayout storage_;
    std::size_t bytes_ = 0;
    LineFile lines_;
    std::unordered_map<std::uint32_t, SourceLine> found_lines_;
    std::vector<Variable> shared_;     // by offset in thread-local storage, and also by place
    std::vector<Variable> variables_;  // by address
    std::vector<Variable> constants_;  // the same
    std::vector<Variable> sections_;   // of writable variables, which contain nothing else
    std::size_t shared_bytes_ = 0;
    Region data_;
    std::uintptr_t code_start_ = 0;
    std::size_t code_bytes_ = 0;
    std::vector<std::uintptr_t> hooks_;  // the functions that are called before accesses
    std::vector<std::uint32_t> sites_;   // where these calls return to, relative to the image
    std::vector<unsigned char> run_sites_;
};

}  // namespace kbuild::cpu::checks

#endif
