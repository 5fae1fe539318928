#error "kbuild: the cpu backend has no fp8: cuda_fp8.h"
