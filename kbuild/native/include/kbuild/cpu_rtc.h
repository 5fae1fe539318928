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
/* An image, the same as text that ends with a null character, and the image again if it is for a later
 * link with optimization. */
enum kbuild_cpu_program_output {
    KBUILD_CPU_OUTPUT_IMAGE,
    KBUILD_CPU_OUTPUT_TEXT,
    KBUILD_CPU_OUTPUT_LINKABLE,
    KBUILD_CPU_OUTPUTS
};
/* The results are valid until the program is destroyed. */
int kbuild_cpu_get_program_output(const char **__output, size_t *__bytes, void *__program,
                                  enum kbuild_cpu_program_output __kind);
int kbuild_cpu_program_log(const char **__log, size_t *__bytes, void *__program);
int kbuild_cpu_lowered_name(const char **__symbol, void *__program, const char *__expression);

/* Links of relocatable images: what kbuild compiles with -rdc=true or -dc in the places of cubins, PTX, fat
 * binaries, and LTO IR, and objects and archives with such code.  Results are those of enum kbuild_cpu_error. */

/* The options of the vendor's functions that load and link: their numbers and values. */
struct kbuild_cpu_jit_options {
    unsigned count;
    const int *names;
    void **values;
};
/* Writes the buffers and values among the options that a call returns: logs, their sizes, and the time. */
void kbuild_cpu_return_jit_results(struct kbuild_cpu_jit_options __options, const char *__log,
                                   float __milliseconds);

/* The functions below return results through the options, which are valid until the link is destroyed. */
int kbuild_cpu_create_link(void **__link, struct kbuild_cpu_jit_options __options);
void kbuild_cpu_destroy_link(void *__link);
/* The bytes are copied.  The name is for messages, and can be null. */
int kbuild_cpu_add_to_link(void *__link, const void *__data, size_t __bytes, const char *__name);
int kbuild_cpu_add_file_to_link(void *__link, const char *__path);
int kbuild_cpu_complete_link(void *__link);
/* The results are valid until the link is destroyed. */
int kbuild_cpu_get_linked_image(const char **__image, size_t *__bytes, void *__link);
int kbuild_cpu_get_linked_text(const char **__text, size_t *__bytes, void *__link);
/* The messages of the failures, with a line break after each. */
void kbuild_cpu_get_link_log(const char **__log, size_t *__bytes, void *__link);

#ifdef __cplusplus
}
#endif
#endif
