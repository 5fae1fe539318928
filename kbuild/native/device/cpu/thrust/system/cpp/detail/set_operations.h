/* Thrust's header. Thrust's CUDA system also includes the headers below, and sources rely on it. */
#pragma once
#pragma GCC system_header
#include_next <thrust/system/cpp/detail/set_operations.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/generate.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/iterator_adaptor.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/memory.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/swap.h>
#include <thrust/transform_reduce.h>
#include <thrust/uninitialized_fill.h>
#include <thrust/zip_function.h>
