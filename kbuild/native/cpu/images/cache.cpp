#include "images/cache.hpp"

#include "api/errors.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <vector>

namespace kbuild::cpu {
namespace {

class FileDescriptor {
public:
    explicit FileDescriptor(int number) : number_(number) {}
    ~FileDescriptor() {
        if (number_ >= 0) close(number_);
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    int number() const noexcept { return number_; }
    bool is_open() const noexcept { return number_ >= 0; }

private:
    int number_;
};

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Returns the possible cache directories, best first. Relative paths are ignored, because they
// would name a different directory for each working directory.
std::vector<std::string> cache_directories() {
    std::vector<std::string> directories;
    const auto add = [&](const std::string& root, const char* below) {
        if (!root.empty() && root.front() == '/') directories.push_back(root + below);
    };
    add(environment("KBUILD_CACHE_DIR"), "");
    add(environment("XDG_CACHE_HOME"), "/kbuild/images");
    add(environment("HOME"), "/.cache/kbuild/images");
    add("/tmp", ("/kbuild-" + std::to_string(geteuid())).c_str());
    return directories;
}

void make_directories(const std::string& path) {
    for (auto slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1))
        mkdir(path.substr(0, slash).c_str(), 0700);
    mkdir(path.c_str(), 0700);
}

// The process executes code from the directory, so nobody else may put files there. It must belong
// to the user, not be writable for others, and not be a symbolic link that its owner could change.
bool is_private_directory(const std::string& path) {
    const FileDescriptor directory(
        open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (!directory.is_open() || fstat(directory.number(), &status) != 0) return false;
    return status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool allows_execution(const std::string& directory) {
    struct statvfs status;
    return statvfs(directory.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) == 0;
}

bool holds(const std::string& path, std::string_view contents) {
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (!file.is_open() || fstat(file.number(), &status) != 0) return false;
    if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) != contents.size())
        return false;
    if (contents.empty()) return true;
    void* bytes = mmap(nullptr, contents.size(), PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (bytes == MAP_FAILED) return false;
    const bool equal = std::memcmp(bytes, contents.data(), contents.size()) == 0;
    munmap(bytes, contents.size());
    return equal;
}

bool write_all(int file, std::string_view contents) {
    while (!contents.empty()) {
        const auto written = write(file, contents.data(), contents.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        contents.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// Other processes see either the complete file or no file. There is no fsync: if the machine
// crashes and the file is truncated, it differs from the image and is replaced later.
bool write_atomically(const std::string& path, std::string_view contents) {
    std::string temporary = path + ".XXXXXX";
    const FileDescriptor file(mkostemp(temporary.data(), O_CLOEXEC));
    if (!file.is_open()) return false;
    if (write_all(file.number(), contents) && rename(temporary.c_str(), path.c_str()) == 0)
        return true;
    unlink(temporary.c_str());
    return false;
}

bool place(const std::string& path, std::string_view contents) {
    return holds(path, contents) || write_atomically(path, contents);
}

std::string make_temporary_directory() {
    auto root = environment("TMPDIR");
    if (root.empty()) root = "/tmp";
    std::string directory = root + "/kbuild-XXXXXX";
    return mkdtemp(directory.data()) == nullptr ? "" : directory;
}

}  // namespace

ImageFile::ImageFile(const std::string& name, std::string_view contents) {
    for (const auto& directory : cache_directories()) {
        make_directories(directory);
        if (!is_private_directory(directory) || !allows_execution(directory)) continue;
        path_ = directory + "/" + name;
        if (place(path_, contents)) return;
    }
    temporary_directory_ = make_temporary_directory();
    path_ = temporary_directory_ + "/" + name;
    if (temporary_directory_.empty() || !write_atomically(path_, contents)) {
        const std::string reason = std::strerror(errno);
        if (!temporary_directory_.empty()) rmdir(temporary_directory_.c_str());
        throw Failure(
            KBUILD_CPU_INVALID_IMAGE,
            "cannot write the device image to a file in any cache or temporary directory; "
            "set KBUILD_CACHE_DIR or TMPDIR: " +
                reason);
    }
}

ImageFile::~ImageFile() {
    if (temporary_directory_.empty()) return;
    unlink(path_.c_str());
    rmdir(temporary_directory_.c_str());
}

}  // namespace kbuild::cpu
