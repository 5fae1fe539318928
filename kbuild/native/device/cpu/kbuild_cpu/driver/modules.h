/* Modules and libraries: device images that a program loads.  Both are the runtime's modules, so that a
 * kernel of one is a function of the other. */

KBUILD_DRIVER(ModuleLoadData)(CUmodule *__module, const void *__image) {
    KBUILD_DRIVER_CALL(kbuild_cpu_load_image((const struct kbuild_module **)__module, __image));
}

/* Most options are for the compiler of PTX.  Others request logs. */
KBUILD_DRIVER(ModuleLoadDataEx)(CUmodule *__module, const void *__image, unsigned int __count,
                                CUjit_option *__options, void **__values) {
    return kbuild_cpu_return_load(cuModuleLoadData(__module, __image), __count, __options,
                                  __values);
}

KBUILD_DRIVER(ModuleLoadFatBinary)(CUmodule *__module, const void *__image) {
    return cuModuleLoadData(__module, __image);
}

KBUILD_DRIVER(ModuleLoad)(CUmodule *__module, const char *__path) {
    KBUILD_DRIVER_CALL(kbuild_cpu_load_image_file((const struct kbuild_module **)__module, __path));
}

KBUILD_DRIVER(ModuleUnload)(CUmodule __module) {
    const int __missing = kbuild_cpu_require_context();
    if (__missing != 0) KBUILD_DRIVER_RETURN(__missing);
    if (__module == NULL) return CUDA_ERROR_INVALID_HANDLE;
    kbuild_cpu_unload_images((const struct kbuild_module *)__module);
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(ModuleGetFunction)(CUfunction *__function, CUmodule __module, const char *__name) {
    KBUILD_DRIVER_CALL(kbuild_cpu_find_kernel((const void **)__function,
                                              (const struct kbuild_module *)__module, __name));
}

KBUILD_DRIVER(ModuleGetGlobal)(CUdeviceptr *__address, size_t *__bytes, CUmodule __module,
                               const char *__name) {
    KBUILD_DRIVER_CALL(kbuild_cpu_find_variable((void **)__address, __bytes,
                                                (const struct kbuild_module *)__module, __name));
}

KBUILD_DRIVER(ModuleGetFunctionCount)(unsigned int *__count, CUmodule __module) {
    if (__count == NULL || __module == NULL) return CUDA_ERROR_INVALID_VALUE;
    *__count = (unsigned)((const struct kbuild_module *)__module)->kernel_count;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(ModuleEnumerateFunctions)(CUfunction *__functions, unsigned int __count,
                                        CUmodule __module) {
    const struct kbuild_module *const __found = (const struct kbuild_module *)__module;
    unsigned __i;
    if (__functions == NULL || __found == NULL) return CUDA_ERROR_INVALID_VALUE;
    for (__i = 0; __i < __count && __i < __found->kernel_count; ++__i)
        __functions[__i] = (CUfunction)__found->kernels[__i].handle;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(ModuleGetLoadingMode)(CUmoduleLoadingMode *__mode) {
    if (__mode == NULL) return CUDA_ERROR_INVALID_VALUE;
    *__mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(LibraryLoadData)(CUlibrary *__library, const void *__code, CUjit_option *__options,
                               void **__values, unsigned int __count,
                               CUlibraryOption *__library_options, void **__library_values,
                               unsigned int __library_count) {
    (void)__library_options, (void)__library_values, (void)__library_count;
    return kbuild_cpu_return_load(kbuild_cpu_driver_result(kbuild_cpu_load_image(
                                      (const struct kbuild_module **)__library, __code)),
                                  __count, __options, __values);
}

KBUILD_DRIVER(LibraryLoadFromFile)(CUlibrary *__library, const char *__path,
                                   CUjit_option *__options, void **__values, unsigned int __count,
                                   CUlibraryOption *__library_options, void **__library_values,
                                   unsigned int __library_count) {
    (void)__library_options, (void)__library_values, (void)__library_count;
    return kbuild_cpu_return_load(kbuild_cpu_driver_result(kbuild_cpu_load_image_file(
                                      (const struct kbuild_module **)__library, __path)),
                                  __count, __options, __values);
}

KBUILD_DRIVER(LibraryUnload)(CUlibrary __library) {
    if (__library == NULL) return CUDA_ERROR_INVALID_HANDLE;
    kbuild_cpu_unload_images((const struct kbuild_module *)__library);
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(LibraryGetKernel)(CUkernel *__kernel, CUlibrary __library, const char *__name) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_find_kernel((const void **)__kernel,
                                                (const struct kbuild_module *)__library, __name));
}

KBUILD_DRIVER(LibraryGetKernelCount)(unsigned int *__count, CUlibrary __library) {
    return cuModuleGetFunctionCount(__count, (CUmodule)__library);
}

KBUILD_DRIVER(LibraryEnumerateKernels)(CUkernel *__kernels, unsigned int __count,
                                       CUlibrary __library) {
    return cuModuleEnumerateFunctions((CUfunction *)__kernels, __count, (CUmodule)__library);
}

KBUILD_DRIVER(LibraryGetModule)(CUmodule *__module, CUlibrary __library) {
    if (__module == NULL || __library == NULL) return CUDA_ERROR_INVALID_VALUE;
    *__module = (CUmodule)__library;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(LibraryGetGlobal)(CUdeviceptr *__address, size_t *__bytes, CUlibrary __library,
                                const char *__name) {
    return cuModuleGetGlobal(__address, __bytes, (CUmodule)__library, __name);
}

KBUILD_DRIVER(LibraryGetManaged)(CUdeviceptr *__address, size_t *__bytes, CUlibrary __library,
                                 const char *__name) {
    return cuModuleGetGlobal(__address, __bytes, (CUmodule)__library, __name);
}

KBUILD_DRIVER(KernelGetFunction)(CUfunction *__function, CUkernel __kernel) {
    if (__function == NULL || __kernel == NULL) return CUDA_ERROR_INVALID_HANDLE;
    *__function = (CUfunction)__kernel;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(FuncGetModule)(CUmodule *__module, CUfunction __function) {
    KBUILD_DRIVER_CALL(kbuild_cpu_find_module((const struct kbuild_module **)__module, __function));
}

KBUILD_DRIVER(KernelGetLibrary)(CUlibrary *__library, CUkernel __kernel) {
    KBUILD_DRIVER_RETURN(
        kbuild_cpu_find_module((const struct kbuild_module **)__library, __kernel));
}
