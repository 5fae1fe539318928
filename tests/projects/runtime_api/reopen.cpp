// Opens, uses, and closes a kernel library repeatedly in one live context.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <kbuild/module.h>

#include <cstdio>

int main(int, char** argv)
{
    int* out = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&out), sizeof(int));
    for (int round = 0; round < 20; round++) {
        void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            std::printf("%s\n", dlerror());
            return 1;
        }
        const void* handle = dlsym(library, "fill");
        int n = 1, result = -1;
        void* args[] = {&n, &round, &out};
        const cudaError_t error = cudaLaunchKernel(handle, dim3(1), dim3(1), args, 0, nullptr);
        cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
        if (error != cudaSuccess || result != round) {
            std::printf("round %d: %s, %d\n", round, cudaGetErrorString(error), result);
            return 1;
        }
        // The last one stays open, so that the process exits with a live context.
        if (round < 19)
            dlclose(library);
    }
    std::printf("ok\n");
    return 0;
}
