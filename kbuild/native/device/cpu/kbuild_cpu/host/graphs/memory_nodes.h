/* Nodes that allocate and free memory. */

static inline struct kbuild_cpu_made_node kbuild_cpu_make_allocation_node(
    const struct KBUILD_VENDOR(MemAllocNodeParams) *__parameters) {
    struct kbuild_cpu_made_node __made =
        kbuild_cpu_begin_node(KBUILD_CPU_NODE_ALLOCATE, __parameters);
    if (__made.error == 0)
        __made.error = kbuild_cpu_check_location(&__parameters->poolProps.location);
    if (__made.error == 0) __made.description.memory_size = __parameters->bytesize;
    return __made;
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_release_node(void *__pointer) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_empty_node(KBUILD_CPU_NODE_RELEASE);
    __made.description.memory = __pointer;
    return __made;
}

KBUILD_API(GraphMemAllocNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                       struct KBUILD_VENDOR(MemAllocNodeParams) *__parameters) {
    static const struct KBUILD_VENDOR(MemAllocNodeParams) __usual = {
        {KBUILD_VENDOR(MemAllocationTypePinned),
         KBUILD_VENDOR(MemHandleTypeNone),
         {KBUILD_VENDOR(MemLocationTypeDevice), 0},
         NULL,
         0,
         0,
         {0}},
        NULL,
        0,
        0,
        NULL};
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node,
                                             KBUILD_CPU_NODE_ALLOCATE);
    if (__error == 0) {
        *__parameters = __usual;
        __parameters->bytesize = __found.memory_size;
        __parameters->dptr = __found.memory;
    }
    KBUILD_CALL(__error);
}

KBUILD_API(GraphAddMemAllocNode)(KBUILD_NEW_NODE,
                                 struct KBUILD_VENDOR(MemAllocNodeParams) *__parameters) {
    struct kbuild_cpu_node __added;
    int __error = kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_make_allocation_node(__parameters));
    if (__error == 0) __error = kbuild_cpu_describe_node(&__added, *__node);
    if (__error == 0) __parameters->dptr = __added.memory;
    KBUILD_CALL(__error);
}

KBUILD_API(GraphAddMemFreeNode)(KBUILD_NEW_NODE, void *__pointer) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_make_release_node(__pointer)));
}

KBUILD_API(GraphMemFreeNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node, void *__pointer) {
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__pointer == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_RELEASE);
    if (__error == 0) *KBUILD_STATIC_CAST(void **, __pointer) = __found.memory;
    KBUILD_CALL(__error);
}
