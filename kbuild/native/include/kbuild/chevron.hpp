// What kbuild makes of `kernel<<<grid, block, shared_bytes, stream>>>(arguments)`. C++11 and later.
//
// kbuild rewrites preprocessed sources. Every kernel gets a sibling, a function that calls `launch`
// or, in the device pass, `instantiate`. A launch becomes a call of the sibling. If the kernel is
// not named directly, but with a pointer, the launch becomes a call of `bind`.
#ifndef KBUILD_CHEVRON_HPP
#define KBUILD_CHEVRON_HPP

#include <kbuild/kbuild.h>
#include <stddef.h>

#if !defined(KBUILD_BACKEND_CUDA) && !defined(KBUILD_BACKEND_HIP)
#include <kbuild/vector_types.hpp>
#endif
#if !defined(KBUILD_DEVICE_CODE) && !defined(KBUILD_MIXED_DEVICE)
#include <kbuild/detail/launch/stub.hpp>
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
    configuration(dim3 __grid, dim3 __block = dim3(1), size_t __shared_bytes = 0,
                  void* __stream = nullptr, end = end(), const char* __file = __builtin_FILE(),
                  unsigned __line = __builtin_LINE())
        : grid(__grid), block(__block), shared_bytes(__shared_bytes), stream(__stream),
          file(__file), line(__line) {}

    dim3 grid, block;
    size_t shared_bytes;
    void* stream;
    const char* file;
    unsigned line;
};

#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)

// Makes the compiler generate the kernel.
template <class __K>
__attribute__((always_inline)) inline void instantiate(__K* __kernel) {
    __asm__ volatile("" : : "r"(__kernel));
}

// Host code is compiled in the device pass, but never runs.
struct bound {
    template <class... __A>
    void operator()(__A&&...) const {}
};

template <class __K>
bound bind(__K&& __kernel, const configuration&) {
    (void)__kernel;
    return bound();
}

#else

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
    return __result;
}

#if defined(KBUILD_BACKEND_CUDA) || defined(KBUILD_BACKEND_HIP)
using runtime = ::kbuild::detail::usual_runtime;
#else
// Rejects what the vendors' `<<<>>>` rejects.
struct runtime {
    static int launch(const void* __kernel, const kbuild_launch_config* __config, void** __args) {
        return kbuild_cpu_launch_limited(__kernel, __config, __args);
    }
};
#endif

// Launches a kernel whose handle kbuild defines. The runtime records a failure.
template <class... __P>
__attribute__((always_inline)) inline void launch(void (*__kernel)(__P...),
                                                  const configuration& __configuration,
                                                  void** __args) {
    const kbuild_launch_config __config = to_c(__configuration);
    (void)::kbuild::detail::launch_by_handle<runtime>(__kernel, __config, __args,
                                                      __configuration.file, __configuration.line);
}

// A kernel that is only known at run time. It is possibly not one of kbuild's, so that its address
// is not a handle and cannot be read.
template <class... __P>
class bound {
public:
    bound(void (*__kernel)(__P...), const configuration& __configuration)
        : kernel_(__kernel), configuration_(__configuration) {}

    void operator()(__P... __args) const {
        void* __addresses[] = {address_of(__args)..., nullptr};
        const kbuild_launch_config __config = to_c(configuration_);
        (void)::kbuild::detail::launch_by_address<runtime>(
            kernel_, __config, __addresses, configuration_.file, configuration_.line);
    }

private:
    template <class __T>
    static void* address_of(__T& __argument) {
        return const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(__argument)));
    }

    void (*kernel_)(__P...);
    const configuration& configuration_;
};

template <class... __P>
bound<__P...> bind(void (*__kernel)(__P...), const configuration& __configuration) {
    return bound<__P...>(__kernel, __configuration);
}

#endif

}  // namespace chevron
}  // namespace kbuild

#endif
