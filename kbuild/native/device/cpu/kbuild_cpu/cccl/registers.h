/* cuda::ptx::get_sreg_*: which lane and thread runs. */
#ifndef KBUILD_CPU_CCCL_REGISTERS_H
#define KBUILD_CPU_CCCL_REGISTERS_H

#include "namespaces.h"
#include "ptx.h"

#pragma GCC system_header

KBUILD_CPU_CCCL_PTX

#define KBUILD_CPU_REGISTER(name, value) \
    template <class = void> \
    unsigned int KBUILD_NEEDS_BLOCK get_sreg_##name() { \
        return value; \
    }
#define KBUILD_CPU_REGISTERS(name, variable) \
    KBUILD_CPU_REGISTER(name##_x, ::variable.x) \
    KBUILD_CPU_REGISTER(name##_y, ::variable.y) \
    KBUILD_CPU_REGISTER(name##_z, ::variable.z)

KBUILD_CPU_REGISTER(laneid, ::kbuild_cpu::ptx::lane())
KBUILD_CPU_REGISTER(lanemask_eq, 1u << ::kbuild_cpu::ptx::lane())
KBUILD_CPU_REGISTER(lanemask_lt, (1u << ::kbuild_cpu::ptx::lane()) - 1)
KBUILD_CPU_REGISTER(lanemask_le, (2u << ::kbuild_cpu::ptx::lane()) - 1)
KBUILD_CPU_REGISTER(lanemask_ge, ~((1u << ::kbuild_cpu::ptx::lane()) - 1))
KBUILD_CPU_REGISTER(lanemask_gt, ~((2u << ::kbuild_cpu::ptx::lane()) - 1))
KBUILD_CPU_REGISTERS(tid, threadIdx)
KBUILD_CPU_REGISTERS(ntid, blockDim)
KBUILD_CPU_REGISTERS(ctaid, blockIdx)
KBUILD_CPU_REGISTERS(nctaid, gridDim)

#undef KBUILD_CPU_REGISTERS
#undef KBUILD_CPU_REGISTER

KBUILD_CPU_CCCL_PTX_END

#endif
