/* The context switch for x86-64, System V ABI.  It saves the registers that a called function must
 * preserve, except the floating-point control words, which all fibers of a launch share.
 *
 * This file intentionally has no CET property note.  A shadow stack forbids returning on another
 * stack, and without the note the loader does not enable one. */
#if defined(__x86_64__)

    .text

/* Saves registers on the stack, and its address at (%rdi).  The last one is what the function returns when the
 * fiber continues. */
    .macro save result
    .cfi_startproc
    pushq   %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    pushq   %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbx, 0
    pushq   %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    pushq   %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r13, 0
    pushq   %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r14, 0
    pushq   %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r15, 0
    pushq   \result
    .cfi_adjust_cfa_offset 8
    movq    %rsp, (%rdi)
    .endm

/* Loads the registers at the stack pointer.  Only the return address remains on the stack. */
    .macro restore
    popq    %rax
    .cfi_adjust_cfa_offset -8
    popq    %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r15
    popq    %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r14
    popq    %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r13
    popq    %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r12
    popq    %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbx
    popq    %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbp
    .endm

    .macro begin name
    .globl  \name
    .hidden \name
    .type   \name, @function
    .p2align 4
\name:
    .endm

/* const void* kbuild_cpu_fiber_switch(void** save, void* resume, const void* result)
 * Both stacks have the same layout when they are swapped, so one set of CFI describes both. */
    begin   kbuild_cpu_fiber_switch
    save    %rdx
    movq    %rsi, %rsp
    restore
    ret
    .cfi_endproc
    .size   kbuild_cpu_fiber_switch, . - kbuild_cpu_fiber_switch

/* const void* kbuild_cpu_fiber_start(void** save, void* top, void (*body)(void*), void* argument,
 *                                    void* const* caller, const void* result)
 * Calls body(argument), which does not return. */
    begin   kbuild_cpu_fiber_start
    save    %r9
    .cfi_endproc
    /* From here on, %r13 points to the stack pointer that was saved for the caller.  The CFI describes the
     * caller's frame as the caller of this function, so that debuggers and backtrace(3) continue from the kernel
     * to the launch. */
    .cfi_startproc
    /* CFA = *%r13 + 64: DW_CFA_def_cfa_expression, 5 bytes: DW_OP_breg13 0, DW_OP_deref,
     * DW_OP_plus_uconst 64 */
    .cfi_escape 0x0f, 0x05, 0x7d, 0x00, 0x06, 0x23, 0x40
    .cfi_offset %rip, -8
    .cfi_offset %rbp, -16
    .cfi_offset %rbx, -24
    .cfi_offset %r12, -32
    .cfi_offset %r13, -40
    .cfi_offset %r14, -48
    .cfi_offset %r15, -56
    movq    %r8, %r13
    andq    $-16, %rsi
    movq    %rsi, %rsp
    leaq    .Lreturn(%rip), %rax
    pushq   %rax
    movq    %rcx, %rdi
    jmp     *%rdx
.Lreturn:
    ud2
    .cfi_endproc
    .size   kbuild_cpu_fiber_start, . - kbuild_cpu_fiber_start

/* void kbuild_cpu_fiber_finish(void* resume) */
    begin   kbuild_cpu_fiber_finish
    .cfi_startproc
    movq    %rdi, %rsp
    .cfi_adjust_cfa_offset 56
    .cfi_rel_offset %rbp, 48
    .cfi_rel_offset %rbx, 40
    .cfi_rel_offset %r12, 32
    .cfi_rel_offset %r13, 24
    .cfi_rel_offset %r14, 16
    .cfi_rel_offset %r15, 8
    restore
    popq    %rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register %rip, %rcx
    jmp     *%rcx
    .cfi_endproc
    .size   kbuild_cpu_fiber_finish, . - kbuild_cpu_fiber_finish

#endif

    .section .note.GNU-stack, "", %progbits
