// The reader of DWARF line tables, on the tables of this program.
#include <doctest/doctest.h>

#include "crashes/line_file.hpp"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <random>
#include <string>

using namespace kbuild::cpu;

namespace {

// Returns the address of the call, relative to the load address of the program.
__attribute__((noinline)) std::uint64_t address_of_call() {
    auto* const after = static_cast<char*>(__builtin_return_address(0));
    Dl_info program;
    REQUIRE(dladdr(after, &program) != 0);
    return static_cast<std::uint64_t>(after - 1 - static_cast<char*>(program.dli_fbase));
}

// Returns a section of this program.
std::string_view find_section(std::string_view elf, const char* name) {
    Elf64_Ehdr header;
    std::memcpy(&header, elf.data(), sizeof header);
    const auto section_at = [&](unsigned index) {
        Elf64_Shdr section;
        std::memcpy(&section, elf.data() + header.e_shoff + index * sizeof section, sizeof section);
        return section;
    };
    const auto names = section_at(header.e_shstrndx);
    for (unsigned i = 0; i < header.e_shnum; ++i) {
        const auto section = section_at(i);
        if (std::strcmp(elf.data() + names.sh_offset + section.sh_name, name) == 0)
            return elf.substr(section.sh_offset, section.sh_size);
    }
    return {};
}

TEST_CASE("the line of an address in this program is found") {
    const auto line = __LINE__ + 1;
    const auto address = address_of_call();
    const auto found = LineFile("/proc/self/exe").find(address);
    REQUIRE(found.innermost.has_value());
    REQUIRE(found.innermost->line == line);
    REQUIRE(found.innermost->file.find("test_line_tables.cpp") != std::string::npos);
    REQUIRE(!found.own.has_value());
}

TEST_CASE("addresses and files without lines have none") {
    REQUIRE(!LineFile("/proc/self/exe").find(1).innermost.has_value());
    REQUIRE(!LineFile("/dev/null").find(0x1000).innermost.has_value());
    REQUIRE(!LineFile("/does/not/exist").find(0x1000).innermost.has_value());
    REQUIRE(LineFile("/proc/self/exe").find_changed_source("main.cpp").empty());
}

// Changes bytes of a section, or cuts it.
std::string damage(std::string_view section, std::mt19937& random) {
    std::string damaged(section);
    for (auto changes = random() % 8; changes > 0 && !damaged.empty(); --changes) {
        constexpr unsigned char values[] = {0, 1, 0x7F, 0x80, 0xFF};
        // The header and the tables of names are at the start.
        const auto at = std::min(random() % damaged.size(), random() % damaged.size());
        damaged[at] = static_cast<char>(random() % 2 == 0 ? values[random() % 5] : random());
    }
    if (random() % 5 == 0 && !damaged.empty()) damaged.resize(random() % damaged.size());
    if (random() % 10 == 0) {
        damaged.resize(200);
        for (auto& byte : damaged) byte = static_cast<char>(random());
    }
    // The allocation has exactly the right size, so that a sanitizer detects every overrun.
    damaged.shrink_to_fit();
    return damaged;
}

TEST_CASE("malformed tables are skipped") {
    const MappedFile image(KBUILD_TEST_IMAGE);
    const auto text = find_section(image.bytes(), ".text");
    const auto first_address = static_cast<std::uint64_t>(text.data() - image.bytes().data());
    std::mt19937 random(1);
    int found = 0;
    for (int round = 0; round < 3000; ++round) {
        const auto line = damage(find_section(image.bytes(), ".debug_line"), random);
        const auto line_str = damage(find_section(image.bytes(), ".debug_line_str"), random);
        const auto str = damage(find_section(image.bytes(), ".debug_str"), random);
        for (const std::uint64_t offset : {0x100, 0x200, 0x1100})
            found += find_lines({line, line_str, str}, first_address + offset,
                                [](const std::string& name) { return name.size() % 2 != 0; })
                         .innermost.has_value();
    }
    REQUIRE(found > 100);  // most changes leave something readable
}

}  // namespace
