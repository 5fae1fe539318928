/* Copies and fills. */

static inline struct kbuild_cpu_area kbuild_cpu_make_area(const void *__address, size_t __pitch,
                                                          size_t __rows) {
    struct kbuild_cpu_area __area;
    __area.start = KBUILD_CONST_CAST(void *, __address);
    __area.pitch = __pitch;
    __area.rows = __rows;
    return __area;
}

/* Describes a copy of rows, without its sides. */
static inline struct kbuild_cpu_area_copy kbuild_cpu_make_copy(
    size_t __width, size_t __height, enum KBUILD_VENDOR(MemcpyKind) __kind) {
    struct kbuild_cpu_area_copy __copy;
    __copy.to = __copy.from = kbuild_cpu_make_area(NULL, 0, 0);
    __copy.width = __width;
    __copy.height = __height;
    __copy.depth = 1;
    __copy.kind = KBUILD_STATIC_CAST(unsigned, __kind);
    return __copy;
}

KBUILD_API(Memcpy2DAsync)(void *__destination, size_t __destination_pitch, const void *__source,
                          size_t __source_pitch, size_t __width, size_t __height,
                          enum KBUILD_VENDOR(MemcpyKind) __kind,
                          KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    struct kbuild_cpu_area_copy __copy;
    __copy.to = kbuild_cpu_make_area(__destination, __destination_pitch, __height);
    __copy.from = kbuild_cpu_make_area(__source, __source_pitch, __height);
    __copy.width = __width;
    __copy.height = __height;
    __copy.depth = 1;
    __copy.kind = KBUILD_STATIC_CAST(unsigned, __kind);
    KBUILD_CALL(kbuild_cpu_queue_copy(&__copy, KBUILD_STREAM(__stream)));
}

KBUILD_API(Memcpy2D)(void *__destination, size_t __destination_pitch, const void *__source,
                     size_t __source_pitch, size_t __width, size_t __height,
                     enum KBUILD_VENDOR(MemcpyKind) __kind) {
    return kbuild_cpu_finish(KBUILD_VENDOR(Memcpy2DAsync)(__destination, __destination_pitch,
                                                          __source, __source_pitch, __width,
                                                          __height, __kind, NULL));
}

KBUILD_API(MemcpyAsync)(void *__destination, const void *__source, size_t __bytes,
                        enum KBUILD_VENDOR(MemcpyKind) __kind,
                        KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    return KBUILD_VENDOR(Memcpy2DAsync)(__destination, __bytes, __source, __bytes, __bytes, 1,
                                        __kind, __stream);
}

KBUILD_API(Memcpy)(void *__destination, const void *__source, size_t __bytes,
                   enum KBUILD_VENDOR(MemcpyKind) __kind) {
    return kbuild_cpu_finish(
        KBUILD_VENDOR(MemcpyAsync)(__destination, __source, __bytes, __kind, NULL));
}

KBUILD_API(MemcpyPeerAsync)(void *__destination, int __destination_device, const void *__source,
                            int __source_device, size_t __bytes,
                            KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    int __error = kbuild_cpu_set_device(__destination_device);
    if (__error == 0) __error = kbuild_cpu_set_device(__source_device);
    if (__error != 0) KBUILD_CALL(__error);
    return KBUILD_VENDOR(MemcpyAsync)(__destination, __source, __bytes,
                                      KBUILD_VENDOR(MemcpyDefault), __stream);
}

KBUILD_API(MemcpyPeer)(void *__destination, int __destination_device, const void *__source,
                       int __source_device, size_t __bytes) {
    return kbuild_cpu_finish(KBUILD_VENDOR(MemcpyPeerAsync)(
        __destination, __destination_device, __source, __source_device, __bytes, NULL));
}

/* Returns the area of a pitched pointer that starts at a position. */
static inline struct kbuild_cpu_area kbuild_cpu_area_at(struct KBUILD_VENDOR(PitchedPtr) __pointer,
                                                        struct KBUILD_VENDOR(Pos) __start) {
    const char *__base = KBUILD_STATIC_CAST(const char *, __pointer.ptr);
    const size_t __row = __start.z * __pointer.ysize + __start.y;
    return kbuild_cpu_make_area(
        __base == NULL ? __base : __base + __row * __pointer.pitch + __start.x, __pointer.pitch,
        __pointer.ysize);
}

/* Returns the number of bytes of an array's element, or 0 if there is no array. */
static inline int kbuild_cpu_element_bytes(size_t *__bytes, KBUILD_VENDOR(Array_t) __array) {
    struct kbuild_cpu_array __found;
    int __error;
    *__bytes = 0;
    if (__array == NULL) return 0;
    __error = kbuild_cpu_describe_array(&__found, __array);
    if (__error == 0)
        *__bytes =
            KBUILD_STATIC_CAST(size_t, __found.channel_bits[0] + __found.channel_bits[1] +
                                           __found.channel_bits[2] + __found.channel_bits[3]) /
            8;
    return __error;
}

/* Finds one side of a copy.  Positions in arrays count elements. */
static inline int kbuild_cpu_find_side(struct kbuild_cpu_area *__area,
                                       KBUILD_VENDOR(Array_t) __array,
                                       struct KBUILD_VENDOR(PitchedPtr) __pointer,
                                       struct KBUILD_VENDOR(Pos) __start, size_t __element_bytes,
                                       const struct kbuild_cpu_area_copy *__copy) {
    if (__array != NULL)
        return kbuild_cpu_find_in_array(__area, __array, __start.x * __element_bytes, __start.y,
                                        __start.z, __copy);
    *__area = kbuild_cpu_area_at(__pointer, __start);
    return 0;
}

static inline int kbuild_cpu_make_box_copy(
    struct kbuild_cpu_area_copy *__copy, const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters) {
    size_t __to_bytes, __from_bytes;
    int __error;
    if (__parameters == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer");
    __error = kbuild_cpu_element_bytes(&__to_bytes, __parameters->dstArray);
    if (__error == 0) __error = kbuild_cpu_element_bytes(&__from_bytes, __parameters->srcArray);
    if (__error != 0) return __error;
    if (__to_bytes != 0 && __from_bytes != 0 && __to_bytes != __from_bytes)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                               "the elements of the arrays differ in size");
    *__copy = kbuild_cpu_make_copy(__parameters->extent.width, __parameters->extent.height,
                                   __parameters->kind);
    if (__to_bytes + __from_bytes != 0)
        __copy->width *= __to_bytes != 0 ? __to_bytes : __from_bytes;
    __copy->depth = __parameters->extent.depth;
    __error = kbuild_cpu_find_side(&__copy->to, __parameters->dstArray, __parameters->dstPtr,
                                   __parameters->dstPos, __to_bytes, __copy);
    if (__error == 0)
        __error = kbuild_cpu_find_side(&__copy->from, __parameters->srcArray, __parameters->srcPtr,
                                       __parameters->srcPos, __from_bytes, __copy);
    return __error;
}

KBUILD_API(Memcpy3DAsync)(const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters,
                          KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    struct kbuild_cpu_area_copy __copy;
    const int __error = kbuild_cpu_make_box_copy(&__copy, __parameters);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_queue_copy(&__copy, KBUILD_STREAM(__stream)));
}

KBUILD_API(Memcpy3D)(const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters) {
    return kbuild_cpu_finish(KBUILD_VENDOR(Memcpy3DAsync)(__parameters, NULL));
}

KBUILD_API(Memcpy3DPeerAsync)(const struct KBUILD_VENDOR(Memcpy3DPeerParms) *__parameters,
                              KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    struct KBUILD_VENDOR(Memcpy3DParms) __copy;
    int __error;
    if (__parameters == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer"));
    __copy.srcArray = __parameters->srcArray;
    __copy.srcPos = __parameters->srcPos;
    __copy.srcPtr = __parameters->srcPtr;
    __copy.dstArray = __parameters->dstArray;
    __copy.dstPos = __parameters->dstPos;
    __copy.dstPtr = __parameters->dstPtr;
    __copy.extent = __parameters->extent;
    __copy.kind = KBUILD_VENDOR(MemcpyDefault);
    __error = kbuild_cpu_set_device(__parameters->srcDevice);
    if (__error == 0) __error = kbuild_cpu_set_device(__parameters->dstDevice);
    if (__error != 0) KBUILD_CALL(__error);
    return KBUILD_VENDOR(Memcpy3DAsync)(&__copy, __stream);
}

KBUILD_API(Memcpy3DPeer)(const struct KBUILD_VENDOR(Memcpy3DPeerParms) *__parameters) {
    return kbuild_cpu_finish(KBUILD_VENDOR(Memcpy3DPeerAsync)(__parameters, NULL));
}

KBUILD_API(Memset3DAsync)(struct KBUILD_VENDOR(PitchedPtr) __pointer, int __value,
                          struct KBUILD_VENDOR(Extent) __extent,
                          KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    struct kbuild_cpu_area_fill __fill;
    __fill.to = kbuild_cpu_make_area(__pointer.ptr, __pointer.pitch, __pointer.ysize);
    __fill.width = __extent.width;
    __fill.height = __extent.height;
    __fill.depth = __extent.depth;
    __fill.byte = __value;
    KBUILD_CALL(kbuild_cpu_queue_fill(&__fill, 1, KBUILD_STREAM(__stream)));
}

KBUILD_API(Memset3D)(struct KBUILD_VENDOR(PitchedPtr) __pointer, int __value,
                     struct KBUILD_VENDOR(Extent) __extent) {
    return KBUILD_VENDOR(Memset3DAsync)(__pointer, __value, __extent, NULL);
}

KBUILD_API(Memset2DAsync)(void *__pointer, size_t __pitch, int __value, size_t __width,
                          size_t __height, KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    return KBUILD_VENDOR(Memset3DAsync)(
        KBUILD_MAKE(PitchedPtr)(__pointer, __pitch, __width, __height), __value,
        KBUILD_MAKE(Extent)(__width, __height, 1), __stream);
}

KBUILD_API(Memset2D)(void *__pointer, size_t __pitch, int __value, size_t __width,
                     size_t __height) {
    return KBUILD_VENDOR(Memset2DAsync)(__pointer, __pitch, __value, __width, __height, NULL);
}

KBUILD_API(MemsetAsync)(void *__pointer, int __value, size_t __bytes,
                        KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    return KBUILD_VENDOR(Memset2DAsync)(__pointer, __bytes, __value, __bytes, 1, __stream);
}

KBUILD_API(Memset)(void *__pointer, int __value, size_t __bytes) {
    return KBUILD_VENDOR(MemsetAsync)(__pointer, __value, __bytes, NULL);
}
