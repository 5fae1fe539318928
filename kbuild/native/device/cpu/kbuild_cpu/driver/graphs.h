/* Graphs, whose handles are those of the runtime API. */

#define KBUILD_DRIVER_NEW_NODE \
    CUgraphNode *__node, CUgraph __graph, const CUgraphNode *__dependencies, size_t __count
#define KBUILD_DRIVER_PLACE __node, __graph, __dependencies, __count

KBUILD_DRIVER_SAME(GraphCreate, (CUgraph * __graph, unsigned int __flags),
                   cudaGraphCreate(__graph, __flags))
KBUILD_DRIVER_SAME(GraphDestroy, (CUgraph __graph), cudaGraphDestroy(__graph))
KBUILD_DRIVER_SAME(GraphClone, (CUgraph * __clone, CUgraph __graph),
                   cudaGraphClone(__clone, __graph))
KBUILD_DRIVER_SAME(GraphNodeFindInClone,
                   (CUgraphNode * __node, CUgraphNode __original, CUgraph __clone),
                   cudaGraphNodeFindInClone(__node, __original, __clone))
KBUILD_DRIVER_SAME(GraphNodeGetType, (CUgraphNode __node, CUgraphNodeType *__type),
                   cudaGraphNodeGetType(__node, (enum cudaGraphNodeType *)__type))
KBUILD_DRIVER_SAME(GraphGetNodes, (CUgraph __graph, CUgraphNode *__nodes, size_t *__count),
                   cudaGraphGetNodes(__graph, __nodes, __count))
KBUILD_DRIVER_SAME(GraphGetRootNodes, (CUgraph __graph, CUgraphNode *__nodes, size_t *__count),
                   cudaGraphGetRootNodes(__graph, __nodes, __count))
KBUILD_DRIVER_SAME(GraphDestroyNode, (CUgraphNode __node), cudaGraphDestroyNode(__node))
KBUILD_DRIVER_SAME(GraphDebugDotPrint, (CUgraph __graph, const char *__path, unsigned int __flags),
                   cudaGraphDebugDotPrint(__graph, __path, __flags))

#if KBUILD_CUDA_VERSION < 13
#define KBUILD_DRIVER_EDGES
#define KBUILD_DRIVER_EDGE_DATA NULL
#else
#define KBUILD_DRIVER_EDGES CUgraphEdgeData *__edges,
#define KBUILD_DRIVER_EDGE_DATA __edges
#endif
KBUILD_DRIVER_SAME(GraphGetEdges,
                   (CUgraph __graph, CUgraphNode *__from, CUgraphNode *__to,
                    KBUILD_DRIVER_EDGES size_t *__count),
                   cudaGraphGetEdges(__graph, __from, __to, KBUILD_DRIVER_EDGE_DATA, __count))
KBUILD_DRIVER_SAME(GraphNodeGetDependencies,
                   (CUgraphNode __node, CUgraphNode *__nodes, KBUILD_DRIVER_EDGES size_t *__count),
                   cudaGraphNodeGetDependencies(__node, __nodes, KBUILD_DRIVER_EDGE_DATA, __count))
KBUILD_DRIVER_SAME(GraphNodeGetDependentNodes,
                   (CUgraphNode __node, CUgraphNode *__nodes, KBUILD_DRIVER_EDGES size_t *__count),
                   cudaGraphNodeGetDependentNodes(__node, __nodes, KBUILD_DRIVER_EDGE_DATA,
                                                  __count))
KBUILD_DRIVER_SAME(GraphAddDependencies,
                   (CUgraph __graph, const CUgraphNode *__from, const CUgraphNode *__to,
                    const KBUILD_DRIVER_EDGES size_t __count),
                   cudaGraphAddDependencies(__graph, __from, __to, KBUILD_DRIVER_EDGE_DATA,
                                            __count))
KBUILD_DRIVER_SAME(GraphRemoveDependencies,
                   (CUgraph __graph, const CUgraphNode *__from, const CUgraphNode *__to,
                    const KBUILD_DRIVER_EDGES size_t __count),
                   cudaGraphRemoveDependencies(__graph, __from, __to, KBUILD_DRIVER_EDGE_DATA,
                                               __count))
#undef KBUILD_DRIVER_EDGE_DATA
#undef KBUILD_DRIVER_EDGES

/* Nodes. */

static inline struct cudaKernelNodeParams kbuild_cpu_runtime_kernel(
    const CUDA_KERNEL_NODE_PARAMS *__from) {
    static struct cudaKernelNodeParams __empty;
    struct cudaKernelNodeParams __to = __empty;
    if (__from == NULL) return __to;
    __to.func = __from->func != NULL ? (void *)__from->func : (void *)__from->kern;
    __to.gridDim.x = __from->gridDimX;
    __to.gridDim.y = __from->gridDimY;
    __to.gridDim.z = __from->gridDimZ;
    __to.blockDim.x = __from->blockDimX;
    __to.blockDim.y = __from->blockDimY;
    __to.blockDim.z = __from->blockDimZ;
    __to.sharedMemBytes = __from->sharedMemBytes;
    __to.kernelParams = __from->kernelParams;
    __to.extra = __from->extra;
    return __to;
}

KBUILD_DRIVER(GraphAddKernelNode)(KBUILD_DRIVER_NEW_NODE,
                                  const CUDA_KERNEL_NODE_PARAMS *__parameters) {
    const struct cudaKernelNodeParams __made = kbuild_cpu_runtime_kernel(__parameters);
    KBUILD_DRIVER_CALL(
        cudaGraphAddKernelNode(KBUILD_DRIVER_PLACE, __parameters == NULL ? NULL : &__made));
}

KBUILD_DRIVER(GraphKernelNodeSetParams)(CUgraphNode __node,
                                        const CUDA_KERNEL_NODE_PARAMS *__parameters) {
    const struct cudaKernelNodeParams __made = kbuild_cpu_runtime_kernel(__parameters);
    KBUILD_DRIVER_CALL(cudaGraphKernelNodeSetParams(__node, __parameters == NULL ? NULL : &__made));
}

KBUILD_DRIVER(GraphExecKernelNodeSetParams)(CUgraphExec __executable, CUgraphNode __node,
                                            const CUDA_KERNEL_NODE_PARAMS *__parameters) {
    const struct cudaKernelNodeParams __made = kbuild_cpu_runtime_kernel(__parameters);
    KBUILD_DRIVER_CALL(cudaGraphExecKernelNodeSetParams(__executable, __node,
                                                        __parameters == NULL ? NULL : &__made));
}

KBUILD_DRIVER(GraphKernelNodeGetParams)(CUgraphNode __node, CUDA_KERNEL_NODE_PARAMS *__result) {
    struct cudaKernelNodeParams __found;
    const int __error =
        (int)cudaGraphKernelNodeGetParams(__node, __result == NULL ? NULL : &__found);
    if (__error == 0) {
        __result->func = (CUfunction)__found.func;
        __result->gridDimX = __found.gridDim.x;
        __result->gridDimY = __found.gridDim.y;
        __result->gridDimZ = __found.gridDim.z;
        __result->blockDimX = __found.blockDim.x;
        __result->blockDimY = __found.blockDim.y;
        __result->blockDimZ = __found.blockDim.z;
        __result->sharedMemBytes = __found.sharedMemBytes;
        __result->kernelParams = __found.kernelParams;
        __result->extra = NULL;
        __result->kern = NULL;
        __result->ctx = NULL;
    }
    KBUILD_DRIVER_RETURN(__error);
}

static inline struct kbuild_cpu_made_node kbuild_cpu_make_box_node(const CUDA_MEMCPY3D *__box) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_empty_node(KBUILD_CPU_NODE_COPY);
    __made.error = kbuild_cpu_make_driver_copy(&__made.description.copy, __box);
    return __made;
}

static inline struct cudaMemsetParams kbuild_cpu_runtime_fill(
    const CUDA_MEMSET_NODE_PARAMS *__from) {
    static struct cudaMemsetParams __empty;
    struct cudaMemsetParams __to = __empty;
    if (__from == NULL) return __to;
    __to.dst = (void *)__from->dst;
    __to.pitch = __from->pitch;
    __to.value = __from->value;
    __to.elementSize = __from->elementSize;
    __to.width = __from->width;
    __to.height = __from->height;
    return __to;
}

KBUILD_DRIVER(GraphAddMemcpyNode)(KBUILD_DRIVER_NEW_NODE, const CUDA_MEMCPY3D *__box,
                                  CUcontext __context) {
    (void)__context;
    KBUILD_DRIVER_CALL(kbuild_cpu_add_made(KBUILD_DRIVER_PLACE, kbuild_cpu_make_box_node(__box)));
}

KBUILD_DRIVER(GraphMemcpyNodeSetParams)(CUgraphNode __node, const CUDA_MEMCPY3D *__box) {
    KBUILD_DRIVER_CALL(kbuild_cpu_change_made(__node, kbuild_cpu_make_box_node(__box)));
}

KBUILD_DRIVER(GraphExecMemcpyNodeSetParams)(CUgraphExec __executable, CUgraphNode __node,
                                            const CUDA_MEMCPY3D *__box, CUcontext __context) {
    (void)__context;
    KBUILD_DRIVER_CALL(
        kbuild_cpu_change_made_in(__executable, __node, kbuild_cpu_make_box_node(__box)));
}

KBUILD_DRIVER(GraphAddMemsetNode)(KBUILD_DRIVER_NEW_NODE,
                                  const CUDA_MEMSET_NODE_PARAMS *__parameters,
                                  CUcontext __context) {
    const struct cudaMemsetParams __made = kbuild_cpu_runtime_fill(__parameters);
    (void)__context;
    KBUILD_DRIVER_CALL(
        cudaGraphAddMemsetNode(KBUILD_DRIVER_PLACE, __parameters == NULL ? NULL : &__made));
}

KBUILD_DRIVER(GraphMemsetNodeSetParams)(CUgraphNode __node,
                                        const CUDA_MEMSET_NODE_PARAMS *__parameters) {
    const struct cudaMemsetParams __made = kbuild_cpu_runtime_fill(__parameters);
    KBUILD_DRIVER_CALL(cudaGraphMemsetNodeSetParams(__node, __parameters == NULL ? NULL : &__made));
}

KBUILD_DRIVER(GraphExecMemsetNodeSetParams)(CUgraphExec __executable, CUgraphNode __node,
                                            const CUDA_MEMSET_NODE_PARAMS *__parameters,
                                            CUcontext __context) {
    const struct cudaMemsetParams __made = kbuild_cpu_runtime_fill(__parameters);
    (void)__context;
    KBUILD_DRIVER_CALL(cudaGraphExecMemsetNodeSetParams(__executable, __node,
                                                        __parameters == NULL ? NULL : &__made));
}

/* The parameters of host nodes have the layout of the runtime's. */
KBUILD_DRIVER_SAME(GraphAddHostNode,
                   (KBUILD_DRIVER_NEW_NODE, const CUDA_HOST_NODE_PARAMS *__parameters),
                   cudaGraphAddHostNode(KBUILD_DRIVER_PLACE,
                                        (const struct cudaHostNodeParams *)__parameters))
KBUILD_DRIVER_SAME(GraphHostNodeSetParams,
                   (CUgraphNode __node, const CUDA_HOST_NODE_PARAMS *__parameters),
                   cudaGraphHostNodeSetParams(__node,
                                              (const struct cudaHostNodeParams *)__parameters))
KBUILD_DRIVER_SAME(GraphHostNodeGetParams, (CUgraphNode __node, CUDA_HOST_NODE_PARAMS *__result),
                   cudaGraphHostNodeGetParams(__node, (struct cudaHostNodeParams *)__result))
KBUILD_DRIVER_SAME(GraphExecHostNodeSetParams,
                   (CUgraphExec __executable, CUgraphNode __node,
                    const CUDA_HOST_NODE_PARAMS *__parameters),
                   cudaGraphExecHostNodeSetParams(__executable, __node,
                                                  (const struct cudaHostNodeParams *)__parameters))
KBUILD_DRIVER_SAME(GraphAddChildGraphNode, (KBUILD_DRIVER_NEW_NODE, CUgraph __child),
                   cudaGraphAddChildGraphNode(KBUILD_DRIVER_PLACE, __child))
KBUILD_DRIVER_SAME(GraphChildGraphNodeGetGraph, (CUgraphNode __node, CUgraph *__graph),
                   cudaGraphChildGraphNodeGetGraph(__node, __graph))
KBUILD_DRIVER_SAME(GraphExecChildGraphNodeSetParams,
                   (CUgraphExec __executable, CUgraphNode __node, CUgraph __child),
                   cudaGraphExecChildGraphNodeSetParams(__executable, __node, __child))
KBUILD_DRIVER_SAME(GraphAddEmptyNode, (KBUILD_DRIVER_NEW_NODE),
                   cudaGraphAddEmptyNode(KBUILD_DRIVER_PLACE))
KBUILD_DRIVER_SAME(GraphAddEventRecordNode, (KBUILD_DRIVER_NEW_NODE, CUevent __event),
                   cudaGraphAddEventRecordNode(KBUILD_DRIVER_PLACE, __event))
KBUILD_DRIVER_SAME(GraphEventRecordNodeGetEvent, (CUgraphNode __node, CUevent *__event),
                   cudaGraphEventRecordNodeGetEvent(__node, __event))
KBUILD_DRIVER_SAME(GraphEventRecordNodeSetEvent, (CUgraphNode __node, CUevent __event),
                   cudaGraphEventRecordNodeSetEvent(__node, __event))
KBUILD_DRIVER_SAME(GraphExecEventRecordNodeSetEvent,
                   (CUgraphExec __executable, CUgraphNode __node, CUevent __event),
                   cudaGraphExecEventRecordNodeSetEvent(__executable, __node, __event))
KBUILD_DRIVER_SAME(GraphAddEventWaitNode, (KBUILD_DRIVER_NEW_NODE, CUevent __event),
                   cudaGraphAddEventWaitNode(KBUILD_DRIVER_PLACE, __event))
KBUILD_DRIVER_SAME(GraphEventWaitNodeGetEvent, (CUgraphNode __node, CUevent *__event),
                   cudaGraphEventWaitNodeGetEvent(__node, __event))
KBUILD_DRIVER_SAME(GraphEventWaitNodeSetEvent, (CUgraphNode __node, CUevent __event),
                   cudaGraphEventWaitNodeSetEvent(__node, __event))
KBUILD_DRIVER_SAME(GraphExecEventWaitNodeSetEvent,
                   (CUgraphExec __executable, CUgraphNode __node, CUevent __event),
                   cudaGraphExecEventWaitNodeSetEvent(__executable, __node, __event))
KBUILD_DRIVER_SAME(GraphAddMemFreeNode, (KBUILD_DRIVER_NEW_NODE, CUdeviceptr __address),
                   cudaGraphAddMemFreeNode(KBUILD_DRIVER_PLACE, (void *)__address))
KBUILD_DRIVER_SAME(GraphKernelNodeSetAttribute,
                   (CUgraphNode __node, CUkernelNodeAttrID __number,
                    const CUkernelNodeAttrValue *__value),
                   cudaGraphKernelNodeSetAttribute(__node, (cudaLaunchAttributeID)__number,
                                                   __value))
KBUILD_DRIVER_SAME(GraphKernelNodeGetAttribute,
                   (CUgraphNode __node, CUkernelNodeAttrID __number,
                    CUkernelNodeAttrValue *__value),
                   cudaGraphKernelNodeGetAttribute(__node, (cudaLaunchAttributeID)__number,
                                                   __value))
KBUILD_DRIVER_SAME(GraphKernelNodeCopyAttributes, (CUgraphNode __to, CUgraphNode __from),
                   cudaGraphKernelNodeCopyAttributes(__to, __from))

/* Executable graphs. */

#if KBUILD_CUDA_VERSION < 12
KBUILD_DRIVER(GraphInstantiate)(CUgraphExec *__executable, CUgraph __graph, CUgraphNode *__node,
                                char *__text, size_t __bytes) {
    if (__node != NULL) *__node = NULL;
    if (__text != NULL && __bytes != 0) *__text = '\0';
    KBUILD_DRIVER_CALL(cudaGraphInstantiateWithFlags(__executable, __graph, 0));
}
#else
KBUILD_DRIVER_SAME(GraphInstantiate,
                   (CUgraphExec * __executable, CUgraph __graph, unsigned long long __flags),
                   cudaGraphInstantiateWithFlags(__executable, __graph, __flags))
#endif
KBUILD_DRIVER_SAME(GraphInstantiateWithFlags,
                   (CUgraphExec * __executable, CUgraph __graph, unsigned long long __flags),
                   cudaGraphInstantiateWithFlags(__executable, __graph, __flags))

KBUILD_DRIVER(GraphInstantiateWithParams)(CUgraphExec *__executable, CUgraph __graph,
                                          CUDA_GRAPH_INSTANTIATE_PARAMS *__parameters) {
    int __error;
    if (__parameters == NULL) return CUDA_ERROR_INVALID_VALUE;
    __error = (int)cudaGraphInstantiateWithFlags(__executable, __graph, __parameters->flags);
    __parameters->hErrNode_out = NULL;
    __parameters->result_out =
        __error == 0 ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER_SAME(GraphExecGetFlags, (CUgraphExec __executable, cuuint64_t *__flags),
                   cudaGraphExecGetFlags(__executable, (unsigned long long *)__flags))
KBUILD_DRIVER_SAME(GraphExecDestroy, (CUgraphExec __executable), cudaGraphExecDestroy(__executable))
KBUILD_DRIVER_SAME(GraphLaunch, (CUgraphExec __executable, CUstream __stream),
                   cudaGraphLaunch(__executable, __stream))
KBUILD_DRIVER_SAME(GraphUpload, (CUgraphExec __executable, CUstream __stream),
                   cudaGraphUpload(__executable, __stream))
KBUILD_DRIVER_SAME(GraphNodeSetEnabled,
                   (CUgraphExec __executable, CUgraphNode __node, unsigned int __is_enabled),
                   cudaGraphNodeSetEnabled(__executable, __node, __is_enabled))
KBUILD_DRIVER_SAME(GraphNodeGetEnabled,
                   (CUgraphExec __executable, CUgraphNode __node, unsigned int *__is_enabled),
                   cudaGraphNodeGetEnabled(__executable, __node, __is_enabled))

static inline int kbuild_cpu_update_driver_graph(CUgraphExec __executable, CUgraph __graph,
                                                 CUgraphNode *__node,
                                                 CUgraphExecUpdateResult *__result) {
    int __number = CU_GRAPH_EXEC_UPDATE_ERROR;
    void *__found = NULL;
    const int __error = kbuild_cpu_update_executable(__executable, __graph, &__number, &__found);
    if (__node != NULL) *__node = (CUgraphNode)__found;
    if (__result != NULL) *__result = (CUgraphExecUpdateResult)__number;
    return __error;
}

#if KBUILD_CUDA_VERSION < 12
KBUILD_DRIVER_SAME(GraphExecUpdate,
                   (CUgraphExec __executable, CUgraph __graph, CUgraphNode *__node,
                    CUgraphExecUpdateResult *__result),
                   kbuild_cpu_update_driver_graph(__executable, __graph, __node, __result))
#else
KBUILD_DRIVER(GraphExecUpdate)(CUgraphExec __executable, CUgraph __graph,
                               CUgraphExecUpdateResultInfo *__result) {
    if (__result != NULL) __result->errorFromNode = NULL;
    KBUILD_DRIVER_CALL(kbuild_cpu_update_driver_graph(
        __executable, __graph, __result == NULL ? NULL : &__result->errorNode,
        __result == NULL ? NULL : &__result->result));
}
#endif

/* User objects. */

KBUILD_DRIVER_SAME(UserObjectCreate,
                   (CUuserObject * __object, void *__data, CUhostFn __destroy, unsigned int __count,
                    unsigned int __flags),
                   cudaUserObjectCreate((cudaUserObject_t *)__object, __data, __destroy, __count,
                                        __flags))
KBUILD_DRIVER_SAME(UserObjectRetain, (CUuserObject __object, unsigned int __count),
                   cudaUserObjectRetain((cudaUserObject_t)__object, __count))
KBUILD_DRIVER_SAME(UserObjectRelease, (CUuserObject __object, unsigned int __count),
                   cudaUserObjectRelease((cudaUserObject_t)__object, __count))
KBUILD_DRIVER_SAME(GraphRetainUserObject,
                   (CUgraph __graph, CUuserObject __object, unsigned int __count,
                    unsigned int __flags),
                   cudaGraphRetainUserObject(__graph, (cudaUserObject_t)__object, __count, __flags))
KBUILD_DRIVER_SAME(GraphReleaseUserObject,
                   (CUgraph __graph, CUuserObject __object, unsigned int __count),
                   cudaGraphReleaseUserObject(__graph, (cudaUserObject_t)__object, __count))

#undef KBUILD_DRIVER_PLACE
#undef KBUILD_DRIVER_NEW_NODE
