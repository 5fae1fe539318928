#error "kbuild: the cpu backend does not support cooperative groups: cooperative_groups.h"
