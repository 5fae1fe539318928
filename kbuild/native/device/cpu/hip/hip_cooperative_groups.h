#error "kbuild: the cpu backend has no cooperative groups: hip/hip_cooperative_groups.h"
