/* The directions that conversions round in. */
#ifndef KBUILD_CPU_DEVICE_TYPES_H
#define KBUILD_CPU_DEVICE_TYPES_H

#pragma GCC system_header

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

#endif
