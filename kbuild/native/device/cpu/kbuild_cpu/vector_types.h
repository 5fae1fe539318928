/* CUDA's vector types and dim3, which hosts see too. */
#ifndef KBUILD_CPU_VECTOR_TYPES_H
#define KBUILD_CPU_VECTOR_TYPES_H

#include "qualifiers.h"

#include <kbuild/vector_types.hpp>

#endif
