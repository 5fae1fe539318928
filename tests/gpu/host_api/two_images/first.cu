#include "source.cuh"

int copy_in_first(int value) { return copy_number(value); }
int read_in_first() { return read_number(); }
