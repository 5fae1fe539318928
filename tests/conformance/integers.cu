// Integer and bit functions of the CUDA math API.
#include "conformance.hpp"

CONFORMANCE_UNARY(__clz, int, int)
CONFORMANCE_UNARY(__popcll, int, unsigned long long)
CONFORMANCE_BINARY(__mulhi, int, int, int)

int main() {
    using conformance::run;
    run<int, int>("__clz", test___clz, 0);
    run<int, unsigned long long>("__popcll", test___popcll, 0);
    run<int, int, int>("__mulhi", test___mulhi, 0);
}
