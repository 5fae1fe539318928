#include "images/container.hpp"

#include "api/errors.hpp"
#include "images/cache.hpp"
#include "images/machine.hpp"
#include "images/offload_binary.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>

namespace kbuild::cpu {
namespace {

std::string list_architectures(const std::vector<OffloadImage>& images) {
    std::string list;
    for (const auto& image : images) list += (list.empty() ? "" : ", ") + std::string(image.arch);
    return list.empty() ? "nothing" : list;
}

// An image without a container does not say what it was built for, and has no hash. Names must be
// equal only for equal files, so that a collision costs no more than another file in the cache.
OffloadImage describe_single_image(std::string_view bytes, std::string& name) {
    char text[65];
    std::snprintf(text, sizeof text, "%016zx%048zx", std::hash<std::string_view>()(bytes),
                  bytes.size());
    name = text;
    return {runnable_architectures().front(), name, bytes};
}

const OffloadImage& select_image(const std::vector<OffloadImage>& images, const char* kernel) {
    const auto architectures = runnable_architectures();
    for (const auto architecture : architectures) {
        const auto best =
            std::find_if(images.begin(), images.end(),
                         [&](const OffloadImage& image) { return image.arch == architecture; });
        if (best != images.end()) return *best;
    }
    throw Failure(KBUILD_CPU_NO_IMAGE_FOR_MACHINE,
                  (kernel != nullptr ? std::string("kernel ") + kernel : "the container") +
                      " was built for " + list_architectures(images) + ", but this machine is " +
                      std::string(architectures.front()));
}

std::string file_name(std::string_view sha256, unsigned copy) {
    const std::string hash(sha256);
    return copy == 0 ? hash + ".so" : hash + "." + std::to_string(copy) + ".so";
}

}  // namespace

LoadedContainer load_container(const kbuild_container& container, const char* kernel) {
    const std::string_view bytes(static_cast<const char*>(container.data), container.size);
    const bool is_single = bytes.substr(0, 4) ==
                           "\x7f"
                           "ELF";
    std::string name_of_single;
    const auto images = is_single ? std::vector{describe_single_image(bytes, name_of_single)}
                                  : read_offload_images(bytes);
    const auto& best = select_image(images, kernel);
    for (unsigned copy = 0;; ++copy) {
        auto name = std::make_unique<ReservedFileName>(file_name(best.sha256, copy));
        if (!name->is_ours()) continue;
        const ImageFile file(name->text(), best.bytes);
        // A copy of this runtime that is linked statically into an artifact might have loaded it.
        if (is_loaded(file.path())) continue;
        auto image = std::make_unique<Image>(file.path());
        return {std::move(name), std::move(image)};
    }
}

}  // namespace kbuild::cpu
