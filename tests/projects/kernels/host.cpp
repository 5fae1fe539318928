// Launches kernels by name from C++: namespaces, overloads, templates, struct parameters.
#include GENERATED_HEADER
#include "particles.hpp"
#include "scale.hpp"

#include <cstdio>
#include <cstdlib>
#include <vector>

// The generated header declares the inline namespace, too.
namespace physics {
inline namespace v1 {
inline constexpr Step fall{0.5f, 0.0, 2, {0, 0, -4}};
}
}

namespace {

void check(const kbuild::error& error, const char* what)
{
    if (error) {
        std::fprintf(stderr, "%s: %s\n", what, error.message());
        std::exit(1);
    }
}

void expect(bool condition, const char* what)
{
    if (!condition) {
        std::fprintf(stderr, "wrong result: %s\n", what);
        std::exit(1);
    }
}

template <class T>
class DeviceArray {
public:
    explicit DeviceArray(std::size_t count) : count_(count)
    {
        void* pointer = nullptr;
        check(kbuild::allocate(&pointer, count * sizeof(T)), "allocate");
        data_ = static_cast<T*>(pointer);
    }
    DeviceArray(const DeviceArray&) = delete;
    ~DeviceArray() { (void)kbuild::release(data_); }

    T* data() const { return data_; }

    std::vector<T> copy() const
    {
        std::vector<T> result(count_);
        check(kbuild::copy(result.data(), data_, count_ * sizeof(T), KBUILD_COPY_TO_HOST), "copy");
        return result;
    }

private:
    T* data_;
    std::size_t count_;
};

} // namespace

int main()
{
    const int n = 1000;
    const std::size_t blocks = (n + 127) / 128; // any integer type will do
    const kbuild::LaunchConfig config{blocks, 128};

    DeviceArray<float> floats(n);
    check(kbuild::launch(static_cast<void (*)(int, float, float*)>(fill), config, n, 2.0f, floats.data()), "fill");
    check(kbuild::launch(scale<float>, config, n, 1.5f, floats.data()), "scale<float>");
    DeviceArray<int> ints(n);
    check(kbuild::launch(static_cast<void (*)(int, int, int*)>(fill), config, n, 6, ints.data()), "fill");
    check(kbuild::launch(scale<int>, config, n, 3, ints.data()), "scale<int>");
    check(kbuild::synchronize(), "synchronize");
    expect(floats.copy()[n - 1] == 3.0f, "scale<float>");
    expect(ints.copy()[n - 1] == 21, "scale<int>");

    DeviceArray<float> positions(3), velocities(3);
    check(kbuild::launch(static_cast<void (*)(int, float, float*)>(fill), {1, 3}, 3, 1.0f, positions.data()), "fill");
    check(kbuild::launch(static_cast<void (*)(int, float, float*)>(fill), {1, 3}, 3, 0.0f, velocities.data()), "fill");
    check(kbuild::launch(physics::advance, {1, 32}, 1, physics::fall, positions.data(), velocities.data()), "advance");
    check(kbuild::synchronize(), "synchronize");
    expect(positions.copy()[2] == 1 - 1 - 2, "physics::advance");
    expect(velocities.copy()[2] == -4, "physics::advance");

    const kbuild::error invalid = kbuild::launch(scale<double>, {0, 128}, 0, 1.0, nullptr);
    expect(static_cast<bool>(invalid), "an empty grid is an error");
    std::printf("all right; an empty grid says: %s\n", invalid.message());
    return 0;
}
