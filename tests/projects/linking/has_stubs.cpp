// Whether the kernels that a program is linked with have debug stubs: all that tells its code.
extern const bool has_stubs;
#if defined(HAS_STUBS_ON)
const bool has_stubs = true;
#elif defined(HAS_STUBS_OFF)
const bool has_stubs = false;
#endif
