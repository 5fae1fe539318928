/* Objects of the program that exist as long as graphs refer to them. */

KBUILD_API(UserObjectCreate)(KBUILD_VENDOR(UserObject_t) *__object, void *__data,
                             KBUILD_VENDOR(HostFn_t) __destroy, unsigned int __count,
                             unsigned int __flags) {
    void *__created = NULL;
    int __error;
    if (__flags != KBUILD_VENDOR(UserObjectNoDestructorSync))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                    "the flags are not cudaUserObjectNoDestructorSync"));
    __error = kbuild_cpu_create_user_object(__object == NULL ? NULL : &__created, __destroy, __data,
                                            __count);
    if (__error == 0) *__object = KBUILD_STATIC_CAST(KBUILD_VENDOR(UserObject_t), __created);
    KBUILD_CALL(__error);
}

KBUILD_API(UserObjectRetain)(KBUILD_VENDOR(UserObject_t) __object,
                             unsigned int __count KBUILD_DEFAULT(1)) {
    KBUILD_CALL(kbuild_cpu_retain_user_object(__object, __count));
}

KBUILD_API(UserObjectRelease)(KBUILD_VENDOR(UserObject_t) __object,
                              unsigned int __count KBUILD_DEFAULT(1)) {
    KBUILD_CALL(kbuild_cpu_release_user_object(__object, __count));
}

KBUILD_API(GraphRetainUserObject)(KBUILD_VENDOR(Graph_t) __graph,
                                  KBUILD_VENDOR(UserObject_t) __object,
                                  unsigned int __count KBUILD_DEFAULT(1),
                                  unsigned int __flags KBUILD_DEFAULT(0)) {
    if (__flags > KBUILD_VENDOR(GraphUserObjectMove))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown flags"));
    KBUILD_CALL(kbuild_cpu_retain_in_graph(__graph, __object, __count, __flags != 0));
}

KBUILD_API(GraphReleaseUserObject)(KBUILD_VENDOR(Graph_t) __graph,
                                   KBUILD_VENDOR(UserObject_t) __object,
                                   unsigned int __count KBUILD_DEFAULT(1)) {
    KBUILD_CALL(kbuild_cpu_release_in_graph(__graph, __object, __count));
}
