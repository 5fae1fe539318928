/* Nodes that copy rows of bytes, or from and to device variables. */

static inline struct KBUILD_VENDOR(Memcpy3DParms) kbuild_cpu_make_row_parameters(
    void *__destination, const void *__source, size_t __bytes,
    enum KBUILD_VENDOR(MemcpyKind) __kind) {
    struct KBUILD_VENDOR(Memcpy3DParms) __parameters;
    __parameters.srcArray = __parameters.dstArray = NULL;
    __parameters.srcPos = __parameters.dstPos = KBUILD_MAKE(Pos)(0, 0, 0);
    __parameters.srcPtr =
        KBUILD_MAKE(PitchedPtr)(KBUILD_CONST_CAST(void *, __source), __bytes, __bytes, 1);
    __parameters.dstPtr = KBUILD_MAKE(PitchedPtr)(__destination, __bytes, __bytes, 1);
    __parameters.extent = KBUILD_MAKE(Extent)(__bytes, 1, 1);
    __parameters.kind = __kind;
    return __parameters;
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_row_node(
    void *__destination, const void *__source, size_t __bytes,
    enum KBUILD_VENDOR(MemcpyKind) __kind) {
    const struct KBUILD_VENDOR(Memcpy3DParms) __parameters =
        kbuild_cpu_make_row_parameters(__destination, __source, __bytes, __kind);
    return kbuild_cpu_make_copy_node(&__parameters);
}

KBUILD_API(GraphAddMemcpyNode1D)(KBUILD_NEW_NODE, void *__destination, const void *__source,
                                 size_t __bytes, enum KBUILD_VENDOR(MemcpyKind) __kind) {
    KBUILD_CALL(kbuild_cpu_add_made(
        KBUILD_PLACE, kbuild_cpu_make_row_node(__destination, __source, __bytes, __kind)));
}

KBUILD_API(GraphMemcpyNodeSetParams1D)(KBUILD_VENDOR(GraphNode_t) __node, void *__destination,
                                       const void *__source, size_t __bytes,
                                       enum KBUILD_VENDOR(MemcpyKind) __kind) {
    KBUILD_CALL(kbuild_cpu_change_made(
        __node, kbuild_cpu_make_row_node(__destination, __source, __bytes, __kind)));
}

KBUILD_API(GraphExecMemcpyNodeSetParams1D)(KBUILD_VENDOR(GraphExec_t) __executable,
                                           KBUILD_VENDOR(GraphNode_t) __node, void *__destination,
                                           const void *__source, size_t __bytes,
                                           enum KBUILD_VENDOR(MemcpyKind) __kind) {
    KBUILD_CALL(kbuild_cpu_change_made_in(
        __executable, __node, kbuild_cpu_make_row_node(__destination, __source, __bytes, __kind)));
}

/* Device variables.  Three functions each have these parameters. */
#define KBUILD_TO_SYMBOL \
    const void *__symbol, const void *__source, size_t __bytes, size_t __offset, \
        enum KBUILD_VENDOR(MemcpyKind) __kind
#define KBUILD_FROM_SYMBOL \
    void *__destination, const void *__symbol, size_t __bytes, size_t __offset, \
        enum KBUILD_VENDOR(MemcpyKind) __kind

/* Finds the part of a device variable that a copy uses. */
static inline int kbuild_cpu_find_in_symbol(void **__address, const void *__symbol, size_t __bytes,
                                            size_t __offset) {
    size_t __size = 0;
    int __error = kbuild_cpu_get_symbol_size(&__size, __symbol);
    if (__error == 0 && (__offset > __size || __bytes > __size - __offset))
        __error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                  "the copy does not fit in the device variable");
    if (__error == 0) __error = kbuild_cpu_get_symbol_address(__address, __symbol);
    if (__error == 0) *__address = KBUILD_STATIC_CAST(char *, *__address) + __offset;
    return __error;
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_to_symbol(KBUILD_TO_SYMBOL) {
    void *__address = NULL;
    struct kbuild_cpu_made_node __made = kbuild_cpu_empty_node(KBUILD_CPU_NODE_COPY);
    __made.error = kbuild_cpu_find_in_symbol(&__address, __symbol, __bytes, __offset);
    return __made.error != 0 ? __made
                             : kbuild_cpu_make_row_node(__address, __source, __bytes, __kind);
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_from_symbol(KBUILD_FROM_SYMBOL) {
    void *__address = NULL;
    struct kbuild_cpu_made_node __made = kbuild_cpu_empty_node(KBUILD_CPU_NODE_COPY);
    __made.error = kbuild_cpu_find_in_symbol(&__address, __symbol, __bytes, __offset);
    return __made.error != 0 ? __made
                             : kbuild_cpu_make_row_node(__destination, __address, __bytes, __kind);
}

KBUILD_API(GraphAddMemcpyNodeToSymbol)(KBUILD_NEW_NODE, KBUILD_TO_SYMBOL) {
    KBUILD_CALL(kbuild_cpu_add_made(
        KBUILD_PLACE, kbuild_cpu_make_to_symbol(__symbol, __source, __bytes, __offset, __kind)));
}

KBUILD_API(GraphMemcpyNodeSetParamsToSymbol)(KBUILD_VENDOR(GraphNode_t) __node, KBUILD_TO_SYMBOL) {
    KBUILD_CALL(kbuild_cpu_change_made(
        __node, kbuild_cpu_make_to_symbol(__symbol, __source, __bytes, __offset, __kind)));
}

KBUILD_API(GraphExecMemcpyNodeSetParamsToSymbol)(KBUILD_VENDOR(GraphExec_t) __executable,
                                                 KBUILD_VENDOR(GraphNode_t) __node,
                                                 KBUILD_TO_SYMBOL) {
    KBUILD_CALL(kbuild_cpu_change_made_in(
        __executable, __node,
        kbuild_cpu_make_to_symbol(__symbol, __source, __bytes, __offset, __kind)));
}

KBUILD_API(GraphAddMemcpyNodeFromSymbol)(KBUILD_NEW_NODE, KBUILD_FROM_SYMBOL) {
    KBUILD_CALL(kbuild_cpu_add_made(
        KBUILD_PLACE,
        kbuild_cpu_make_from_symbol(__destination, __symbol, __bytes, __offset, __kind)));
}

KBUILD_API(GraphMemcpyNodeSetParamsFromSymbol)(KBUILD_VENDOR(GraphNode_t) __node,
                                               KBUILD_FROM_SYMBOL) {
    KBUILD_CALL(kbuild_cpu_change_made(
        __node, kbuild_cpu_make_from_symbol(__destination, __symbol, __bytes, __offset, __kind)));
}

KBUILD_API(GraphExecMemcpyNodeSetParamsFromSymbol)(KBUILD_VENDOR(GraphExec_t) __executable,
                                                   KBUILD_VENDOR(GraphNode_t) __node,
                                                   KBUILD_FROM_SYMBOL) {
    KBUILD_CALL(kbuild_cpu_change_made_in(
        __executable, __node,
        kbuild_cpu_make_from_symbol(__destination, __symbol, __bytes, __offset, __kind)));
}

#undef KBUILD_FROM_SYMBOL
#undef KBUILD_TO_SYMBOL
