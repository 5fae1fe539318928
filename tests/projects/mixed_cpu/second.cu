// A second source, with host code that the image of the first one does not contain.
#include "shared.h"

bool is_second_built = true;

int add_in_host_library(int x) { return add_one(x); }

void change_variables_of_second() {
    const int number = 41;
    const char* const word = "c";
    cudaMemcpyToSymbol(number_in_header, &number, sizeof number);
    cudaMemcpyToSymbol(in_header::words, &word, sizeof word, sizeof word);
}

int launch_from_second() {
    int value = 0;
    shared_template<<<1, 1>>>(&value);
    int variables[2] = {0, 0};
    read_header<<<1, 1>>>(variables);
    cudaDeviceSynchronize();
    int inlined = 0;
    read_inline<<<1, 1>>>(&inlined);
    cudaDeviceSynchronize();
    return value + variables[0] - 41 + variables[1] - 'c' + inlined - 435;
}
