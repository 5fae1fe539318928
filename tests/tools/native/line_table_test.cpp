// Prints source lines of addresses in a file, or the checksum of a source.
#include "crashes/line_file.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

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

void print_checksum(const char* path) {
    const MappedFile file(path);
    std::printf("%08x\n", compute_checksum(file.bytes()));
}

}  // namespace

int main(int count, char** words) {
    if (count == 3 && std::strcmp(words[1], "checksum") == 0) return print_checksum(words[2]), 0;
    print_lines(LineFile(words[1]), count - 2, words + 2);
    return 0;
}
