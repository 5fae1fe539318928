// Vendors' libraries that a program uses without linking them.
#ifndef KBUILD_DETAIL_COMPILED_SHARED_LIBRARY_HPP
#define KBUILD_DETAIL_COMPILED_SHARED_LIBRARY_HPP

#include <dlfcn.h>
#include <cstring>
#include <initializer_list>
#include <string>

namespace kbuild {
namespace detail {

// A library that the process opens when it first needs it, and never closes. If the library or one
// of the functions does not exist, `problem` says so, and nothing of it can be called.
class SharedLibrary {
public:
    // Opens the first of the names that the dynamic loader finds.
    explicit SharedLibrary(std::initializer_list<const char*> names, const char* fix) {
        std::string list;
        for (const char* candidate : names) {
            if (handle_ != nullptr) break;
            handle_ = dlopen(candidate, RTLD_NOW | RTLD_LOCAL);
            name_ = candidate;
            list += (list.empty() ? "" : " or ") + name_;
        }
        if (handle_ == nullptr) problem_ = "cannot load " + list + "; " + fix;
    }

    template <class Function>
    void find(Function*& function, const char* symbol) {
        find_optional(function, symbol);
        if (function == nullptr && problem_.empty())
            problem_ =
                name_ + " does not have the function " + symbol + "; install a newer version";
    }

    // Sets the function to null if the library does not have it.
    template <class Function>
    void find_optional(Function*& function, const char* symbol) const {
        void* const address = handle_ != nullptr ? dlsym(handle_, symbol) : nullptr;
        std::memcpy(&function, &address, sizeof address);
    }

    const std::string& problem() const noexcept { return problem_; }

private:
    void* handle_ = nullptr;
    std::string name_, problem_;
};

}  // namespace detail
}  // namespace kbuild

#endif
