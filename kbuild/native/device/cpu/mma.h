#error "kbuild: the cpu backend does not support matrix operations (wmma): mma.h"
