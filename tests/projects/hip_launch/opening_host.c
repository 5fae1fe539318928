/* Opens a library of kernels, launches one by the name that dlsym finds, and closes it. */
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    dim3 one;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *kernel = library != NULL ? dlsym(library, "c_nothing") : NULL;
    one.x = one.y = one.z = 1;
    if (kernel == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    printf("error %d\n", (int)hipLaunchKernel(kernel, one, one, NULL, 0, NULL));
    if (dlclose(library) != 0)
        return 1;
    /* Print this line after those of the library. */
    printf("error %d\n", (int)hipDeviceSynchronize());
    return 0;
}
