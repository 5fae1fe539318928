/* The nodes of graphs. */

/* Adds a node, unless making its description failed. */
static inline int kbuild_cpu_add_made_node(int __error, KBUILD_VENDOR(GraphNode_t) *__node,
                                           KBUILD_VENDOR(Graph_t) __graph,
                                           const KBUILD_VENDOR(GraphNode_t) *__dependencies,
                                           size_t __count, struct kbuild_cpu_node *__description)
{
    void *__added = NULL;
    if (__error == 0)
        __error = kbuild_cpu_add_node(__node == NULL ? NULL : &__added, __graph,
                                      KBUILD_LIST(__dependencies), __count, __description);
    if (__error == 0)
        *__node = KBUILD_STATIC_CAST(KBUILD_VENDOR(GraphNode_t), __added);
    return __error;
}

static inline struct kbuild_cpu_node kbuild_cpu_empty_node(int __type)
{
    struct kbuild_cpu_node __description;
    unsigned char *const __bytes = KBUILD_REINTERPRET_CAST(unsigned char *, &__description);
    for (size_t __i = 0; __i < sizeof __description; ++__i)
        __bytes[__i] = 0;
    __description.node_type = __type;
    return __description;
}

/* Finds a node's description, and fails if it has another type. */
static inline int kbuild_cpu_find_node(struct kbuild_cpu_node *__description,
                                       KBUILD_VENDOR(GraphNode_t) __node, int __type)
{
    const int __error = kbuild_cpu_describe_node(__description, __node);
    if (__error == 0 && __description->node_type != __type)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the node has another type");
    return __error;
}

static inline int
    kbuild_cpu_make_kernel_node(struct kbuild_cpu_node *__description,
                                const struct KBUILD_VENDOR(KernelNodeParams) *__parameters)
{
    if (__parameters == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer");
    if (__parameters->extra != NULL)
        return kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                               "the cpu backend does not support packed arguments; use "
                               "kernelParams");
    *__description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_KERNEL);
    __description->handle = __parameters->func;
    __description->configuration = kbuild_cpu_make_config(__parameters->gridDim, __parameters->blockDim,
                                                   __parameters->sharedMemBytes, NULL);
    __description->argument_list = __parameters->kernelParams;
    return 0;
}

static inline int
    kbuild_cpu_make_copy_node(struct kbuild_cpu_node *__description,
                              const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters)
{
    *__description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_COPY);
    return kbuild_cpu_make_box_copy(&__description->copy, __parameters);
}

static inline int
    kbuild_cpu_make_fill_node(struct kbuild_cpu_node *__description,
                              const struct KBUILD_VENDOR(MemsetParams) *__parameters)
{
    if (__parameters == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer");
    *__description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_FILL);
    __description->fill.to =
        kbuild_cpu_make_area(__parameters->dst, __parameters->pitch, __parameters->height);
    __description->fill.width = __parameters->width * __parameters->elementSize;
    __description->fill.height = __parameters->height;
    __description->fill.depth = 1;
    __description->fill.byte = KBUILD_STATIC_CAST(int, __parameters->value);
    __description->element_bytes = __parameters->elementSize;
    return 0;
}

static inline int
    kbuild_cpu_make_host_node(struct kbuild_cpu_node *__description,
                              const struct KBUILD_VENDOR(HostNodeParams) *__parameters)
{
    if (__parameters == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer");
    *__description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_HOST);
    __description->function = __parameters->fn;
    __description->data = __parameters->userData;
    return 0;
}

KBUILD_API(GraphAddKernelNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
    const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count,
    const struct KBUILD_VENDOR(KernelNodeParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_kernel_node(&__description, __parameters);
    KBUILD_CALL(kbuild_cpu_add_made_node(__error, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphKernelNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node, const struct KBUILD_VENDOR(KernelNodeParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_kernel_node(&__description, __parameters);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_change_node(__node, &__description));
}

KBUILD_API(GraphExecKernelNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
    KBUILD_VENDOR(GraphNode_t) __node, const struct KBUILD_VENDOR(KernelNodeParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_kernel_node(&__description, __parameters);
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_change_executable_node(__executable, __node,
                                                                 &__description));
}

KBUILD_API(GraphAddMemcpyNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
    const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count,
    const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_copy_node(&__description, __parameters);
    KBUILD_CALL(kbuild_cpu_add_made_node(__error, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphMemcpyNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node, const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_copy_node(&__description, __parameters);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_change_node(__node, &__description));
}

KBUILD_API(GraphExecMemcpyNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
    KBUILD_VENDOR(GraphNode_t) __node, const struct KBUILD_VENDOR(Memcpy3DParms) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_copy_node(&__description, __parameters);
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_change_executable_node(__executable, __node,
                                                                 &__description));
}

KBUILD_API(GraphAddMemsetNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
    const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count,
    const struct KBUILD_VENDOR(MemsetParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_fill_node(&__description, __parameters);
    KBUILD_CALL(kbuild_cpu_add_made_node(__error, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphMemsetNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node, const struct KBUILD_VENDOR(MemsetParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_fill_node(&__description, __parameters);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_change_node(__node, &__description));
}

KBUILD_API(GraphExecMemsetNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
    KBUILD_VENDOR(GraphNode_t) __node, const struct KBUILD_VENDOR(MemsetParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_fill_node(&__description, __parameters);
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_change_executable_node(__executable, __node,
                                                                 &__description));
}

KBUILD_API(GraphAddHostNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
    const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count,
    const struct KBUILD_VENDOR(HostNodeParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_host_node(&__description, __parameters);
    KBUILD_CALL(kbuild_cpu_add_made_node(__error, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphHostNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node, const struct KBUILD_VENDOR(HostNodeParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_host_node(&__description, __parameters);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_change_node(__node, &__description));
}

KBUILD_API(GraphExecHostNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
    KBUILD_VENDOR(GraphNode_t) __node, const struct KBUILD_VENDOR(HostNodeParams) *__parameters)
{
    struct kbuild_cpu_node __description;
    const int __error = kbuild_cpu_make_host_node(&__description, __parameters);
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_change_executable_node(__executable, __node,
                                                                 &__description));
}

KBUILD_API(GraphKernelNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     struct KBUILD_VENDOR(KernelNodeParams) *__parameters)
{
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node,
                                             KBUILD_CPU_NODE_KERNEL);
    if (__error == 0) {
        __parameters->func = KBUILD_CONST_CAST(void *, __found.handle);
        __parameters->gridDim.x = __found.configuration.grid.x;
        __parameters->gridDim.y = __found.configuration.grid.y;
        __parameters->gridDim.z = __found.configuration.grid.z;
        __parameters->blockDim.x = __found.configuration.block.x;
        __parameters->blockDim.y = __found.configuration.block.y;
        __parameters->blockDim.z = __found.configuration.block.z;
        __parameters->sharedMemBytes = KBUILD_STATIC_CAST(unsigned, __found.configuration.shared_bytes);
        __parameters->kernelParams = KBUILD_CONST_CAST(void **, __found.argument_list);
        __parameters->extra = NULL;
    }
    KBUILD_CALL(__error);
}

/* Describes arrays as the memory that they consist of. */
KBUILD_API(GraphMemcpyNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     struct KBUILD_VENDOR(Memcpy3DParms) *__parameters)
{
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node,
                                             KBUILD_CPU_NODE_COPY);
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

KBUILD_API(GraphMemsetNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     struct KBUILD_VENDOR(MemsetParams) *__parameters)
{
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node,
                                             KBUILD_CPU_NODE_FILL);
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

KBUILD_API(GraphHostNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                   struct KBUILD_VENDOR(HostNodeParams) *__parameters)
{
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node,
                                             KBUILD_CPU_NODE_HOST);
    if (__error == 0) {
        __parameters->fn = __found.function;
        __parameters->userData = __found.data;
    }
    KBUILD_CALL(__error);
}

static inline struct KBUILD_VENDOR(Memcpy3DParms)
    kbuild_cpu_make_row_parameters(void *__destination, const void *__source, size_t __bytes,
                                   enum KBUILD_VENDOR(MemcpyKind) __kind)
{
    struct KBUILD_VENDOR(Memcpy3DParms) __parameters;
    __parameters.srcArray = __parameters.dstArray = NULL;
    __parameters.srcPos = __parameters.dstPos = KBUILD_MAKE(Pos)(0, 0, 0);
    __parameters.srcPtr = KBUILD_MAKE(PitchedPtr)(KBUILD_CONST_CAST(void *, __source), __bytes,
                                                  __bytes, 1);
    __parameters.dstPtr = KBUILD_MAKE(PitchedPtr)(__destination, __bytes, __bytes, 1);
    __parameters.extent = KBUILD_MAKE(Extent)(__bytes, 1, 1);
    __parameters.kind = __kind;
    return __parameters;
}

KBUILD_API(GraphAddMemcpyNode1D)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
                                 const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count,
                                 void *__destination, const void *__source, size_t __bytes,
                                 enum KBUILD_VENDOR(MemcpyKind) __kind)
{
    const struct KBUILD_VENDOR(Memcpy3DParms) __parameters =
        kbuild_cpu_make_row_parameters(__destination, __source, __bytes, __kind);
    return KBUILD_VENDOR(GraphAddMemcpyNode)(__node, __graph, __dependencies, __count,
                                             &__parameters);
}

KBUILD_API(GraphMemcpyNodeSetParams1D)(KBUILD_VENDOR(GraphNode_t) __node, void *__destination,
                                       const void *__source, size_t __bytes,
                                       enum KBUILD_VENDOR(MemcpyKind) __kind)
{
    const struct KBUILD_VENDOR(Memcpy3DParms) __parameters =
        kbuild_cpu_make_row_parameters(__destination, __source, __bytes, __kind);
    return KBUILD_VENDOR(GraphMemcpyNodeSetParams)(__node, &__parameters);
}

KBUILD_API(GraphExecMemcpyNodeSetParams1D)(KBUILD_VENDOR(GraphExec_t) __executable,
                                           KBUILD_VENDOR(GraphNode_t) __node, void *__destination,
                                           const void *__source, size_t __bytes,
                                           enum KBUILD_VENDOR(MemcpyKind) __kind)
{
    const struct KBUILD_VENDOR(Memcpy3DParms) __parameters =
        kbuild_cpu_make_row_parameters(__destination, __source, __bytes, __kind);
    return KBUILD_VENDOR(GraphExecMemcpyNodeSetParams)(__executable, __node, &__parameters);
}

KBUILD_API(GraphAddChildGraphNode)(KBUILD_VENDOR(GraphNode_t) *__node,
                                   KBUILD_VENDOR(Graph_t) __graph,
                                   const KBUILD_VENDOR(GraphNode_t) *__dependencies,
                                   size_t __count, KBUILD_VENDOR(Graph_t) __child)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_GRAPH);
    __description.graph = __child;
    KBUILD_CALL(kbuild_cpu_add_made_node(0, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphChildGraphNodeGetGraph)(KBUILD_VENDOR(GraphNode_t) __node,
                                        KBUILD_VENDOR(Graph_t) *__graph)
{
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__graph == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_GRAPH);
    if (__error == 0)
        *__graph = KBUILD_STATIC_CAST(KBUILD_VENDOR(Graph_t), __found.graph);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphAddEmptyNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
                              const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_EMPTY);
    KBUILD_CALL(kbuild_cpu_add_made_node(0, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphAddEventRecordNode)(KBUILD_VENDOR(GraphNode_t) *__node,
                                    KBUILD_VENDOR(Graph_t) __graph,
                                    const KBUILD_VENDOR(GraphNode_t) *__dependencies,
                                    size_t __count, KBUILD_VENDOR(Event_t) __event)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_RECORD);
    __description.event = __event;
    KBUILD_CALL(kbuild_cpu_add_made_node(0, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphEventRecordNodeGetEvent)(KBUILD_VENDOR(GraphNode_t) __node,
                                         KBUILD_VENDOR(Event_t) *__event)
{
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__event == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_RECORD);
    if (__error == 0)
        *__event = KBUILD_STATIC_CAST(KBUILD_VENDOR(Event_t), __found.event);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphEventRecordNodeSetEvent)(KBUILD_VENDOR(GraphNode_t) __node,
                                         KBUILD_VENDOR(Event_t) __event)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_RECORD);
    __description.event = __event;
    KBUILD_CALL(kbuild_cpu_change_node(__node, &__description));
}

KBUILD_API(GraphExecEventRecordNodeSetEvent)(KBUILD_VENDOR(GraphExec_t) __executable,
                                             KBUILD_VENDOR(GraphNode_t) __node,
                                             KBUILD_VENDOR(Event_t) __event)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_RECORD);
    __description.event = __event;
    KBUILD_CALL(kbuild_cpu_change_executable_node(__executable, __node, &__description));
}

KBUILD_API(GraphAddEventWaitNode)(KBUILD_VENDOR(GraphNode_t) *__node,
                                    KBUILD_VENDOR(Graph_t) __graph,
                                    const KBUILD_VENDOR(GraphNode_t) *__dependencies,
                                    size_t __count, KBUILD_VENDOR(Event_t) __event)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_WAIT);
    __description.event = __event;
    KBUILD_CALL(kbuild_cpu_add_made_node(0, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphEventWaitNodeGetEvent)(KBUILD_VENDOR(GraphNode_t) __node,
                                         KBUILD_VENDOR(Event_t) *__event)
{
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__event == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_WAIT);
    if (__error == 0)
        *__event = KBUILD_STATIC_CAST(KBUILD_VENDOR(Event_t), __found.event);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphEventWaitNodeSetEvent)(KBUILD_VENDOR(GraphNode_t) __node,
                                         KBUILD_VENDOR(Event_t) __event)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_WAIT);
    __description.event = __event;
    KBUILD_CALL(kbuild_cpu_change_node(__node, &__description));
}

KBUILD_API(GraphExecEventWaitNodeSetEvent)(KBUILD_VENDOR(GraphExec_t) __executable,
                                             KBUILD_VENDOR(GraphNode_t) __node,
                                             KBUILD_VENDOR(Event_t) __event)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_WAIT);
    __description.event = __event;
    KBUILD_CALL(kbuild_cpu_change_executable_node(__executable, __node, &__description));
}

KBUILD_API(GraphAddMemAllocNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
                                 const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count,
                                 struct KBUILD_VENDOR(MemAllocNodeParams) *__parameters)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_ALLOCATE);
    int __error;
    if (__parameters == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer"));
    __description.memory_size = __parameters->bytesize;
    __error = kbuild_cpu_add_made_node(kbuild_cpu_check_location(&__parameters->poolProps.location),
                                       __node, __graph, __dependencies, __count, &__description);
    if (__error == 0)
        __parameters->dptr = __description.memory;
    KBUILD_CALL(__error);
}

KBUILD_API(GraphAddMemFreeNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
                                const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count,
                                void *__pointer)
{
    struct kbuild_cpu_node __description = kbuild_cpu_empty_node(KBUILD_CPU_NODE_RELEASE);
    __description.memory = __pointer;
    KBUILD_CALL(kbuild_cpu_add_made_node(0, __node, __graph, __dependencies, __count,
                                         &__description));
}

KBUILD_API(GraphMemFreeNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node, void *__pointer)
{
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__pointer == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_RELEASE);
    if (__error == 0)
        *KBUILD_STATIC_CAST(void **, __pointer) = __found.memory;
    KBUILD_CALL(__error);
}

KBUILD_API(GraphNodeGetType)(KBUILD_VENDOR(GraphNode_t) __node,
                             enum KBUILD_VENDOR(GraphNodeType) *__type)
{
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_describe_node(__type == NULL ? NULL : &__found, __node);
    if (__error == 0)
        *__type = KBUILD_STATIC_CAST(enum KBUILD_VENDOR(GraphNodeType), __found.node_type);
    KBUILD_CALL(__error);
}

/* Finds the part of a device variable that a copy uses. */
static inline int kbuild_cpu_find_in_symbol(void **__address, const void *__symbol, size_t __bytes,
                                            size_t __offset)
{
    size_t __size = 0;
    int __error = kbuild_cpu_get_symbol_size(&__size, __symbol);
    if (__error == 0 && (__offset > __size || __bytes > __size - __offset))
        __error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                  "the copy does not fit in the device variable");
    if (__error == 0)
        __error = kbuild_cpu_get_symbol_address(__address, __symbol);
    if (__error == 0)
        *__address = KBUILD_STATIC_CAST(char *, *__address) + __offset;
    return __error;
}

KBUILD_API(GraphAddMemcpyNodeToSymbol)(KBUILD_VENDOR(GraphNode_t) *__node,
    KBUILD_VENDOR(Graph_t) __graph, const KBUILD_VENDOR(GraphNode_t) *__dependencies,
    size_t __count, const void *__symbol,
    const void *__source, size_t __bytes, size_t __offset,
    enum KBUILD_VENDOR(MemcpyKind) __kind)
{
    void *__address = NULL;
    const int __error = kbuild_cpu_find_in_symbol(&__address, __symbol, __bytes, __offset);
    if (__error != 0)
        KBUILD_CALL(__error);
    return KBUILD_VENDOR(GraphAddMemcpyNode1D)(__node, __graph, __dependencies, __count, __address, __source,
                                               __bytes, __kind);
}

KBUILD_API(GraphExecMemcpyNodeSetParamsToSymbol)(KBUILD_VENDOR(GraphExec_t) __executable,
    KBUILD_VENDOR(GraphNode_t) __node, const void *__symbol,
    const void *__source, size_t __bytes, size_t __offset,
    enum KBUILD_VENDOR(MemcpyKind) __kind)
{
    void *__address = NULL;
    const int __error = kbuild_cpu_find_in_symbol(&__address, __symbol, __bytes, __offset);
    if (__error != 0)
        KBUILD_CALL(__error);
    return KBUILD_VENDOR(GraphExecMemcpyNodeSetParams1D)(__executable, __node, __address, __source, __bytes,
                                                         __kind);
}

KBUILD_API(GraphAddMemcpyNodeFromSymbol)(KBUILD_VENDOR(GraphNode_t) *__node,
    KBUILD_VENDOR(Graph_t) __graph, const KBUILD_VENDOR(GraphNode_t) *__dependencies,
    size_t __count, void *__destination,
    const void *__symbol, size_t __bytes, size_t __offset,
    enum KBUILD_VENDOR(MemcpyKind) __kind)
{
    void *__address = NULL;
    const int __error = kbuild_cpu_find_in_symbol(&__address, __symbol, __bytes, __offset);
    if (__error != 0)
        KBUILD_CALL(__error);
    return KBUILD_VENDOR(GraphAddMemcpyNode1D)(__node, __graph, __dependencies, __count, __destination, __address,
                                               __bytes, __kind);
}

KBUILD_API(GraphExecMemcpyNodeSetParamsFromSymbol)(KBUILD_VENDOR(GraphExec_t) __executable,
    KBUILD_VENDOR(GraphNode_t) __node, void *__destination,
    const void *__symbol, size_t __bytes, size_t __offset,
    enum KBUILD_VENDOR(MemcpyKind) __kind)
{
    void *__address = NULL;
    const int __error = kbuild_cpu_find_in_symbol(&__address, __symbol, __bytes, __offset);
    if (__error != 0)
        KBUILD_CALL(__error);
    return KBUILD_VENDOR(GraphExecMemcpyNodeSetParams1D)(__executable, __node, __destination, __address, __bytes,
                                                         __kind);
}
