#error "kbuild: the cpu backend has no cooperative groups: cooperative_groups.h"
