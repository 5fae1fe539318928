// Stands in for the runtime: prints the launches instead of running them.
#include <kbuild/kbuild.h>
#include <stdio.h>

// The first argument of a launch is its line. A launch without arguments has it as its shared memory.
extern "C" int kbuild_cpu_launch_limited(const void* handle,
                                         const struct kbuild_launch_config* config,
                                         void* const* args) {
    const auto shared_bytes = static_cast<int>(config->shared_bytes);
    const bool has_arguments = args[0] != nullptr;
    printf("%d %u,%u,%u %u,%u,%u %d %p\n", has_arguments ? *static_cast<int*>(args[0]) : shared_bytes,
           config->grid.x, config->grid.y, config->grid.z, config->block.x, config->block.y,
           config->block.z, has_arguments ? shared_bytes : 0, handle);
    return 0;
}
extern "C" int kbuild_cpu_push_configuration(const struct kbuild_launch_config*) { return 1; }
extern "C" int kbuild_cpu_take_stub_result(void) { return 1; }
