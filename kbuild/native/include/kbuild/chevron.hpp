// What kbuild makes of `kernel<<<grid, block, shared_bytes, stream>>>(arguments)`. C++11 and later.
//
// kbuild rewrites preprocessed sources. Every kernel gets a sibling, a function that calls `launch`. A
// launch becomes a call of the sibling. If the kernel is not named directly, but with a pointer, the
// launch becomes a call of `bind`. In the device pass of the CPU, kernels launch kernels in this way,
// and host code is compiled, but never runs.
#ifndef KBUILD_CHEVRON_HPP
#define KBUILD_CHEVRON_HPP

#include <kbuild/kbuild.h>
#include <stddef.h>

#if !defined(KBUILD_BACKEND_CUDA) && !defined(KBUILD_BACKEND_HIP)
#include <kbuild/vector_types.hpp>
#endif
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
#include <kbuild/cpu_runtime.h>
#else
#include <kbuild/detail/launch/stub.hpp>
#endif

#if !defined(KBUILD_BACKEND_CUDA) && !defined(KBUILD_BACKEND_HIP)
// What the parameters of a launch must fit, in the text with which compilers tell what is wrong with a
// source. nvcc and clang use the name.
unsigned __cudaPushCallConfiguration(dim3 __grid, dim3 __block, size_t __shared_bytes = 0,
                                     void* __stream = nullptr);
#endif

namespace kbuild {
namespace chevron {

// The launch parameters, with the conversions and defaults of the vendors.
class configuration {
    // Takes the place of a fifth launch parameter, which does not exist.
    class end {
        friend class configuration;
        constexpr end() {}
    };

public:
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr configuration(dim3 __grid, dim3 __block = dim3(1), size_t __shared_bytes = 0,
                            void* __stream = nullptr, end = end(),
                            const char* __file = __builtin_FILE(),
                            unsigned __line = __builtin_LINE())
        : grid(__grid),
          block(__block),
          shared_bytes(__shared_bytes),
          stream(__stream),
          file(__file),
          line(__line) {}

    dim3 grid, block;
    size_t shared_bytes;
    void* stream;
    const char* file;
    unsigned line;
};

inline kbuild_launch_config to_c(const configuration& __configuration) {
    kbuild_launch_config __result = kbuild_launch_config();
    __result.grid.x = __configuration.grid.x;
    __result.grid.y = __configuration.grid.y;
    __result.grid.z = __configuration.grid.z;
    __result.block.x = __configuration.block.x;
    __result.block.y = __configuration.block.y;
    __result.block.z = __configuration.block.z;
    __result.shared_bytes = __configuration.shared_bytes;
    __result.stream = __configuration.stream;
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) && !defined(KBUILD_BACKEND_CUDA) && \
    !defined(KBUILD_BACKEND_HIP)
    // The CPU's handle of the calling thread's default stream.
    if (__result.stream == nullptr) __result.stream = reinterpret_cast<void*>(2);
#endif
    return __result;
}

// Kernels receive references as pointers. For each reference, the array of arguments therefore contains
// the address of a pointer to the object, which this class contains, instead of that of the object.
template <class... __P>
class references {
public:
    __attribute__((always_inline)) explicit references(void**) {}
};

template <class __P, class... __Rest>
class references<__P, __Rest...> : references<__Rest...> {
public:
    __attribute__((always_inline)) explicit references(void** __args)
        : references<__Rest...>(__args + 1) {}
};

template <class __P, class... __Rest>
class references<__P&, __Rest...> : references<__Rest...> {
public:
    __attribute__((always_inline)) explicit references(void** __args)
        : references<__Rest...>(__args + 1), object_(*__args) {
        *__args = &object_;
    }

private:
    void* object_;
};

#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)

// Launches a kernel, of which device code has the function. The runtime records a failure.
template <class... __P>
__attribute__((always_inline, artificial)) inline void launch(void (*__kernel)(__P...),
                                                              const configuration& __configuration,
                                                              void** __args) {
    const kbuild_launch_config __config = to_c(__configuration);
    const references<__P...> __references(__args);
    (void)__references;
    (void)kbuild_cpu_launch_limited(reinterpret_cast<const void*>(__kernel), &__config, __args);
}

template <class... __P>
inline void launch_address(void (*__kernel)(__P...), const configuration& __configuration,
                           void** __args) {
    launch(__kernel, __configuration, __args);
}

#else

// Checked host texts define another one, which needs no conversion; see host_checks.h.
__attribute__((always_inline)) inline void note_launch(const void*, unsigned) {}

// Launches a kernel without a debug stub. The runtime records a failure.
__attribute__((always_inline)) inline kbuild_error_t launch_plainly(
    const void* __kernel, const kbuild_launch_config* __config, void** __args) {
#if defined(KBUILD_BACKEND_CUDA) || defined(KBUILD_BACKEND_HIP)
    return kbuild_launch_unprepared(__kernel, __config, __args);
#else
    return kbuild_cpu_launch_limited(__kernel, __config, __args);
#endif
}

// Launches a kernel through its debug stub, or without one if it is null.
template <class... __P>
__attribute__((always_inline, artificial)) inline void launch_with(
    void (*__stub)(__P...), void (*__kernel)(__P...), const configuration& __configuration,
    const kbuild_launch_config& __config, void** __args) {
    note_launch(__configuration.file, __configuration.line);
    const auto __handle = reinterpret_cast<const void*>(__kernel);
    if (__builtin_expect(__stub == nullptr || (detail::is_code(__stub) && !kbuild_find_stub), 1))
        (void)launch_plainly(__handle, &__config, __args);
    else if (detail::is_code(__stub))
        (void)detail::launch_instance(__handle, &__config, __args, __configuration.file,
                                      __configuration.line);
    else
        (void)detail::launch_through_stub(
            __stub, detail::make_indices<sizeof...(__P)>(), __args, __config.grid.x,
            __config.grid.y, __config.grid.z, __config.block.x, __config.block.y, __config.block.z,
            __config.shared_bytes, __config.stream, __configuration.file, __configuration.line);
}

// Launches a kernel that is possibly not one of kbuild's. Then its address is not that of a handle, and
// its content has no meaning.
template <class... __P>
__attribute__((always_inline, artificial)) inline void launch_address(
    void (*__kernel)(__P...), const configuration& __configuration, void** __args) {
    using __Stub = void (*)(__P...);
    const kbuild_launch_config __config = to_c(__configuration);
    const references<__P...> __references(__args);
    (void)__references;
    const auto __handle = reinterpret_cast<const void*>(__kernel);
    kbuild_error_t __code;
    if (kbuild_launch_prepared(__handle, &__config, __args, &__code)) return;
    const void* const __stub = kbuild_find_stub != nullptr ? kbuild_find_stub(__handle) : nullptr;
    launch_with(reinterpret_cast<__Stub>(const_cast<void*>(__stub)), __kernel, __configuration,
                __config, __args);
}

// Launches a kernel whose handle kbuild defines.
template <class... __P>
__attribute__((always_inline, artificial)) inline void launch(void (*__kernel)(__P...),
                                                              const configuration& __configuration,
                                                              void** __args) {
    const kbuild_launch_config __config = to_c(__configuration);
    const references<__P...> __references(__args);
    (void)__references;
    kbuild_error_t __code;
    if (!kbuild_launch_prepared(reinterpret_cast<const void*>(__kernel), &__config, __args,
                                &__code))
        launch_with(detail::stub_of(__kernel), __kernel, __configuration, __config, __args);
}

#endif

// Which kernel a sibling launches, for launches of templates and overloads whose names something else
// has, too. A launch asserts that its expression is the same kernel.
template <class __P, __P __kernel>
struct launched {
    template <__P __named>
    void is() const {
        static_assert(
            same<__named, __kernel>::__equal,
            "kbuild: something else has the name of this kernel; rename it, or qualify the "
            "kernel");
    }

private:
    template <__P, __P>
    struct same {
        static constexpr bool __equal = false;
    };
    template <__P __same>
    struct same<__same, __same> {
        static constexpr bool __equal = true;
    };
};

// An explicit instance of a kernel template, which the compiler finds by overload resolution.
template <class __P, __P __kernel>
struct instance {
    static constexpr __P __value = __kernel;
};

// A kernel that is only known at run time.
template <class... __P>
class bound {
public:
    bound(void (*__kernel)(__P...), const configuration& __configuration)
        : kernel_(__kernel), configuration_(__configuration) {}

    void operator()(__P... __args) const {
        void* __addresses[] = {address_of(__args)..., nullptr};
        launch_address(kernel_, configuration_, __addresses);
    }

private:
    template <class __T>
    static void* address_of(__T& __argument) {
        return const_cast<void*>(
            static_cast<const volatile void*>(__builtin_addressof(__argument)));
    }

    void (*kernel_)(__P...);
    const configuration& configuration_;
};

template <class... __P>
bound<__P...> bind(void (*__kernel)(__P...), const configuration& __configuration) {
    return bound<__P...>(__kernel, __configuration);
}

}  // namespace chevron
}  // namespace kbuild

#endif
