/* A program that declares functions itself, so that a linker must find them. */
int cuInit(unsigned);
int cuDeviceGetCount(int *);
int nvrtcVersion(int *, int *);
int nvmlDeviceGetCount_v2(unsigned *);
int check_management(void);

int main(void) {
    int count = 0, major = 0, minor = 0;
    unsigned devices = 0;
    if (cuInit(0) != 0 || cuDeviceGetCount(&count) != 0) return 1;
    if (nvrtcVersion(&major, &minor) != 0 || count != 1 || major < 11) return 2;
    if (nvmlDeviceGetCount_v2(&devices) != 1) return 3; /* not initialized */
    return check_management() != 0 ? 4 : 0;
}
