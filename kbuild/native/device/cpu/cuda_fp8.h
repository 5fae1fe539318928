#error "kbuild: the cpu backend does not support fp8: cuda_fp8.h"
