#error "kbuild: the cpu backend has no half precision: cuda_fp16.h"
