#include "vector.h"

#include <stdio.h>

int main(void)
{
    const double a[] = { 1, 2, 3 }, b[] = { 10, 20, 30 };
    double sum[3];
    const int error = add_vectors(3, a, b, sum);

    if (error) {
        fprintf(stderr, "program: error %d\n", error);
        return 1;
    }
    printf("%g %g %g\n", sum[0], sum[1], sum[2]);
    return 0;
}
