/* For headers of types that the cpu backend does not support.  A mixed source can include such a
 * header for code that it does not compile here, so that the error comes with the first use. */
#ifndef KBUILD_CPU_UNAVAILABLE_H
#define KBUILD_CPU_UNAVAILABLE_H

#define KBUILD_CPU_UNAVAILABLE_TYPE(what, name) \
    struct __attribute__((unavailable("kbuild: the cpu backend does not support " what))) name;

#endif
