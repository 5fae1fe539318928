/* Compilation of source text in a running program, by the command `kbuild rtc`.  Results are those of
 * NVRTC, which nvrtc.h gives to programs. */
#ifndef KBUILD_CPU_RTC_H
#define KBUILD_CPU_RTC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A list of strings. */
struct kbuild_cpu_strings {
    const char *const *items;
    size_t count;
};

/* `__names` are the names by which the text includes the headers.  A null name of the text is that of
 * NVRTC. */
int kbuild_cpu_create_program(void **__program, const char *__text, const char *__name,
                              struct kbuild_cpu_strings __headers,
                              struct kbuild_cpu_strings __names);
int kbuild_cpu_destroy_program(void *__program);
int kbuild_cpu_add_name_expression(void *__program, const char *__expression);
int kbuild_cpu_compile_program(void *__program, struct kbuild_cpu_strings __options);
/* The results are valid until the program is destroyed. */
int kbuild_cpu_program_image(const char **__image, size_t *__bytes, void *__program);
int kbuild_cpu_program_log(const char **__log, size_t *__bytes, void *__program);
int kbuild_cpu_lowered_name(const char **__symbol, void *__program, const char *__expression);

#ifdef __cplusplus
}
#endif
#endif
