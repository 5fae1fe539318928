#error "kbuild: the cpu backend does not support bfloat16: hip/hip_bf16.h"
