/* Arrays: allocations, descriptions, and copies of rows and bytes. */

KBUILD_HOST_API struct cudaChannelFormatDesc KBUILD_VENDOR(CreateChannelDesc)(
    int __x, int __y, int __z, int __w, enum cudaChannelFormatKind __kind) {
    struct cudaChannelFormatDesc __channels;
    __channels.x = __x;
    __channels.y = __y;
    __channels.z = __z;
    __channels.w = __w;
    __channels.f = __kind;
    return __channels;
}

/* Describes an array for the runtime.  The dimensions are 0 if there is no extent. */
static inline struct kbuild_cpu_array kbuild_cpu_make_array(
    const struct cudaChannelFormatDesc *__channels, struct KBUILD_VENDOR(Extent) __extent,
    unsigned int __flags, unsigned int __levels) {
    struct kbuild_cpu_array __array;
    __array.channel_bits[0] = __channels->x;
    __array.channel_bits[1] = __channels->y;
    __array.channel_bits[2] = __channels->z;
    __array.channel_bits[3] = __channels->w;
    __array.kind = KBUILD_STATIC_CAST(unsigned, __channels->f);
    __array.width = __extent.width;
    __array.height = __extent.height;
    __array.depth = __extent.depth;
    __array.flags = __flags;
    __array.levels = __levels;
    return __array;
}

KBUILD_API(Malloc3DArray)(KBUILD_VENDOR(Array_t) *__array,
                          const struct cudaChannelFormatDesc *__channels,
                          struct KBUILD_VENDOR(Extent) __extent,
                          unsigned int __flags KBUILD_DEFAULT(0)) {
    struct kbuild_cpu_array __description;
    void *__created = NULL;
    int __error;
    if (__array == NULL || __channels == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "an argument is a null pointer"));
    __description = kbuild_cpu_make_array(__channels, __extent, __flags, 1);
    __error = kbuild_cpu_create_array(&__created, &__description);
    *__array = KBUILD_STATIC_CAST(KBUILD_VENDOR(Array_t), __created);
    KBUILD_CALL(__error);
}

KBUILD_API(MallocArray)(KBUILD_VENDOR(Array_t) *__array,
                        const struct cudaChannelFormatDesc *__channels, size_t __width,
                        size_t __height KBUILD_DEFAULT(0), unsigned int __flags KBUILD_DEFAULT(0)) {
    return KBUILD_VENDOR(Malloc3DArray)(__array, __channels,
                                        KBUILD_MAKE(Extent)(__width, __height, 0), __flags);
}

KBUILD_API(FreeArray)(KBUILD_VENDOR(Array_t) __array) {
    KBUILD_CALL(kbuild_cpu_destroy_array(__array));
}

KBUILD_API(MallocMipmappedArray)(KBUILD_VENDOR(MipmappedArray_t) *__array,
                                 const struct cudaChannelFormatDesc *__channels,
                                 struct KBUILD_VENDOR(Extent) __extent, unsigned int __levels,
                                 unsigned int __flags KBUILD_DEFAULT(0)) {
    struct kbuild_cpu_array __description;
    void *__created = NULL;
    int __error;
    if (__array == NULL || __channels == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "an argument is a null pointer"));
    __description = kbuild_cpu_make_array(__channels, __extent, __flags, __levels);
    __error = kbuild_cpu_create_mipmapped_array(&__created, &__description);
    *__array = KBUILD_STATIC_CAST(KBUILD_VENDOR(MipmappedArray_t), __created);
    KBUILD_CALL(__error);
}

KBUILD_API(FreeMipmappedArray)(KBUILD_VENDOR(MipmappedArray_t) __array) {
    KBUILD_CALL(kbuild_cpu_destroy_mipmapped_array(__array));
}

KBUILD_API(GetMipmappedArrayLevel)(KBUILD_VENDOR(Array_t) *__level,
                                   KBUILD_VENDOR(MipmappedArray_const_t) __array,
                                   unsigned int __number) {
    void *__found = NULL;
    const int __error = kbuild_cpu_get_array_level(&__found, __array, __number);
    if (__error == 0 && __level == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer"));
    if (__error == 0) *__level = KBUILD_STATIC_CAST(KBUILD_VENDOR(Array_t), __found);
    KBUILD_CALL(__error);
}

KBUILD_API(ArrayGetInfo)(struct cudaChannelFormatDesc *__channels,
                         struct KBUILD_VENDOR(Extent) *__extent, unsigned int *__flags,
                         KBUILD_VENDOR(Array_t) __array) {
    struct kbuild_cpu_array __found;
    const int __error = kbuild_cpu_describe_array(&__found, __array);
    if (__error == 0 && __channels != NULL)
        *__channels = KBUILD_VENDOR(CreateChannelDesc)(
            __found.channel_bits[0], __found.channel_bits[1], __found.channel_bits[2],
            __found.channel_bits[3], KBUILD_STATIC_CAST(enum cudaChannelFormatKind, __found.kind));
    if (__error == 0 && __extent != NULL)
        *__extent = KBUILD_MAKE(Extent)(__found.width, __found.height, __found.depth);
    if (__error == 0 && __flags != NULL) *__flags = __found.flags;
    KBUILD_CALL(__error);
}

KBUILD_API(GetChannelDesc)(struct cudaChannelFormatDesc *__channels,
                           KBUILD_VENDOR(Array_const_t) __array) {
    if (__channels == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer"));
    return KBUILD_VENDOR(ArrayGetInfo)(__channels, NULL, NULL,
                                       KBUILD_CONST_CAST(KBUILD_VENDOR(Array_t), __array));
}

KBUILD_API(Memcpy2DToArrayAsync)(KBUILD_VENDOR(Array_t) __destination, size_t __byte, size_t __row,
                                 const void *__source, size_t __pitch, size_t __width,
                                 size_t __height, enum KBUILD_VENDOR(MemcpyKind) __kind,
                                 KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    struct kbuild_cpu_area_copy __copy = kbuild_cpu_make_copy(__width, __height, __kind);
    const int __error =
        kbuild_cpu_find_in_array(&__copy.to, __destination, __byte, __row, 0, &__copy);
    __copy.from = kbuild_cpu_make_area(__source, __pitch, __height);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_queue_copy(&__copy, KBUILD_STREAM(__stream)));
}

KBUILD_API(Memcpy2DToArray)(KBUILD_VENDOR(Array_t) __destination, size_t __byte, size_t __row,
                            const void *__source, size_t __pitch, size_t __width, size_t __height,
                            enum KBUILD_VENDOR(MemcpyKind) __kind) {
    return kbuild_cpu_finish(KBUILD_VENDOR(Memcpy2DToArrayAsync)(
        __destination, __byte, __row, __source, __pitch, __width, __height, __kind, NULL));
}

KBUILD_API(Memcpy2DFromArrayAsync)(void *__destination, size_t __pitch,
                                   KBUILD_VENDOR(Array_const_t) __source, size_t __byte,
                                   size_t __row, size_t __width, size_t __height,
                                   enum KBUILD_VENDOR(MemcpyKind) __kind,
                                   KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    struct kbuild_cpu_area_copy __copy = kbuild_cpu_make_copy(__width, __height, __kind);
    const int __error = kbuild_cpu_find_in_array(&__copy.from, __source, __byte, __row, 0, &__copy);
    __copy.to = kbuild_cpu_make_area(__destination, __pitch, __height);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_queue_copy(&__copy, KBUILD_STREAM(__stream)));
}

KBUILD_API(Memcpy2DFromArray)(void *__destination, size_t __pitch,
                              KBUILD_VENDOR(Array_const_t) __source, size_t __byte, size_t __row,
                              size_t __width, size_t __height,
                              enum KBUILD_VENDOR(MemcpyKind) __kind) {
    return kbuild_cpu_finish(KBUILD_VENDOR(Memcpy2DFromArrayAsync)(
        __destination, __pitch, __source, __byte, __row, __width, __height, __kind, NULL));
}

KBUILD_API(Memcpy2DArrayToArray)(KBUILD_VENDOR(Array_t) __destination, size_t __byte, size_t __row,
                                 KBUILD_VENDOR(Array_const_t) __source, size_t __source_byte,
                                 size_t __source_row, size_t __width, size_t __height,
                                 enum KBUILD_VENDOR(MemcpyKind) __kind
                                     KBUILD_DEFAULT(KBUILD_VENDOR(MemcpyDeviceToDevice))) {
    struct kbuild_cpu_area_copy __copy = kbuild_cpu_make_copy(__width, __height, __kind);
    int __error = kbuild_cpu_find_in_array(&__copy.to, __destination, __byte, __row, 0, &__copy);
    if (__error == 0)
        __error = kbuild_cpu_find_in_array(&__copy.from, __source, __source_byte, __source_row, 0,
                                           &__copy);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_copy_area(&__copy, NULL));
}

/* Copies of bytes that continue in the next row.  The allocation limits them. */

static inline int kbuild_cpu_find_bytes(struct kbuild_cpu_area *__area, const void *__array,
                                        size_t __byte, size_t __row, size_t __bytes) {
    const struct kbuild_cpu_area_copy __nothing =
        kbuild_cpu_make_copy(0, 0, KBUILD_VENDOR(MemcpyDefault));
    const int __error = kbuild_cpu_find_in_array(__area, __array, __byte, __row, 0, &__nothing);
    __area->pitch = __bytes;
    return __error;
}

KBUILD_API(MemcpyToArrayAsync)(KBUILD_VENDOR(Array_t) __destination, size_t __byte, size_t __row,
                               const void *__source, size_t __bytes,
                               enum KBUILD_VENDOR(MemcpyKind) __kind,
                               KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    struct kbuild_cpu_area_copy __copy = kbuild_cpu_make_copy(__bytes, 1, __kind);
    const int __error = kbuild_cpu_find_bytes(&__copy.to, __destination, __byte, __row, __bytes);
    __copy.from = kbuild_cpu_make_area(__source, __bytes, 1);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_queue_copy(&__copy, KBUILD_STREAM(__stream)));
}

KBUILD_API(MemcpyToArray)(KBUILD_VENDOR(Array_t) __destination, size_t __byte, size_t __row,
                          const void *__source, size_t __bytes,
                          enum KBUILD_VENDOR(MemcpyKind) __kind) {
    return kbuild_cpu_finish(KBUILD_VENDOR(MemcpyToArrayAsync)(__destination, __byte, __row,
                                                               __source, __bytes, __kind, NULL));
}

KBUILD_API(MemcpyFromArrayAsync)(void *__destination, KBUILD_VENDOR(Array_const_t) __source,
                                 size_t __byte, size_t __row, size_t __bytes,
                                 enum KBUILD_VENDOR(MemcpyKind) __kind,
                                 KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    struct kbuild_cpu_area_copy __copy = kbuild_cpu_make_copy(__bytes, 1, __kind);
    const int __error = kbuild_cpu_find_bytes(&__copy.from, __source, __byte, __row, __bytes);
    __copy.to = kbuild_cpu_make_area(__destination, __bytes, 1);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_queue_copy(&__copy, KBUILD_STREAM(__stream)));
}

KBUILD_API(MemcpyFromArray)(void *__destination, KBUILD_VENDOR(Array_const_t) __source,
                            size_t __byte, size_t __row, size_t __bytes,
                            enum KBUILD_VENDOR(MemcpyKind) __kind) {
    return kbuild_cpu_finish(KBUILD_VENDOR(MemcpyFromArrayAsync)(__destination, __source, __byte,
                                                                 __row, __bytes, __kind, NULL));
}

KBUILD_API(MemcpyArrayToArray)(KBUILD_VENDOR(Array_t) __destination, size_t __byte, size_t __row,
                               KBUILD_VENDOR(Array_const_t) __source, size_t __source_byte,
                               size_t __source_row, size_t __bytes,
                               enum KBUILD_VENDOR(MemcpyKind) __kind
                                   KBUILD_DEFAULT(KBUILD_VENDOR(MemcpyDeviceToDevice))) {
    struct kbuild_cpu_area_copy __copy = kbuild_cpu_make_copy(__bytes, 1, __kind);
    int __error = kbuild_cpu_find_bytes(&__copy.to, __destination, __byte, __row, __bytes);
    if (__error == 0)
        __error =
            kbuild_cpu_find_bytes(&__copy.from, __source, __source_byte, __source_row, __bytes);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_copy_area(&__copy, NULL));
}
