// Launches that go through a debug stub if the kernel has one. C++11 and later.
#ifndef KBUILD_DETAIL_LAUNCH_STUB_HPP
#define KBUILD_DETAIL_LAUNCH_STUB_HPP

#include <kbuild/kbuild.h>
#include <stddef.h>

// Debug stubs define these functions. Launches without a debug stub do not use them.
extern "C" void kbuild_note_call_site(const char* file, unsigned line) __attribute__((weak));
extern "C" void kbuild_note_arguments(void* const* arguments) __attribute__((weak));

namespace kbuild {
namespace detail {

template <size_t... __I>
struct indices {};

template <size_t __N, size_t... __I>
struct make_indices : make_indices<__N - 1, __N - 1, __I...> {};

template <size_t... __I>
struct make_indices<0, __I...> : indices<__I...> {};

// Returns the content of the handle: the debug stub, or null. For an explicit instance of a template, it
// is the start of its code.
template <class... __P>
auto stub_of(void (*__kernel)(__P...)) noexcept -> void (*)(__P...) {
    using __Stub = void (*)(__P...);
    const auto __handle = reinterpret_cast<const __Stub*>(reinterpret_cast<const void*>(__kernel));
    return __handle != nullptr ? *__handle : nullptr;
}

// Returns whether the content of a handle is code instead of the address of a stub.
template <class... __P>
bool is_code(void (*__stub)(__P...)) noexcept {
    return kbuild_is_code(reinterpret_cast<kbuild_uint64>(__stub)) != 0;
}

// Launches an explicit instance through its module, which knows the debug stub if there is one.
inline kbuild_error_t launch_instance(const void* __kernel, const kbuild_launch_config* __config,
                                      void** __args, const char* __file, unsigned __line) {
    if (kbuild_note_call_site != nullptr) kbuild_note_call_site(__file, __line);
    return kbuild_launch_in_module(__kernel, __config, __args);
}

// How a stub receives an argument from its address; a reference from that of a pointer.
template <class __P>
struct passed {
    static __P& read(void* __address) noexcept { return *static_cast<__P*>(__address); }
};

template <class __P>
struct passed<__P&> {
    static __P& read(void* __address) noexcept {
        return *reinterpret_cast<__P*>(*static_cast<void**>(__address));
    }
};

// Separate from `launch`, so that release launches do not contain this code. The parameters are
// numbers because a structure would make every launch write it to memory first.
template <class... __P, size_t... __I>
__attribute__((noinline)) kbuild_error_t
launch_through_stub(void (*__stub)(__P...), indices<__I...>, void** __args, kbuild_uint32 __grid_x,
                    kbuild_uint32 __grid_y, kbuild_uint32 __grid_z, kbuild_uint32 __block_x,
                    kbuild_uint32 __block_y, kbuild_uint32 __block_z, size_t __shared_bytes,
                    void* __stream, const char* __file, unsigned __line) {
    kbuild_launch_config __config = kbuild_launch_config();
    __config.grid = {__grid_x, __grid_y, __grid_z};
    __config.block = {__block_x, __block_y, __block_z};
    __config.shared_bytes = __shared_bytes;
    __config.stream = __stream;
    if (const kbuild_error_t __code = kbuild_push_configuration(&__config)) return __code;
    if (kbuild_note_call_site != nullptr) kbuild_note_call_site(__file, __line);
    // For stubs that cannot name the types of their parameters and ignore those of the call.
    if (kbuild_note_arguments != nullptr) kbuild_note_arguments(__args);
    __stub(passed<__P>::read(__args[__I])...);
    return kbuild_take_stub_result();
}

}  // namespace detail
}  // namespace kbuild

#endif
