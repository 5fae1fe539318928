#pragma once
#include <kbuild/kbuild.h>

KBUILD_KERNEL void fail(int code);
KBUILD_KERNEL void fail_late(int code);
