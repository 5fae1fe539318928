/* The functions that bind memory to texture references.  A reference is the address of its variable in
 * host code. */
#include "../textures/references.h"

KBUILD_API(GetTextureReference)(const textureReference **__reference, const void *__symbol) {
    size_t __bytes = 0;
    const int __error = __reference == NULL ? kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                                              "the address for the result is null")
                                            : kbuild_cpu_get_symbol_size(&__bytes, __symbol);
    if (__error == 0) *__reference = static_cast<const textureReference *>(__symbol);
    KBUILD_CALL(__error);
}

KBUILD_API(GetTextureAlignmentOffset)(size_t *__offset, const textureReference *__reference) {
    (void)__reference;
    if (__offset == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer"));
    *__offset = 0;
    return KBUILD_VENDOR(Success);
}

namespace kbuild_cpu {

/* Writes the object into the variable of the device, and destroys the previous one.  Kernels that
 * still run can read the previous one, so this waits for them. */
inline int set_texture(const textureReference *__reference, cudaTextureObject_t __object) {
    const size_t __offset = __builtin_offsetof(textureReference, __kbuild_object);
    cudaTextureObject_t __previous = 0;
    int __error = kbuild_cpu_synchronize();
    if (__error == 0)
        __error =
            kbuild_cpu_copy_from_symbol(&__previous, __reference, sizeof __previous, __offset);
    if (__error == 0)
        __error = kbuild_cpu_copy_to_symbol(__reference, &__object, sizeof __object, __offset);
    if (__error == 0 && __previous != 0) __error = kbuild_cpu_destroy_texture(__previous);
    return __error;
}

inline cudaError_t bind_texture(const textureReference *__reference,
                                const cudaResourceDesc &__resource) {
    const textureReference &__from = *__reference;
    cudaTextureDesc __sampling = {};
    cudaTextureObject_t __object = 0;
    for (int __i = 0; __i < 3; ++__i) __sampling.addressMode[__i] = __from.addressMode[__i];
    __sampling.filterMode = __from.filterMode;
    __sampling.readMode = __from.__kbuild_read_mode;
    __sampling.sRGB = __from.sRGB;
    __sampling.normalizedCoords = __from.normalized;
    __sampling.maxAnisotropy = __from.maxAnisotropy;
    __sampling.mipmapFilterMode = __from.mipmapFilterMode;
    __sampling.mipmapLevelBias = __from.mipmapLevelBias;
    __sampling.minMipmapLevelClamp = __from.minMipmapLevelClamp;
    __sampling.maxMipmapLevelClamp = __from.maxMipmapLevelClamp;
    int __error = kbuild_cpu_create_texture(&__object, &__resource, &__sampling);
    if (__error == 0) __error = set_texture(__reference, __object);
    return static_cast<cudaError_t>(__error);
}

/* A reference of a type says which channels it has. */
template <class __T, int __dimensions, enum cudaTextureReadMode __mode>
inline cudaChannelFormatDesc channels_of_texture(const texture<__T, __dimensions, __mode> &) {
    return KBUILD_VENDOR(CreateChannelDesc)<__T>();
}

/* The last byte of the memory limits a size that says "all of it". */
inline size_t limit_bytes(const void *__pointer, size_t __bytes) {
    void *__base = NULL;
    size_t __size = 0;
    if (kbuild_cpu_find_allocation(__pointer, &__base, &__size) != 0 || __base == NULL)
        return __bytes;
    const size_t __rest = __size - static_cast<size_t>(static_cast<const char *>(__pointer) -
                                                       static_cast<char *>(__base));
    return __bytes < __rest ? __bytes : __rest;
}

}  // namespace kbuild_cpu

/* A texture starts at an aligned address.  For another one, the caller adds the offset to its indices. */
KBUILD_API(BindTexture)(size_t *__offset, const textureReference *__reference,
                        const void *__pointer, const cudaChannelFormatDesc *__channels,
                        size_t __bytes = UINT_MAX) {
    cudaResourceDesc __resource = {};
    int __alignment = 1;
    KBUILD_VENDOR(DeviceGetAttribute)(&__alignment, cudaDevAttrTextureAlignment, 0);
    const size_t __rest =
        reinterpret_cast<kbuild_uintptr>(__pointer) % static_cast<size_t>(__alignment);
    const size_t __skipped = __offset == NULL ? 0 : __rest;
    const size_t __size =
        __bytes == UINT_MAX ? kbuild_cpu::limit_bytes(__pointer, __bytes) : __bytes;
    __resource.resType = cudaResourceTypeLinear;
    __resource.res.linear.devPtr = static_cast<char *>(const_cast<void *>(__pointer)) - __skipped;
    __resource.res.linear.desc = *__channels;
    __resource.res.linear.sizeInBytes = __size + __skipped;
    if (__offset != NULL) *__offset = __skipped;
    return kbuild_cpu::bind_texture(__reference, __resource);
}

KBUILD_API(BindTexture2D)(size_t *__offset, const textureReference *__reference,
                          const void *__pointer, const cudaChannelFormatDesc *__channels,
                          size_t __width, size_t __height, size_t __pitch) {
    cudaResourceDesc __resource = {};
    __resource.resType = cudaResourceTypePitch2D;
    __resource.res.pitch2D.devPtr = const_cast<void *>(__pointer);
    __resource.res.pitch2D.desc = *__channels;
    __resource.res.pitch2D.width = __width;
    __resource.res.pitch2D.height = __height;
    __resource.res.pitch2D.pitchInBytes = __pitch;
    if (__offset != NULL) *__offset = 0;
    return kbuild_cpu::bind_texture(__reference, __resource);
}

/* An array knows its channels. */
KBUILD_API(BindTextureToArray)(const textureReference *__reference, cudaArray_const_t __array,
                               const cudaChannelFormatDesc *) {
    cudaResourceDesc __resource = {};
    __resource.resType = cudaResourceTypeArray;
    __resource.res.array.array = const_cast<cudaArray_t>(__array);
    return kbuild_cpu::bind_texture(__reference, __resource);
}

KBUILD_API(BindTextureToMipmappedArray)(const textureReference *__reference,
                                        cudaMipmappedArray_const_t __array,
                                        const cudaChannelFormatDesc *) {
    cudaResourceDesc __resource = {};
    __resource.resType = cudaResourceTypeMipmappedArray;
    __resource.res.mipmap.mipmap = const_cast<cudaMipmappedArray_t>(__array);
    return kbuild_cpu::bind_texture(__reference, __resource);
}

KBUILD_API(UnbindTexture)(const textureReference *__reference) {
    KBUILD_CALL(kbuild_cpu::set_texture(__reference, 0));
}

/* The forms with a variable instead of its address. */
#define KBUILD_CPU_BIND(name, parameters, arguments) \
    template <class __T, int __dimensions, enum cudaTextureReadMode __mode> \
    KBUILD_HOST_API cudaError_t KBUILD_VENDOR(name)(KBUILD_CPU_LIST parameters) { \
        return KBUILD_VENDOR(name)(KBUILD_CPU_LIST arguments); \
    }
#define KBUILD_CPU_LIST(...) __VA_ARGS__
#define KBUILD_CPU_REFERENCE const texture<__T, __dimensions, __mode> &__reference

KBUILD_CPU_BIND(BindTexture,
                (size_t *__offset, KBUILD_CPU_REFERENCE, const void *__pointer,
                 const cudaChannelFormatDesc &__channels, size_t __bytes = UINT_MAX),
                (__offset, &__reference, __pointer, &__channels, __bytes))
KBUILD_CPU_BIND(BindTexture2D,
                (size_t *__offset, KBUILD_CPU_REFERENCE, const void *__pointer,
                 const cudaChannelFormatDesc &__channels, size_t __width, size_t __height,
                 size_t __pitch),
                (__offset, &__reference, __pointer, &__channels, __width, __height, __pitch))
KBUILD_CPU_BIND(BindTextureToArray,
                (KBUILD_CPU_REFERENCE, cudaArray_const_t __array,
                 const cudaChannelFormatDesc &__channels),
                (&__reference, __array, &__channels))
KBUILD_CPU_BIND(BindTextureToMipmappedArray,
                (KBUILD_CPU_REFERENCE, cudaMipmappedArray_const_t __array,
                 const cudaChannelFormatDesc &__channels),
                (&__reference, __array, &__channels))
KBUILD_CPU_BIND(UnbindTexture, (KBUILD_CPU_REFERENCE), (&__reference))
KBUILD_CPU_BIND(GetTextureAlignmentOffset, (size_t *__offset, KBUILD_CPU_REFERENCE),
                (__offset, &__reference))
KBUILD_CPU_BIND(BindTexture,
                (size_t *__offset, KBUILD_CPU_REFERENCE, const void *__pointer,
                 size_t __bytes = UINT_MAX),
                (__offset, __reference, __pointer, kbuild_cpu::channels_of_texture(__reference),
                 __bytes))
KBUILD_CPU_BIND(BindTexture2D,
                (size_t *__offset, KBUILD_CPU_REFERENCE, const void *__pointer, size_t __width,
                 size_t __height, size_t __pitch),
                (__offset, __reference, __pointer, kbuild_cpu::channels_of_texture(__reference),
                 __width, __height, __pitch))
KBUILD_CPU_BIND(BindTextureToArray, (KBUILD_CPU_REFERENCE, cudaArray_const_t __array),
                (__reference, __array, kbuild_cpu::channels_of_texture(__reference)))
KBUILD_CPU_BIND(BindTextureToMipmappedArray,
                (KBUILD_CPU_REFERENCE, cudaMipmappedArray_const_t __array),
                (__reference, __array, kbuild_cpu::channels_of_texture(__reference)))

#undef KBUILD_CPU_REFERENCE
#undef KBUILD_CPU_LIST
#undef KBUILD_CPU_BIND
