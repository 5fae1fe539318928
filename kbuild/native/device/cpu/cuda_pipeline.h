#error "kbuild: the cpu backend has no asynchronous copies: cuda_pipeline.h"
