// Launches a kernel and takes the addresses of others.
#include "kernels.hpp"

int main()
{
    void* memory = nullptr;
    if (kbuild::allocate(&memory, sizeof(int))) return 1;
    const kbuild::error error = kbuild::launch(fill, kbuild::LaunchConfig{1, 1}, static_cast<int*>(memory));
    const void* others[] = {reinterpret_cast<const void*>(ns::walk),
                            reinterpret_cast<const void*>(ns::add<int>)};
    return error || others[0] == others[1];
}
