// The file names of loaded images. The dynamic loader opens a file only once per process. Two
// modules with the same image have separate variables, so they need two files.
#ifndef KBUILD_CPU_IMAGES_FILE_NAME_HPP
#define KBUILD_CPU_IMAGES_FILE_NAME_HPP

#include <string>

namespace kbuild::cpu {

// The exclusive right, within the process, to load an image from a file with this name.
class ReservedFileName {
public:
    explicit ReservedFileName(std::string name);
    ~ReservedFileName();
    ReservedFileName(const ReservedFileName&) = delete;
    ReservedFileName& operator=(const ReservedFileName&) = delete;

    // Returns false if an image with this name is already loaded.
    bool is_ours() const noexcept { return is_ours_; }
    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
    bool is_ours_;
};

}  // namespace kbuild::cpu

#endif
