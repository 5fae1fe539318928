// GCC's parallel mode, with as many threads as OpenMP uses.
#include <parallel/algorithm>

void sort_by_peer(unsigned* first, unsigned* last) { __gnu_parallel::sort(first, last); }
void sort_by_peer(float* first, float* last) { __gnu_parallel::sort(first, last); }
