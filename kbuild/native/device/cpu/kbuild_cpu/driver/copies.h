/* Copies and fills. */

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define KBUILD_DRIVER_STREAM(stream) ((stream) == NULL ? (void *)2 : (void *)(stream))
#else
#define KBUILD_DRIVER_STREAM(stream) (stream)
#endif

#define KBUILD_DRIVER_COPY(name, to, to_argument, from, from_argument, direction) \
    KBUILD_DRIVER_SAME(Memcpy##name, (to, from, size_t __bytes), \
                       cudaMemcpy(to_argument, from_argument, __bytes, direction)) \
    KBUILD_DRIVER_SAME(Memcpy##name##Async, (to, from, size_t __bytes, CUstream __stream), \
                       cudaMemcpyAsync(to_argument, from_argument, __bytes, direction, __stream))
#define KBUILD_TO_HOST void *__to, __to
#define KBUILD_TO_DEVICE CUdeviceptr __to, (void *)__to
#define KBUILD_FROM_HOST const void *__from, __from
#define KBUILD_FROM_DEVICE CUdeviceptr __from, (const void *)__from
#define KBUILD_DRIVER_EXPANDED(...) KBUILD_DRIVER_COPY(__VA_ARGS__)

KBUILD_DRIVER_EXPANDED(, KBUILD_TO_DEVICE, KBUILD_FROM_DEVICE, cudaMemcpyDefault)
KBUILD_DRIVER_EXPANDED(HtoD, KBUILD_TO_DEVICE, KBUILD_FROM_HOST, cudaMemcpyHostToDevice)
KBUILD_DRIVER_EXPANDED(DtoH, KBUILD_TO_HOST, KBUILD_FROM_DEVICE, cudaMemcpyDeviceToHost)
KBUILD_DRIVER_EXPANDED(DtoD, KBUILD_TO_DEVICE, KBUILD_FROM_DEVICE, cudaMemcpyDeviceToDevice)

#undef KBUILD_DRIVER_EXPANDED
#undef KBUILD_FROM_DEVICE
#undef KBUILD_FROM_HOST
#undef KBUILD_TO_DEVICE
#undef KBUILD_TO_HOST
#undef KBUILD_DRIVER_COPY

KBUILD_DRIVER_SAME(MemcpyPeer,
                   (CUdeviceptr __to, CUcontext __to_context, CUdeviceptr __from,
                    CUcontext __from_context, size_t __bytes),
                   ((void)__to_context, (void)__from_context,
                    cudaMemcpyPeer((void *)__to, 0, (const void *)__from, 0, __bytes)))
KBUILD_DRIVER_SAME(MemcpyPeerAsync,
                   (CUdeviceptr __to, CUcontext __to_context, CUdeviceptr __from,
                    CUcontext __from_context, size_t __bytes, CUstream __stream),
                   ((void)__to_context, (void)__from_context,
                    cudaMemcpyPeerAsync((void *)__to, 0, (const void *)__from, 0, __bytes,
                                        __stream)))

/* Arrays: bytes that continue in the next row. */

KBUILD_DRIVER_SAME(MemcpyHtoA, (CUarray __to, size_t __offset, const void *__from, size_t __bytes),
                   cudaMemcpyToArray((cudaArray_t)__to, __offset, 0, __from, __bytes,
                                     cudaMemcpyHostToDevice))
KBUILD_DRIVER_SAME(MemcpyDtoA, (CUarray __to, size_t __offset, CUdeviceptr __from, size_t __bytes),
                   cudaMemcpyToArray((cudaArray_t)__to, __offset, 0, (const void *)__from, __bytes,
                                     cudaMemcpyDeviceToDevice))
KBUILD_DRIVER_SAME(MemcpyAtoH, (void *__to, CUarray __from, size_t __offset, size_t __bytes),
                   cudaMemcpyFromArray(__to, (cudaArray_const_t)__from, __offset, 0, __bytes,
                                       cudaMemcpyDeviceToHost))
KBUILD_DRIVER_SAME(MemcpyAtoD, (CUdeviceptr __to, CUarray __from, size_t __offset, size_t __bytes),
                   cudaMemcpyFromArray((void *)__to, (cudaArray_const_t)__from, __offset, 0,
                                       __bytes, cudaMemcpyDeviceToDevice))
KBUILD_DRIVER_SAME(MemcpyAtoA,
                   (CUarray __to, size_t __to_offset, CUarray __from, size_t __from_offset,
                    size_t __bytes),
                   cudaMemcpyArrayToArray((cudaArray_t)__to, __to_offset, 0,
                                          (cudaArray_const_t)__from, __from_offset, 0, __bytes,
                                          cudaMemcpyDeviceToDevice))
KBUILD_DRIVER_SAME(MemcpyHtoAAsync,
                   (CUarray __to, size_t __offset, const void *__from, size_t __bytes,
                    CUstream __stream),
                   cudaMemcpyToArrayAsync((cudaArray_t)__to, __offset, 0, __from, __bytes,
                                          cudaMemcpyHostToDevice, __stream))
KBUILD_DRIVER_SAME(MemcpyAtoHAsync,
                   (void *__to, CUarray __from, size_t __offset, size_t __bytes, CUstream __stream),
                   cudaMemcpyFromArrayAsync(__to, (cudaArray_const_t)__from, __offset, 0, __bytes,
                                            cudaMemcpyDeviceToHost, __stream))

/* Boxes. */

/* Finds one side of a copy.  A pitch of 0 is the width of the row, and a height of 0 that of the box. */
static inline int kbuild_cpu_find_driver_side(struct kbuild_cpu_area *__area, CUmemorytype __type,
                                              const void *__host, CUdeviceptr __device,
                                              CUarray __array, size_t __x, size_t __y, size_t __z,
                                              size_t __pitch, size_t __height,
                                              const struct kbuild_cpu_area_copy *__copy) {
    const char *const __start =
        __type == CU_MEMORYTYPE_HOST ? (const char *)__host : (const char *)__device;
    if (__type == CU_MEMORYTYPE_ARRAY)
        return kbuild_cpu_find_in_array(__area, __array, __x, __y, __z, __copy);
    if (__pitch == 0) __pitch = __x + __copy->width;
    if (__height == 0) __height = __y + __copy->height;
    *__area = kbuild_cpu_make_area(
        __start == NULL ? NULL : __start + (__z * __height + __y) * __pitch + __x, __pitch,
        __height);
    return 0;
}

/* Where memory is follows from its address; a wrong type is an error, as with the runtime API. */
static inline enum cudaMemcpyKind kbuild_cpu_driver_direction(CUmemorytype __from,
                                                              CUmemorytype __to) {
    if (__from == CU_MEMORYTYPE_UNIFIED || __to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
    if (__from == CU_MEMORYTYPE_HOST)
        return __to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return __to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

static inline int kbuild_cpu_make_driver_copy(struct kbuild_cpu_area_copy *__copy,
                                              const CUDA_MEMCPY3D *__box) {
    int __error;
    if (__box == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer");
    *__copy = kbuild_cpu_make_copy(
        __box->WidthInBytes, __box->Height,
        kbuild_cpu_driver_direction(__box->srcMemoryType, __box->dstMemoryType));
    __copy->depth = __box->Depth;
    __error = kbuild_cpu_find_driver_side(
        &__copy->from, __box->srcMemoryType, __box->srcHost, __box->srcDevice, __box->srcArray,
        __box->srcXInBytes, __box->srcY, __box->srcZ, __box->srcPitch, __box->srcHeight, __copy);
    if (__error == 0)
        __error = kbuild_cpu_find_driver_side(&__copy->to, __box->dstMemoryType, __box->dstHost,
                                              __box->dstDevice, __box->dstArray, __box->dstXInBytes,
                                              __box->dstY, __box->dstZ, __box->dstPitch,
                                              __box->dstHeight, __copy);
    return __error;
}

static inline int kbuild_cpu_queue_box(const CUDA_MEMCPY3D *__box, void *__stream) {
    struct kbuild_cpu_area_copy __copy;
    const int __error = kbuild_cpu_make_driver_copy(&__copy, __box);
    return __error != 0 ? __error : kbuild_cpu_queue_copy(&__copy, __stream);
}

static inline int kbuild_cpu_finish_box(const CUDA_MEMCPY3D *__box) {
    const int __error = kbuild_cpu_queue_box(__box, KBUILD_DRIVER_STREAM((CUstream)NULL));
    return (int)kbuild_cpu_finish((cudaError_t)__error);
}

static inline CUDA_MEMCPY3D kbuild_cpu_box_of_rows(const CUDA_MEMCPY2D *__rows) {
    static CUDA_MEMCPY3D __empty;
    CUDA_MEMCPY3D __box = __empty;
    if (__rows == NULL) return __box;
    __box.srcXInBytes = __rows->srcXInBytes;
    __box.srcY = __rows->srcY;
    __box.srcMemoryType = __rows->srcMemoryType;
    __box.srcHost = __rows->srcHost;
    __box.srcDevice = __rows->srcDevice;
    __box.srcArray = __rows->srcArray;
    __box.srcPitch = __rows->srcPitch;
    __box.dstXInBytes = __rows->dstXInBytes;
    __box.dstY = __rows->dstY;
    __box.dstMemoryType = __rows->dstMemoryType;
    __box.dstHost = __rows->dstHost;
    __box.dstDevice = __rows->dstDevice;
    __box.dstArray = __rows->dstArray;
    __box.dstPitch = __rows->dstPitch;
    __box.WidthInBytes = __rows->WidthInBytes;
    __box.Height = __rows->Height;
    __box.Depth = 1;
    return __box;
}

KBUILD_DRIVER_SAME(Memcpy3D, (const CUDA_MEMCPY3D *__box), kbuild_cpu_finish_box(__box))
KBUILD_DRIVER_SAME(Memcpy3DAsync, (const CUDA_MEMCPY3D *__box, CUstream __stream),
                   kbuild_cpu_queue_box(__box, KBUILD_DRIVER_STREAM(__stream)))

KBUILD_DRIVER(Memcpy2D)(const CUDA_MEMCPY2D *__rows) {
    const CUDA_MEMCPY3D __box = kbuild_cpu_box_of_rows(__rows);
    return __rows == NULL ? CUDA_ERROR_INVALID_VALUE : cuMemcpy3D(&__box);
}

KBUILD_DRIVER(Memcpy2DUnaligned)(const CUDA_MEMCPY2D *__rows) { return cuMemcpy2D(__rows); }

KBUILD_DRIVER(Memcpy2DAsync)(const CUDA_MEMCPY2D *__rows, CUstream __stream) {
    const CUDA_MEMCPY3D __box = kbuild_cpu_box_of_rows(__rows);
    return __rows == NULL ? CUDA_ERROR_INVALID_VALUE : cuMemcpy3DAsync(&__box, __stream);
}

/* Fills. */

static inline int kbuild_cpu_driver_fill(CUdeviceptr __address, size_t __pitch, unsigned __value,
                                         unsigned __element_bytes, size_t __width, size_t __height,
                                         void *__stream) {
    struct kbuild_cpu_area_fill __fill;
    __fill.width = __width * __element_bytes;
    __fill.height = __height;
    __fill.depth = 1;
    __fill.byte = (int)__value;
    __fill.to = kbuild_cpu_make_area((const void *)__address,
                                     __height == 1 ? __fill.width : __pitch, __height);
    return kbuild_cpu_queue_fill(&__fill, __element_bytes, __stream);
}

#define KBUILD_DRIVER_FILL(suffix, type) \
    KBUILD_DRIVER_SAME(MemsetD##suffix, (CUdeviceptr __address, type __value, size_t __count), \
                       kbuild_cpu_driver_fill(__address, 0, __value, sizeof __value, __count, 1, \
                                              KBUILD_DRIVER_STREAM((CUstream)NULL))) \
    KBUILD_DRIVER_SAME(MemsetD##suffix##Async, \
                       (CUdeviceptr __address, type __value, size_t __count, CUstream __stream), \
                       kbuild_cpu_driver_fill(__address, 0, __value, sizeof __value, __count, 1, \
                                              KBUILD_DRIVER_STREAM(__stream))) \
    KBUILD_DRIVER_SAME( \
        MemsetD2D##suffix, \
        (CUdeviceptr __address, size_t __pitch, type __value, size_t __width, size_t __height), \
        kbuild_cpu_driver_fill(__address, __pitch, __value, sizeof __value, __width, __height, \
                               KBUILD_DRIVER_STREAM((CUstream)NULL))) \
    KBUILD_DRIVER_SAME(MemsetD2D##suffix##Async, \
                       (CUdeviceptr __address, size_t __pitch, type __value, size_t __width, \
                        size_t __height, CUstream __stream), \
                       kbuild_cpu_driver_fill(__address, __pitch, __value, sizeof __value, \
                                              __width, __height, KBUILD_DRIVER_STREAM(__stream)))
KBUILD_DRIVER_FILL(8, unsigned char)
KBUILD_DRIVER_FILL(16, unsigned short)
KBUILD_DRIVER_FILL(32, unsigned int)
#undef KBUILD_DRIVER_FILL

/* Copies in the order of the stream.  A source that the caller can change after the call is read before it
 * ends. */
KBUILD_DRIVER(MemcpyBatchAsync)(CUdeviceptr *__to, CUdeviceptr *__from, size_t *__sizes,
                                size_t __count, CUmemcpyAttributes *__attributes, size_t *__starts,
                                size_t __attribute_count, CUstream __stream) {
    size_t __i;
    int __error = kbuild_cpu_require_context(), __waits = 0;
    if (__error == 0 &&
        (__count == 0 || __attribute_count == 0 || __attribute_count > __count || __starts[0] != 0))
        return CUDA_ERROR_INVALID_VALUE;
    for (__i = 0; __error == 0 && __i < __attribute_count; ++__i) {
        const CUmemcpySrcAccessOrder __order = __attributes[__i].srcAccessOrder;
        if (__order < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM || __order > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
            return CUDA_ERROR_INVALID_VALUE;
        __waits |= __order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    }
    for (__i = 0; __error == 0 && __i < __count; ++__i)
        __error = (int)cudaMemcpyAsync((void *)__to[__i], (const void *)__from[__i], __sizes[__i],
                                       cudaMemcpyDefault, __stream);
    if (__error == 0 && __waits) __error = (int)cudaStreamSynchronize(__stream);
    KBUILD_DRIVER_RETURN(__error);
}
