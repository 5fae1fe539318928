/* Nodes that copy and fill areas. */

static inline struct kbuild_cpu_made_node kbuild_cpu_make_copy_node(
    const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_empty_node(KBUILD_CPU_NODE_COPY);
    __made.error = kbuild_cpu_make_box_copy(&__made.description.copy, __parameters);
    return __made;
}

KBUILD_API(GraphAddMemcpyNode)(KBUILD_NEW_NODE,
                               const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_make_copy_node(__parameters)));
}

KBUILD_API(GraphMemcpyNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters) {
    KBUILD_CALL(kbuild_cpu_change_made(__node, kbuild_cpu_make_copy_node(__parameters)));
}

KBUILD_API(GraphExecMemcpyNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
                                         KBUILD_VENDOR(GraphNode_t) __node,
                                         const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters) {
    KBUILD_CALL(
        kbuild_cpu_change_made_in(__executable, __node, kbuild_cpu_make_copy_node(__parameters)));
}

/* Describes arrays as the memory that they consist of. */
KBUILD_API(GraphMemcpyNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     struct KBUILD_VENDOR(Memcpy3DParms) *__parameters) {
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_COPY);
    if (__error == 0) {
        const struct kbuild_cpu_area_copy *const __copy = &__found.copy;
        __parameters->srcArray = __parameters->dstArray = NULL;
        __parameters->srcPos = __parameters->dstPos = KBUILD_MAKE(Pos)(0, 0, 0);
        __parameters->srcPtr = KBUILD_MAKE(PitchedPtr)(__copy->from.start, __copy->from.pitch,
                                                       __copy->width, __copy->from.rows);
        __parameters->dstPtr = KBUILD_MAKE(PitchedPtr)(__copy->to.start, __copy->to.pitch,
                                                       __copy->width, __copy->to.rows);
        __parameters->extent = KBUILD_MAKE(Extent)(__copy->width, __copy->height, __copy->depth);
        __parameters->kind = KBUILD_STATIC_CAST(enum KBUILD_VENDOR(MemcpyKind), __copy->kind);
    }
    KBUILD_CALL(__error);
}

/* Fills. */

static inline struct kbuild_cpu_made_node kbuild_cpu_make_fill_node(
    const struct KBUILD_VENDOR(MemsetParams) *__parameters) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_begin_node(KBUILD_CPU_NODE_FILL, __parameters);
    struct kbuild_cpu_area_fill *const __fill = &__made.description.fill;
    if (__made.error != 0) return __made;
    __fill->to = kbuild_cpu_make_area(__parameters->dst, __parameters->pitch, __parameters->height);
    __fill->width = __parameters->width * __parameters->elementSize;
    __fill->height = __parameters->height;
    __fill->depth = 1;
    __fill->byte = KBUILD_STATIC_CAST(int, __parameters->value);
    __made.description.element_bytes = __parameters->elementSize;
    return __made;
}

KBUILD_API(GraphAddMemsetNode)(KBUILD_NEW_NODE,
                               const struct KBUILD_VENDOR(MemsetParams) *__parameters) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_make_fill_node(__parameters)));
}

KBUILD_API(GraphMemsetNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     const struct KBUILD_VENDOR(MemsetParams) *__parameters) {
    KBUILD_CALL(kbuild_cpu_change_made(__node, kbuild_cpu_make_fill_node(__parameters)));
}

KBUILD_API(GraphExecMemsetNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
                                         KBUILD_VENDOR(GraphNode_t) __node,
                                         const struct KBUILD_VENDOR(MemsetParams) *__parameters) {
    KBUILD_CALL(
        kbuild_cpu_change_made_in(__executable, __node, kbuild_cpu_make_fill_node(__parameters)));
}

KBUILD_API(GraphMemsetNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     struct KBUILD_VENDOR(MemsetParams) *__parameters) {
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_FILL);
    if (__error == 0) {
        __parameters->dst = __found.fill.to.start;
        __parameters->pitch = __found.fill.to.pitch;
        __parameters->value = KBUILD_STATIC_CAST(unsigned, __found.fill.byte);
        __parameters->elementSize = __found.element_bytes;
        __parameters->width = __found.fill.width / __found.element_bytes;
        __parameters->height = __found.fill.height;
    }
    KBUILD_CALL(__error);
}
