// Lists of functions under test. A source defines a list as a macro with one entry per function:
//
//     #define FUNCTIONS(F1, F2, F3)
//         F2(__mulhi, 0, ANY, int, int, int, __mulhi(a, b))
//
// An entry has a label, the allowed ulps, the domain of the inputs, the type of the result, the types
// of the inputs, and an expression in the inputs a, b, and c. CONFORMANCE_MAIN tests all entries.
#ifndef KBUILD_CONFORMANCE_FUNCTIONS_HPP
#define KBUILD_CONFORMANCE_FUNCTIONS_HPP

#include "conformance.hpp"

#define ANY conformance::Domain{}
#define BETWEEN(low, high) conformance::Domain{low, high}

namespace conformance {

template <class Function, class Out, class... In>
__global__ void apply(const In*... in, Out* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = Function()(in[i]...);
}

template <class Function, class Out, class... In>
void run_function(const char* name, unsigned ulp, Domain domain) {
    run<Out, In...>(name, static_cast<void (*)(const In*..., Out*, int)>(apply<Function, Out, In...>),
                    ulp, domain);
}

}  // namespace conformance

#define CONFORMANCE_DEFINE_1(label, ulp, domain, Out, A, expression)         \
    struct test_##label {                                                    \
        __device__ Out operator()(A a) const { return expression; }          \
    };
#define CONFORMANCE_DEFINE_2(label, ulp, domain, Out, A, B, expression)      \
    struct test_##label {                                                    \
        __device__ Out operator()(A a, B b) const { return expression; }     \
    };
#define CONFORMANCE_DEFINE_3(label, ulp, domain, Out, A, B, C, expression)   \
    struct test_##label {                                                    \
        __device__ Out operator()(A a, B b, C c) const { return expression; } \
    };
#define CONFORMANCE_RUN_1(label, ulp, domain, Out, A, expression) \
    conformance::run_function<test_##label, Out, A>(#label, ulp, domain);
#define CONFORMANCE_RUN_2(label, ulp, domain, Out, A, B, expression) \
    conformance::run_function<test_##label, Out, A, B>(#label, ulp, domain);
#define CONFORMANCE_RUN_3(label, ulp, domain, Out, A, B, C, expression) \
    conformance::run_function<test_##label, Out, A, B, C>(#label, ulp, domain);

#define CONFORMANCE_MAIN(list)                                                    \
    list(CONFORMANCE_DEFINE_1, CONFORMANCE_DEFINE_2, CONFORMANCE_DEFINE_3)        \
    int main() { list(CONFORMANCE_RUN_1, CONFORMANCE_RUN_2, CONFORMANCE_RUN_3) }

#endif
