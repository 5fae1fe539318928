/* CUDA's vector types and dim3, which the host also uses. */
#ifndef KBUILD_CPU_VECTOR_TYPES_H
#define KBUILD_CPU_VECTOR_TYPES_H

#include "qualifiers.h"

#include <kbuild/vector_types.hpp>

#endif
