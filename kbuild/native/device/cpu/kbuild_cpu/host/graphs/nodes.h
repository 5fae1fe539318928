/* The nodes of graphs, by type.  A description is made, and then added to a graph, or set in a graph
 * or in an executable graph. */

/* The parameters that add a node, and the arguments with these names. */
#define KBUILD_NEW_NODE \
    KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph, \
        const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count
#define KBUILD_PLACE __node, __graph, __dependencies, __count

/* A description, and the error of making it. */
struct kbuild_cpu_made_node {
    struct kbuild_cpu_node description;
    int error;
};

static inline int kbuild_cpu_add_made(KBUILD_NEW_NODE, struct kbuild_cpu_made_node __made) {
    void *__added = NULL;
    int __error = __made.error;
    if (__error == 0)
        __error = kbuild_cpu_add_node(__node == NULL ? NULL : &__added, __graph,
                                      KBUILD_LIST(__dependencies), __count, &__made.description);
    if (__error == 0) *__node = KBUILD_STATIC_CAST(KBUILD_VENDOR(GraphNode_t), __added);
    return __error;
}

static inline int kbuild_cpu_change_made(KBUILD_VENDOR(GraphNode_t) __node,
                                         struct kbuild_cpu_made_node __made) {
    return __made.error != 0 ? __made.error : kbuild_cpu_change_node(__node, &__made.description);
}

static inline int kbuild_cpu_change_made_in(KBUILD_VENDOR(GraphExec_t) __executable,
                                            KBUILD_VENDOR(GraphNode_t) __node,
                                            struct kbuild_cpu_made_node __made) {
    return __made.error != 0
               ? __made.error
               : kbuild_cpu_change_executable_node(__executable, __node, &__made.description);
}

static inline struct kbuild_cpu_made_node kbuild_cpu_empty_node(int __type) {
    struct kbuild_cpu_made_node __made;
    unsigned char *const __bytes = KBUILD_REINTERPRET_CAST(unsigned char *, &__made);
    for (size_t __i = 0; __i < sizeof __made; ++__i) __bytes[__i] = 0;
    __made.description.node_type = __type;
    return __made;
}

/* Returns an empty description, or an error if there are no parameters. */
static inline struct kbuild_cpu_made_node kbuild_cpu_begin_node(int __type,
                                                                const void *__parameters) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_empty_node(__type);
    if (__parameters == NULL)
        __made.error =
            kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the parameters are a null pointer");
    return __made;
}

/* Finds a node's description, and fails if it has another type. */
static inline int kbuild_cpu_find_node(struct kbuild_cpu_node *__description,
                                       KBUILD_VENDOR(GraphNode_t) __node, int __type) {
    const int __error = kbuild_cpu_describe_node(__description, __node);
    if (__error == 0 && __description->node_type != __type)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the node has another type");
    return __error;
}

/* Host functions. */

static inline struct kbuild_cpu_made_node kbuild_cpu_make_host_node(
    const struct KBUILD_VENDOR(HostNodeParams) *__parameters) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_begin_node(KBUILD_CPU_NODE_HOST, __parameters);
    if (__made.error != 0) return __made;
    __made.description.function = __parameters->fn;
    __made.description.data = __parameters->userData;
    return __made;
}

KBUILD_API(GraphAddHostNode)(KBUILD_NEW_NODE,
                             const struct KBUILD_VENDOR(HostNodeParams) *__parameters) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_make_host_node(__parameters)));
}

KBUILD_API(GraphHostNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                   const struct KBUILD_VENDOR(HostNodeParams) *__parameters) {
    KBUILD_CALL(kbuild_cpu_change_made(__node, kbuild_cpu_make_host_node(__parameters)));
}

KBUILD_API(GraphExecHostNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
                                       KBUILD_VENDOR(GraphNode_t) __node,
                                       const struct KBUILD_VENDOR(HostNodeParams) *__parameters) {
    KBUILD_CALL(
        kbuild_cpu_change_made_in(__executable, __node, kbuild_cpu_make_host_node(__parameters)));
}

KBUILD_API(GraphHostNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                   struct KBUILD_VENDOR(HostNodeParams) *__parameters) {
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_HOST);
    if (__error == 0) {
        __parameters->fn = __found.function;
        __parameters->userData = __found.data;
    }
    KBUILD_CALL(__error);
}

/* Graphs in graphs, and nodes that do nothing. */

static inline struct kbuild_cpu_made_node kbuild_cpu_make_child_node(
    KBUILD_VENDOR(Graph_t) __child) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_empty_node(KBUILD_CPU_NODE_GRAPH);
    __made.description.graph = __child;
    return __made;
}

KBUILD_API(GraphAddChildGraphNode)(KBUILD_NEW_NODE, KBUILD_VENDOR(Graph_t) __child) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_make_child_node(__child)));
}

KBUILD_API(GraphExecChildGraphNodeSetParams)(KBUILD_VENDOR(GraphExec_t) __executable,
                                             KBUILD_VENDOR(GraphNode_t) __node,
                                             KBUILD_VENDOR(Graph_t) __child) {
    KBUILD_CALL(
        kbuild_cpu_change_made_in(__executable, __node, kbuild_cpu_make_child_node(__child)));
}

KBUILD_API(GraphChildGraphNodeGetGraph)(KBUILD_VENDOR(GraphNode_t) __node,
                                        KBUILD_VENDOR(Graph_t) *__graph) {
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__graph == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_GRAPH);
    if (__error == 0) *__graph = KBUILD_STATIC_CAST(KBUILD_VENDOR(Graph_t), __found.graph);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphAddEmptyNode)(KBUILD_NEW_NODE) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_empty_node(KBUILD_CPU_NODE_EMPTY)));
}

KBUILD_API(GraphNodeGetType)(KBUILD_VENDOR(GraphNode_t) __node,
                             enum KBUILD_VENDOR(GraphNodeType) *__type) {
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_describe_node(__type == NULL ? NULL : &__found, __node);
    if (__error == 0)
        *__type = KBUILD_STATIC_CAST(enum KBUILD_VENDOR(GraphNodeType), __found.node_type);
    KBUILD_CALL(__error);
}

/* Events. */

static inline struct kbuild_cpu_made_node kbuild_cpu_make_event_node(
    int __type, KBUILD_VENDOR(Event_t) __event) {
    struct kbuild_cpu_made_node __made = kbuild_cpu_empty_node(__type);
    __made.description.event = __event;
    return __made;
}

static inline int kbuild_cpu_event_of(KBUILD_VENDOR(GraphNode_t) __node, int __type,
                                      KBUILD_VENDOR(Event_t) *__event) {
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_find_node(__event == NULL ? NULL : &__found, __node, __type);
    if (__error == 0) *__event = KBUILD_STATIC_CAST(KBUILD_VENDOR(Event_t), __found.event);
    return __error;
}

KBUILD_API(GraphAddEventRecordNode)(KBUILD_NEW_NODE, KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE,
                                    kbuild_cpu_make_event_node(KBUILD_CPU_NODE_RECORD, __event)));
}

KBUILD_API(GraphEventRecordNodeGetEvent)(KBUILD_VENDOR(GraphNode_t) __node,
                                         KBUILD_VENDOR(Event_t) *__event) {
    KBUILD_CALL(kbuild_cpu_event_of(__node, KBUILD_CPU_NODE_RECORD, __event));
}

KBUILD_API(GraphEventRecordNodeSetEvent)(KBUILD_VENDOR(GraphNode_t) __node,
                                         KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(kbuild_cpu_change_made(
        __node, kbuild_cpu_make_event_node(KBUILD_CPU_NODE_RECORD, __event)));
}

KBUILD_API(GraphExecEventRecordNodeSetEvent)(KBUILD_VENDOR(GraphExec_t) __executable,
                                             KBUILD_VENDOR(GraphNode_t) __node,
                                             KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(kbuild_cpu_change_made_in(
        __executable, __node, kbuild_cpu_make_event_node(KBUILD_CPU_NODE_RECORD, __event)));
}

KBUILD_API(GraphAddEventWaitNode)(KBUILD_NEW_NODE, KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE,
                                    kbuild_cpu_make_event_node(KBUILD_CPU_NODE_WAIT, __event)));
}

KBUILD_API(GraphEventWaitNodeGetEvent)(KBUILD_VENDOR(GraphNode_t) __node,
                                       KBUILD_VENDOR(Event_t) *__event) {
    KBUILD_CALL(kbuild_cpu_event_of(__node, KBUILD_CPU_NODE_WAIT, __event));
}

KBUILD_API(GraphEventWaitNodeSetEvent)(KBUILD_VENDOR(GraphNode_t) __node,
                                       KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(
        kbuild_cpu_change_made(__node, kbuild_cpu_make_event_node(KBUILD_CPU_NODE_WAIT, __event)));
}

KBUILD_API(GraphExecEventWaitNodeSetEvent)(KBUILD_VENDOR(GraphExec_t) __executable,
                                           KBUILD_VENDOR(GraphNode_t) __node,
                                           KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(kbuild_cpu_change_made_in(
        __executable, __node, kbuild_cpu_make_event_node(KBUILD_CPU_NODE_WAIT, __event)));
}
