/* Nodes that launch kernels. */

static inline struct kbuild_cpu_made_node kbuild_cpu_make_kernel_node(
    const struct KBUILD_VENDOR(KernelNodeParams) *__parameters) {
    struct kbuild_cpu_made_node __made =
        kbuild_cpu_begin_node(KBUILD_CPU_NODE_KERNEL, __parameters);
    if (__made.error == 0 && __parameters->extra != NULL)
        __made.error = kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                                       "the cpu backend does not support packed arguments; use "
                                       "kernelParams");
    if (__made.error != 0) return __made;
    __made.description.handle = __parameters->func;
    __made.description.configuration = kbuild_cpu_make_config(
        __parameters->gridDim, __parameters->blockDim, __parameters->sharedMemBytes, NULL);
    __made.description.argument_list = __parameters->kernelParams;
    return __made;
}

KBUILD_API(GraphAddKernelNode)(KBUILD_NEW_NODE,
                               const struct KBUILD_VENDOR(KernelNodeParams) *__parameters) {
    KBUILD_CALL(kbuild_cpu_add_made(KBUILD_PLACE, kbuild_cpu_make_kernel_node(__parameters)));
}

KBUILD_API(GraphKernelNodeSetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     const struct KBUILD_VENDOR(KernelNodeParams) *__parameters) {
    KBUILD_CALL(kbuild_cpu_change_made(__node, kbuild_cpu_make_kernel_node(__parameters)));
}

KBUILD_API(GraphExecKernelNodeSetParams)(
    KBUILD_VENDOR(GraphExec_t) __executable, KBUILD_VENDOR(GraphNode_t) __node,
    const struct KBUILD_VENDOR(KernelNodeParams) *__parameters) {
    KBUILD_CALL(
        kbuild_cpu_change_made_in(__executable, __node, kbuild_cpu_make_kernel_node(__parameters)));
}

KBUILD_API(GraphKernelNodeGetParams)(KBUILD_VENDOR(GraphNode_t) __node,
                                     struct KBUILD_VENDOR(KernelNodeParams) *__parameters) {
    struct kbuild_cpu_node __found;
    const int __error = kbuild_cpu_find_node(__parameters == NULL ? NULL : &__found, __node,
                                             KBUILD_CPU_NODE_KERNEL);
    if (__error == 0) {
        const struct kbuild_launch_config *const __config = &__found.configuration;
        __parameters->func = KBUILD_CONST_CAST(void *, __found.handle);
        __parameters->gridDim.x = __config->grid.x;
        __parameters->gridDim.y = __config->grid.y;
        __parameters->gridDim.z = __config->grid.z;
        __parameters->blockDim.x = __config->block.x;
        __parameters->blockDim.y = __config->block.y;
        __parameters->blockDim.z = __config->block.z;
        __parameters->sharedMemBytes = KBUILD_STATIC_CAST(unsigned, __config->shared_bytes);
        __parameters->kernelParams = KBUILD_CONST_CAST(void **, __found.argument_list);
        __parameters->extra = NULL;
    }
    KBUILD_CALL(__error);
}

KBUILD_API(GraphKernelNodeSetAttribute)(KBUILD_VENDOR(GraphNode_t) __node,
                                        KBUILD_VENDOR(LaunchAttributeID) __number,
                                        const KBUILD_VENDOR(LaunchAttributeValue) *__value) {
    struct kbuild_cpu_node __found;
    KBUILD_VENDOR(LaunchAttribute) __changed;
    int __error =
        kbuild_cpu_find_node(__value == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_KERNEL);
    if (__error == 0) {
        __changed.id = __number;
        __changed.val = *__value;
        __error = kbuild_cpu_apply_attribute(&__found.configuration, &__changed);
    }
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_change_node(__node, &__found));
}

/* Attributes that only affect performance are 0. */
KBUILD_API(GraphKernelNodeGetAttribute)(KBUILD_VENDOR(GraphNode_t) __node,
                                        KBUILD_VENDOR(LaunchAttributeID) __number,
                                        KBUILD_VENDOR(LaunchAttributeValue) *__value) {
    struct kbuild_cpu_node __found;
    const int __error =
        kbuild_cpu_find_node(__value == NULL ? NULL : &__found, __node, KBUILD_CPU_NODE_KERNEL);
    if (__error == 0) kbuild_cpu_read_attribute(__value, &__found.configuration, __number);
    KBUILD_CALL(__error);
}

KBUILD_API(GraphKernelNodeCopyAttributes)(KBUILD_VENDOR(GraphNode_t) __destination,
                                          KBUILD_VENDOR(GraphNode_t) __source) {
    struct kbuild_cpu_node __from, __to;
    int __error = kbuild_cpu_find_node(&__from, __source, KBUILD_CPU_NODE_KERNEL);
    if (__error == 0) __error = kbuild_cpu_find_node(&__to, __destination, KBUILD_CPU_NODE_KERNEL);
    if (__error == 0) {
        __to.configuration.cooperative = __from.configuration.cooperative;
        __to.configuration.priority = __from.configuration.priority;
        __error = kbuild_cpu_change_node(__destination, &__to);
    }
    KBUILD_CALL(__error);
}
