/* Thrust's header. Thrust's CUDA system also includes the headers below, and sources rely on it. */
#pragma once
#pragma GCC system_header
#include_next <thrust/system/cpp/detail/sort.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>
#include <thrust/transform_reduce.h>
#include <thrust/zip_function.h>
