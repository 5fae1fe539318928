// Prints source lines of addresses in a file, or reads malformed line tables.
#include "crashes/line_file.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

using namespace kbuild::cpu;

namespace {

void print_lines(const LineFile& file, int count, char** addresses) {
    for (int i = 0; i < count; ++i) {
        const auto found = file.find(std::strtoull(addresses[i], nullptr, 0)).innermost;
        if (found)
            std::printf("%s:%u\n", found->file.c_str(), found->line);
        else
            std::puts("unknown");
    }
}

// The input is a list of sections, in groups of three. Each starts with its size in 4 bytes.
int read_malformed(const char* path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(stream), {}};
    std::string_view rest = input;
    const auto next = [&rest] {
        std::uint32_t size = 0;
        std::memcpy(&size, rest.data(), sizeof size);
        const auto section = rest.substr(sizeof size, size);
        rest.remove_prefix(sizeof size + size);
        return section;
    };
    int tables = 0;
    for (; !rest.empty(); ++tables) {
        const LineSections sections = {next(), next(), next()};
        for (const std::uint64_t address : {0x1000, 0x1100, 0x2000})
            find_lines(sections, address, [](const std::string& name) { return name.size() % 2; });
    }
    std::printf("%d tables\n", tables);
    return 0;
}

void print_checksum(const char* path) {
    const MappedFile file(path);
    std::printf("%08x\n", compute_checksum(file.bytes()));
}

}  // namespace

int main(int count, char** words) {
    if (count == 3 && std::strcmp(words[1], "checksum") == 0) return print_checksum(words[2]), 0;
    if (count == 2) return read_malformed(words[1]);
    print_lines(LineFile(words[1]), count - 2, words + 2);
    return 0;
}
