/* For sources that include this CUDA header for the version of CUDA.  The backend does not have the
 * driver API. */
#pragma once
#include "kbuild_cpu/language.h"
#define CUDA_VERSION 13000
