#include "api/command.hpp"

#include "api/exported.hpp"

#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>

extern char** environ;

namespace kbuild::cpu {
namespace {

namespace fs = std::filesystem;

// Returns the command: the one that the environment names, that of this library's installation
// (PREFIX/bin, for PREFIX/lib/python3.x/site-packages/kbuild/lib), or the one that PATH finds.
std::string find_command() {
    if (const char* const named = std::getenv("KBUILD_EXECUTABLE")) return named;
    Dl_info place;
    if (dladdr(reinterpret_cast<const void*>(&kbuild_cpu_compile_program), &place) != 0) {
        fs::path prefix = fs::absolute(place.dli_fname);
        for (int i = 0; i < 6; ++i) prefix = prefix.parent_path();
        std::error_code ignored;
        if (fs::exists(prefix / "bin" / "kbuild", ignored)) return prefix / "bin" / "kbuild";
    }
    return "kbuild";
}

}  // namespace

CommandDirectory::CommandDirectory() {
    auto pattern = (fs::temp_directory_path() / "kbuild-rtc-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("cannot create a directory in " + pattern);
    path_ = pattern;
}

CommandDirectory::~CommandDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

void CommandDirectory::write(const fs::path& name, const std::string& content) const {
    const auto path = path_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << content;
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

void CommandDirectory::write_list(const fs::path& name,
                                  const std::vector<std::string>& items) const {
    std::string joined;
    for (const auto& item : items) joined.append(item.c_str(), item.size() + 1);
    write(name, joined);
}

std::string CommandDirectory::read(const fs::path& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> CommandDirectory::read_list(const fs::path& name) const {
    const auto joined = read(name);
    std::vector<std::string> items;
    for (std::size_t start = 0; start < joined.size();) {
        const auto end = joined.find('\0', start);
        items.push_back(joined.substr(start, end - start));
        start = end == std::string::npos ? joined.size() : end + 1;
    }
    return items;
}

int CommandDirectory::run(const std::vector<std::string>& options) const {
    const auto command = find_command();
    std::vector<std::string> words = {command, "rtc", "--backend", "cpu"};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(path_);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawnp(&child, command.c_str(), nullptr, nullptr, argv.data(), environ) != 0)
        throw std::runtime_error("cannot run " + command +
                                 ", which compiles; add it to PATH, or set KBUILD_EXECUTABLE to "
                                 "its path");
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) throw std::runtime_error("lost " + command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace kbuild::cpu
