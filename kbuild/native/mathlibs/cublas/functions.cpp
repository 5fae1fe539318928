// The functions of the table.
#include "cublas/exported.hpp"

#include "cublas/blas.hpp"
#include "cublas/handle.hpp"

#include <array>

namespace {
using namespace kbuild::mathlibs;
#include "cublas_templates.inc"
}  // namespace

#include "cublas_functions.inc"
