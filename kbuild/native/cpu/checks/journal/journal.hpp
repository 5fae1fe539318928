// The file in which a checked process says what it does, which remains however the process ends.
#ifndef KBUILD_CPU_CHECKS_JOURNAL_HPP
#define KBUILD_CPU_CHECKS_JOURNAL_HPP

#include <cstddef>
#include <string>

namespace kbuild::cpu::checks {

// A text file of lines, each of which can change. It is mapped into memory, so that a signal handler can
// change it, and so that nothing is lost if the process is killed or closes its files. While the process
// exists, it holds a lock of the file (flock).
class Journal {
public:
    // The place of a line. It has no bytes before it is written.
    struct Line {
        std::size_t offset = 0;
        std::size_t bytes = 0;
    };

    // Creates a file that no other process uses. Returns false if that is impossible.
    bool create(const std::string& directory);
    bool exists() const noexcept { return start_ != nullptr; }

    // Writes or replaces a line. Returns false if there is no space left.
    bool write(Line& line, const std::string& text);
    // Replaces bytes of a line that was written. Signal handlers can call this.
    void overwrite(const Line& line, std::size_t place, const char* bytes,
                   std::size_t count) noexcept;

    // Gives the file back to the parent of a forked process.
    void forget() noexcept;

private:
    bool extend(std::size_t bytes);

    std::string path_;
    char* start_ = nullptr;
    std::size_t used_ = 0;
    std::size_t size_ = 0;  // of the file
    int lock_ = -1;         // the file that is locked
};

}  // namespace kbuild::cpu::checks

#endif
