// Device images as files: dlopen needs one, and a debugger wants to find it again.
#ifndef KBUILD_CPU_IMAGES_CACHE_HPP
#define KBUILD_CPU_IMAGES_CACHE_HPP

#include <string>
#include <string_view>

namespace kbuild::cpu {

// A file that holds a device image for as long as this object lives (or longer: a file in
// the cache stays for the next process).
class ImageFile {
public:
    // Finds the file `name` with these contents in the user's image cache, or writes it
    // there; where no cache folder can be used, into a temporary folder.
    ImageFile(const std::string& name, std::string_view contents);
    ~ImageFile();
    ImageFile(const ImageFile&) = delete;
    ImageFile& operator=(const ImageFile&) = delete;

    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
    std::string temporary_folder_;
};

}  // namespace kbuild::cpu

#endif
