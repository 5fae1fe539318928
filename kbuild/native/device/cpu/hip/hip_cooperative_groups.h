#error "kbuild: the cpu backend does not support cooperative groups: hip/hip_cooperative_groups.h"
