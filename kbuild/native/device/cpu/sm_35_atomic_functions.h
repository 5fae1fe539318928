/* For sources that include this CUDA header. */
#pragma once
#include "kbuild_cpu/language.h"
