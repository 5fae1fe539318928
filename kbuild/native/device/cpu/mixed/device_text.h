#if defined(__clang__)
#define __kbuild_initialized__ __attribute__((require_constant_initialization))
#else
#define __kbuild_initialized__ __constinit
#endif
#define __kbuild_device__
#define __kbuild_constant__
#define __kbuild_managed__
#define __kbuild_host__
struct kbuild_cpu_variable_row {
    const volatile void *address;
    unsigned long size, kind, unused;
};
#define __kbuild_row__(number, address, size, kind) \
    static struct kbuild_cpu_variable_row kbuild_row_##number __attribute__(( \
        section(".kbuild_variables"), used, aligned(32))) = {address, size, kind, 0};
#define __kbuild_template__(name, kind) \
    __asm__(".pushsection .kbuild_variable_templates, \"\", %progbits\n.asciz \"" #kind name \
            "\"\n.popsection");
__asm__(".pushsection .kbuild_variables, \"aw\", %progbits\n.popsection");
