/* Streams and events. */

KBUILD_API(StreamCreateWithPriority)(KBUILD_VENDOR(Stream_t) *__stream, unsigned int __flags,
                                     int __priority)
{
    void *__handle = NULL;
    const int __error = kbuild_cpu_create_stream(__stream == NULL ? NULL : &__handle, __flags,
                                                 __priority);
    if (__error == 0)
        *__stream = KBUILD_STATIC_CAST(KBUILD_VENDOR(Stream_t), __handle);
    KBUILD_CALL(__error);
}

KBUILD_API(StreamCreateWithFlags)(KBUILD_VENDOR(Stream_t) *__stream, unsigned int __flags)
{
    return KBUILD_VENDOR(StreamCreateWithPriority)(__stream, __flags, 0);
}

KBUILD_API(StreamCreate)(KBUILD_VENDOR(Stream_t) *__stream)
{
    return KBUILD_VENDOR(StreamCreateWithFlags)(__stream, KBUILD_VENDOR(StreamDefault));
}

KBUILD_API(StreamDestroy)(KBUILD_VENDOR(Stream_t) __stream)
{
    KBUILD_CALL(kbuild_cpu_destroy_stream(__stream));
}

KBUILD_API(StreamSynchronize)(KBUILD_VENDOR(Stream_t) __stream)
{
    KBUILD_CALL(kbuild_cpu_synchronize_stream(__stream));
}

KBUILD_API(StreamQuery)(KBUILD_VENDOR(Stream_t) __stream)
{
    KBUILD_CALL(kbuild_cpu_synchronize_stream(__stream));
}

KBUILD_API(StreamWaitEvent)(KBUILD_VENDOR(Stream_t) __stream, KBUILD_VENDOR(Event_t) __event,
                            unsigned int __flags KBUILD_DEFAULT(0))
{
    if (__flags != 0)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the flags are not 0"));
    KBUILD_CALL(kbuild_cpu_wait_for_event(__stream, __event));
}

KBUILD_API(StreamGetFlags)(KBUILD_VENDOR(Stream_t) __stream, unsigned int *__flags)
{
    struct kbuild_cpu_stream __found;
    const int __error = kbuild_cpu_describe_stream(__flags == NULL ? NULL : &__found, __stream);
    if (__error == 0)
        *__flags = __found.flags;
    KBUILD_CALL(__error);
}

KBUILD_API(StreamGetPriority)(KBUILD_VENDOR(Stream_t) __stream, int *__priority)
{
    struct kbuild_cpu_stream __found;
    const int __error = kbuild_cpu_describe_stream(__priority == NULL ? NULL : &__found, __stream);
    if (__error == 0)
        *__priority = __found.priority;
    KBUILD_CALL(__error);
}

KBUILD_API(StreamGetId)(KBUILD_VENDOR(Stream_t) __stream, unsigned long long *__id)
{
    struct kbuild_cpu_stream __found;
    const int __error = kbuild_cpu_describe_stream(__id == NULL ? NULL : &__found, __stream);
    if (__error == 0)
        *__id = __found.id;
    KBUILD_CALL(__error);
}

KBUILD_API(StreamGetDevice)(KBUILD_VENDOR(Stream_t) __stream, int *__device)
{
    struct kbuild_cpu_stream __found;
    const int __error = kbuild_cpu_describe_stream(__device == NULL ? NULL : &__found, __stream);
    if (__error == 0)
        *__device = 0;
    KBUILD_CALL(__error);
}

/* No stream records a graph. */
KBUILD_API(StreamIsCapturing)(KBUILD_VENDOR(Stream_t) __stream,
                              enum KBUILD_VENDOR(StreamCaptureStatus) *__status)
{
    const int __error = kbuild_cpu_synchronize_stream(__stream);
    if (__error == 0 && __status == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer"));
    if (__error == 0)
        *__status = KBUILD_VENDOR(StreamCaptureStatusNone);
    KBUILD_CALL(__error);
}

/* The attributes of streams only affect performance. */
KBUILD_API(StreamSetAttribute)(KBUILD_VENDOR(Stream_t) __stream,
                               enum KBUILD_VENDOR(LaunchAttributeID) __number,
                               const union KBUILD_VENDOR(LaunchAttributeValue) *__value)
{
    const int __error = kbuild_cpu_synchronize_stream(__stream);
    const int __is_known = __number == KBUILD_VENDOR(LaunchAttributeAccessPolicyWindow) ||
                           __number == KBUILD_VENDOR(LaunchAttributeSynchronizationPolicy) ||
                           __number == KBUILD_VENDOR(LaunchAttributePriority) ||
                           __number == KBUILD_VENDOR(LaunchAttributeMemSyncDomainMap) ||
                           __number == KBUILD_VENDOR(LaunchAttributeMemSyncDomain);
    if (__error == 0 && (!__is_known || __value == NULL))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "not an attribute of streams"));
    KBUILD_CALL(__error);
}

/* Previous work in the stream has finished, so that functions run at once. */

KBUILD_API(LaunchHostFunc)(KBUILD_VENDOR(Stream_t) __stream, KBUILD_VENDOR(HostFn_t) __function,
                           void *__data)
{
    const int __error = kbuild_cpu_synchronize_stream(__stream);
    if (__error == 0 && __function == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the function is a null pointer"));
    if (__error == 0)
        __function(__data);
    KBUILD_CALL(__error);
}

KBUILD_API(StreamAddCallback)(KBUILD_VENDOR(Stream_t) __stream,
                              KBUILD_VENDOR(StreamCallback_t) __callback, void *__data,
                              unsigned int __flags)
{
    const int __error = kbuild_cpu_synchronize_stream(__stream);
    if (__error == 0 && (__callback == NULL || __flags != 0))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                    "the callback is a null pointer, or the flags are not 0"));
    if (__error == 0)
        __callback(__stream, KBUILD_VENDOR(Success), __data);
    KBUILD_CALL(__error);
}

KBUILD_API(StreamAttachMemAsync)(KBUILD_VENDOR(Stream_t) __stream, void *__pointer,
                                 size_t __bytes KBUILD_DEFAULT(0),
                                 unsigned int __flags
                                     KBUILD_DEFAULT(KBUILD_VENDOR(MemAttachSingle)))
{
    const int __error = kbuild_cpu_synchronize_stream(__stream);
    (void)__flags;
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_check_range(__pointer, __bytes == 0 ? 1 : __bytes));
}

KBUILD_API(EventCreateWithFlags)(KBUILD_VENDOR(Event_t) *__event, unsigned int __flags)
{
    void *__handle = NULL;
    const int __error = kbuild_cpu_create_event(__event == NULL ? NULL : &__handle, __flags);
    if (__error == 0)
        *__event = KBUILD_STATIC_CAST(KBUILD_VENDOR(Event_t), __handle);
    KBUILD_CALL(__error);
}

KBUILD_API(EventCreate)(KBUILD_VENDOR(Event_t) *__event)
{
    return KBUILD_VENDOR(EventCreateWithFlags)(__event, KBUILD_VENDOR(EventDefault));
}

KBUILD_API(EventDestroy)(KBUILD_VENDOR(Event_t) __event)
{
    KBUILD_CALL(kbuild_cpu_destroy_event(__event));
}

KBUILD_API(EventRecord)(KBUILD_VENDOR(Event_t) __event,
                        KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL))
{
    KBUILD_CALL(kbuild_cpu_record_event(__event, __stream));
}

KBUILD_API(EventRecordWithFlags)(KBUILD_VENDOR(Event_t) __event,
                                 KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL),
                                 unsigned int __flags KBUILD_DEFAULT(0))
{
    if (__flags != 0)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the flags are not 0"));
    KBUILD_CALL(kbuild_cpu_record_event(__event, __stream));
}

KBUILD_API(EventQuery)(KBUILD_VENDOR(Event_t) __event)
{
    KBUILD_CALL(kbuild_cpu_synchronize_event(__event));
}

KBUILD_API(EventSynchronize)(KBUILD_VENDOR(Event_t) __event)
{
    KBUILD_CALL(kbuild_cpu_synchronize_event(__event));
}

KBUILD_API(EventElapsedTime)(float *__milliseconds, KBUILD_VENDOR(Event_t) __start,
                             KBUILD_VENDOR(Event_t) __end)
{
    KBUILD_CALL(kbuild_cpu_elapsed_time(__milliseconds, __start, __end));
}
