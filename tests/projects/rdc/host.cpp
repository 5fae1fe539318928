#include <kbuild/kbuild.hpp>

#include <cstdio>
#include <cstdlib>

KBUILD_KERNEL void first(int* out);
KBUILD_KERNEL void second(int* out);
extern int total, step;

namespace {

void require(const kbuild::error& error, const char* what)
{
    if (!error) return;
    std::printf("FAILED %s: %s\n", what, error.message());
    std::exit(1);
}

void require(bool condition, const char* what)
{
    if (condition) return;
    std::printf("FAILED %s\n", what);
    std::exit(1);
}

} // namespace

int main()
{
    void* memory = nullptr;
    require(kbuild::allocate(&memory, 4 * sizeof(int)), "allocate");
    auto* const device = static_cast<int*>(memory);
    const int new_step = 2000;
    require(kbuild::copy_to_symbol(step, &new_step), "a variable of another source");
    require(kbuild::launch(second, {1, 1}, device), "second");
    require(kbuild::launch(first, {1, 4}, device), "first");
    int host[4] = {};
    require(kbuild::copy(host, device, sizeof host, KBUILD_COPY_TO_HOST), "copy");
    for (int i = 0; i < 4; ++i)
        require(host[i] == 2 * i + 101 + 2000, "function and variables of the other source");
    int now = 0;
    require(kbuild::copy_from_symbol(&now, total), "copy from");
    require(now == 101, "one variable for all sources");
    std::puts("ok");
}
