// Declares the library's functions with the visibility of the shared library.
#ifndef KBUILD_MATHLIBS_CUBLAS_EXPORTED_HPP
#define KBUILD_MATHLIBS_CUBLAS_EXPORTED_HPP

#pragma GCC visibility push(default)
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_api.h>
#pragma GCC visibility pop

#endif
