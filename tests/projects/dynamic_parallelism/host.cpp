#include <kbuild/kbuild.hpp>

#include <cstdio>

KBUILD_KERNEL void parent(int* out);

int main()
{
    void* memory = nullptr;
    int host[4] = {};
    kbuild::error error = kbuild::allocate(&memory, sizeof host);
    if (!error) error = kbuild::launch(parent, {1, 1}, static_cast<int*>(memory));
    if (!error) error = kbuild::copy(host, memory, sizeof host, KBUILD_COPY_TO_HOST);
    if (error || host[3] != 26) {
        std::printf("%s, %d\n", error.message(), host[3]);
        return 1;
    }
    std::puts("ok");
}
