#include "source.cuh"

int copy_in_second(int value) { return copy_number(value); }
int read_in_second() { return read_number(); }
