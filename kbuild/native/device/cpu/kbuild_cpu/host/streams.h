/* Streams and events. */

KBUILD_API(StreamCreateWithPriority)(KBUILD_VENDOR(Stream_t) *__stream, unsigned int __flags,
                                     int __priority) {
    void *__handle = NULL;
    const int __error =
        kbuild_cpu_create_stream(__stream == NULL ? NULL : &__handle, __flags, __priority);
    if (__error == 0) *__stream = KBUILD_STATIC_CAST(KBUILD_VENDOR(Stream_t), __handle);
    KBUILD_CALL(__error);
}

KBUILD_API(StreamCreateWithFlags)(KBUILD_VENDOR(Stream_t) *__stream, unsigned int __flags) {
    return KBUILD_VENDOR(StreamCreateWithPriority)(__stream, __flags, 0);
}

KBUILD_API(StreamCreate)(KBUILD_VENDOR(Stream_t) *__stream) {
    return KBUILD_VENDOR(StreamCreateWithFlags)(__stream, KBUILD_VENDOR(StreamDefault));
}

KBUILD_API(StreamDestroy)(KBUILD_VENDOR(Stream_t) __stream) {
    KBUILD_CALL(kbuild_cpu_destroy_stream(__stream));
}

KBUILD_API(StreamSynchronize)(KBUILD_VENDOR(Stream_t) __stream) {
    KBUILD_CALL(kbuild_cpu_synchronize_stream(KBUILD_STREAM(__stream)));
}

KBUILD_API(StreamQuery)(KBUILD_VENDOR(Stream_t) __stream) {
    KBUILD_CALL(kbuild_cpu_query_stream(KBUILD_STREAM(__stream)));
}

KBUILD_API(StreamWaitEvent)(KBUILD_VENDOR(Stream_t) __stream, KBUILD_VENDOR(Event_t) __event,
                            unsigned int __flags KBUILD_DEFAULT(0)) {
    if (__flags > KBUILD_VENDOR(EventWaitExternal))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown flags"));
    KBUILD_CALL(__flags == KBUILD_VENDOR(EventWaitExternal)
                    ? kbuild_cpu_wait_for_external_event(KBUILD_STREAM(__stream), __event)
                    : kbuild_cpu_wait_for_event(KBUILD_STREAM(__stream), __event));
}

KBUILD_API(StreamGetFlags)(KBUILD_VENDOR(Stream_t) __stream, unsigned int *__flags) {
    struct kbuild_cpu_stream __found;
    const int __error =
        kbuild_cpu_describe_stream(__flags == NULL ? NULL : &__found, KBUILD_STREAM(__stream));
    if (__error == 0) *__flags = __found.flags;
    KBUILD_CALL(__error);
}

KBUILD_API(StreamGetPriority)(KBUILD_VENDOR(Stream_t) __stream, int *__priority) {
    struct kbuild_cpu_stream __found;
    const int __error =
        kbuild_cpu_describe_stream(__priority == NULL ? NULL : &__found, KBUILD_STREAM(__stream));
    if (__error == 0) *__priority = __found.priority;
    KBUILD_CALL(__error);
}

KBUILD_API(StreamGetId)(KBUILD_VENDOR(Stream_t) __stream, unsigned long long *__id) {
    struct kbuild_cpu_stream __found;
    const int __error =
        kbuild_cpu_describe_stream(__id == NULL ? NULL : &__found, KBUILD_STREAM(__stream));
    if (__error == 0) *__id = __found.id;
    KBUILD_CALL(__error);
}

KBUILD_API(StreamGetDevice)(KBUILD_VENDOR(Stream_t) __stream, int *__device) {
    struct kbuild_cpu_stream __found;
    const int __error =
        kbuild_cpu_describe_stream(__device == NULL ? NULL : &__found, KBUILD_STREAM(__stream));
    if (__error == 0) *__device = 0;
    KBUILD_CALL(__error);
}

/* The attributes of streams only affect performance. */
static inline int kbuild_cpu_is_stream_attribute(enum KBUILD_VENDOR(LaunchAttributeID) __number) {
    return __number == KBUILD_VENDOR(LaunchAttributeAccessPolicyWindow) ||
           __number == KBUILD_VENDOR(LaunchAttributeSynchronizationPolicy) ||
           __number == KBUILD_VENDOR(LaunchAttributePriority) ||
           __number == KBUILD_VENDOR(LaunchAttributeMemSyncDomainMap) ||
           __number == KBUILD_VENDOR(LaunchAttributeMemSyncDomain);
}

KBUILD_API(StreamSetAttribute)(KBUILD_VENDOR(Stream_t) __stream,
                               enum KBUILD_VENDOR(LaunchAttributeID) __number,
                               const union KBUILD_VENDOR(LaunchAttributeValue) *__value) {
    const int __error = kbuild_cpu_check_stream(__stream);
    if (__error == 0 && (!kbuild_cpu_is_stream_attribute(__number) || __value == NULL))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "not an attribute of streams"));
    KBUILD_CALL(__error);
}

/* Only the priority is kept.  The others are 0. */
KBUILD_API(StreamGetAttribute)(KBUILD_VENDOR(Stream_t) __stream,
                               enum KBUILD_VENDOR(LaunchAttributeID) __number,
                               union KBUILD_VENDOR(LaunchAttributeValue) *__value) {
    struct kbuild_cpu_stream __found;
    int __error =
        kbuild_cpu_describe_stream(__value == NULL ? NULL : &__found, KBUILD_STREAM(__stream));
    if (__error == 0 && !kbuild_cpu_is_stream_attribute(__number))
        __error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "not an attribute of streams");
    for (size_t __i = 0; __error == 0 && __i < sizeof __value->pad; ++__i) __value->pad[__i] = 0;
    if (__error == 0 && __number == KBUILD_VENDOR(LaunchAttributePriority))
        __value->priority = __found.priority;
    KBUILD_CALL(__error);
}

KBUILD_API(StreamCopyAttributes)(KBUILD_VENDOR(Stream_t) __destination,
                                 KBUILD_VENDOR(Stream_t) __source) {
    const int __error = kbuild_cpu_check_stream(__source);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_check_stream(__destination));
}

KBUILD_API(LaunchHostFunc)(KBUILD_VENDOR(Stream_t) __stream, KBUILD_VENDOR(HostFn_t) __function,
                           void *__data) {
    KBUILD_CALL(kbuild_cpu_call_host(KBUILD_STREAM(__stream), __function, __data));
}

/* The runtime only passes the stream and the error on. */
typedef void (*kbuild_cpu_callback)(void *, int, void *);

KBUILD_API(StreamAddCallback)(KBUILD_VENDOR(Stream_t) __stream,
                              KBUILD_VENDOR(StreamCallback_t) __callback, void *__data,
                              unsigned int __flags) {
    if (__flags != 0) KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the flags are not 0"));
    KBUILD_CALL(kbuild_cpu_call_back(
        KBUILD_STREAM(__stream), KBUILD_REINTERPRET_CAST(kbuild_cpu_callback, __callback), __data));
}

KBUILD_API(StreamAttachMemAsync)(
    KBUILD_VENDOR(Stream_t) __stream, void *__pointer, size_t __bytes KBUILD_DEFAULT(0),
    unsigned int __flags KBUILD_DEFAULT(KBUILD_VENDOR(MemAttachSingle))) {
    const int __error = kbuild_cpu_check_stream(__stream);
    (void)__flags;
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_check_range(__pointer, __bytes == 0 ? 1 : __bytes));
}

KBUILD_API(EventCreateWithFlags)(KBUILD_VENDOR(Event_t) *__event, unsigned int __flags) {
    void *__handle = NULL;
    const int __error = kbuild_cpu_create_event(__event == NULL ? NULL : &__handle, __flags);
    if (__error == 0) *__event = KBUILD_STATIC_CAST(KBUILD_VENDOR(Event_t), __handle);
    KBUILD_CALL(__error);
}

KBUILD_API(EventCreate)(KBUILD_VENDOR(Event_t) *__event) {
    return KBUILD_VENDOR(EventCreateWithFlags)(__event, KBUILD_VENDOR(EventDefault));
}

KBUILD_API(EventDestroy)(KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(kbuild_cpu_destroy_event(__event));
}

KBUILD_API(EventRecord)(KBUILD_VENDOR(Event_t) __event,
                        KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    KBUILD_CALL(kbuild_cpu_record_event(__event, KBUILD_STREAM(__stream)));
}

KBUILD_API(EventRecordWithFlags)(KBUILD_VENDOR(Event_t) __event,
                                 KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL),
                                 unsigned int __flags KBUILD_DEFAULT(0)) {
    if (__flags > KBUILD_VENDOR(EventRecordExternal))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown flags"));
    KBUILD_CALL(__flags == KBUILD_VENDOR(EventRecordExternal)
                    ? kbuild_cpu_record_external_event(__event, KBUILD_STREAM(__stream))
                    : kbuild_cpu_record_event(__event, KBUILD_STREAM(__stream)));
}

KBUILD_API(EventQuery)(KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(kbuild_cpu_query_event(__event));
}

KBUILD_API(EventSynchronize)(KBUILD_VENDOR(Event_t) __event) {
    KBUILD_CALL(kbuild_cpu_synchronize_event(__event));
}

KBUILD_API(EventElapsedTime)(float *__milliseconds, KBUILD_VENDOR(Event_t) __start,
                             KBUILD_VENDOR(Event_t) __end) {
    KBUILD_CALL(kbuild_cpu_elapsed_time(__milliseconds, __start, __end));
}
