/* Memory pools, and memory in the order of streams. */

KBUILD_API(MallocFromPoolAsync)(void **__pointer, size_t __bytes, KBUILD_VENDOR(MemPool_t) __pool,
                                KBUILD_VENDOR(Stream_t) __stream) {
    if (__pool == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the memory pool is a null pointer"));
    KBUILD_CALL(kbuild_cpu_queue_allocation(__pointer, __bytes, __pool, KBUILD_STREAM(__stream)));
}

KBUILD_API(MallocAsync)(void **__pointer, size_t __bytes, KBUILD_VENDOR(Stream_t) __stream) {
    KBUILD_CALL(kbuild_cpu_queue_allocation(__pointer, __bytes, NULL, KBUILD_STREAM(__stream)));
}

KBUILD_API(FreeAsync)(void *__pointer, KBUILD_VENDOR(Stream_t) __stream) {
    KBUILD_CALL(kbuild_cpu_queue_release(__pointer, KBUILD_STREAM(__stream)));
}

static inline int kbuild_cpu_check_location(const struct KBUILD_VENDOR(MemLocation) *__location) {
    if (__location == NULL ||
        (__location->type == KBUILD_VENDOR(MemLocationTypeDevice) &&__location->id != 0))
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                               "the location is a null pointer, or a device that does not exist");
    return 0;
}

KBUILD_API(MemPoolCreate)(KBUILD_VENDOR(MemPool_t) *__pool,
                          const struct KBUILD_VENDOR(MemPoolProps) *__properties) {
    void *__created = NULL;
    int __error;
    if (__pool == NULL || __properties == NULL ||
        __properties->allocType != KBUILD_VENDOR(MemAllocationTypePinned))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                    "an argument is a null pointer, or the type is not pinned"));
    __error = kbuild_cpu_check_location(&__properties->location);
    if (__error == 0 && __properties->handleTypes != KBUILD_VENDOR(MemHandleTypeNone))
        __error = kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                                  "the cpu backend does not share memory pools with processes");
    if (__error == 0) __error = kbuild_cpu_create_pool(&__created);
    if (__error == 0) *__pool = KBUILD_STATIC_CAST(KBUILD_VENDOR(MemPool_t), __created);
    KBUILD_CALL(__error);
}

KBUILD_API(MemPoolDestroy)(KBUILD_VENDOR(MemPool_t) __pool) {
    KBUILD_CALL(kbuild_cpu_destroy_pool(__pool));
}

KBUILD_API(MemPoolTrimTo)(KBUILD_VENDOR(MemPool_t) __pool, size_t __kept_bytes) {
    KBUILD_CALL(kbuild_cpu_trim_pool(__pool, __kept_bytes));
}

/* The first three attributes are integers, and the others have 64 bits. */
static inline int kbuild_cpu_is_pool_flag(enum KBUILD_VENDOR(MemPoolAttr) __number) {
    return __number <= KBUILD_VENDOR(MemPoolReuseAllowInternalDependencies);
}

KBUILD_API(MemPoolSetAttribute)(KBUILD_VENDOR(MemPool_t) __pool,
                                enum KBUILD_VENDOR(MemPoolAttr) __number, void *__value) {
    unsigned long long __new_value;
    if (__value == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the value is a null pointer"));
    __new_value = kbuild_cpu_is_pool_flag(__number)
                      ? KBUILD_STATIC_CAST(unsigned long long, *KBUILD_STATIC_CAST(int *, __value))
                      : *KBUILD_STATIC_CAST(unsigned long long *, __value);
    KBUILD_CALL(
        kbuild_cpu_set_pool_attribute(__pool, KBUILD_STATIC_CAST(int, __number), __new_value));
}

KBUILD_API(MemPoolGetAttribute)(KBUILD_VENDOR(MemPool_t) __pool,
                                enum KBUILD_VENDOR(MemPoolAttr) __number, void *__value) {
    unsigned long long __found = 0;
    const int __error = kbuild_cpu_pool_attribute(__value == NULL ? NULL : &__found, __pool,
                                                  KBUILD_STATIC_CAST(int, __number));
    if (__error == 0) {
        if (kbuild_cpu_is_pool_flag(__number))
            *KBUILD_STATIC_CAST(int *, __value) = KBUILD_STATIC_CAST(int, __found);
        else
            *KBUILD_STATIC_CAST(unsigned long long *, __value) = __found;
    }
    KBUILD_CALL(__error);
}

/* The only device can always access the memory. */
KBUILD_API(MemPoolSetAccess)(KBUILD_VENDOR(MemPool_t) __pool,
                             const struct KBUILD_VENDOR(MemAccessDesc) *__descriptions,
                             size_t __count) {
    int __error = kbuild_cpu_check_pool(__pool);
    if (__error == 0 && __count != 0 && __descriptions == NULL)
        __error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the descriptions are a null pointer");
    for (size_t __i = 0; __error == 0 && __i < __count; ++__i) {
        __error = kbuild_cpu_check_location(&__descriptions[__i].location);
        if (__error == 0 && __descriptions[__i].flags != KBUILD_VENDOR(MemAccessFlagsProtReadWrite))
            __error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                      "the device of a pool can always read and write it");
    }
    KBUILD_CALL(__error);
}

KBUILD_API(MemPoolGetAccess)(enum KBUILD_VENDOR(MemAccessFlags) *__flags,
                             KBUILD_VENDOR(MemPool_t) __pool,
                             struct KBUILD_VENDOR(MemLocation) *__location) {
    int __error = kbuild_cpu_check_pool(__pool);
    if (__error == 0) __error = kbuild_cpu_check_location(__location);
    if (__error == 0 && __flags == NULL)
        __error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer");
    if (__error == 0) *__flags = KBUILD_VENDOR(MemAccessFlagsProtReadWrite);
    KBUILD_CALL(__error);
}

KBUILD_API(DeviceGetDefaultMemPool)(KBUILD_VENDOR(MemPool_t) *__pool, int __device) {
    void *__found = NULL;
    int __error = kbuild_cpu_set_device(__device);
    if (__error == 0) __error = kbuild_cpu_default_pool(__pool == NULL ? NULL : &__found);
    if (__error == 0) *__pool = KBUILD_STATIC_CAST(KBUILD_VENDOR(MemPool_t), __found);
    KBUILD_CALL(__error);
}

KBUILD_API(DeviceGetMemPool)(KBUILD_VENDOR(MemPool_t) *__pool, int __device) {
    void *__found = NULL;
    int __error = kbuild_cpu_set_device(__device);
    if (__error == 0) __error = kbuild_cpu_current_pool(__pool == NULL ? NULL : &__found);
    if (__error == 0) *__pool = KBUILD_STATIC_CAST(KBUILD_VENDOR(MemPool_t), __found);
    KBUILD_CALL(__error);
}

KBUILD_API(DeviceSetMemPool)(int __device, KBUILD_VENDOR(MemPool_t) __pool) {
    const int __error = kbuild_cpu_set_device(__device);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_set_current_pool(__pool));
}

/* The only location with memory pools is the device. */
static inline int kbuild_cpu_check_pool_location(
    const struct KBUILD_VENDOR(MemLocation) *__location,
    enum KBUILD_VENDOR(MemAllocationType) __type) {
    if (__location == NULL || __location->type != KBUILD_VENDOR(MemLocationTypeDevice) ||
        __type != KBUILD_VENDOR(MemAllocationTypePinned))
        return kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                               "the cpu backend has memory pools only for pinned memory of the "
                               "device");
    return 0;
}

KBUILD_API(MemGetDefaultMemPool)(KBUILD_VENDOR(MemPool_t) *__pool,
                                 struct KBUILD_VENDOR(MemLocation) *__location,
                                 enum KBUILD_VENDOR(MemAllocationType) __type) {
    const int __error = kbuild_cpu_check_pool_location(__location, __type);
    if (__error != 0) KBUILD_CALL(__error);
    return KBUILD_VENDOR(DeviceGetDefaultMemPool)(__pool, __location->id);
}

KBUILD_API(MemGetMemPool)(KBUILD_VENDOR(MemPool_t) *__pool,
                          struct KBUILD_VENDOR(MemLocation) *__location,
                          enum KBUILD_VENDOR(MemAllocationType) __type) {
    const int __error = kbuild_cpu_check_pool_location(__location, __type);
    if (__error != 0) KBUILD_CALL(__error);
    return KBUILD_VENDOR(DeviceGetMemPool)(__pool, __location->id);
}

KBUILD_API(MemSetMemPool)(struct KBUILD_VENDOR(MemLocation) *__location,
                          enum KBUILD_VENDOR(MemAllocationType) __type,
                          KBUILD_VENDOR(MemPool_t) __pool) {
    const int __error = kbuild_cpu_check_pool_location(__location, __type);
    if (__error != 0) KBUILD_CALL(__error);
    return KBUILD_VENDOR(DeviceSetMemPool)(__location->id, __pool);
}

/* Memory and events of other processes.  Programs that only could use them compile. */

static inline KBUILD_VENDOR(Error_t) kbuild_cpu_reject_sharing(void) {
    KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                                "the cpu backend does not share memory or events with processes"));
}

KBUILD_API(MemPoolExportToShareableHandle)(void *__handle, KBUILD_VENDOR(MemPool_t) __pool,
                                           enum KBUILD_VENDOR(MemAllocationHandleType) __type,
                                           unsigned int __flags) {
    (void)__handle, (void)__pool, (void)__type, (void)__flags;
    return kbuild_cpu_reject_sharing();
}

KBUILD_API(MemPoolImportFromShareableHandle)(KBUILD_VENDOR(MemPool_t) *__pool, void *__handle,
                                             enum KBUILD_VENDOR(MemAllocationHandleType) __type,
                                             unsigned int __flags) {
    (void)__pool, (void)__handle, (void)__type, (void)__flags;
    return kbuild_cpu_reject_sharing();
}

KBUILD_API(MemPoolExportPointer)(struct KBUILD_VENDOR(MemPoolPtrExportData) *__data,
                                 void *__pointer) {
    (void)__data, (void)__pointer;
    return kbuild_cpu_reject_sharing();
}

KBUILD_API(MemPoolImportPointer)(void **__pointer, KBUILD_VENDOR(MemPool_t) __pool,
                                 struct KBUILD_VENDOR(MemPoolPtrExportData) *__data) {
    (void)__pointer, (void)__pool, (void)__data;
    return kbuild_cpu_reject_sharing();
}

KBUILD_API(IpcGetEventHandle)(KBUILD_VENDOR(IpcEventHandle_t) *__handle,
                              KBUILD_VENDOR(Event_t) __event) {
    (void)__handle, (void)__event;
    return kbuild_cpu_reject_sharing();
}

KBUILD_API(IpcOpenEventHandle)(KBUILD_VENDOR(Event_t) *__event,
                               KBUILD_VENDOR(IpcEventHandle_t) __handle) {
    (void)__event, (void)__handle;
    return kbuild_cpu_reject_sharing();
}

KBUILD_API(IpcGetMemHandle)(KBUILD_VENDOR(IpcMemHandle_t) *__handle, void *__pointer) {
    (void)__handle, (void)__pointer;
    return kbuild_cpu_reject_sharing();
}

KBUILD_API(IpcOpenMemHandle)(void **__pointer, KBUILD_VENDOR(IpcMemHandle_t) __handle,
                             unsigned int __flags) {
    (void)__pointer, (void)__handle, (void)__flags;
    return kbuild_cpu_reject_sharing();
}

KBUILD_API(IpcCloseMemHandle)(void *__pointer) {
    (void)__pointer;
    return kbuild_cpu_reject_sharing();
}

#if defined(__cplusplus)

template <class __T>
KBUILD_API(MallocAsync)(__T **__pointer, size_t __bytes, KBUILD_VENDOR(Stream_t) __stream) {
    return KBUILD_VENDOR(MallocAsync)((void **)__pointer, __bytes, __stream);
}

template <class __T>
KBUILD_API(MallocFromPoolAsync)(__T **__pointer, size_t __bytes, KBUILD_VENDOR(MemPool_t) __pool,
                                KBUILD_VENDOR(Stream_t) __stream) {
    return KBUILD_VENDOR(MallocFromPoolAsync)(reinterpret_cast<void **>(__pointer), __bytes, __pool,
                                              __stream);
}

template <class __T>
KBUILD_API(MallocAsync)(__T **__pointer, size_t __bytes, KBUILD_VENDOR(MemPool_t) __pool,
                        KBUILD_VENDOR(Stream_t) __stream) {
    return KBUILD_VENDOR(MallocFromPoolAsync)(reinterpret_cast<void **>(__pointer), __bytes, __pool,
                                              __stream);
}

#endif
