#error "kbuild: the cpu backend does not support bfloat16: cuda_bf16.h"
