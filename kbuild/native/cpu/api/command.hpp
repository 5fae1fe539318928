// The command `kbuild rtc`, which compiles and links for a running program.
#ifndef KBUILD_CPU_API_COMMAND_HPP
#define KBUILD_CPU_API_COMMAND_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace kbuild::cpu {

// The directory in which the command finds its input, and leaves its results.
class CommandDirectory {
public:
    CommandDirectory();
    ~CommandDirectory();
    CommandDirectory(const CommandDirectory&) = delete;
    CommandDirectory& operator=(const CommandDirectory&) = delete;

    void write(const std::filesystem::path& name, const std::string& content) const;
    // Lists are files in which each item ends with a null character.
    void write_list(const std::filesystem::path& name, const std::vector<std::string>& items) const;
    // A file that does not exist is empty.
    std::string read(const std::filesystem::path& name) const;
    std::vector<std::string> read_list(const std::filesystem::path& name) const;

    // Runs the command with the options for this directory, and returns its exit code. Throws
    // std::runtime_error if it cannot be run.
    int run(const std::vector<std::string>& options) const;

private:
    std::filesystem::path path_;
};

}  // namespace kbuild::cpu

#endif
