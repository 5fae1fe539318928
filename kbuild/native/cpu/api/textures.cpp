// Arrays, textures, and surfaces.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "streams/stream_table.hpp"
#include "textures/arrays.hpp"
#include "textures/bindings.hpp"
#include "textures/objects.hpp"

namespace {

using namespace kbuild::cpu;

// An object of device code is the address of a structure.
template <class T>
unsigned long long to_object(const T* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

template <class T>
auto& find_object(unsigned long long object) {
    return Objects<T>::instance().find(
        reinterpret_cast<const void*>(static_cast<std::uintptr_t>(object)));
}

template <class T>
void destroy_object(unsigned long long object) {
    if (object == 0) return;
    Objects<T>::instance().remove(
        reinterpret_cast<const void*>(static_cast<std::uintptr_t>(object)));
}

bool fits(std::size_t start, std::size_t count, std::size_t size) {
    return start <= size && count <= size - start;
}

}  // namespace

int kbuild_cpu_create_array(void** array, const kbuild_cpu_array* description) {
    return guarded_use([&] {
        require(array != nullptr && description != nullptr, "an argument is a null pointer");
        *array = create_array(*description);
    });
}

int kbuild_cpu_destroy_array(void* array) {
    return guarded_use([&] {
        Streams::instance().synchronize_all();
        destroy_array(array);
    });
}

int kbuild_cpu_describe_array(kbuild_cpu_array* description, const void* array) {
    return guarded_use([&] {
        require(description != nullptr, "the address for the result is a null pointer");
        *description = Objects<Array>::instance().find(array).description;
    });
}

int kbuild_cpu_create_mipmapped_array(void** array, const kbuild_cpu_array* description) {
    return guarded_use([&] {
        require(array != nullptr && description != nullptr, "an argument is a null pointer");
        *array = create_mipmapped_array(*description);
    });
}

int kbuild_cpu_destroy_mipmapped_array(void* array) {
    return guarded_use([&] {
        Streams::instance().synchronize_all();
        destroy_mipmapped_array(array);
    });
}

int kbuild_cpu_get_array_level(void** level, const void* mipmapped_array, unsigned number) {
    return guarded_use([&] {
        require(level != nullptr, "the address for the result is a null pointer");
        const auto& levels = Objects<MipmappedArray>::instance().find(mipmapped_array).levels;
        require(number < levels.size(), "the mipmapped array does not have this level");
        *level = levels[number];
    });
}

int kbuild_cpu_find_in_array(kbuild_cpu_area* area, const void* handle, std::size_t byte,
                             std::size_t row, std::size_t slice, const kbuild_cpu_area_copy* copy) {
    return guarded_use([&] {
        require(area != nullptr && copy != nullptr, "an argument is a null pointer");
        const auto& array = Objects<Array>::instance().find(handle);
        require(fits(byte, copy->width, array.row_bytes()) &&
                    fits(row, copy->height, array.height()) &&
                    fits(slice, copy->depth, array.depth()),
                "the copy extends past the end of the array");
        const auto rows_before = slice * array.height() + row;
        *area = {array.data + rows_before * array.row_bytes() + byte, array.row_bytes(),
                 array.height()};
    });
}

int kbuild_cpu_create_texture(unsigned long long* texture, const void* resource,
                              const void* sampling) {
    return guarded_use([&] {
        require(texture != nullptr && resource != nullptr && sampling != nullptr,
                "an argument is a null pointer");
        *texture = to_object(create_texture(*static_cast<const cudaResourceDesc*>(resource),
                                            *static_cast<const cudaTextureDesc*>(sampling)));
    });
}

int kbuild_cpu_destroy_texture(unsigned long long texture) {
    return guarded_use([&] {
        Streams::instance().synchronize_all();
        destroy_object<Texture>(texture);
    });
}

int kbuild_cpu_describe_texture(void* resource, void* sampling, unsigned long long texture) {
    return guarded_use([&] {
        const auto& found = find_object<Texture>(texture);
        if (resource != nullptr) *static_cast<cudaResourceDesc*>(resource) = found.resource;
        if (sampling != nullptr) *static_cast<cudaTextureDesc*>(sampling) = found.sampling;
    });
}

int kbuild_cpu_create_surface(unsigned long long* surface, const void* resource) {
    return guarded_use([&] {
        require(surface != nullptr && resource != nullptr, "an argument is a null pointer");
        *surface = to_object(create_surface(*static_cast<const cudaResourceDesc*>(resource)));
    });
}

int kbuild_cpu_destroy_surface(unsigned long long surface) {
    return guarded_use([&] {
        Streams::instance().synchronize_all();
        destroy_object<Surface>(surface);
    });
}

int kbuild_cpu_describe_surface(void* resource, unsigned long long surface) {
    return guarded_use([&] {
        require(resource != nullptr, "the address for the result is a null pointer");
        *static_cast<cudaResourceDesc*>(resource) = find_object<Surface>(surface).resource;
    });
}
