/* Graphs, and their launches. */

KBUILD_API(GraphCreate)(KBUILD_VENDOR(Graph_t) *__graph, unsigned int __flags) {
    void *__created = NULL;
    int __error;
    if (__flags != 0) KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the flags are not 0"));
    __error = kbuild_cpu_create_graph(__graph == NULL ? NULL : &__created);
    if (__error == 0) *__graph = KBUILD_STATIC_CAST(KBUILD_VENDOR(Graph_t), __created);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphDestroy)(KBUILD_VENDOR(Graph_t) __graph) {
    KBUILD_CALL(kbuild_cpu_destroy_graph(__graph));
}

KBUILD_API(GraphClone)(KBUILD_VENDOR(Graph_t) *__clone, KBUILD_VENDOR(Graph_t) __graph) {
    void *__created = NULL;
    const int __error = kbuild_cpu_clone_graph(__clone == NULL ? NULL : &__created, __graph);
    if (__error == 0) *__clone = KBUILD_STATIC_CAST(KBUILD_VENDOR(Graph_t), __created);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphNodeFindInClone)(KBUILD_VENDOR(GraphNode_t) *__node,
                                 KBUILD_VENDOR(GraphNode_t) __original,
                                 KBUILD_VENDOR(Graph_t) __clone) {
    void *__found = NULL;
    const int __error =
        kbuild_cpu_find_in_clone(__node == NULL ? NULL : &__found, __original, __clone);
    if (__error == 0) *__node = KBUILD_STATIC_CAST(KBUILD_VENDOR(GraphNode_t), __found);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphGetNodes)(KBUILD_VENDOR(Graph_t) __graph, KBUILD_VENDOR(GraphNode_t) *__nodes,
                          size_t *__count) {
    KBUILD_CALL(kbuild_cpu_graph_nodes(KBUILD_RESULTS(__nodes), __count, __graph, 0));
}

KBUILD_API(GraphGetRootNodes)(KBUILD_VENDOR(Graph_t) __graph, KBUILD_VENDOR(GraphNode_t) *__nodes,
                              size_t *__count) {
    KBUILD_CALL(kbuild_cpu_graph_nodes(KBUILD_RESULTS(__nodes), __count, __graph, 1));
}

/* Clears the data of edges, which have none. */
static inline void kbuild_cpu_clear_edges(KBUILD_VENDOR(GraphEdgeData) *__edges, size_t __count) {
    static const KBUILD_VENDOR(GraphEdgeData) __none = {0, 0, 0, {0, 0, 0, 0, 0}};
    for (size_t __i = 0; __edges != NULL && __i < __count; ++__i) __edges[__i] = __none;
}

KBUILD_API(GraphGetEdges)(KBUILD_VENDOR(Graph_t) __graph, KBUILD_VENDOR(GraphNode_t) *__from,
                          KBUILD_VENDOR(GraphNode_t) *__to, KBUILD_VENDOR(GraphEdgeData) *__edges,
                          size_t *__count) {
    const int __error =
        kbuild_cpu_graph_edges(KBUILD_RESULTS(__from), KBUILD_RESULTS(__to), __count, __graph);
    if (__error == 0) kbuild_cpu_clear_edges(__edges, *__count);
    KBUILD_CALL(__error);
}

static inline int kbuild_cpu_list_neighbors(KBUILD_VENDOR(GraphNode_t) __node,
                                            KBUILD_VENDOR(GraphNode_t) *__nodes,
                                            KBUILD_VENDOR(GraphEdgeData) *__edges, size_t *__count,
                                            int __are_dependents) {
    const int __error =
        kbuild_cpu_node_neighbors(KBUILD_RESULTS(__nodes), __count, __node, __are_dependents);
    if (__error == 0) kbuild_cpu_clear_edges(__edges, *__count);
    return __error;
}

KBUILD_API(GraphNodeGetDependencies)(KBUILD_VENDOR(GraphNode_t) __node,
                                     KBUILD_VENDOR(GraphNode_t) *__nodes,
                                     KBUILD_VENDOR(GraphEdgeData) *__edges, size_t *__count) {
    KBUILD_CALL(kbuild_cpu_list_neighbors(__node, __nodes, __edges, __count, 0));
}

KBUILD_API(GraphNodeGetDependentNodes)(KBUILD_VENDOR(GraphNode_t) __node,
                                       KBUILD_VENDOR(GraphNode_t) *__nodes,
                                       KBUILD_VENDOR(GraphEdgeData) *__edges, size_t *__count) {
    KBUILD_CALL(kbuild_cpu_list_neighbors(__node, __nodes, __edges, __count, 1));
}

static inline int kbuild_cpu_edit_edges(KBUILD_VENDOR(Graph_t) __graph,
                                        const KBUILD_VENDOR(GraphNode_t) *__from,
                                        const KBUILD_VENDOR(GraphNode_t) *__to,
                                        const KBUILD_VENDOR(GraphEdgeData) *__edges, size_t __count,
                                        int __adds) {
    const int __error = kbuild_cpu_reject_edges(__edges, __count);
    return __error != 0 ? __error
                        : kbuild_cpu_change_edges(__graph, KBUILD_LIST(__from), KBUILD_LIST(__to),
                                                  __count, __adds);
}

KBUILD_API(GraphAddDependencies)(KBUILD_VENDOR(Graph_t) __graph,
                                 const KBUILD_VENDOR(GraphNode_t) *__from,
                                 const KBUILD_VENDOR(GraphNode_t) *__to,
                                 const KBUILD_VENDOR(GraphEdgeData) *__edges, size_t __count) {
    KBUILD_CALL(kbuild_cpu_edit_edges(__graph, __from, __to, __edges, __count, 1));
}

KBUILD_API(GraphRemoveDependencies)(KBUILD_VENDOR(Graph_t) __graph,
                                    const KBUILD_VENDOR(GraphNode_t) *__from,
                                    const KBUILD_VENDOR(GraphNode_t) *__to,
                                    const KBUILD_VENDOR(GraphEdgeData) *__edges, size_t __count) {
    KBUILD_CALL(kbuild_cpu_edit_edges(__graph, __from, __to, __edges, __count, 0));
}

KBUILD_API(GraphDestroyNode)(KBUILD_VENDOR(GraphNode_t) __node) {
    KBUILD_CALL(kbuild_cpu_destroy_node(__node));
}

KBUILD_API(GraphDebugDotPrint)(KBUILD_VENDOR(Graph_t) __graph, const char *__path,
                               unsigned int __flags) {
    (void)__flags;
    KBUILD_CALL(kbuild_cpu_print_graph(__graph, __path));
}

KBUILD_API(GraphInstantiateWithFlags)(KBUILD_VENDOR(GraphExec_t) *__executable,
                                      KBUILD_VENDOR(Graph_t) __graph,
                                      unsigned long long __flags KBUILD_DEFAULT(0)) {
    void *__created = NULL;
    int __error;
    if ((__flags & KBUILD_VENDOR(GraphInstantiateFlagDeviceLaunch)) != 0)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                                    "the cpu backend does not launch graphs from kernels"));
    __error =
        kbuild_cpu_instantiate_graph(__executable == NULL ? NULL : &__created, __graph, __flags);
    if (__error == 0) *__executable = KBUILD_STATIC_CAST(KBUILD_VENDOR(GraphExec_t), __created);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphInstantiate)(KBUILD_VENDOR(GraphExec_t) *__executable,
                             KBUILD_VENDOR(Graph_t) __graph,
                             unsigned long long __flags KBUILD_DEFAULT(0)) {
    return KBUILD_VENDOR(GraphInstantiateWithFlags)(__executable, __graph, __flags);
}

/* Uploading has no effect. */
KBUILD_API(GraphInstantiateWithParams)(KBUILD_VENDOR(GraphExec_t) *__executable,
                                       KBUILD_VENDOR(Graph_t) __graph,
                                       KBUILD_VENDOR(GraphInstantiateParams) *__parameters) {
    KBUILD_VENDOR(Error_t) __error;
    if (__parameters == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer"));
    __error = KBUILD_VENDOR(GraphInstantiateWithFlags)(__executable, __graph, __parameters->flags);
    __parameters->errNode_out = NULL;
    __parameters->result_out = __error == KBUILD_VENDOR(Success)
                                   ? KBUILD_VENDOR(GraphInstantiateSuccess)
                                   : KBUILD_VENDOR(GraphInstantiateError);
    return __error;
}

KBUILD_API(GraphExecGetFlags)(KBUILD_VENDOR(GraphExec_t) __executable,
                              unsigned long long *__flags) {
    KBUILD_CALL(kbuild_cpu_executable_flags(__flags, __executable));
}

KBUILD_API(GraphExecDestroy)(KBUILD_VENDOR(GraphExec_t) __executable) {
    KBUILD_CALL(kbuild_cpu_destroy_executable(__executable));
}

KBUILD_API(GraphLaunch)(KBUILD_VENDOR(GraphExec_t) __executable, KBUILD_VENDOR(Stream_t) __stream) {
    KBUILD_CALL(kbuild_cpu_launch_graph(__executable, KBUILD_STREAM(__stream)));
}

/* There is nothing to upload. */
KBUILD_API(GraphUpload)(KBUILD_VENDOR(GraphExec_t) __executable, KBUILD_VENDOR(Stream_t) __stream) {
    unsigned long long __flags;
    const int __error = kbuild_cpu_check_stream(__stream);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_executable_flags(&__flags, __executable));
}

KBUILD_API(GraphExecUpdate)(KBUILD_VENDOR(GraphExec_t) __executable, KBUILD_VENDOR(Graph_t) __graph,
                            KBUILD_VENDOR(GraphExecUpdateResultInfo) *__result) {
    int __number = KBUILD_VENDOR(GraphExecUpdateError);
    void *__node = NULL;
    const int __error = kbuild_cpu_update_executable(__executable, __graph, &__number, &__node);
    if (__result != NULL) {
        __result->result = KBUILD_STATIC_CAST(enum KBUILD_VENDOR(GraphExecUpdateResult), __number);
        __result->errorNode = KBUILD_STATIC_CAST(KBUILD_VENDOR(GraphNode_t), __node);
        __result->errorFromNode = NULL;
    }
    KBUILD_CALL(__error);
}

KBUILD_API(GraphNodeSetEnabled)(KBUILD_VENDOR(GraphExec_t) __executable,
                                KBUILD_VENDOR(GraphNode_t) __node, unsigned int __is_enabled) {
    KBUILD_CALL(kbuild_cpu_enable_node(__executable, __node, __is_enabled != 0));
}

KBUILD_API(GraphNodeGetEnabled)(KBUILD_VENDOR(GraphExec_t) __executable,
                                KBUILD_VENDOR(GraphNode_t) __node, unsigned int *__is_enabled) {
    KBUILD_CALL(kbuild_cpu_is_node_enabled(__is_enabled, __executable, __node));
}

KBUILD_API(DeviceGetGraphMemAttribute)(int __device,
                                       enum KBUILD_VENDOR(GraphMemAttributeType) __number,
                                       void *__value) {
    unsigned long long __found = 0;
    int __error = kbuild_cpu_set_device(__device);
    if (__error == 0)
        __error = kbuild_cpu_graph_memory_attribute(__value == NULL ? NULL : &__found,
                                                    KBUILD_STATIC_CAST(int, __number));
    if (__error == 0) *KBUILD_STATIC_CAST(unsigned long long *, __value) = __found;
    KBUILD_CALL(__error);
}

KBUILD_API(DeviceSetGraphMemAttribute)(int __device,
                                       enum KBUILD_VENDOR(GraphMemAttributeType) __number,
                                       void *__value) {
    int __error = kbuild_cpu_set_device(__device);
    if (__error == 0 &&
        (__value == NULL || *KBUILD_STATIC_CAST(unsigned long long *, __value) != 0))
        __error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the value is not 0");
    KBUILD_CALL(__error != 0
                    ? __error
                    : kbuild_cpu_reset_graph_memory_attribute(KBUILD_STATIC_CAST(int, __number)));
}

/* The memory of graphs is freed when they are destroyed. */
KBUILD_API(DeviceGraphMemTrim)(int __device) { KBUILD_CALL(kbuild_cpu_set_device(__device)); }

#if defined(__cplusplus)

/* The forms of CUDA 11, which CUDA 13 has for C++, too. */

KBUILD_API(GraphExecUpdate)(KBUILD_VENDOR(GraphExec_t) __executable, KBUILD_VENDOR(Graph_t) __graph,
                            KBUILD_VENDOR(GraphNode_t) *__node,
                            enum KBUILD_VENDOR(GraphExecUpdateResult) *__result) {
    KBUILD_VENDOR(GraphExecUpdateResultInfo) __found;
    const KBUILD_VENDOR(Error_t) __error =
        KBUILD_VENDOR(GraphExecUpdate)(__executable, __graph, &__found);
    if (__node != NULL) *__node = __found.errorNode;
    if (__result != NULL) *__result = __found.result;
    return __error;
}

KBUILD_API(GraphInstantiate)(KBUILD_VENDOR(GraphExec_t) *__executable,
                             KBUILD_VENDOR(Graph_t) __graph, KBUILD_VENDOR(GraphNode_t) *__node,
                             char *__text, size_t __bytes) {
    if (__node != NULL) *__node = NULL;
    if (__text != NULL && __bytes != 0) *__text = '\0';
    return KBUILD_VENDOR(GraphInstantiate)(__executable, __graph, 0ull);
}

#endif
