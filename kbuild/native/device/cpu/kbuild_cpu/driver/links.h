/* Links of relocatable device images.  The type of an input says nothing: its bytes do. */

#include <kbuild/cpu_rtc.h>

static inline struct kbuild_cpu_jit_options kbuild_cpu_list_options(unsigned int __count,
                                                                    CUjit_option *__options,
                                                                    void **__values) {
    struct kbuild_cpu_jit_options __list;
    __list.count = __count;
    __list.names = (const int *)__options;
    __list.values = __values;
    return __list;
}

/* Returns the result of a load, with what its options request. */
static inline CUresult kbuild_cpu_return_load(CUresult __result, unsigned int __count,
                                              CUjit_option *__options, void **__values) {
    const char *const __log = __result == CUDA_SUCCESS ? "" : kbuild_cpu_error_message(__result);
    kbuild_cpu_return_jit_results(kbuild_cpu_list_options(__count, __options, __values), __log, 0);
    return __result;
}

KBUILD_DRIVER(LinkCreate)(unsigned int __count, CUjit_option *__options, void **__values,
                          CUlinkState *__link) {
    KBUILD_DRIVER_CALL(kbuild_cpu_create_link(
        (void **)__link, kbuild_cpu_list_options(__count, __options, __values)));
}

KBUILD_DRIVER(LinkAddData)(CUlinkState __link, CUjitInputType __type, void *__data, size_t __bytes,
                           const char *__name, unsigned int __count, CUjit_option *__options,
                           void **__values) {
    (void)__type, (void)__count, (void)__options, (void)__values;
    KBUILD_DRIVER_CALL(kbuild_cpu_add_to_link(__link, __data, __bytes, __name));
}

KBUILD_DRIVER(LinkAddFile)(CUlinkState __link, CUjitInputType __type, const char *__path,
                           unsigned int __count, CUjit_option *__options, void **__values) {
    (void)__type, (void)__count, (void)__options, (void)__values;
    KBUILD_DRIVER_CALL(kbuild_cpu_add_file_to_link(__link, __path));
}

KBUILD_DRIVER(LinkComplete)(CUlinkState __link, void **__image, size_t *__bytes) {
    const char *__linked = NULL;
    size_t __size = 0;
    int __result = kbuild_cpu_require_context();
    if (__result == 0) __result = kbuild_cpu_complete_link(__link);
    if (__result == 0) __result = kbuild_cpu_get_linked_image(&__linked, &__size, __link);
    if (__result == 0 && __image != NULL) *__image = (void *)__linked;
    if (__result == 0 && __bytes != NULL) *__bytes = __size;
    KBUILD_DRIVER_RETURN(__result);
}

KBUILD_DRIVER(LinkDestroy)(CUlinkState __link) {
    if (__link == NULL) return CUDA_ERROR_INVALID_HANDLE;
    kbuild_cpu_destroy_link(__link);
    return CUDA_SUCCESS;
}
