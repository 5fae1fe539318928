/* The functions of the stub units of a backend, whose tables are compiled separately; see
 * kbuild/detail/registration.h.  The compiler's command line names the backend's header. */
#define KBUILD_ONLY_FUNCTIONS 1
#include <kbuild/module.h>
#include <kbuild/detail/shadows.h>
#include KBUILD_REGISTRATION_HEADER
