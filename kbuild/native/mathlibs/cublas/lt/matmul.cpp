// cuBLASLt: products with epilogues, heuristics, and transforms.
#include "cublas/exported.hpp"

#include "cublas/handle.hpp"
#include "cublas/lt/descriptors.hpp"
#include "cublas/product.hpp"

#include <cmath>
#include <limits>
#include <new>
#include <string>
#include <vector>

struct cublasLtContext {
    int unused;
};

namespace {

using namespace kbuild::mathlibs;

// Parts of NVIDIA's numbers of epilogues.
constexpr unsigned relu = 2, bias = 4, relu_gradient = 8, bias_gradient = 16, gelu = 32,
                   gelu_gradient = 64, auxiliary = 128;
constexpr unsigned known_parts = 1 | relu | bias | relu_gradient | gelu | gelu_gradient | auxiliary;

constexpr std::int64_t bits_per_byte = 8;

// A product with everything that its descriptors say, in terms of matrices that are stored by columns.
struct Matmul {
    Product product;
    MatmulDescription description;
    Layout A, B, C, D;
    bool is_swapped;  // whether the result is stored by rows, so that its transpose is computed
    cudaDataType bias_type;
    std::int64_t items;
};

bool is_by_rows(const Layout& layout) { return layout.order == CUBLASLT_ORDER_ROW; }

cublasOperation_t flip(std::int32_t operation, bool is_flipped) {
    if (!is_flipped) return static_cast<cublasOperation_t>(operation);
    return operation == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
}

cudaDataType type_of(const Layout& layout) { return static_cast<cudaDataType>(layout.type); }

// Returns why the product is not supported; null if it is.
const char* find_problem(const Matmul& matmul) {
    const auto& d = matmul.description;
    for (const auto* const layout : {&matmul.A, &matmul.B, &matmul.C, &matmul.D}) {
        if (layout->order != CUBLASLT_ORDER_COL && layout->order != CUBLASLT_ORDER_ROW)
            return "only matrices that are stored by columns or rows are supported";
        if (layout->plane_offset != 0) return "planes are not supported";
    }
    if (is_by_rows(matmul.C) != is_by_rows(matmul.D))
        return "C and D must be stored in the same order";
    if (d.pointer_mode != CUBLASLT_POINTER_MODE_HOST &&
        d.pointer_mode != CUBLASLT_POINTER_MODE_DEVICE)
        return "vectors of factors are not supported";
    if (d.transc != CUBLAS_OP_N || d.fill != CUBLAS_FILL_MODE_FULL)
        return "only a result without an operation and a fill mode is supported";
    if ((d.epilogue & ~known_parts) != 0)
        return "epilogues that compute the gradient of a bias are not supported";
    if (matmul.is_swapped && (d.epilogue & (bias | auxiliary)) != 0)  // nor is it by cuBLASLt
        return "a bias or an auxiliary matrix of a result by rows is not supported";
    for (const auto* const scale : d.scales)
        if (scale != nullptr) return "scales of 8-bit numbers are not supported";
    if (d.largest != nullptr || d.auxiliary_scale != nullptr || d.auxiliary_largest != nullptr)
        return "scales of 8-bit numbers are not supported";
    if ((d.transa == CUBLAS_OP_C && is_by_rows(matmul.A)) ||
        (d.transb == CUBLAS_OP_C && is_by_rows(matmul.B)))
        return "conjugates of matrices that are stored by rows are not supported";
    if (matmul.product.arithmetic == Arithmetic::unsupported ||
        matmul.product.scale != static_cast<cudaDataType>(d.scale) ||
        matmul.C.type != matmul.D.type)
        return "this combination of types is not supported";
    const bool is_real = matmul.product.arithmetic == Arithmetic::real32 ||
                         matmul.product.arithmetic == Arithmetic::real64;
    if (d.epilogue != CUBLASLT_EPILOGUE_DEFAULT && !is_real)
        return "epilogues of these types are not supported";
    if (d.auxiliary_type != -1 && d.auxiliary_type != matmul.D.type)
        return "an auxiliary matrix must have the type of the result";
    return nullptr;
}

bool has_valid_sizes(const Matmul& matmul) {
    const auto rows = [](const Layout& layout, std::int32_t operation) {
        return operation == CUBLAS_OP_N ? layout.rows : layout.columns;
    };
    const auto columns = [](const Layout& layout, std::int32_t operation) {
        return operation == CUBLAS_OP_N ? layout.columns : layout.rows;
    };
    const auto& d = matmul.description;
    for (const auto* const layout : {&matmul.A, &matmul.B, &matmul.C, &matmul.D}) {
        const auto extent = is_by_rows(*layout) ? layout->columns : layout->rows;
        if (layout->leading < static_cast<std::int64_t>(std::max<std::uint64_t>(1, extent)) ||
            layout->batch_count != matmul.D.batch_count || layout->batch_count < 1)
            return false;
    }
    return rows(matmul.A, d.transa) == matmul.D.rows &&
           columns(matmul.B, d.transb) == matmul.D.columns &&
           columns(matmul.A, d.transa) == rows(matmul.B, d.transb) &&
           matmul.C.rows == matmul.D.rows && matmul.C.columns == matmul.D.columns;
}

Matmul describe(const cublasLtMatmulDescOpaque_t* description,
                const cublasLtMatrixLayoutOpaque_t* A, const cublasLtMatrixLayoutOpaque_t* B,
                const cublasLtMatrixLayoutOpaque_t* C, const cublasLtMatrixLayoutOpaque_t* D) {
    Matmul matmul = {};
    matmul.description = read<MatmulDescription>(description);
    matmul.A = read<Layout>(A);
    matmul.B = read<Layout>(B);
    matmul.C = read<Layout>(C);
    matmul.D = read<Layout>(D);
    const auto& d = matmul.description;
    matmul.is_swapped = is_by_rows(matmul.D);
    matmul.items = matmul.D.batch_count;
    const auto transa = flip(d.transa, is_by_rows(matmul.A)),
               transb = flip(d.transb, is_by_rows(matmul.B));
    const auto inner = d.transa == CUBLAS_OP_N ? matmul.A.columns : matmul.A.rows;
    auto& p = matmul.product;
    p.m = static_cast<std::int64_t>(matmul.D.rows);
    p.n = static_cast<std::int64_t>(matmul.D.columns);
    p.k = static_cast<std::int64_t>(inner);
    p.transa = transa;
    p.transb = transb;
    p.A = {type_of(matmul.A), matmul.A.leading};
    p.B = {type_of(matmul.B), matmul.B.leading};
    p.C = {type_of(matmul.D), matmul.D.leading};
    if (matmul.is_swapped) {
        std::swap(p.m, p.n);
        std::swap(p.A, p.B);
        p.transa = flip(transb, true);
        p.transb = flip(transa, true);
    }
    choose_arithmetic(p, static_cast<cublasComputeType_t>(d.compute));
    matmul.bias_type =
        d.bias_type == -1 ? type_of(matmul.D) : static_cast<cudaDataType>(d.bias_type);
    return matmul;
}

double compute_gelu(double x) {
    constexpr double factor = 0.7978845608028654;  // sqrt(2 / pi)
    return 0.5 * x * (1 + std::tanh(factor * (x + 0.044715 * x * x * x)));
}

double compute_gelu_gradient(double x) {
    constexpr double factor = 0.7978845608028654;
    const double t = std::tanh(factor * (x + 0.044715 * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * factor * (1 + 3 * 0.044715 * x * x);
}

// Memory of one item of a batch.
struct Item {
    const char* A;
    const char* B;
    const char* C;
    char* D;
    const char* bias;
    char* auxiliary;
};

double read_real(cudaDataType type, const char* start, std::int64_t index) {
    return read_number(type, start + index * size_of(type)).real();
}

void write_real(cudaDataType type, char* start, std::int64_t index, double value) {
    with_type(type, [&](auto example) {
        using T = decltype(example);
        if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16> ||
                      std::is_floating_point_v<T>)
            reinterpret_cast<T*>(start)[index] = convert<T>(value);
    });
}

// What follows the product, for one element. `row` and `column` are those of the result.
double apply_epilogue(const Matmul& matmul, const Item& item, std::int64_t row, std::int64_t column,
                      double value) {
    const auto& d = matmul.description;
    const auto at = row + column * d.auxiliary_leading;
    const auto type = type_of(matmul.D);
    if ((d.epilogue & relu_gradient) != 0) {
        const bool is_kept = (item.auxiliary[at / bits_per_byte] >> (at % bits_per_byte) & 1) != 0;
        return is_kept ? value : 0;
    }
    if ((d.epilogue & gelu_gradient) != 0)
        return value * compute_gelu_gradient(read_real(type, item.auxiliary, at));
    if ((d.epilogue & bias) != 0) value += read_real(matmul.bias_type, item.bias, row);
    if ((d.epilogue & relu) != 0) {
        if ((d.epilogue & auxiliary) != 0) {
            auto& byte = item.auxiliary[at / bits_per_byte];
            const auto bit = static_cast<char>(1 << (at % bits_per_byte));
            byte = static_cast<char>(value > 0 ? byte | bit : byte & ~bit);
        }
        return value > 0 ? value : 0;
    }
    if ((d.epilogue & gelu) != 0) {
        if ((d.epilogue & auxiliary) != 0) write_real(type, item.auxiliary, at, value);
        return compute_gelu(value);
    }
    return value;
}

template <class T>
T to_arithmetic(Number number) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(number.real());
    else
        return T(static_cast<typename T::value_type>(number.real()),
                 static_cast<typename T::value_type>(number.imag()));
}

// Copies C to D, which the product adds to.
void copy_summand(const Matmul& matmul, const Item& item) {
    if (item.C == item.D && matmul.C.leading == matmul.D.leading) return;
    const auto& p = matmul.product;
    const auto bytes = size_of(p.C.type);
    for (std::int64_t j = 0; j < p.n; ++j)
        std::memmove(item.D + j * matmul.D.leading * bytes, item.C + j * matmul.C.leading * bytes,
                     static_cast<std::size_t>(p.m * bytes));
}

// The product in the type of the arithmetic, and the epilogue before the result is rounded.
template <class T>
void multiply_with_epilogue(const Matmul& matmul, Number alpha, const void* A, const void* B,
                            Number beta, const Item& item) {
    const auto& p = matmul.product;
    std::vector<T> sum(static_cast<std::size_t>(p.m * p.n));
    const auto type = p.C.type;
    if (beta != Number(0))
        for (std::int64_t j = 0; j < p.n; ++j)
            for (std::int64_t i = 0; i < p.m; ++i)
                sum[static_cast<std::size_t>(j * p.m + i)] =
                    static_cast<T>(read_real(type, item.C, j * matmul.C.leading + i));
    accumulate(p, to_arithmetic<T>(alpha), A, B, to_arithmetic<T>(beta), sum.data(),
               std::max<std::int64_t>(1, p.m));
    for (std::int64_t j = 0; j < p.n; ++j)
        for (std::int64_t i = 0; i < p.m; ++i) {
            const double value = sum[static_cast<std::size_t>(j * p.m + i)];
            const auto row = matmul.is_swapped ? j : i, column = matmul.is_swapped ? i : j;
            write_real(type, item.D, j * matmul.D.leading + i,
                       apply_epilogue(matmul, item, row, column, value));
        }
}

void run(const Matmul& matmul, Number alpha, Number beta, const Item& item) {
    const auto& p = matmul.product;
    const void* const A = matmul.is_swapped ? item.B : item.A;
    const void* const B = matmul.is_swapped ? item.A : item.B;
    if (matmul.description.epilogue == CUBLASLT_EPILOGUE_DEFAULT) {
        if (beta != Number(0)) copy_summand(matmul, item);
        multiply(p, alpha, A, B, beta, item.D);
    } else if (p.arithmetic == Arithmetic::real64) {
        multiply_with_epilogue<double>(matmul, alpha, A, B, beta, item);
    } else {
        multiply_with_epilogue<float>(matmul, alpha, A, B, beta, item);
    }
}

std::int64_t extent_of(const Layout& layout) {
    const auto rows = static_cast<std::int64_t>(layout.rows),
               columns = static_cast<std::int64_t>(layout.columns);
    return is_by_rows(layout) ? matrix_extent(columns, rows, layout.leading)
                              : matrix_extent(rows, columns, layout.leading);
}

void check_item(Memory& memory, const Matmul& matmul, const Item& item, Number beta) {
    const auto bytes = [](const Layout& layout) {
        return extent_of(layout) * size_of(type_of(layout));
    };
    const auto& d = matmul.description;
    memory.reads("A", static_cast<const void*>(item.A), bytes(matmul.A));
    memory.reads("B", static_cast<const void*>(item.B), bytes(matmul.B));
    if (beta != Number(0)) memory.reads("C", static_cast<const void*>(item.C), bytes(matmul.C));
    memory.writes("D", static_cast<void*>(item.D), bytes(matmul.D));
    const auto rows = static_cast<std::int64_t>(matmul.D.rows);
    if ((d.epilogue & bias) != 0)
        memory.reads("bias", static_cast<const void*>(item.bias), rows * size_of(matmul.bias_type));
    if ((d.epilogue & auxiliary) == 0) return;
    const auto elements =
        matrix_extent(rows, static_cast<std::int64_t>(matmul.D.columns), d.auxiliary_leading);
    const bool is_mask = (d.epilogue & (relu | relu_gradient)) != 0;
    memory.writes("auxiliary matrix", static_cast<void*>(item.auxiliary),
                  is_mask ? (elements + bits_per_byte - 1) / bits_per_byte
                          : elements * size_of(type_of(matmul.D)));
}

// Checks the arguments of a product, and says why it is not supported.
cublasStatus_t check(const Matmul& matmul) {
    if (!has_valid_sizes(matmul)) return CUBLAS_STATUS_INVALID_VALUE;
    const auto& d = matmul.description;
    if ((d.epilogue & bias) != 0 && d.bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    if ((d.epilogue & auxiliary) != 0 &&
        (d.auxiliary == nullptr || d.auxiliary_leading < static_cast<std::int64_t>(matmul.D.rows)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (const char* const problem = find_problem(matmul); problem != nullptr) {
        log_message("cublasLtMatmul", problem);
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t fill_result(const Matmul& matmul, cublasLtMatmulHeuristicResult_t* result) {
    *result = {};
    result->state = find_problem(matmul) == nullptr && has_valid_sizes(matmul)
                        ? CUBLAS_STATUS_SUCCESS
                        : CUBLAS_STATUS_NOT_SUPPORTED;
    result->wavesCount = 1;
    return result->state;
}

}  // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
    if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new (std::nothrow) cublasLtContext{};
    return *handle == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    // A handle of cuBLAS is also one of cuBLASLt, and belongs to cublasDestroy.
    if (!is_handle(reinterpret_cast<cublasHandle_t>(handle))) delete handle;
    return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char* cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion(void) { return CUDART_VERSION; }
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int* value) {
    return cublasGetProperty(type, value);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                              const void* alpha, const void* A, cublasLtMatrixLayout_t A_layout,
                              const void* B, cublasLtMatrixLayout_t B_layout, const void* beta,
                              const void* C, cublasLtMatrixLayout_t C_layout, void* D,
                              cublasLtMatrixLayout_t D_layout, const cublasLtMatmulAlgo_t*, void*,
                              size_t, cudaStream_t stream) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (description == nullptr || A_layout == nullptr || B_layout == nullptr ||
        C_layout == nullptr || D_layout == nullptr || alpha == nullptr || beta == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    const auto matmul = describe(description, A_layout, B_layout, C_layout, D_layout);
    if (const auto status = check(matmul); status != CUBLAS_STATUS_SUCCESS) return status;
    log_message("cublasLtMatmul", "");
    const auto scale = matmul.product.scale;
    const bool is_host = matmul.description.pointer_mode == CUBLASLT_POINTER_MODE_HOST;
    const Number alpha_now = is_host ? read_number(scale, alpha) : Number();
    const Number beta_now = is_host ? read_number(scale, beta) : Number();
    return to_status(enqueue(stream, [=] {
        Memory memory("cublasLtMatmul");
        if (!is_host) {
            memory.reads("alpha", alpha, size_of(scale));
            memory.reads("beta", beta, size_of(scale));
            if (!memory.is_valid()) return;
        }
        const Number factor = is_host ? alpha_now : read_number(scale, alpha);
        const Number own = is_host ? beta_now : read_number(scale, beta);
        const auto& d = matmul.description;
        for (std::int64_t i = 0; i < matmul.items; ++i) {
            const auto offset = [&](const Layout& layout) {
                return i * layout.batch_offset * size_of(type_of(layout));
            };
            const bool is_mask = (d.epilogue & (relu | relu_gradient)) != 0;
            const auto skipped = i * d.auxiliary_stride;
            const Item item = {
                static_cast<const char*>(A) + offset(matmul.A),
                static_cast<const char*>(B) + offset(matmul.B),
                static_cast<const char*>(C) + offset(matmul.C),
                static_cast<char*>(D) + offset(matmul.D),
                static_cast<const char*>(d.bias) + i * d.bias_stride * size_of(matmul.bias_type),
                static_cast<char*>(d.auxiliary) +
                    (is_mask ? skipped / bits_per_byte : skipped * size_of(type_of(matmul.D)))};
            check_item(memory, matmul, item, own);
            if (!memory.is_valid()) return;
            run(matmul, factor, own, item);
        }
    }));
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle,
                                              cublasLtMatmulDesc_t description,
                                              cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B,
                                              cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
                                              cublasLtMatmulPreference_t, int requested,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* count) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (description == nullptr || A == nullptr || B == nullptr || C == nullptr || D == nullptr ||
        requested <= 0 || results == nullptr || count == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    // There is one algorithm, which needs no workspace.
    const auto status = fill_result(describe(description, A, B, C, D), &results[0]);
    *count = status == CUBLAS_STATUS_SUCCESS ? 1 : 0;
    return status;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t description,
                                       cublasLtMatrixLayout_t A, cublasLtMatrixLayout_t B,
                                       cublasLtMatrixLayout_t C, cublasLtMatrixLayout_t D,
                                       const cublasLtMatmulAlgo_t* algorithm,
                                       cublasLtMatmulHeuristicResult_t* result) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (description == nullptr || A == nullptr || B == nullptr || C == nullptr || D == nullptr ||
        algorithm == nullptr || result == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    return fill_result(describe(description, A, B, C, D), result);
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t,
                                        cudaDataType_t, cudaDataType_t, cudaDataType_t,
                                        cudaDataType_t, cudaDataType_t, int requested, int ids[],
                                        int* count) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (requested <= 0 || ids == nullptr || count == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    ids[0] = 0;
    *count = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType_t,
                                      cudaDataType_t, cudaDataType_t, cudaDataType_t,
                                      cudaDataType_t, int id, cublasLtMatmulAlgo_t* algorithm) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (id != 0 || algorithm == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *algorithm = {};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle,
                                       cublasLtMatrixTransformDesc_t description, const void* alpha,
                                       const void* A, cublasLtMatrixLayout_t A_layout,
                                       const void* beta, const void* B,
                                       cublasLtMatrixLayout_t B_layout, void* C,
                                       cublasLtMatrixLayout_t C_layout, cudaStream_t) {
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (description == nullptr || alpha == nullptr || A == nullptr || A_layout == nullptr ||
        beta == nullptr || C == nullptr || C_layout == nullptr ||
        (B != nullptr && B_layout == nullptr))
        return CUBLAS_STATUS_INVALID_VALUE;
    log_message("cublasLtMatrixTransform", "the library on the CPU does not have this function");
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
