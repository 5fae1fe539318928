#include <vector_kernels_kernels.hpp>

#include <cstdio>

int main()
{
    double values[3] = {1, 2, 3};
    const auto error = kbuild::launch(vectors::negate, {1, 32}, vectors::Range{1, 3}, values);
    if (error) {
        std::fprintf(stderr, "%s\n", error.message());
        return 1;
    }
    return values[0] == 1 && values[1] == -2 && values[2] == -3 ? 0 : 2;
}
