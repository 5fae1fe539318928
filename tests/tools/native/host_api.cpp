// Uses of kbuild.hpp that must compile. If WRONG is 1, the file also contains code that must not
// compile. If WRONG is 2, it contains code that the compiler already rejects when it reads it.
#include <kbuild/kbuild.hpp>

#include <cstddef>

struct Pair {
    float a;
    int b;
};

KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void nothing();
namespace ns {
KBUILD_KERNEL void overloaded(Pair pair, float* y);
KBUILD_KERNEL void overloaded(int a, int b);
template <class T>
KBUILD_KERNEL void scale(T* p, T f, int n);
extern template KBUILD_KERNEL void scale<float>(float*, float, int);
}  // namespace ns

int use(int n, long m, std::size_t z, unsigned u, float* y) {
    kbuild::LaunchConfig config{4, 256};
    auto err = kbuild::launch(saxpy, config, n, 2.0f, y, y);
    if (err) return err.message()[0];
    err = kbuild::launch(saxpy, {n, m}, n, 2, nullptr, y);
    err = kbuild::launch(ns::scale<float>, {{n, z, u}, {m}, z}, y, 1.0f, 3);
    err = kbuild::launch(static_cast<void (*)(Pair, float*)>(ns::overloaded), {}, {1.0f, 2}, y);
    err = kbuild::launch(&nothing, kbuild::LaunchConfig{});
#if __cplusplus >= 202002L
    err = kbuild::launch(nothing, {.grid = n, .block = {m, 2}, .shared_bytes = z});
#endif
    void* device = nullptr;
    err = kbuild::allocate(&device, z);
    err = kbuild::copy(device, y, z, KBUILD_COPY_TO_DEVICE);
    err = kbuild::release(device);

#if WRONG == 1
    saxpy(n, 1.0f, y, y); // mistake 1
    ns::scale<float>(y, 1.0f, 1); // mistake 2
#elif WRONG == 2
    err = kbuild::launch(saxpy, config, n, 2.0f, y); // mistake 3
    err = kbuild::launch(saxpy, config, n, 2.0f, y, "text"); // mistake 4
    err = kbuild::launch(saxpy, config, n, 2.0f, y, static_cast<const float*>(y)); // mistake 5
#endif
    return kbuild::synchronize().code();
}
