/* Errors. */

KBUILD_API(GetLastError)(void) { KBUILD_CALL(kbuild_cpu_take_error()); }

KBUILD_API(PeekAtLastError)(void) { KBUILD_CALL(kbuild_cpu_peek_error()); }

KBUILD_HOST_API const char *KBUILD_VENDOR(GetErrorName)(KBUILD_VENDOR(Error_t) __error) {
    return kbuild_cpu_error_name(__error);
}

KBUILD_HOST_API const char *KBUILD_VENDOR(GetErrorString)(KBUILD_VENDOR(Error_t) __error) {
    return kbuild_cpu_error_text(__error);
}
