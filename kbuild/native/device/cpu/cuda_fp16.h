#error "kbuild: the cpu backend does not support half precision: cuda_fp16.h"
