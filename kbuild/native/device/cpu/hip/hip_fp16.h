#error "kbuild: the cpu backend does not support half precision: hip/hip_fp16.h"
