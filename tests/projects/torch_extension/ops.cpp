#include <torch/csrc/utils/pybind.h>
#include <torch/library.h>

#include <string>

#ifdef EXTENSION_OFFSET
#error "options of nvcc must not reach C++ sources"
#endif

at::Tensor scale_cuda(const at::Tensor& input);

TORCH_LIBRARY(torch_extension_test, m) { m.def("scale(Tensor input) -> Tensor"); }
TORCH_LIBRARY_IMPL(torch_extension_test, CUDA, m) { m.impl("scale", &scale_cuda); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("scale", &scale_cuda);
    m.def("text", [] { return std::string(TEXT); });
}
