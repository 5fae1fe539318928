#include "images/container.hpp"

#include "api/errors.hpp"
#include "images/cache.hpp"
#include "images/machine.hpp"
#include "images/offload_binary.hpp"

#include <algorithm>

namespace kbuild::cpu {
namespace {

std::string list_architectures(const std::vector<OffloadImage>& images) {
    std::string list;
    for (const auto& image : images) list += (list.empty() ? "" : ", ") + std::string(image.arch);
    return list.empty() ? "nothing" : list;
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
                  std::string("kernel ") + kernel + " was built for " + list_architectures(images) +
                      ", but this machine is " + std::string(architectures.front()));
}

std::string file_name(std::string_view sha256, unsigned copy) {
    const std::string hash(sha256);
    return copy == 0 ? hash + ".so" : hash + "." + std::to_string(copy) + ".so";
}

}  // namespace

LoadedContainer load_container(const kbuild_container& container, const char* kernel) {
    const auto images =
        read_offload_images({static_cast<const char*>(container.data), container.size});
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
