// File names of loaded images. The dynamic loader opens one file only once a process, so
// two modules that hold the same image need two files: each has its own variables.
#ifndef KBUILD_CPU_IMAGES_FILE_NAME_HPP
#define KBUILD_CPU_IMAGES_FILE_NAME_HPP

#include <string>

namespace kbuild::cpu {

// The process's exclusive right to load an image from a file of that name.
class ReservedFileName {
public:
    explicit ReservedFileName(std::string name);
    ~ReservedFileName();
    ReservedFileName(const ReservedFileName&) = delete;
    ReservedFileName& operator=(const ReservedFileName&) = delete;

    // False when an image of that name is loaded already.
    bool is_ours() const noexcept { return is_ours_; }
    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    bool is_ours_;
};

}  // namespace kbuild::cpu

#endif
