#error "kbuild: the cpu backend has no half precision: hip/hip_fp16.h"
