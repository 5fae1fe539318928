// Device images as files: dlopen needs a file, and a debugger must find it later.
#ifndef KBUILD_CPU_IMAGES_CACHE_HPP
#define KBUILD_CPU_IMAGES_CACHE_HPP

#include <string>
#include <string_view>

namespace kbuild::cpu {

// A file that contains a device image. It exists at least as long as this object: a file in the
// cache remains for the next process.
class ImageFile {
public:
    // Finds the file `name` with these contents in the user's image cache, or writes it there. If
    // no cache directory is usable, writes it to a temporary directory. Throws Failure.
    ImageFile(const std::string& name, std::string_view contents);
    ~ImageFile();
    ImageFile(const ImageFile&) = delete;
    ImageFile& operator=(const ImageFile&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
    std::string temporary_directory_;
};

}  // namespace kbuild::cpu

#endif
