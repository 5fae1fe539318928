// Launches a kernel, and changes a device variable, that another file defines.
#include <kbuild/kbuild.hpp>

KBUILD_KERNEL void external(int* out);
extern int exported;

int run_external() {
    void* device = nullptr;
    int value = 70;
    if (kbuild::allocate(&device, sizeof(int)) || kbuild::copy_to_symbol(exported, &value, sizeof value, 0)) {
        return -1;
    }
    if (kbuild::launch(external, {1, 1}, static_cast<int*>(device))) return -2;
    if (kbuild::copy(&value, device, sizeof value, KBUILD_COPY_TO_HOST)) return -3;
    return kbuild::release(device) ? -4 : value;
}
