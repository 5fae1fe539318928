// Scalars whose types are arguments.
#ifndef KBUILD_MATHLIBS_CUBLAS_TYPED_SCALAR_HPP
#define KBUILD_MATHLIBS_CUBLAS_TYPED_SCALAR_HPP

#include "cublas/handle.hpp"
#include "cublas/numbers.hpp"

namespace kbuild::mathlibs {

// A scalar of the host, which the call reads, or of the device, which the operation reads.
class TypedScalar {
public:
    TypedScalar(const Call& call, cudaDataType type, const void* address)
        : type_(type), address_(address) {
        if (address == nullptr || !call.is_accepted() || !call.has_host_pointers()) return;
        value_ = read_number(type, address);
        address_ = nullptr;
    }

    Number get() const { return address_ == nullptr ? value_ : read_number(type_, address_); }
    void check(Memory& memory, const char* name) const {
        if (address_ != nullptr) memory.reads(name, address_, size_of(type_));
    }

private:
    cudaDataType type_;
    const void* address_;
    Number value_;
};

}  // namespace kbuild::mathlibs

#endif
