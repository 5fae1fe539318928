#error "kbuild: the cpu backend does not support asynchronous copies: cuda_pipeline.h"
