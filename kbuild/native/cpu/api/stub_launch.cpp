// Launches through debug stubs. A stub has the parameters of its kernel, so the launch
// configuration and the result are passed through a slot for each thread.
#include "api/exported.hpp"

#include "api/errors.hpp"

namespace {

struct Slot {
    kbuild_launch_config configuration;
    bool is_pushed;
    int result;
};

thread_local Slot slot = {};

}  // namespace

int kbuild_cpu_push_configuration(const kbuild_launch_config* config) {
    if (config == nullptr)
        return kbuild::cpu::remember_failure(KBUILD_CPU_INVALID_VALUE,
                                             "the launch configuration is a null pointer");
    slot = {*config, true, KBUILD_CPU_SUCCESS};
    return KBUILD_CPU_SUCCESS;
}

int kbuild_cpu_read_configuration(kbuild_launch_config* config) {
    if (!slot.is_pushed) return KBUILD_CPU_INVALID_CONFIGURATION;
    *config = slot.configuration;
    return KBUILD_CPU_SUCCESS;
}

int kbuild_cpu_launch_from_stub(const void* handle, void* const* args) {
    if (!slot.is_pushed) {
        slot.result =
            kbuild::cpu::remember_failure(KBUILD_CPU_INVALID_CONFIGURATION,
                                          "a debug stub was called directly; use kbuild::launch");
        return slot.result;
    }
    slot.is_pushed = false;
    slot.result = kbuild_cpu_launch(handle, &slot.configuration, args);
    return slot.result;
}

int kbuild_cpu_take_stub_result() {
    const int result = slot.result;
    slot.result = KBUILD_CPU_SUCCESS;
    return result;
}
