// Tells a program whether its kernels have debug stubs. Its other code does not depend on that.
extern const bool has_stubs;
#if defined(HAS_STUBS_ON)
const bool has_stubs = true;
#elif defined(HAS_STUBS_OFF)
const bool has_stubs = false;
#endif
