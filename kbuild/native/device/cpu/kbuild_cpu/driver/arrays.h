/* Arrays, and texture and surface objects. */

/* Sets the channels of a format, or fails if the backend does not have it. */
static inline int kbuild_cpu_driver_channels(struct cudaChannelFormatDesc *__channels,
                                             CUarray_format __format, unsigned __count) {
    int __bits = 0;
    enum cudaChannelFormatKind __kind = cudaChannelFormatKindUnsigned;
    switch (__format) {
    case CU_AD_FORMAT_UNSIGNED_INT8: __bits = 8; break;
    case CU_AD_FORMAT_UNSIGNED_INT16: __bits = 16; break;
    case CU_AD_FORMAT_UNSIGNED_INT32: __bits = 32; break;
    case CU_AD_FORMAT_SIGNED_INT8: __bits = 8, __kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_SIGNED_INT16: __bits = 16, __kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_SIGNED_INT32: __bits = 32, __kind = cudaChannelFormatKindSigned; break;
    case CU_AD_FORMAT_HALF: __bits = 16, __kind = cudaChannelFormatKindFloat; break;
    case CU_AD_FORMAT_FLOAT: __bits = 32, __kind = cudaChannelFormatKindFloat; break;
    default:
        return kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                               "the cpu backend does not support this format of arrays");
    }
    if (__count != 1 && __count != 2 && __count != 4)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "an array has 1, 2, or 4 channels");
    *__channels = cudaCreateChannelDesc(__bits, __count > 1 ? __bits : 0, __count > 2 ? __bits : 0,
                                        __count > 2 ? __bits : 0, __kind);
    return 0;
}

static inline CUarray_format kbuild_cpu_driver_format(const struct kbuild_cpu_array *__array) {
    const int __bits = __array->channel_bits[0];
    if (__array->kind == cudaChannelFormatKindFloat)
        return __bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    if (__array->kind == cudaChannelFormatKindSigned)
        return __bits == 8    ? CU_AD_FORMAT_SIGNED_INT8
               : __bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
                              : CU_AD_FORMAT_SIGNED_INT32;
    return __bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
           : __bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                          : CU_AD_FORMAT_UNSIGNED_INT32;
}

static inline int kbuild_cpu_create_driver_array(void **__array,
                                                 const CUDA_ARRAY3D_DESCRIPTOR *__from,
                                                 unsigned __levels) {
    struct cudaChannelFormatDesc __channels = {0, 0, 0, 0, cudaChannelFormatKindNone};
    struct kbuild_cpu_array __description;
    int __error;
    if (__array == NULL || __from == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "an argument is a null pointer");
    __error = kbuild_cpu_driver_channels(&__channels, __from->Format, __from->NumChannels);
    if (__error != 0) return __error;
    __description = kbuild_cpu_make_array(
        &__channels, make_cudaExtent(__from->Width, __from->Height, __from->Depth), __from->Flags,
        __levels == 0 ? 1 : __levels);
    return __levels == 0 ? kbuild_cpu_create_array(__array, &__description)
                         : kbuild_cpu_create_mipmapped_array(__array, &__description);
}

KBUILD_DRIVER(Array3DCreate)(CUarray *__array, const CUDA_ARRAY3D_DESCRIPTOR *__description) {
    KBUILD_DRIVER_CALL(kbuild_cpu_create_driver_array((void **)__array, __description, 0));
}

KBUILD_DRIVER(ArrayCreate)(CUarray *__array, const CUDA_ARRAY_DESCRIPTOR *__description) {
    CUDA_ARRAY3D_DESCRIPTOR __box;
    if (__description == NULL) return CUDA_ERROR_INVALID_VALUE;
    __box.Width = __description->Width;
    __box.Height = __description->Height;
    __box.Depth = 0;
    __box.Format = __description->Format;
    __box.NumChannels = __description->NumChannels;
    __box.Flags = 0;
    return cuArray3DCreate(__array, &__box);
}

KBUILD_DRIVER(Array3DGetDescriptor)(CUDA_ARRAY3D_DESCRIPTOR *__result, CUarray __array) {
    struct kbuild_cpu_array __found;
    const int __error = kbuild_cpu_describe_array(__result == NULL ? NULL : &__found, __array);
    int __i;
    if (__error != 0) KBUILD_DRIVER_RETURN(__error);
    __result->Width = __found.width;
    __result->Height = __found.height;
    __result->Depth = __found.depth;
    __result->Format = kbuild_cpu_driver_format(&__found);
    __result->NumChannels = 0;
    for (__i = 0; __i < 4; ++__i) __result->NumChannels += __found.channel_bits[__i] != 0;
    __result->Flags = __found.flags;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(ArrayGetDescriptor)(CUDA_ARRAY_DESCRIPTOR *__result, CUarray __array) {
    CUDA_ARRAY3D_DESCRIPTOR __found;
    const CUresult __error = cuArray3DGetDescriptor(__result == NULL ? NULL : &__found, __array);
    if (__error != CUDA_SUCCESS) return __error;
    __result->Width = __found.Width;
    __result->Height = __found.Height;
    __result->Format = __found.Format;
    __result->NumChannels = __found.NumChannels;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER_SAME(ArrayDestroy, (CUarray __array), kbuild_cpu_destroy_array(__array))
KBUILD_DRIVER_SAME(MipmappedArrayCreate,
                   (CUmipmappedArray * __array, const CUDA_ARRAY3D_DESCRIPTOR *__description,
                    unsigned int __levels),
                   kbuild_cpu_create_driver_array((void **)__array, __description, __levels))
KBUILD_DRIVER_SAME(MipmappedArrayGetLevel,
                   (CUarray * __level, CUmipmappedArray __array, unsigned int __number),
                   kbuild_cpu_get_array_level((void **)__level, __array, __number))
KBUILD_DRIVER_SAME(MipmappedArrayDestroy, (CUmipmappedArray __array),
                   kbuild_cpu_destroy_mipmapped_array(__array))

static inline int kbuild_cpu_runtime_resource(struct cudaResourceDesc *__to,
                                              const CUDA_RESOURCE_DESC *__from) {
    static struct cudaResourceDesc __empty;
    if (__from == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the resource is a null pointer");
    *__to = __empty;
    __to->resType = (enum cudaResourceType)__from->resType;
    switch (__from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        __to->res.array.array = (cudaArray_t)__from->res.array.hArray;
        return 0;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        __to->res.mipmap.mipmap = (cudaMipmappedArray_t)__from->res.mipmap.hMipmappedArray;
        return 0;
    case CU_RESOURCE_TYPE_LINEAR:
        __to->res.linear.devPtr = (void *)__from->res.linear.devPtr;
        __to->res.linear.sizeInBytes = __from->res.linear.sizeInBytes;
        return kbuild_cpu_driver_channels(&__to->res.linear.desc, __from->res.linear.format,
                                          __from->res.linear.numChannels);
    case CU_RESOURCE_TYPE_PITCH2D:
        __to->res.pitch2D.devPtr = (void *)__from->res.pitch2D.devPtr;
        __to->res.pitch2D.width = __from->res.pitch2D.width;
        __to->res.pitch2D.height = __from->res.pitch2D.height;
        __to->res.pitch2D.pitchInBytes = __from->res.pitch2D.pitchInBytes;
        return kbuild_cpu_driver_channels(&__to->res.pitch2D.desc, __from->res.pitch2D.format,
                                          __from->res.pitch2D.numChannels);
    default: return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown type of resource");
    }
}

/* Whether texels of a resource are integers of 8 or 16 bits, which are read as numbers from 0 to 1. */
static inline int kbuild_cpu_has_small_integers(const struct cudaResourceDesc *__resource) {
    struct cudaChannelFormatDesc __channels = __resource->res.linear.desc;
    if (__resource->resType == cudaResourceTypePitch2D)
        __channels = __resource->res.pitch2D.desc;
    else if (__resource->resType == cudaResourceTypeArray)
        cudaGetChannelDesc(&__channels, __resource->res.array.array);
    else if (__resource->resType == cudaResourceTypeMipmappedArray) {
        cudaArray_t __level = NULL;
        if (cudaGetMipmappedArrayLevel(&__level, __resource->res.mipmap.mipmap, 0) == cudaSuccess)
            cudaGetChannelDesc(&__channels, __level);
    }
    return __channels.x < 32 && __channels.f != cudaChannelFormatKindFloat;
}

static inline int kbuild_cpu_create_driver_texture(CUtexObject *__texture,
                                                   const CUDA_RESOURCE_DESC *__resource,
                                                   const CUDA_TEXTURE_DESC *__sampling,
                                                   const CUDA_RESOURCE_VIEW_DESC *__view) {
    static struct cudaTextureDesc __empty;
    struct cudaResourceDesc __from;
    struct cudaTextureDesc __how = __empty;
    const int __error = kbuild_cpu_runtime_resource(&__from, __resource);
    int __i;
    if (__error != 0) return __error;
    if (__view != NULL)
        return kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                               "the cpu backend does not support resource views");
    if (__sampling == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the texture is a null pointer");
    for (__i = 0; __i < 3; ++__i)
        __how.addressMode[__i] = (enum cudaTextureAddressMode)__sampling->addressMode[__i];
    for (__i = 0; __i < 4; ++__i) __how.borderColor[__i] = __sampling->borderColor[__i];
    __how.filterMode = (enum cudaTextureFilterMode)__sampling->filterMode;
    __how.readMode =
        (__sampling->flags & CU_TRSF_READ_AS_INTEGER) == 0 && kbuild_cpu_has_small_integers(&__from)
            ? cudaReadModeNormalizedFloat
            : cudaReadModeElementType;
    __how.sRGB = (__sampling->flags & CU_TRSF_SRGB) != 0;
    __how.normalizedCoords = (__sampling->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    __how.seamlessCubemap = (__sampling->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
    __how.maxAnisotropy = __sampling->maxAnisotropy;
    __how.mipmapFilterMode = (enum cudaTextureFilterMode)__sampling->mipmapFilterMode;
    __how.mipmapLevelBias = __sampling->mipmapLevelBias;
    __how.minMipmapLevelClamp = __sampling->minMipmapLevelClamp;
    __how.maxMipmapLevelClamp = __sampling->maxMipmapLevelClamp;
    return kbuild_cpu_create_texture(__texture, &__from, &__how);
}

KBUILD_DRIVER_SAME(TexObjectCreate,
                   (CUtexObject * __texture, const CUDA_RESOURCE_DESC *__resource,
                    const CUDA_TEXTURE_DESC *__sampling, const CUDA_RESOURCE_VIEW_DESC *__view),
                   kbuild_cpu_create_driver_texture(__texture, __resource, __sampling, __view))
KBUILD_DRIVER_SAME(TexObjectDestroy, (CUtexObject __texture), kbuild_cpu_destroy_texture(__texture))

KBUILD_DRIVER(SurfObjectCreate)(CUsurfObject *__surface, const CUDA_RESOURCE_DESC *__resource) {
    struct cudaResourceDesc __from;
    const int __error = kbuild_cpu_runtime_resource(&__from, __resource);
    KBUILD_DRIVER_CALL(__error != 0 ? __error : kbuild_cpu_create_surface(__surface, &__from));
}

KBUILD_DRIVER_SAME(SurfObjectDestroy, (CUsurfObject __surface),
                   kbuild_cpu_destroy_surface(__surface))
