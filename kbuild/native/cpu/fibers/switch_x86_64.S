/* The context switch for x86-64, System V ABI.  It saves the registers that a called function must
 * preserve, except the floating-point control words, which all fibers of a launch share.
 *
 * This file intentionally has no CET property note.  A shadow stack forbids returning on another
 * stack, and without the note the loader does not enable one. */
#if defined(__x86_64__)

    .text

/* const void* kbuild_cpu_fiber_switch(void** save, void* resume, const void* value)
 * Returns the value in the other fiber.  Both stacks have the same layout when they are swapped, so one set of CFI describes both. */
    .globl  kbuild_cpu_fiber_switch
    .hidden kbuild_cpu_fiber_switch
    .type   kbuild_cpu_fiber_switch, @function
    .p2align 4
kbuild_cpu_fiber_switch:
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

    movq    %rdx, %rax
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp

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
    ret
    .cfi_endproc
    .size   kbuild_cpu_fiber_switch, . - kbuild_cpu_fiber_switch

/* The first return address of a new fiber: calls %rbx(%r12), which does not return.
 *
 * %r13 points to the stack pointer that kbuild_cpu_fiber_switch saved for the caller.  The CFI
 * describes the caller's frame as the caller of this function, so that debuggers and backtrace(3)
 * continue from the kernel to the launch. */
    .globl  kbuild_cpu_fiber_entry
    .hidden kbuild_cpu_fiber_entry
    .type   kbuild_cpu_fiber_entry, @function
    .p2align 4
kbuild_cpu_fiber_entry:
    .cfi_startproc
    /* CFA = *%r13 + 56: DW_CFA_def_cfa_expression, 5 bytes: DW_OP_breg13 0, DW_OP_deref,
     * DW_OP_plus_uconst 56 */
    .cfi_escape 0x0f, 0x05, 0x7d, 0x00, 0x06, 0x23, 0x38
    .cfi_offset %rip, -8
    .cfi_offset %rbp, -16
    .cfi_offset %rbx, -24
    .cfi_offset %r12, -32
    .cfi_offset %r13, -40
    .cfi_offset %r14, -48
    .cfi_offset %r15, -56
    movq    %r12, %rdi
    callq   *%rbx
    ud2
    .cfi_endproc
    .size   kbuild_cpu_fiber_entry, . - kbuild_cpu_fiber_entry

#endif

    .section .note.GNU-stack, "", %progbits
