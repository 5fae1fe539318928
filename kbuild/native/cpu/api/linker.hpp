// Links relocatable images for a running program, with the command `kbuild rtc --link`.
#ifndef KBUILD_CPU_API_LINKER_HPP
#define KBUILD_CPU_API_LINKER_HPP

#include <string>
#include <vector>

namespace kbuild::cpu {

struct LinkInput {
    std::string content;
    std::string name;           // for messages
    bool is_host_file = false;  // an object or an archive, not a container or an image
};

// Returns the linked image. Throws Failure, with the messages of the tools.
std::string link_images(const std::vector<LinkInput>& inputs);

// Returns the content of a file of the program. Throws Failure.
std::string read_program_file(const char* path);

}  // namespace kbuild::cpu

#endif
