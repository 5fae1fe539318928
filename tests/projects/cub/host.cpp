#include "typed.hpp"

#include <kbuild/kbuild.hpp>

#include <cstdio>
#include <vector>

using Pair = cub::KeyValuePair<int, float>;

int main()
{
    std::vector<float> values(1000, 1.0f);
    values[3] = 9;
    values[700] = 5;
    void *in = nullptr, *out = nullptr;
    Pair found(0, 0);
    kbuild::error error = kbuild::allocate(&in, values.size() * sizeof(float));
    if (!error) error = kbuild::allocate(&out, sizeof found);
    if (!error) error = kbuild::copy(in, values.data(), values.size() * sizeof(float), KBUILD_COPY_TO_DEVICE);
    if (!error)
        error = kbuild::launch(largest, {1, 128}, Pair(-1, 0.0f), 10, 1000,
                               thrust::device_ptr<const float>(static_cast<const float*>(in)), static_cast<Pair*>(out));
    if (!error) error = kbuild::copy(&found, out, sizeof found, KBUILD_COPY_TO_HOST);
    if (error || found.key != 700 || found.value != 5) {
        std::printf("%s, %d %g\n", error.message(), found.key, found.value);
        return 1;
    }
    std::puts("ok");
}
