/* Milliseconds that dlopen of the first library takes, the second one being there already. */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

int main(int count, char **words)
{
    double start;
    if (count != 3 || dlopen(words[2], RTLD_NOW | RTLD_GLOBAL) == 0) {
        fprintf(stderr, "load LIBRARY RUNTIME: %s\n", dlerror());
        return 2;
    }
    start = now();
    if (dlopen(words[1], RTLD_NOW) == 0) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    printf("%f\n", now() - start);
    return 0;
}
