// A second source. One kernel and one variable have the same names as in the first source.
__constant__ static int table[3] = {4, 5, 6};

static __global__ void own(int* p) { *p = table[2]; }
extern "C" __global__ void more(int* p, long long n) { p[n] = table[0]; }

#ifdef LAUNCHES
void launch_more(int* p)
{
    own<<<1, 1>>>(p);
    more<<<1, 1>>>(p, 1);
}
int main() { return 0; }
#endif
