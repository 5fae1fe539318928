#include <kbuild/kbuild.hpp>

#include <cstdio>

KBUILD_KERNEL void which(int* architecture);

int main()
{
    void* memory = nullptr;
    if (auto error = kbuild::allocate(&memory, sizeof(int))) {
        std::printf("skipped: %s\n", error.message());
        return 77;
    }
    int architecture = 0;
    auto error = kbuild::launch(which, {1, 1}, static_cast<int*>(memory));
    if (!error) error = kbuild::copy(&architecture, memory, sizeof architecture, KBUILD_COPY_TO_HOST);
    if (error) {
        // If there is no image for the device, the message names its architecture and the available ones.
        std::fprintf(stderr, "%s\n", error.message());
        return 1;
    }
    std::printf("the image for %d runs\n", architecture);
}
