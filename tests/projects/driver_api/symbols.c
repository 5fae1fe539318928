/* A program that declares functions itself, so that a linker must find them. */
int cuInit(unsigned);
int cuDeviceGetCount(int *);
int nvrtcVersion(int *, int *);

int main(void) {
    int count = 0, major = 0, minor = 0;
    if (cuInit(0) != 0 || cuDeviceGetCount(&count) != 0) return 1;
    return nvrtcVersion(&major, &minor) != 0 || count != 1 || major < 11;
}
