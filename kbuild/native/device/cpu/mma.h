#error "kbuild: the cpu backend has no matrix operations (wmma): mma.h"
