/* Device variables.  The symbol is the address of the host variable with the same name. */

KBUILD_API(GetSymbolAddress)(void **__pointer, const void *__symbol) {
    KBUILD_CALL(kbuild_cpu_get_symbol_address(__pointer, __symbol));
}

KBUILD_API(GetSymbolSize)(size_t *__bytes, const void *__symbol) {
    KBUILD_CALL(kbuild_cpu_get_symbol_size(__bytes, __symbol));
}

/* Checks the symbol before the direction of a copy, as the vendor does. */
static inline int kbuild_cpu_check_symbol(const void *__symbol, void *__stream) {
    size_t __size = 0;
    const int __error = kbuild_cpu_check_stream(__stream);
    return __error != 0 ? __error : kbuild_cpu_get_symbol_size(&__size, __symbol);
}

KBUILD_API(MemcpyToSymbolAsync)(const void *__symbol, const void *__source, size_t __bytes,
                                size_t __offset, enum KBUILD_VENDOR(MemcpyKind) __kind,
                                KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    const int __error = kbuild_cpu_check_symbol(__symbol, __stream);
    if (__error != 0) KBUILD_CALL(__error);
    if (__kind != KBUILD_VENDOR(MemcpyHostToDevice) &&__kind !=
        KBUILD_VENDOR(MemcpyDeviceToDevice) &&__kind != KBUILD_VENDOR(MemcpyDefault))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_COPY_DIRECTION,
                                    "a copy to a device variable is a copy to the device"));
    KBUILD_CALL(kbuild_cpu_queue_copy_to_symbol(__symbol, __source, __bytes, __offset,
                                                KBUILD_STREAM(__stream)));
}

KBUILD_API(MemcpyToSymbol)(
    const void *__symbol, const void *__source, size_t __bytes, size_t __offset KBUILD_DEFAULT(0),
    enum KBUILD_VENDOR(MemcpyKind) __kind KBUILD_DEFAULT(KBUILD_VENDOR(MemcpyHostToDevice))) {
    return kbuild_cpu_finish(
        KBUILD_VENDOR(MemcpyToSymbolAsync)(__symbol, __source, __bytes, __offset, __kind, NULL));
}

KBUILD_API(MemcpyFromSymbolAsync)(void *__destination, const void *__symbol, size_t __bytes,
                                  size_t __offset, enum KBUILD_VENDOR(MemcpyKind) __kind,
                                  KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    const int __error = kbuild_cpu_check_symbol(__symbol, __stream);
    if (__error != 0) KBUILD_CALL(__error);
    if (__kind != KBUILD_VENDOR(MemcpyDeviceToHost) &&__kind !=
        KBUILD_VENDOR(MemcpyDeviceToDevice) &&__kind != KBUILD_VENDOR(MemcpyDefault))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_COPY_DIRECTION,
                                    "a copy from a device variable is a copy from the device"));
    KBUILD_CALL(kbuild_cpu_queue_copy_from_symbol(__destination, __symbol, __bytes, __offset,
                                                  KBUILD_STREAM(__stream)));
}

KBUILD_API(MemcpyFromSymbol)(
    void *__destination, const void *__symbol, size_t __bytes, size_t __offset KBUILD_DEFAULT(0),
    enum KBUILD_VENDOR(MemcpyKind) __kind KBUILD_DEFAULT(KBUILD_VENDOR(MemcpyDeviceToHost))) {
    return kbuild_cpu_finish(KBUILD_VENDOR(MemcpyFromSymbolAsync)(__destination, __symbol, __bytes,
                                                                  __offset, __kind, NULL));
}
