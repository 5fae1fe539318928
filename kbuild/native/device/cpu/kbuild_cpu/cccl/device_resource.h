/* The memory resource of Thrust's systems for devices. */
#ifndef KBUILD_CPU_CCCL_DEVICE_RESOURCE_H
#define KBUILD_CPU_CCCL_DEVICE_RESOURCE_H

#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/new.h>

#include "device_memory.h"

#pragma GCC system_header

THRUST_NAMESPACE_BEGIN
namespace mr {

class kbuild_device_resource final : public memory_resource<> {
public:
    void *do_allocate(::std::size_t __bytes, ::std::size_t = THRUST_MR_DEFAULT_ALIGNMENT) override {
        void *__address = ::kbuild_cpu::allocate_device(__bytes);
        if (__address == nullptr && __bytes != 0) throw ::std::bad_alloc();
        return __address;
    }
    void do_deallocate(void *__address, ::std::size_t,
                       ::std::size_t = THRUST_MR_DEFAULT_ALIGNMENT) override {
        ::kbuild_cpu::free_device(__address);
    }
};

}  // namespace mr
THRUST_NAMESPACE_END

#endif
