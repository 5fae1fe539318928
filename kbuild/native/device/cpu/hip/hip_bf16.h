#error "kbuild: the cpu backend has no bfloat16: hip/hip_bf16.h"
