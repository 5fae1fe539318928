// What NVIDIA's opaque descriptors contain here.
#ifndef KBUILD_MATHLIBS_CUBLAS_LT_DESCRIPTORS_HPP
#define KBUILD_MATHLIBS_CUBLAS_LT_DESCRIPTORS_HPP

#include <cublasLt.h>

#include <cstdint>
#include <cstring>

namespace kbuild::mathlibs {

struct Layout {
    std::int32_t type;
    std::int32_t order = CUBLASLT_ORDER_COL;
    std::uint64_t rows, columns;
    std::int64_t leading;
    std::int32_t batch_count = 1;
    std::int64_t batch_offset = 0;
    std::int64_t plane_offset = 0;
};

struct MatmulDescription {
    std::int32_t compute, scale;
    std::int32_t pointer_mode = CUBLASLT_POINTER_MODE_HOST;
    std::int32_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N, transc = CUBLAS_OP_N;
    std::int32_t fill = CUBLAS_FILL_MODE_FULL;
    std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    const void* bias = nullptr;
    std::int64_t bias_stride = 0;
    void* auxiliary = nullptr;
    std::int64_t auxiliary_leading = 0, auxiliary_stride = 0, alpha_stride = 0;
    std::int32_t sm_count_target = 0;
    const void* scales[4] = {};  // of A, B, C, and D
    void* largest = nullptr;
    std::int32_t auxiliary_type = -1;
    const void* auxiliary_scale = nullptr;
    void* auxiliary_largest = nullptr;
    std::int8_t fast_accumulation = 0;
    std::int32_t bias_type = -1;
};

struct TransformDescription {
    std::int32_t scale;
    std::int32_t pointer_mode = CUBLASLT_POINTER_MODE_HOST;
    std::int32_t transa = CUBLAS_OP_N, transb = CUBLAS_OP_N;
};

struct Preference {
    std::uint32_t search = CUBLASLT_SEARCH_BEST_FIT;
    std::uint64_t workspace_bytes = 0;
    std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
    std::uint32_t alignment_A = 256, alignment_B = 256, alignment_C = 256, alignment_D = 256;
    float waves = 0;
    std::uint64_t implementations = ~std::uint64_t{0};
};

// Copies the content of an opaque descriptor.
template <class Content, class Opaque>
Content read(const Opaque* descriptor) {
    static_assert(sizeof(Content) <= sizeof(Opaque));
    Content content;
    std::memcpy(static_cast<void*>(&content), descriptor, sizeof content);
    return content;
}

}  // namespace kbuild::mathlibs

#endif
