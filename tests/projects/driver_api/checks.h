/* Prints each result that is not the expected one. */
#include <cuda.h>
#include <stdio.h>

static int failures;

static void expect(const char *what, long long found, long long expected, int line) {
    if (found == expected) return;
    printf("line %d: %s is %lld instead of %lld\n", line, what, found, expected);
    ++failures;
}

#define EXPECT(what, expected) expect(#what, (long long)(what), (long long)(expected), __LINE__)
#define CHECK(call) EXPECT(call, CUDA_SUCCESS)
