#include "checks/journal/journal.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kbuild::cpu::checks {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 28;
constexpr std::size_t step = std::size_t{1} << 16;
constexpr std::size_t spare = 16;  // for numbers that grow

// Opens a file whose name is not used: a process can replace itself by another one with the same number.
int create_file(const std::string& start, std::string& path) {
    for (unsigned number = 0;; ++number) {
        path = start + "-" + std::to_string(number) + ".jsonl";
        const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0 || errno != EEXIST) return file;
    }
}

}  // namespace

bool Journal::create(const std::string& directory) {
    lock_ = create_file(directory + "/" + std::to_string(getpid()), path_);
    if (lock_ < 0 || flock(lock_, LOCK_EX) != 0 || posix_fallocate(lock_, 0, step) != 0)
        return false;
    void* const start =
        mmap(nullptr, most_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, lock_, 0);
    if (start == MAP_FAILED) return false;
    start_ = static_cast<char*>(start);
    size_ = step;
    return true;
}

// The program can have closed the file, and use its number for another one.
bool Journal::extend(std::size_t bytes) {
    const auto size = (bytes + step - 1) / step * step;
    if (size > most_bytes) return false;
    const int file = open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return false;
    const bool is_extended =
        posix_fallocate(file, static_cast<off_t>(size_), static_cast<off_t>(size - size_)) == 0;
    close(file);
    if (is_extended) size_ = size;
    return is_extended;
}

bool Journal::write(Line& line, const std::string& text) {
    if (!exists()) return false;
    if (text.size() <= line.bytes) {
        std::memcpy(start_ + line.offset, text.data(), text.size());
        std::memset(start_ + line.offset + text.size(), ' ', line.bytes - text.size());
        return true;
    }
    const auto bytes = text.size() + spare;
    if (used_ + bytes + 1 > size_ && !extend(used_ + bytes + 1)) return false;
    // Readers stop at the first zero, so the first byte comes last.
    char* const place = start_ + used_;
    std::memset(place + text.size(), ' ', spare);
    place[bytes] = '\n';
    std::memcpy(place + 1, text.data() + 1, text.size() - 1);
    *static_cast<volatile char*>(place) = text[0];
    if (line.bytes != 0) std::memset(start_ + line.offset, ' ', line.bytes);
    line = {used_, bytes};
    used_ += bytes + 1;
    return true;
}

void Journal::overwrite(const Line& line, std::size_t place, const char* bytes,
                        std::size_t count) noexcept {
    if (exists() && place + count <= line.bytes)
        std::memcpy(start_ + line.offset + place, bytes, count);
}

// The lock ends when both processes have closed the file, so the child must not keep it.
void Journal::forget() noexcept {
    struct stat locked, named;
    if (lock_ >= 0 && fstat(lock_, &locked) == 0 && stat(path_.c_str(), &named) == 0 &&
        locked.st_ino == named.st_ino && locked.st_dev == named.st_dev)
        close(lock_);
    if (start_ != nullptr) munmap(start_, most_bytes);
    start_ = nullptr;
    lock_ = -1;
    used_ = size_ = 0;
}

}  // namespace kbuild::cpu::checks
