// What generated debug stubs need; included by stub units only.
#ifndef KBUILD_DEBUG_STUB_HPP
#define KBUILD_DEBUG_STUB_HPP

#include <memory>

// A parameter's type where a declarator would have to go around the name.
template <class __T>
struct kbuild_parameter {
    using __type = __T;
};

// The address of an argument, whatever its type does to operator&.
template <class __T>
void* kbuild_address_of(__T& __argument) {
    return const_cast<void*>(static_cast<const volatile void*>(std::addressof(__argument)));
}

#endif
