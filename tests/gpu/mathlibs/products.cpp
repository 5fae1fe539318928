// Prints the results of products whose types are arguments, of factorizations of many matrices, and of
// cuBLASLt: name, number, parameter, and the elements.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static int number = 0;

static double value(int seed, int index) {
    return (((seed * 7919LL + index * 104729LL) % 997) / 997.0 - 0.5) * 2;
}

static size_t size_of(cudaDataType type) {
    switch (type) {
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_8I: return 1;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 4;
    }
}

static int parts_of(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F ? 2 : 1; }

static void set(cudaDataType type, void* to, int i, double x) {
    switch (type) {
    case CUDA_R_16F: ((__half*)to)[i] = __float2half((float)x); break;
    case CUDA_R_16BF: ((__nv_bfloat16*)to)[i] = __float2bfloat16((float)x); break;
    case CUDA_R_8I: ((int8_t*)to)[i] = (int8_t)(x * 100); break;
    case CUDA_R_32I: ((int32_t*)to)[i] = (int32_t)(x * 1000); break;
    case CUDA_R_64F:
    case CUDA_C_64F: ((double*)to)[i] = x; break;
    default: ((float*)to)[i] = (float)x;
    }
}

static double get(cudaDataType type, const void* from, int i) {
    switch (type) {
    case CUDA_R_16F: return __half2float(((const __half*)from)[i]);
    case CUDA_R_16BF: return __bfloat162float(((const __nv_bfloat16*)from)[i]);
    case CUDA_R_8I: return ((const int8_t*)from)[i];
    case CUDA_R_32I: return ((const int32_t*)from)[i];
    case CUDA_R_64F:
    case CUDA_C_64F: return ((const double*)from)[i];
    default: return ((const float*)from)[i];
    }
}

struct Array {
    cudaDataType type;
    int count;
    void* start = nullptr;

    Array(cudaDataType type, int seed, int count, double diagonal = 0, int leading = 0)
        : type(type), count(count) {
        std::vector<char> content(size_of(type) * count);
        const int parts = parts_of(type);
        for (int i = 0; i < count * parts; ++i) {
            double x = value(seed, i);
            // Of each matrix in a batch, so that none is singular.
            if (leading != 0 && i % parts == 0 && i / parts % leading == i / parts / leading % 7)
                x += diagonal;
            set(type, content.data(), i, x);
        }
        cudaMalloc(&start, content.size());
        cudaMemcpy(start, content.data(), content.size(), cudaMemcpyHostToDevice);
    }
    ~Array() { cudaFree(start); }
    void print(const std::string& name, const char* parameter) const {
        std::vector<char> content(size_of(type) * count);
        cudaMemcpy(content.data(), start, content.size(), cudaMemcpyDeviceToHost);
        std::printf("%s %d %s", name.c_str(), number, parameter);
        for (int i = 0; i < count * parts_of(type); ++i)
            std::printf(" %.17g", get(type, content.data(), i));
        std::printf("\n");
    }
};

struct Integers {
    int* start = nullptr;
    int count;
    explicit Integers(int count) : count(count) {
        cudaMalloc((void**)&start, sizeof(int) * count);
        cudaMemset(start, 0, sizeof(int) * count);
    }
    ~Integers() { cudaFree(start); }
    void print(const char* name, const char* parameter) const {
        std::vector<int> content(count);
        cudaMemcpy(content.data(), start, sizeof(int) * count, cudaMemcpyDeviceToHost);
        std::printf("%s %d %s", name, number, parameter);
        for (int element : content) std::printf(" %d", element);
        std::printf("\n");
    }
};

static bool check(const std::string& name, cublasStatus_t status) {
    const cudaError_t error = cudaDeviceSynchronize();
    ++number;
    if (status == CUBLAS_STATUS_SUCCESS && error == cudaSuccess) return true;
    std::printf("%s %d status %d %d\n", name.c_str(), number, (int)status, (int)error);
    return false;
}

struct Types {
    const char* name;
    cublasComputeType_t compute;
    cudaDataType scale, input, output;
};

static const Types all_types[] = {
    {"half", CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
    {"half_float", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F},
    {"half_to_float", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_32F},
    {"bfloat16", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF},
    {"bfloat16_to_float", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_32F},
    {"int8", CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I},
    {"int8_to_float", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8I, CUDA_R_32F},
    {"float", CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {"tf32", CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
    {"double", CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {"complex", CUBLAS_COMPUTE_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
    {"double_complex", CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {"mixed", CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},  // not supported
};

// The numbers of rows are multiples of 4, as products of 8-bit integers need.
static const int m = 12, n = 8, k = 20, leading = 24;

static void print_products(cublasHandle_t handle) {
    for (const auto& types : all_types)
        for (int transposed = 0; transposed < 2; ++transposed)
            for (int factor = 0; factor < 2; ++factor) {
                const std::string name = std::string("gemmEx_") + types.name;
                const Array A(types.input, 1, leading * 24), B(types.input, 2, leading * 24);
                const Array C(types.output, 3, leading * n);
                double alpha[2] = {}, beta[2] = {};
                set(types.scale, alpha, 0, 1);
                set(types.scale, beta, 0, factor);
                if (types.scale == CUDA_R_32I) *(int32_t*)alpha = 1, *(int32_t*)beta = factor;
                // Products of 8-bit integers have one form on all devices.
                const auto transa = transposed || types.input == CUDA_R_8I ? CUBLAS_OP_T : CUBLAS_OP_N;
                if (check(name, cublasGemmEx(handle, transa, CUBLAS_OP_N, m, n, k, alpha, A.start,
                                             types.input, leading, B.start, types.input, leading,
                                             beta, C.start, types.output, leading, types.compute,
                                             CUBLAS_GEMM_DEFAULT)))
                    C.print(name, "C");
            }
}

static void print_batches(cublasHandle_t handle) {
    const int items = 3, stride = leading * 24;
    for (const auto& types : all_types) {
        if (types.input == CUDA_R_8I) continue;
        const std::string name = std::string("gemmStridedBatchedEx_") + types.name;
        const Array A(types.input, 4, stride * items), B(types.input, 5, stride * items),
            C(types.output, 6, stride * items);
        double alpha[2] = {}, beta[2] = {};
        set(types.scale, alpha, 0, 0.5);
        set(types.scale, beta, 0, 2);
        if (check(name, cublasGemmStridedBatchedEx(
                            handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, alpha, A.start, types.input,
                            leading, stride, B.start, types.input, leading, stride, beta, C.start,
                            types.output, leading, stride, items, types.compute,
                            CUBLAS_GEMM_DEFAULT)))
            C.print(name, "C");
    }
}

template <class T>
static T** list(const Array& array, int stride, int items) {
    std::vector<T*> all;
    for (int i = 0; i < items; ++i) all.push_back((T*)array.start + (size_t)i * stride);
    T** pointer = nullptr;
    cudaMalloc((void**)&pointer, sizeof(T*) * items);
    cudaMemcpy(pointer, all.data(), sizeof(T*) * items, cudaMemcpyHostToDevice);
    return pointer;
}

#define PRINT_FACTORIZATIONS(P, T, type) \
    { \
        const int size = 7, lda = 9, items = 3, stride = lda * size; \
        const Array A(type, 7, stride * items, 3, lda), B(type, 8, stride * items), \
            C(type, 9, stride * items); \
        T **a = list<T>(A, stride, items), **b = list<T>(B, stride, items), \
          **c = list<T>(C, stride, items); \
        Integers pivots(size * items), infos(items); \
        int info = -100; \
        check(#P "getrfBatched", \
              cublas##P##getrfBatched(handle, size, a, lda, pivots.start, infos.start, items)); \
        A.print(#P "getrfBatched", "A"); \
        pivots.print(#P "getrfBatched", "pivots"); \
        infos.print(#P "getrfBatched", "info"); \
        check(#P "getrsBatched", \
              cublas##P##getrsBatched(handle, CUBLAS_OP_T, size, 2, a, lda, pivots.start, b, lda, \
                                      &info, items)); \
        B.print(#P "getrsBatched", "B"); \
        std::printf(#P "getrsBatched %d info %d\n", number, info); \
        check(#P "getriBatched", cublas##P##getriBatched(handle, size, a, lda, pivots.start, c, \
                                                         lda, infos.start, items)); \
        C.print(#P "getriBatched", "C"); \
        const Array D(type, 10, stride * items, 3, lda), E(type, 11, stride * items); \
        T **d = list<T>(D, stride, items), **e = list<T>(E, stride, items); \
        check(#P "matinvBatched", \
              cublas##P##matinvBatched(handle, size, d, lda, e, lda, infos.start, items)); \
        E.print(#P "matinvBatched", "Ainv"); \
        check(#P "geqrfBatched", \
              cublas##P##geqrfBatched(handle, size, 5, d, lda, e, &info, items)); \
        D.print(#P "geqrfBatched", "A"); \
        const Array F(type, 12, stride * items, 3, lda), G(type, 13, stride * items); \
        T **f = list<T>(F, stride, items), **g = list<T>(G, stride, items); \
        check(#P "gelsBatched", cublas##P##gelsBatched(handle, CUBLAS_OP_N, size, 5, 2, f, lda, g, \
                                                       lda, &info, infos.start, items)); \
        G.print(#P "gelsBatched", "C"); \
        for (T** pointer : {a, b, c, d, e, f, g}) cudaFree(pointer); \
    }

static void print_matmuls(cublasLtHandle_t handle) {
    const Types types[] = {all_types[7], all_types[1], all_types[3], all_types[9]};
    const cublasLtEpilogue_t epilogues[] = {
        CUBLASLT_EPILOGUE_DEFAULT,   CUBLASLT_EPILOGUE_RELU,      CUBLASLT_EPILOGUE_BIAS,
        CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU,      CUBLASLT_EPILOGUE_GELU_BIAS,
        CUBLASLT_EPILOGUE_RELU_AUX,  CUBLASLT_EPILOGUE_GELU_AUX,  CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
        CUBLASLT_EPILOGUE_DRELU,     CUBLASLT_EPILOGUE_DGELU,     CUBLASLT_EPILOGUE_BGRADB};
    const int rows = 16, columns = 24, inner = 32, wide = 128;
    void* workspace = nullptr;
    const size_t workspace_bytes = 32 << 20;
    cudaMalloc(&workspace, workspace_bytes);
    for (const auto& type : types)
        for (const auto epilogue : epilogues)
            for (int by_rows = 0; by_rows < 2; ++by_rows) {
                const std::string name = std::string("ltMatmul_") + type.name + "_" +
                                         std::to_string((int)epilogue) + (by_rows ? "_rows" : "");
                const Array A(type.input, 21, rows * inner), B(type.input, 22, inner * columns),
                    C(type.output, 23, rows * columns), D(type.output, 24, rows * columns),
                    bias(type.output, 25, wide), auxiliary(type.output, 26, wide * columns);
                cublasLtMatmulDesc_t description;
                cublasLtMatmulDescCreate(&description, type.compute, type.scale);
                cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                               sizeof epilogue);
                const void* start = bias.start;
                const unsigned parts = (unsigned)epilogue;
                if ((parts & 4) != 0 || parts == 512)
                    cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                                   &start, sizeof start);
                const int64_t aux_leading = wide;
                start = auxiliary.start;
                if ((parts & 128) != 0) {
                    cublasLtMatmulDescSetAttribute(
                        description, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &start, sizeof start);
                    cublasLtMatmulDescSetAttribute(description,
                                                   CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,
                                                   &aux_leading, sizeof aux_leading);
                }
                cublasLtMatrixLayout_t layouts[3];
                const int sizes[3][2] = {{rows, inner}, {inner, columns}, {rows, columns}};
                const cublasLtOrder_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
                for (int i = 0; i < 3; ++i) {
                    cublasLtMatrixLayoutCreate(&layouts[i], i < 2 ? type.input : type.output,
                                               sizes[i][0], sizes[i][1], sizes[i][by_rows]);
                    cublasLtMatrixLayoutSetAttribute(layouts[i], CUBLASLT_MATRIX_LAYOUT_ORDER,
                                                     &order, sizeof order);
                }
                cublasLtMatmulPreference_t preference;
                cublasLtMatmulPreferenceCreate(&preference);
                cublasLtMatmulPreferenceSetAttribute(preference,
                                                     CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                     &workspace_bytes, sizeof workspace_bytes);
                cublasLtMatmulHeuristicResult_t result;
                int found = 0;
                const auto status = cublasLtMatmulAlgoGetHeuristic(
                    handle, description, layouts[0], layouts[1], layouts[2], layouts[2], preference,
                    1, &result, &found);
                std::printf("%s %d heuristic %d %d\n", name.c_str(), number, (int)status, found);
                double alpha[2] = {}, beta[2] = {};
                set(type.scale, alpha, 0, 1);
                set(type.scale, beta, 0, 0.5);
                if (found != 0 &&
                    check(name, cublasLtMatmul(handle, description, alpha, A.start, layouts[0],
                                               B.start, layouts[1], beta, C.start, layouts[2],
                                               D.start, layouts[2], &result.algo, workspace,
                                               workspace_bytes, nullptr))) {
                    D.print(name, "D");
                    if ((parts & 128) != 0) auxiliary.print(name, "auxiliary");
                    if (parts == 512) bias.print(name, "bias");
                }
                cublasLtMatmulPreferenceDestroy(preference);
                for (auto layout : layouts) cublasLtMatrixLayoutDestroy(layout);
                cublasLtMatmulDescDestroy(description);
            }
    cudaFree(workspace);
}

// The functions of vectors whose types are arguments, with increments of 2 and -1.
static void print_vectors(cublasHandle_t handle) {
    const struct {
        const char* name;
        cudaDataType type, scalar, execution, real;
    } kinds[] = {
        {"half", CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, CUDA_R_16F},
        {"bfloat16", CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, CUDA_R_16BF},
        {"float", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},
        {"double", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
        {"complex", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_R_32F},
        {"double_complex", CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_R_64F},
    };
    const int n = 6;
    for (const auto& kind : kinds) {
        const auto t = kind.type;
        const bool is_half = t == CUDA_R_16F || t == CUDA_R_16BF;
        const auto norm_execution = is_half ? CUDA_R_32F : kind.real;
        Array x(t, 41, 2 * n), y(t, 42, n), results(t, 43, 4);
        char* const result = (char*)results.start;
        const size_t bytes = size_of(t);
        int places[2] = {-1, -1};
        double alpha[2] = {}, cosine = 0, sine = 0;
        set(kind.scalar, alpha, 0, 0.5);
        set(kind.real, &cosine, 0, 0.75);
        set(kind.real, &sine, 0, 0.25);
        int status = 0;
        status |= cublasIamaxEx(handle, n, x.start, t, 2, places);
        status |= cublasIaminEx(handle, n, x.start, t, 2, places + 1);
        cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
        status |= cublasDotEx(handle, n, x.start, t, 2, y.start, t, -1, result, t, kind.execution);
        status |= cublasDotcEx(handle, n, x.start, t, 2, y.start, t, -1, result + bytes, t,
                               kind.execution);
        status |=
            cublasNrm2Ex(handle, n, x.start, t, 2, result + 2 * bytes, kind.real, norm_execution);
        status |=
            cublasAsumEx(handle, n, x.start, t, 2, result + 3 * bytes, kind.real, norm_execution);
        cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
        results.print(std::string("vectors_") + kind.name, "results");
        std::printf("vectors_%s %d places %d %d\n", kind.name, number, places[0], places[1]);
        status |= cublasScalEx(handle, n, alpha, kind.scalar, x.start, t, 2, kind.execution);
        status |= cublasAxpyEx(handle, n, alpha, kind.scalar, x.start, t, 2, y.start, t, -1,
                               kind.execution);
        status |= cublasRotEx(handle, n, x.start, t, 2, y.start, t, -1, &cosine, &sine, kind.real,
                              kind.execution);
        x.print(std::string("vectors_") + kind.name, "x");
        y.print(std::string("vectors_") + kind.name, "y");
        status |= cublasSwapEx(handle, 1, x.start, t, 1, y.start, t, 1);
        status |= cublasCopyEx_64(handle, n - 1, (char*)x.start + bytes, t, -1,
                                  (char*)y.start + bytes, t, 1);
        x.print(std::string("vectors_") + kind.name, "swapped");
        y.print(std::string("vectors_") + kind.name, "copied");
        check(std::string("vectors_") + kind.name, (cublasStatus_t)status);
    }
    // Rotations, with and without types as arguments.
    double numbers[2][9];
    for (auto& of_one : numbers)
        for (int i = 0; i < 9; ++i) of_one[i] = 1.5 - 0.25 * i;
    const auto d = CUDA_R_64F;
    double *own = numbers[0], *other = numbers[1];
    int rotated = cublasRotgEx(handle, own, own + 1, d, own + 2, own + 3, d, d);
    rotated |= cublasDrotg(handle, other, other + 1, other + 2, other + 3);
    rotated |= cublasRotmgEx(handle, own, d, own + 1, d, own + 2, d, own + 3, d, own + 4, d, d);
    rotated |= cublasDrotmg(handle, other, other + 1, other + 2, other + 3, other + 4);
    double *vectors = nullptr;
    cudaMallocManaged((void**)&vectors, 8 * sizeof *vectors);
    for (int i = 0; i < 8; ++i) vectors[i] = i % 4;
    rotated |= cublasRotmEx(handle, 2, vectors, d, 1, vectors + 2, d, 1, own + 4, d, d);
    rotated |= cublasDrotm(handle, 2, vectors + 4, 1, vectors + 6, 1, other + 4);
    cudaDeviceSynchronize();
    const bool are_same = std::memcmp(own, other, sizeof numbers[0]) == 0 &&
                          std::memcmp(vectors, vectors + 4, 4 * sizeof *vectors) == 0;
    std::printf("vector_rotations 0 same %d %d %d\n", rotated, are_same, own[0] != 1.5);
    cudaFree(vectors);
    const Array x(CUDA_R_32F, 41, 8);
    const float one = 1;
    std::printf("vector_errors 0 statuses %d %d %d %d\n",
                cublasScalEx(nullptr, 4, &one, CUDA_R_32F, x.start, CUDA_R_32F, 1, CUDA_R_32F),
                cublasScalEx(handle, 4, &one, CUDA_R_32F, x.start, CUDA_R_64F, 1, CUDA_R_64F),
                cublasScalEx(handle, 4, nullptr, CUDA_R_32F, x.start, CUDA_R_16F, 1, CUDA_R_32F),
                cublasCopyEx(handle, 4, x.start, CUDA_R_32F, 1, x.start, CUDA_R_64F, 1));
}

// What invalid calls return.
static void print_errors(cublasHandle_t handle) {
    const Array A(CUDA_R_32F, 31, 64), x(CUDA_R_32F, 32, 64);
    const float one = 1;
    float* const a = (float*)A.start;
    float* const v = (float*)x.start;
    int status[16] = {}, count = 0;
    const auto N = CUBLAS_OP_N;
    status[count++] = cublasSgemm(nullptr, N, N, 2, 2, 2, &one, a, 2, a, 2, &one, v, 2);
    status[count++] = cublasSgemm(handle, N, N, -1, 2, 2, &one, a, 2, a, 2, &one, v, 2);
    status[count++] = cublasSgemm(handle, N, N, 4, 2, 2, &one, a, 2, a, 2, &one, v, 4);
    status[count++] = cublasSgemm(handle, N, N, 0, 2, 2, &one, a, 0, a, 2, &one, v, 1);
    status[count++] = cublasSgemm(handle, N, N, 2, 2, 0, &one, a, 2, a, 1, &one, v, 2);
    status[count++] = cublasSgemm(handle, N, N, 2, 2, 2, nullptr, a, 2, a, 2, &one, v, 2);
    status[count++] = cublasSgemm(handle, (cublasOperation_t)7, N, 2, 2, 2, &one, a, 2, a, 2, &one, v, 2);
    status[count++] = cublasSgemv(handle, N, 2, 2, &one, a, 2, v, 0, &one, v + 8, 1);
    status[count++] = cublasSaxpy(handle, -1, &one, a, 1, v, 1);
    status[count++] = cublasSaxpy(handle, 2, &one, a, 0, v, 1);
    status[count++] = cublasSetPointerMode(handle, (cublasPointerMode_t)5);
    status[count++] = cublasSetWorkspace(handle, (char*)a + 4, 1024);
    status[count++] = cublasSetVector(2, 0, &one, 1, v, 1);
    status[count++] = cublasGetMatrix(4, 2, 4, a, 2, v, 4);
    std::printf("errors 0 statuses");
    for (int i = 0; i < count; ++i) std::printf(" %d", status[i]);
    std::printf("\n");
}

int main() {
    cublasHandle_t handle;
    cublasLtHandle_t light;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
        cublasLtCreate(&light) != CUBLAS_STATUS_SUCCESS)
        return 1;
    print_products(handle);
    print_batches(handle);
    PRINT_FACTORIZATIONS(S, float, CUDA_R_32F)
    PRINT_FACTORIZATIONS(D, double, CUDA_R_64F)
    PRINT_FACTORIZATIONS(C, cuComplex, CUDA_C_32F)
    PRINT_FACTORIZATIONS(Z, cuDoubleComplex, CUDA_C_64F)
    print_matmuls(light);
    print_vectors(handle);
    print_errors(handle);
    cublasLtDestroy(light);
    cublasDestroy(handle);
}
