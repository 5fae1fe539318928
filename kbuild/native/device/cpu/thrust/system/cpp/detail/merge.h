/* Thrust's header. Thrust's CUDA system also includes the headers below, and sources rely on it. */
#pragma once
#pragma GCC system_header
#include_next <thrust/system/cpp/detail/merge.h>
#include <thrust/fill.h>
#include <thrust/generate.h>
#include <thrust/iterator/iterator_adaptor.h>
#include <thrust/memory.h>
#include <thrust/uninitialized_fill.h>
#include <thrust/zip_function.h>
