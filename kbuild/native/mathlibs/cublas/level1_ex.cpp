// Functions of vectors whose types are arguments.
#include "cublas/exported.hpp"

#include "cublas/blas.hpp"
#include "cublas/handle.hpp"
#include "cublas/typed_scalar.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace {

using namespace kbuild::mathlibs;
using std::int64_t;

constexpr const char* unsupported_types = "this combination of types is not supported";

bool is_half(cudaDataType type) { return type == CUDA_R_16F || type == CUDA_R_16BF; }
cudaDataType real_type(cudaDataType type) {
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

// A vector of the program. It starts at its last element if the increment is negative.
struct Vector {
    void* start;
    cudaDataType type;
    int64_t increment;
    bool is_written;

    template <class T>
    T* find(int64_t n, int64_t i) const {
        const int64_t first = increment < 0 ? (1 - n) * increment : 0;
        return static_cast<T*>(start) + first + i * increment;
    }
    void check(Memory& memory, const char* name, int64_t n) const {
        const int64_t bytes = vector_extent(n, increment) * size_of(type);
        if (is_written)
            memory.writes(name, start, bytes);
        else
            memory.reads(name, static_cast<const void*>(start), bytes);
    }
};
Vector read_from(const void* start, cudaDataType type, int64_t increment) {
    return {const_cast<void*>(start), type, increment, false};
}
Vector write_to(void* start, cudaDataType type, int64_t increment) {
    return {start, type, increment, true};
}

// A vector of half precision in single precision, in which the library computes.
std::vector<float> widen_vector(const Vector& from, int64_t n) {
    std::vector<float> values(static_cast<std::size_t>(n));
    with_type(from.type, [&](auto example) {
        using T = decltype(example);
        if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>)
            for (int64_t i = 0; i < n; ++i)
                values[static_cast<std::size_t>(i)] = widen(*from.find<T>(n, i));
    });
    return values;
}
void narrow_vector(const std::vector<float>& values, const Vector& to) {
    if (!to.is_written) return;
    const auto n = static_cast<int64_t>(values.size());
    with_type(to.type, [&](auto example) {
        using T = decltype(example);
        if constexpr (std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>)
            for (int64_t i = 0; i < n; ++i)
                *to.find<T>(n, i) = convert<T>(values[static_cast<std::size_t>(i)]);
    });
}
void store_half(void* to, cudaDataType type, float value) {
    if (type == CUDA_R_16F)
        *static_cast<__half*>(to) = convert<__half>(value);
    else
        *static_cast<__nv_bfloat16*>(to) = convert<__nv_bfloat16>(value);
}

// A call for vectors of half precision. The second vector and each of the scalars can be absent.
struct HalfCall {
    const char* name;
    cublasHandle_t handle;
    int64_t n;
    Vector x;
    std::optional<Vector> y;
    cudaDataType scalar_type;
    std::array<const void*, 2> scalars;
    bool has_result;
};

// Calls the function with the vectors and scalars in single precision.
template <class Compute>
cublasStatus_t run_halves(const HalfCall& given, Compute compute) {
    Call call(given.name, given.handle);
    const TypedScalar first(call, given.scalar_type, given.scalars[0]);
    const TypedScalar second(call, given.scalar_type, given.scalars[1]);
    return call.submit(given.has_result, [=] {
        Memory memory(given.name);
        given.x.check(memory, "x", given.n);
        if (given.y) given.y->check(memory, "y", given.n);
        first.check(memory, "scalar");
        second.check(memory, "scalar");
        if (!memory.is_valid()) return;
        auto x = widen_vector(given.x, given.n);
        auto y = given.y ? widen_vector(*given.y, given.n) : std::vector<float>();
        compute(x.data(), y.data(), static_cast<float>(first.get().real()),
                static_cast<float>(second.get().real()));
        narrow_vector(x, given.x);
        if (given.y) narrow_vector(y, *given.y);
    });
}

// Moves elements of any type.
template <class Move>
cublasStatus_t move_elements(const char* name, cublasHandle_t handle, int64_t n, Vector x, Vector y,
                             Move move) {
    Call call(name, handle);
    call.require_supported(x.type == y.type && size_of(x.type) != 0, unsupported_types);
    n = std::max<int64_t>(n, 0);
    return call.submit(false, [=] {
        Memory memory(name);
        x.check(memory, "x", n);
        y.check(memory, "y", n);
        if (!memory.is_valid()) return;
        with_type(x.type, [&](auto example) {
            using T = decltype(example);
            for (int64_t i = 0; i < n; ++i) move(*x.find<T>(n, i), *y.find<T>(n, i));
        });
    });
}

cublasStatus_t reject_call(const char* name, cublasHandle_t handle, bool is_valid) {
    Call call(name, handle);
    call.require(is_valid);
    call.require_supported(false, unsupported_types);
    return call.status();
}

// Calls the function with a value of NVIDIA's type. Returns whether a BLAS has the type.
template <class Function>
bool with_blas_type(cudaDataType type, Function function) {
    switch (type) {
    case CUDA_R_32F: function(float()); return true;
    case CUDA_R_64F: function(double()); return true;
    case CUDA_C_32F: function(cuComplex()); return true;
    case CUDA_C_64F: function(cuDoubleComplex()); return true;
    default: return false;
    }
}

// NVIDIA's functions for one type each, under one name.
#define KBUILD_OVERLOAD(P, Norm, index, T, R, U, C) \
    cublasStatus_t scal(cublasHandle_t h, int64_t n, const T* alpha, T* x, int64_t incx) { \
        return cublas##P##scal_v2_64(h, n, alpha, x, incx); \
    } \
    cublasStatus_t axpy(cublasHandle_t h, int64_t n, const T* alpha, const T* x, int64_t incx, \
                        T* y, int64_t incy) { \
        return cublas##P##axpy_v2_64(h, n, alpha, x, incx, y, incy); \
    } \
    cublasStatus_t dot(bool is_conjugate, cublasHandle_t h, int64_t n, const T* x, int64_t incx, \
                       const T* y, int64_t incy, T* result) { \
        return (is_conjugate ? cublas##P##dot##C##_v2_64 : cublas##P##dot##U##_v2_64)( \
            h, n, x, incx, y, incy, result); \
    } \
    cublasStatus_t nrm2(cublasHandle_t h, int64_t n, const T* x, int64_t incx, void* result) { \
        return cublas##Norm##nrm2_v2_64(h, n, x, incx, static_cast<R*>(result)); \
    } \
    cublasStatus_t asum(cublasHandle_t h, int64_t n, const T* x, int64_t incx, void* result) { \
        return cublas##Norm##asum_v2_64(h, n, x, incx, static_cast<R*>(result)); \
    } \
    cublasStatus_t amax(cublasHandle_t h, int64_t n, const T* x, int64_t incx, int64_t* result) { \
        return cublasI##index##amax_v2_64(h, n, x, incx, result); \
    } \
    cublasStatus_t amax(cublasHandle_t h, int n, const T* x, int incx, int* result) { \
        return cublasI##index##amax_v2(h, n, x, incx, result); \
    } \
    cublasStatus_t amin(cublasHandle_t h, int64_t n, const T* x, int64_t incx, int64_t* result) { \
        return cublasI##index##amin_v2_64(h, n, x, incx, result); \
    } \
    cublasStatus_t amin(cublasHandle_t h, int n, const T* x, int incx, int* result) { \
        return cublasI##index##amin_v2(h, n, x, incx, result); \
    }
KBUILD_OVERLOAD(S, S, s, float, float, , )
KBUILD_OVERLOAD(D, D, d, double, double, , )
KBUILD_OVERLOAD(C, Sc, c, cuComplex, float, u, c)
KBUILD_OVERLOAD(Z, Dz, z, cuDoubleComplex, double, u, c)
#define KBUILD_OVERLOAD_ROT(P, T, R) \
    cublasStatus_t rot(cublasHandle_t h, int64_t n, T* x, int64_t incx, T* y, int64_t incy, \
                       const void* c, const void* s) { \
        return cublas##P##rot_v2_64(h, n, x, incx, y, incy, static_cast<const R*>(c), \
                                    static_cast<const R*>(s)); \
    }
KBUILD_OVERLOAD_ROT(S, float, float)
KBUILD_OVERLOAD_ROT(D, double, double)
KBUILD_OVERLOAD_ROT(Cs, cuComplex, float)
KBUILD_OVERLOAD_ROT(Zd, cuDoubleComplex, double)

cublasStatus_t run_scal(const char* name, cublasHandle_t handle, int64_t n, const void* alpha,
                        cudaDataType alpha_type, void* x, cudaDataType type, int64_t incx,
                        cudaDataType execution) {
    auto status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (alpha_type == type && execution == type && with_blas_type(type, [&](auto example) {
            using T = decltype(example);
            status = scal(handle, n, static_cast<const T*>(alpha), static_cast<T*>(x), incx);
        }))
        return status;
    if (!is_half(type) || alpha_type != CUDA_R_32F || execution != CUDA_R_32F || alpha == nullptr)
        return reject_call(name, handle, alpha != nullptr);
    n = incx <= 0 ? 0 : std::max<int64_t>(n, 0);
    return run_halves(
        {name, handle, n, write_to(x, type, incx), {}, alpha_type, {alpha, nullptr}, false},
        [=](float* own, float*, float factor, float) { BLAS(sscal)(n, factor, own, 1); });
}

cublasStatus_t run_axpy(const char* name, cublasHandle_t handle, int64_t n, const void* alpha,
                        cudaDataType alpha_type, const void* x, cudaDataType type, int64_t incx,
                        void* y, cudaDataType y_type, int64_t incy, cudaDataType execution) {
    auto status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (alpha_type == type && y_type == type && execution == type &&
        with_blas_type(type, [&](auto example) {
            using T = decltype(example);
            status = axpy(handle, n, static_cast<const T*>(alpha), static_cast<const T*>(x), incx,
                          static_cast<T*>(y), incy);
        }))
        return status;
    if (!is_half(type) || y_type != type || alpha_type != CUDA_R_32F || execution != CUDA_R_32F ||
        alpha == nullptr)
        return reject_call(name, handle, alpha != nullptr);
    n = std::max<int64_t>(n, 0);
    return run_halves({name,
                       handle,
                       n,
                       read_from(x, type, incx),
                       write_to(y, type, incy),
                       alpha_type,
                       {alpha, nullptr},
                       false},
                      [=](float* from, float* to, float factor, float) {
                          BLAS(saxpy)(n, factor, from, 1, to, 1);
                      });
}

cublasStatus_t run_dot(const char* name, bool is_conjugate, cublasHandle_t handle, int64_t n,
                       const void* x, cudaDataType type, int64_t incx, const void* y,
                       cudaDataType y_type, int64_t incy, void* result, cudaDataType result_type,
                       cudaDataType execution) {
    auto status = CUBLAS_STATUS_NOT_SUPPORTED;
    const bool are_equal = y_type == type && result_type == type;
    if (are_equal && execution == type && with_blas_type(type, [&](auto example) {
            using T = decltype(example);
            status = dot(is_conjugate, handle, n, static_cast<const T*>(x), incx,
                         static_cast<const T*>(y), incy, static_cast<T*>(result));
        }))
        return status;
    if (!is_half(type) || !are_equal || execution != CUDA_R_32F || result == nullptr)
        return reject_call(name, handle, result != nullptr);
    n = std::max<int64_t>(n, 0);
    return run_halves(
        {name, handle, n, read_from(x, type, incx), read_from(y, type, incy), CUDA_R_32F, {}, true},
        [=](float* left, float* right, float, float) {
            store_half(result, type, BLAS(sdot)(n, left, 1, right, 1));
        });
}

// nrm2 and asum, whose results are real.
template <class Native, class Function>
cublasStatus_t run_norm(const char* name, Native native, Function function, cublasHandle_t handle,
                        int64_t n, const void* x, cudaDataType type, int64_t incx, void* result,
                        cudaDataType result_type, cudaDataType execution) {
    auto status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (result_type == real_type(type) && execution == result_type &&
        with_blas_type(type, [&](auto example) {
            status = native(handle, n, static_cast<const decltype(example)*>(x), incx, result);
        }))
        return status;
    if (!is_half(type) || result_type != type || execution != CUDA_R_32F || result == nullptr)
        return reject_call(name, handle, result != nullptr);
    n = incx <= 0 ? 0 : std::max<int64_t>(n, 0);
    return run_halves(
        {name, handle, n, read_from(x, type, incx), {}, CUDA_R_32F, {}, true},
        [=](float* own, float*, float, float) { store_half(result, type, function(n, own, 1)); });
}

// The place of the largest or smallest element.
template <class Native, class Function, class Index>
cublasStatus_t run_extreme(const char* name, Native native, Function function,
                           cublasHandle_t handle, Index n, const void* x, cudaDataType type,
                           Index incx, Index* result) {
    auto status = CUBLAS_STATUS_NOT_SUPPORTED;
    if (with_blas_type(type, [&](auto example) {
            status = native(handle, n, static_cast<const decltype(example)*>(x), incx, result);
        }))
        return status;
    if (!is_half(type) || result == nullptr) return reject_call(name, handle, result != nullptr);
    const int64_t count = incx <= 0 ? 0 : std::max<Index>(n, 0);
    return run_halves(
        {name, handle, count, read_from(x, type, incx), {}, CUDA_R_32F, {}, true},
        [=](float* own, float*, float, float) { store_index(result, function, count, own, 1); });
}

cublasStatus_t run_rot(const char* name, cublasHandle_t handle, int64_t n, void* x,
                       cudaDataType type, int64_t incx, void* y, cudaDataType y_type, int64_t incy,
                       const void* c, const void* s, cudaDataType scalar_type,
                       cudaDataType execution) {
    auto status = CUBLAS_STATUS_NOT_SUPPORTED;
    const bool has_scalars = c != nullptr && s != nullptr;
    if (y_type == type && execution == type && scalar_type == real_type(type) &&
        with_blas_type(type, [&](auto example) {
            using T = decltype(example);
            status = rot(handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy, c, s);
        }))
        return status;
    if (!is_half(type) || y_type != type || scalar_type != type || execution != CUDA_R_32F ||
        !has_scalars)
        return reject_call(name, handle, has_scalars);
    n = std::max<int64_t>(n, 0);
    return run_halves({name,
                       handle,
                       n,
                       write_to(x, type, incx),
                       write_to(y, type, incy),
                       scalar_type,
                       {c, s},
                       false},
                      [=](float* left, float* right, float cosine, float sine) {
                          BLAS(srot)(n, left, 1, right, 1, cosine, sine);
                      });
}

// The rotations that cuBLAS's other functions have for real types.
#define KBUILD_OVERLOAD_ROTATIONS(P, T) \
    cublasStatus_t rotg(cublasHandle_t h, T* a, T* b, T* c, T* s) { \
        return cublas##P##rotg_v2(h, a, b, c, s); \
    } \
    cublasStatus_t rotm(cublasHandle_t h, int64_t n, T* x, int64_t incx, T* y, int64_t incy, \
                        const T* param) { \
        return cublas##P##rotm_v2_64(h, n, x, incx, y, incy, param); \
    } \
    cublasStatus_t rotmg(cublasHandle_t h, T* d1, T* d2, T* x1, const T* y1, T* param) { \
        return cublas##P##rotmg_v2(h, d1, d2, x1, y1, param); \
    }
KBUILD_OVERLOAD_ROTATIONS(S, float)
KBUILD_OVERLOAD_ROTATIONS(D, double)

// Calls the function with a value of the type, if all types are this real one.
template <class Function>
cublasStatus_t with_real_type(const char* name, cublasHandle_t handle, cudaDataType type,
                              bool are_equal, Function function) {
    if (are_equal && type == CUDA_R_32F) return function(float());
    if (are_equal && type == CUDA_R_64F) return function(double());
    return reject_call(name, handle, true);
}

cublasStatus_t run_rotm(const char* name, cublasHandle_t handle, int64_t n, void* x,
                        cudaDataType type, int64_t incx, void* y, cudaDataType y_type, int64_t incy,
                        const void* param, cudaDataType param_type, cudaDataType execution) {
    const bool are_equal = y_type == type && param_type == type && execution == type;
    return with_real_type(name, handle, type, are_equal, [=](auto example) {
        using T = decltype(example);
        return rotm(handle, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy,
                    static_cast<const T*>(param));
    });
}

}  // namespace

cublasStatus_t cublasRotgEx(cublasHandle_t handle, void* a, void* b, cudaDataType abType, void* c,
                            void* s, cudaDataType csType, cudaDataType executionType) {
    const bool are_equal = csType == abType && executionType == abType;
    return with_real_type("cublasRotgEx", handle, abType, are_equal, [=](auto example) {
        using T = decltype(example);
        return rotg(handle, static_cast<T*>(a), static_cast<T*>(b), static_cast<T*>(c),
                    static_cast<T*>(s));
    });
}
cublasStatus_t cublasRotmgEx(cublasHandle_t handle, void* d1, cudaDataType d1Type, void* d2,
                             cudaDataType d2Type, void* x1, cudaDataType x1Type, const void* y1,
                             cudaDataType y1Type, void* param, cudaDataType paramType,
                             cudaDataType executionType) {
    const bool are_equal = d2Type == d1Type && x1Type == d1Type && y1Type == d1Type &&
                           paramType == d1Type && executionType == d1Type;
    return with_real_type("cublasRotmgEx", handle, d1Type, are_equal, [=](auto example) {
        using T = decltype(example);
        return rotmg(handle, static_cast<T*>(d1), static_cast<T*>(d2), static_cast<T*>(x1),
                     static_cast<const T*>(y1), static_cast<T*>(param));
    });
}

// A function template or overloaded function as an argument.
#define KBUILD_ANY(function) [](auto... x) { return function(x...); }
#define KBUILD_LEVEL1_EX(suffix, Size) \
    cublasStatus_t cublasScalEx##suffix(cublasHandle_t handle, Size n, const void* alpha, \
                                        cudaDataType alphaType, void* x, cudaDataType xType, \
                                        Size incx, cudaDataType executionType) { \
        return run_scal("cublasScalEx" #suffix, handle, n, alpha, alphaType, x, xType, incx, \
                        executionType); \
    } \
    cublasStatus_t cublasAxpyEx##suffix(cublasHandle_t handle, Size n, const void* alpha, \
                                        cudaDataType alphaType, const void* x, cudaDataType xType, \
                                        Size incx, void* y, cudaDataType yType, Size incy, \
                                        cudaDataType executionType) { \
        return run_axpy("cublasAxpyEx" #suffix, handle, n, alpha, alphaType, x, xType, incx, y, \
                        yType, incy, executionType); \
    } \
    cublasStatus_t cublasDotEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                       cudaDataType xType, Size incx, const void* y, \
                                       cudaDataType yType, Size incy, void* result, \
                                       cudaDataType resultType, cudaDataType executionType) { \
        return run_dot("cublasDotEx" #suffix, false, handle, n, x, xType, incx, y, yType, incy, \
                       result, resultType, executionType); \
    } \
    cublasStatus_t cublasDotcEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                        cudaDataType xType, Size incx, const void* y, \
                                        cudaDataType yType, Size incy, void* result, \
                                        cudaDataType resultType, cudaDataType executionType) { \
        return run_dot("cublasDotcEx" #suffix, true, handle, n, x, xType, incx, y, yType, incy, \
                       result, resultType, executionType); \
    } \
    cublasStatus_t cublasNrm2Ex##suffix(cublasHandle_t handle, Size n, const void* x, \
                                        cudaDataType xType, Size incx, void* result, \
                                        cudaDataType resultType, cudaDataType executionType) { \
        return run_norm("cublasNrm2Ex" #suffix, KBUILD_ANY(nrm2), BLAS(snrm2), handle, n, x, \
                        xType, incx, result, resultType, executionType); \
    } \
    cublasStatus_t cublasAsumEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                        cudaDataType xType, Size incx, void* result, \
                                        cudaDataType resultType, cudaDataType executionType) { \
        return run_norm("cublasAsumEx" #suffix, KBUILD_ANY(asum), BLAS(sasum), handle, n, x, \
                        xType, incx, result, resultType, executionType); \
    } \
    cublasStatus_t cublasIamaxEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                         cudaDataType xType, Size incx, Size* result) { \
        return run_extreme("cublasIamaxEx" #suffix, KBUILD_ANY(amax), BLAS(isamax), handle, n, x, \
                           xType, incx, result); \
    } \
    cublasStatus_t cublasIaminEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                         cudaDataType xType, Size incx, Size* result) { \
        return run_extreme("cublasIaminEx" #suffix, KBUILD_ANY(amin), BLAS(isamin), handle, n, x, \
                           xType, incx, result); \
    } \
    cublasStatus_t cublasCopyEx##suffix(cublasHandle_t handle, Size n, const void* x, \
                                        cudaDataType xType, Size incx, void* y, \
                                        cudaDataType yType, Size incy) { \
        return move_elements("cublasCopyEx" #suffix, handle, n, read_from(x, xType, incx), \
                             write_to(y, yType, incy), \
                             [](const auto& from, auto& to) { to = from; }); \
    } \
    cublasStatus_t cublasSwapEx##suffix(cublasHandle_t handle, Size n, void* x, \
                                        cudaDataType xType, Size incx, void* y, \
                                        cudaDataType yType, Size incy) { \
        return move_elements("cublasSwapEx" #suffix, handle, n, write_to(x, xType, incx), \
                             write_to(y, yType, incy), [](auto& a, auto& b) { std::swap(a, b); }); \
    } \
    cublasStatus_t cublasRotEx##suffix(cublasHandle_t handle, Size n, void* x, cudaDataType xType, \
                                       Size incx, void* y, cudaDataType yType, Size incy, \
                                       const void* c, const void* s, cudaDataType csType, \
                                       cudaDataType executionType) { \
        return run_rot("cublasRotEx" #suffix, handle, n, x, xType, incx, y, yType, incy, c, s, \
                       csType, executionType); \
    } \
    cublasStatus_t cublasRotmEx##suffix(cublasHandle_t handle, Size n, void* x, \
                                        cudaDataType xType, Size incx, void* y, \
                                        cudaDataType yType, Size incy, const void* param, \
                                        cudaDataType paramType, cudaDataType executionType) { \
        return run_rotm("cublasRotmEx" #suffix, handle, n, x, xType, incx, y, yType, incy, param, \
                        paramType, executionType); \
    }
KBUILD_LEVEL1_EX(, int)
KBUILD_LEVEL1_EX(_64, int64_t)
