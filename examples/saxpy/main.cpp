// A host program that any C++ compiler can build. It launches the kernel `saxpy` by name.
#include <cstdio>
#include <vector>

#include "saxpy.hpp"

int main()
{
    const int n = 1 << 20;
    std::vector<float> x(n, 1.5f), y(n, 2.0f);
    const std::size_t bytes = n * sizeof(float);

    void* device_x = nullptr;
    void* device_y = nullptr;
    kbuild::error error;
    if ((error = kbuild::allocate(&device_x, bytes))) { // the first call that needs a device
        std::printf("saxpy: skipped: %s\n", error.message());
        return 77;
    }
    if ((error = kbuild::allocate(&device_y, bytes)) ||
        (error = kbuild::copy(device_x, x.data(), bytes, KBUILD_COPY_TO_DEVICE)) ||
        (error = kbuild::copy(device_y, y.data(), bytes, KBUILD_COPY_TO_DEVICE)) ||
        (error = kbuild::launch(saxpy, kbuild::LaunchConfig{(n + 255) / 256, 256}, n, 2.0f,
                                static_cast<const float*>(device_x), static_cast<float*>(device_y))) ||
        (error = kbuild::synchronize()) ||
        (error = kbuild::copy(y.data(), device_y, bytes, KBUILD_COPY_TO_HOST))) {
        std::fprintf(stderr, "saxpy: %s\n", error.message());
        return 1;
    }
    (void)kbuild::release(device_x);
    (void)kbuild::release(device_y);

    for (const float value : y) {
        if (value != 5.0f) {
            std::fprintf(stderr, "saxpy: expected 5, got %g\n", static_cast<double>(value));
            return 1;
        }
    }
    std::printf("saxpy: %d elements, all 5\n", n);
    return 0;
}
