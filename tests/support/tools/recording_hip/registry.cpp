#include "registry.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>

#include "bundle.hpp"
#include "journal.hpp"
#include "loaded_file.hpp"

namespace recording {
namespace {

// Never destroyed, because containers can be unregistered after destructors have run.
std::list<Container>& containers() {
    static auto& all = *new std::list<Container>;
    return all;
}

// Kernels by handle. Every file that has an instance of a template registers it. The first one
// counts.
std::multimap<const void*, Kernel>& kernels() {
    static auto& all = *new std::multimap<const void*, Kernel>;
    return all;
}

std::map<const void*, Variable>& variables() {
    static auto& all = *new std::map<const void*, Variable>;
    return all;
}

Container& open_container(void** handle, const char* function) {
    for (Container& container : containers())
        if (static_cast<void*>(&container) == static_cast<void*>(handle)) {
            require(container.is_open, std::string(function) + " after the container was unregistered");
            return container;
        }
    violate(std::string(function) + " with what __hipRegisterFatBinary did not return");
}

// With a device link, the names of static entities end in a hash of their source.
std::string host_name(const std::string& name) {
    for (const char* const mark : {".intern.", ".static."})
        if (const auto at = name.find(mark); at != std::string::npos) return name.substr(0, at);
    return name;
}

// Checks that the symbol at the address has the right name, or that the file has no symbol there
// because it is stripped.
void check_identity(const void* address, const std::string& name, const Container& container) {
    require(address != nullptr, name + ": registered with a null address");
    require(!file_of(address).empty(), name + ": its address is in no file");
    require(is_named(address, name) || is_named(address, host_name(name)) || !has_name(address),
            name + ": its address is that of another symbol");
    for (const CodeObject& image : container.images)
        require(image.elf.find_symbol(name) != nullptr || image.elf.find_symbol(name + ".kd") != nullptr,
                name + ": not in the image for " + image.arch);
}

}  // namespace

void** register_container(const void* wrapper, const void* caller) {
    Container container;
    container.images = read_wrapper(wrapper);
    container.file = file_of(wrapper);
    require(container.file == file_of(caller), "the wrapper is of another file than its registration");
    Line line("__hipRegisterFatBinary");
    line.add("file", container.file);
    std::vector<std::string> archs;
    for (const CodeObject& image : container.images) archs.push_back(image.arch);
    line.add("archs", archs);
    containers().push_back(container);
    line.add("container", static_cast<const void*>(&containers().back()));
    return reinterpret_cast<void**>(&containers().back());
}

void register_kernel(void** handle, const void* host, const std::string& name) {
    const Container& container = open_container(handle, "__hipRegisterFunction");
    check_identity(host, name, container);
    for (const CodeObject& image : container.images) {
        const Symbol* descriptor = image.elf.find_symbol(name + ".kd");
        require(descriptor != nullptr && descriptor->size == 64,
                name + ": no kernel descriptor in the image for " + image.arch);
    }
    const auto [first, last] = kernels().equal_range(host);
    for (auto row = first; row != last; ++row)
        require(row->second.container != &container && row->second.name == name,
                name + ": its address is registered already");
    kernels().emplace(host, Kernel{host, name, &container});
    Line("__hipRegisterFunction").add("kernel", name).add("container", static_cast<const void*>(handle))
        .add("section", section_of(host));
}

void register_variable(void** handle, const void* shadow, const std::string& name, std::size_t size,
                       bool is_constant) {
    const Container& container = open_container(handle, "__hipRegisterVar");
    check_identity(shadow, name, container);
    for (const CodeObject& image : container.images)
        require(image.elf.find_symbol(name)->size == size, name + ": of another size than in the image");
    require(variables().count(shadow) == 0, name + ": its address is registered already");
    variables()[shadow] = {shadow, name, &container, std::vector<unsigned char>(size)};
    Line("__hipRegisterVar").add("variable", name).add("size", size).add("constant", is_constant)
        .add("container", static_cast<const void*>(handle));
}

// Like HIP 5, allocates the memory immediately and copies the initial value.
void register_managed(void** handle, void** pointer, const void* initial, const std::string& name,
                      std::size_t size, unsigned alignment) {
    const Container& container = open_container(handle, "__hipRegisterManagedVar");
    check_identity(pointer, name, container);
    require(initial != nullptr, name + ": a managed variable without an initial value");
    require(*pointer == nullptr, name + ": a managed variable that has memory already");
    require(alignment != 0 && (alignment & (alignment - 1)) == 0, name + ": no alignment");
    for (const CodeObject& image : container.images) {
        const Symbol* storage = image.elf.find_symbol(name + ".managed");
        require(storage != nullptr && storage->size == size, name + ": no managed variable of this size");
    }
    *pointer = std::calloc(1, size);
    std::memcpy(*pointer, initial, size);
    Line("__hipRegisterManagedVar").add("variable", name).add("size", size)
        .add("initial", to_hex(initial, size)).add("container", static_cast<const void*>(handle));
}

void unregister_container(void** handle) {
    Container& container = open_container(handle, "__hipUnregisterFatBinary");
    container.is_open = false;
    for (auto row = kernels().begin(); row != kernels().end();)
        row = row->second.container == &container ? kernels().erase(row) : std::next(row);
    for (auto row = variables().begin(); row != variables().end();)
        row = row->second.container == &container ? variables().erase(row) : std::next(row);
    Line("__hipUnregisterFatBinary").add("file", container.file)
        .add("container", static_cast<const void*>(handle));
}

const Kernel* find_kernel(const void* handle) {
    const auto found = kernels().lower_bound(handle); // the first one that was registered
    return found == kernels().end() || found->first != handle ? nullptr : &found->second;
}

Variable* find_variable(const void* shadow) {
    const auto found = variables().find(shadow);
    return found == variables().end() ? nullptr : &found->second;
}

const CodeObject* choose_image(const Container& container) {
    for (const CodeObject& image : container.images)
        if (image.arch.substr(0, image.arch.find(':')) == device_arch()) return &image;
    return nullptr;
}

std::string device_arch() {
    const char* const arch = std::getenv("KBUILD_HIP_RECORDING_ARCH");
    return arch != nullptr ? arch : "gfx90a";
}

}  // namespace recording
