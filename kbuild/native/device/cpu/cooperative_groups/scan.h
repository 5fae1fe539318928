/* For sources that include this CUDA header. */
#pragma once
#include "../kbuild_cpu/cooperative_groups/scan.h"
