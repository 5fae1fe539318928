/* Nodes whose type is part of their parameters, and conditional nodes. */

/* The second versions of structures have the same members as the first ones. */
#define KBUILD_COPY_PARAMETERS(to, from) \
    __builtin_memcpy(KBUILD_STATIC_CAST(void *, &(to)), &(from), sizeof(to))

static inline struct kbuild_cpu_made_node kbuild_cpu_make_any_kernel(
    const struct KBUILD_VENDOR(KernelNodeParamsV2) *__parameters) {
    struct KBUILD_VENDOR(KernelNodeParams) __kernel;
    KBUILD_COPY_PARAMETERS(__kernel, *__parameters);
    return kbuild_cpu_make_kernel_node(&__kernel);
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_any_fill(
    const struct KBUILD_VENDOR(MemsetParamsV2) *__parameters) {
    struct KBUILD_VENDOR(MemsetParams) __fill;
    KBUILD_COPY_PARAMETERS(__fill, *__parameters);
    return kbuild_cpu_make_fill_node(&__fill);
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_any_host(
    const struct KBUILD_VENDOR(HostNodeParamsV2) *__parameters) {
    struct KBUILD_VENDOR(HostNodeParams) __host;
    KBUILD_COPY_PARAMETERS(__host, *__parameters);
    return kbuild_cpu_make_host_node(&__host);
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_any_allocation(
    const struct KBUILD_VENDOR(MemAllocNodeParamsV2) *__parameters) {
    struct KBUILD_VENDOR(MemAllocNodeParams) __allocation;
    KBUILD_COPY_PARAMETERS(__allocation, *__parameters);
    return kbuild_cpu_make_allocation_node(&__allocation);
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_any_child(
    const struct KBUILD_VENDOR(ChildGraphNodeParams) *__parameters) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_make_child_node(__parameters->graph);
    if (__parameters->ownership != KBUILD_VENDOR(GraphChildGraphOwnershipClone))
        __made.error = kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                                       "the cpu backend does not move graphs into graphs; use "
                                       "cudaGraphChildGraphOwnershipClone");
    return __made;
}

#undef KBUILD_COPY_PARAMETERS

static inline struct kbuild_cpu_made_node kbuild_cpu_make_any_node(
    const struct KBUILD_VENDOR(GraphNodeParams) *__parameters) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_begin_node(KBUILD_CPU_NODE_EMPTY, __parameters);
    if (__made.error != 0) return __made;
    switch (__parameters->type) {
    case KBUILD_VENDOR(GraphNodeTypeKernel):
        return kbuild_cpu_make_any_kernel(&__parameters->kernel);
    case KBUILD_VENDOR(GraphNodeTypeMemcpy):
        return kbuild_cpu_make_copy_node(&__parameters->memcpy.copyParams);
    case KBUILD_VENDOR(GraphNodeTypeMemset): return kbuild_cpu_make_any_fill(&__parameters->memset);
    case KBUILD_VENDOR(GraphNodeTypeHost): return kbuild_cpu_make_any_host(&__parameters->host);
    case KBUILD_VENDOR(GraphNodeTypeGraph): return kbuild_cpu_make_any_child(&__parameters->graph);
    case KBUILD_VENDOR(GraphNodeTypeEmpty): return __made;
    case KBUILD_VENDOR(GraphNodeTypeWaitEvent):
        return kbuild_cpu_make_event_node(KBUILD_CPU_NODE_WAIT, __parameters->eventWait.event);
    case KBUILD_VENDOR(GraphNodeTypeEventRecord):
        return kbuild_cpu_make_event_node(KBUILD_CPU_NODE_RECORD, __parameters->eventRecord.event);
    case KBUILD_VENDOR(GraphNodeTypeMemAlloc):
        return kbuild_cpu_make_any_allocation(&__parameters->alloc);
    case KBUILD_VENDOR(GraphNodeTypeMemFree):
        return kbuild_cpu_make_release_node(__parameters->free.dptr);
    case KBUILD_VENDOR(GraphNodeTypeExtSemaphoreSignal):
    case KBUILD_VENDOR(GraphNodeTypeExtSemaphoreWait):
        __made.error = kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                                       "the cpu backend does not support external semaphores");
        return __made;
    case KBUILD_VENDOR(GraphNodeTypeConditional):
        __made.error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                       "the parameters of a conditional node cannot change");
        return __made;
    default:
        __made.error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown type of a node");
        return __made;
    }
}

static inline int kbuild_cpu_add_conditional(
    KBUILD_NEW_NODE, struct KBUILD_VENDOR(ConditionalNodeParams) *__parameters) {
    void *__added = NULL;
    void *const *__graphs = NULL;
    const int __error = kbuild_cpu_add_conditional_node(
        __node == NULL ? NULL : &__added, __graph, KBUILD_LIST(__dependencies), __count,
        __parameters->handle, KBUILD_STATIC_CAST(int, __parameters->type), __parameters->size,
        &__graphs);
    if (__error == 0) {
        *__node = KBUILD_STATIC_CAST(KBUILD_VENDOR(GraphNode_t), __added);
        __parameters->phGraph_out =
            KBUILD_REINTERPRET_CAST(KBUILD_VENDOR(Graph_t) *, KBUILD_CONST_CAST(void **, __graphs));
    }
    return __error;
}

KBUILD_API(GraphAddNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
                         const KBUILD_VENDOR(GraphNode_t) *__dependencies,
                         const KBUILD_VENDOR(GraphEdgeData) *__edges, size_t __count,
                         struct KBUILD_VENDOR(GraphNodeParams) *__parameters) {
    struct kbuild_cpu_node __added;
    int __error = kbuild_cpu_reject_edges(__edges, __count);
    if (__error != 0) KBUILD_CALL(__error);
    if (__parameters != NULL && __parameters->type == KBUILD_VENDOR(GraphNodeTypeConditional))
        KBUILD_CALL(kbuild_cpu_add_conditional(KBUILD_PLACE, &__parameters->conditional));
    __error = kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_make_any_node(__parameters));
    if (__error == 0 && __parameters->type == KBUILD_VENDOR(GraphNodeTypeMemAlloc)) {
        __error = kbuild_cpu_describe_node(&__added, *__node);
        if (__error == 0) __parameters->alloc.dptr = __added.memory;
    }
    KBUILD_CALL(__error);
}

KBUILD_API(GraphNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                               struct KBUILD_VENDOR(GraphNodeParams) *__parameters) {
    KBUILD_CALL(kbuild_cpu_change_made(__node, kbuild_cpu_make_any_node(__parameters)));
}

KBUILD_API(GraphExecNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
                                   KBUILD_VENDOR(GraphNode_t) __node,
                                   struct KBUILD_VENDOR(GraphNodeParams) *__parameters) {
    KBUILD_CALL(
        kbuild_cpu_change_made_in(__executable, __node, kbuild_cpu_make_any_node(__parameters)));
}

KBUILD_API(GraphConditionalHandleCreate)(KBUILD_VENDOR(GraphConditionalHandle) *__handle,
                                         KBUILD_VENDOR(Graph_t) __graph,
                                         unsigned int __value KBUILD_DEFAULT(0),
                                         unsigned int __flags KBUILD_DEFAULT(0)) {
    if (__flags > KBUILD_VENDOR(GraphCondAssignDefault))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown flags"));
    KBUILD_CALL(kbuild_cpu_create_condition(__handle, __graph, __value, __flags != 0));
}
