/* Integers of a fixed size, as in <stdint.h>.
 *
 * CUDA's headers do not include <stdint.h>, so a source that uses its names needs to include it. The headers that
 * kbuild includes at the start of each source have these names instead. */
#ifndef KBUILD_DETAIL_INTEGERS_H
#define KBUILD_DETAIL_INTEGERS_H

typedef __INT8_TYPE__ kbuild_int8;
typedef __UINT8_TYPE__ kbuild_uint8;
typedef __UINT16_TYPE__ kbuild_uint16;
typedef __INT16_TYPE__ kbuild_int16;
typedef __INT32_TYPE__ kbuild_int32;
typedef __UINT32_TYPE__ kbuild_uint32;
typedef __INT64_TYPE__ kbuild_int64;
typedef __UINT64_TYPE__ kbuild_uint64;
typedef __UINTPTR_TYPE__ kbuild_uintptr;

#endif
