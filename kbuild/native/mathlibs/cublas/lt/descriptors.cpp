// Descriptors of cuBLASLt, and their attributes.
#include "cublas/exported.hpp"

#include "cublas/lt/descriptors.hpp"

#include <cstddef>
#include <new>

namespace {

using namespace kbuild::mathlibs;

// Where an attribute is in the content of a descriptor.
struct Attribute {
    int number;
    std::size_t offset;
    std::size_t bytes;
};

#define KBUILD_ATTRIBUTE(number, Content, member) \
    {number, offsetof(Content, member), sizeof(Content::member)}

constexpr Attribute layout_attributes[] = {
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_TYPE, Layout, type),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ORDER, Layout, order),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_ROWS, Layout, rows),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_COLS, Layout, columns),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_LD, Layout, leading),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, Layout, batch_count),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, Layout, batch_offset),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, Layout, plane_offset),
};

constexpr Attribute matmul_attributes[] = {
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, MatmulDescription, compute),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_SCALE_TYPE, MatmulDescription, scale),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_POINTER_MODE, MatmulDescription, pointer_mode),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSA, MatmulDescription, transa),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSB, MatmulDescription, transb),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_TRANSC, MatmulDescription, transc),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_FILL_MODE, MatmulDescription, fill),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE, MatmulDescription, epilogue),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_POINTER, MatmulDescription, bias),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, MatmulDescription, bias_stride),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, MatmulDescription, auxiliary),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, MatmulDescription, auxiliary_leading),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, MatmulDescription,
                     auxiliary_stride),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, MatmulDescription,
                     alpha_stride),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, MatmulDescription, sm_count_target),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, MatmulDescription, scales[0]),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, MatmulDescription, scales[1]),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_C_SCALE_POINTER, MatmulDescription, scales[2]),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, MatmulDescription, scales[3]),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, MatmulDescription, largest),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE, MatmulDescription,
                     auxiliary_type),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER, MatmulDescription,
                     auxiliary_scale),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER, MatmulDescription,
                     auxiliary_largest),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_FAST_ACCUM, MatmulDescription, fast_accumulation),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, MatmulDescription, bias_type),
};

constexpr Attribute transform_attributes[] = {
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE, TransformDescription, scale),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE, TransformDescription,
                     pointer_mode),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, TransformDescription, transa),
    KBUILD_ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, TransformDescription, transb),
};

constexpr Attribute preference_attributes[] = {
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_SEARCH_MODE, Preference, search),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, Preference, workspace_bytes),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, Preference, reductions),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, Preference, alignment_A),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, Preference, alignment_B),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, Preference, alignment_C),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, Preference, alignment_D),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT, Preference, waves),
    KBUILD_ATTRIBUTE(CUBLASLT_MATMUL_PREF_IMPL_MASK, Preference, implementations),
};

template <std::size_t count>
const Attribute* find(const Attribute (&attributes)[count], int number) {
    for (const auto& attribute : attributes)
        if (attribute.number == number) return &attribute;
    return nullptr;
}

template <class Opaque, std::size_t count>
cublasStatus_t set_attribute(Opaque* descriptor, const Attribute (&attributes)[count], int number,
                             const void* buffer, std::size_t bytes) {
    const auto* const found = find(attributes, number);
    if (descriptor == nullptr || found == nullptr || buffer == nullptr || bytes != found->bytes)
        return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(reinterpret_cast<char*>(descriptor) + found->offset, buffer, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

// Without bytes, only returns how many there are.
template <class Opaque, std::size_t count>
cublasStatus_t get_attribute(const Opaque* descriptor, const Attribute (&attributes)[count],
                             int number, void* buffer, std::size_t bytes, std::size_t* written) {
    const auto* const found = find(attributes, number);
    if (descriptor == nullptr || found == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes == 0 && written == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if (bytes != 0 && (buffer == nullptr || bytes < found->bytes))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (written != nullptr) *written = found->bytes;
    if (bytes != 0)
        std::memcpy(buffer, reinterpret_cast<const char*>(descriptor) + found->offset,
                    found->bytes);
    return CUBLAS_STATUS_SUCCESS;
}

// Writes the content into a descriptor of the program, which can be older and smaller.
template <class Opaque, class Content>
cublasStatus_t initialize(Opaque* descriptor, std::size_t bytes, const Content& content) {
    static_assert(sizeof content <= sizeof *descriptor);
    if (descriptor == nullptr || bytes < sizeof content) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(static_cast<void*>(descriptor), &content, sizeof content);
    return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque, class Content>
cublasStatus_t create(Opaque** descriptor, const Content& content) {
    if (descriptor == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *descriptor = new (std::nothrow) Opaque{};
    if (*descriptor == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
    return initialize(*descriptor, sizeof(Opaque), content);
}

template <class Opaque>
cublasStatus_t destroy(Opaque* descriptor) {
    delete descriptor;
    return CUBLAS_STATUS_SUCCESS;
}

Layout describe_layout(cudaDataType type, std::uint64_t rows, std::uint64_t columns,
                       std::int64_t leading) {
    Layout layout = {};
    layout.type = type;
    layout.rows = rows;
    layout.columns = columns;
    layout.leading = leading;
    return layout;
}
MatmulDescription describe_matmul(cublasComputeType_t compute, cudaDataType scale) {
    MatmulDescription description = {};
    description.compute = compute;
    description.scale = scale;
    return description;
}
TransformDescription describe_transform(cudaDataType scale) {
    TransformDescription description = {};
    description.scale = scale;
    return description;
}

}  // namespace

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes,
                                                 cudaDataType type, uint64_t rows, uint64_t columns,
                                                 int64_t leading) {
    return initialize(layout, bytes, describe_layout(type, rows, columns, leading));
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t leading) {
    return create(layout, describe_layout(type, rows, columns, leading));
}
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t description, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
    return initialize(description, bytes, describe_matmul(compute, scale));
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
    return create(description, describe_matmul(compute, scale));
}
cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t description,
                                                        size_t bytes, cudaDataType scale) {
    return initialize(description, bytes, describe_transform(scale));
}
cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t* description,
                                                 cudaDataType scale) {
    return create(description, describe_transform(scale));
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                                     size_t bytes) {
    return initialize(preference, bytes, Preference());
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
    return create(preference, Preference());
}

#define KBUILD_DESCRIPTOR(Name, Type, Attribute, attributes) \
    cublasStatus_t cublasLt##Name##Destroy(Type descriptor) { return destroy(descriptor); } \
    cublasStatus_t cublasLt##Name##SetAttribute(Type descriptor, Attribute number, \
                                                const void* buffer, size_t bytes) { \
        return set_attribute(descriptor, attributes, number, buffer, bytes); \
    } \
    cublasStatus_t cublasLt##Name##GetAttribute(Type descriptor, Attribute number, void* buffer, \
                                                size_t bytes, size_t* written) { \
        return get_attribute(descriptor, attributes, number, buffer, bytes, written); \
    }

KBUILD_DESCRIPTOR(MatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t,
                  layout_attributes)
KBUILD_DESCRIPTOR(MatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t,
                  matmul_attributes)
KBUILD_DESCRIPTOR(MatrixTransformDesc, cublasLtMatrixTransformDesc_t,
                  cublasLtMatrixTransformDescAttributes_t, transform_attributes)
KBUILD_DESCRIPTOR(MatmulPreference, cublasLtMatmulPreference_t,
                  cublasLtMatmulPreferenceAttributes_t, preference_attributes)
