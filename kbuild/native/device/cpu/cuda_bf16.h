#error "kbuild: the cpu backend has no bfloat16: cuda_bf16.h"
