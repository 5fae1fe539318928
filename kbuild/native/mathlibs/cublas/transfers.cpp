// Copies of vectors and matrices between the host and the device.
#include "cublas/exported.hpp"

#include "cublas/handle.hpp"

namespace {

using namespace kbuild::mathlibs;

// Copies `count` rows of some bytes, which are the elements of a vector or the columns of a matrix.
cublasStatus_t copy(const void* from, std::int64_t from_pitch, void* to, std::int64_t to_pitch,
                    std::int64_t bytes, std::int64_t count, unsigned kind, void* stream,
                    bool is_awaited) {
    if (bytes == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
    // Rows without gaps are one row, which is fast.
    if (from_pitch == bytes && to_pitch == bytes) {
        bytes *= count;
        from_pitch = to_pitch = bytes;
        count = 1;
    }
    const auto size = [](std::int64_t number) { return static_cast<std::size_t>(number); };
    kbuild_cpu_area_copy area = {};
    area.to = {to, size(to_pitch), size(count)};
    area.from = {const_cast<void*>(from), size(from_pitch), size(count)};
    area.width = size(bytes);
    area.height = size(count);
    area.depth = 1;
    area.kind = kind;
    const int error =
        is_awaited ? kbuild_cpu_copy_area(&area, stream) : kbuild_cpu_queue_copy(&area, stream);
    return error == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

cublasStatus_t copy_vector(std::int64_t n, std::int64_t size, const void* x, std::int64_t incx,
                           void* y, std::int64_t incy, unsigned kind, void* stream = nullptr,
                           bool is_awaited = true) {
    if (n < 0 || size <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
    return copy(x, incx * size, y, incy * size, size, n, kind, stream, is_awaited);
}

cublasStatus_t copy_matrix(std::int64_t rows, std::int64_t columns, std::int64_t size,
                           const void* A, std::int64_t lda, void* B, std::int64_t ldb,
                           unsigned kind, void* stream = nullptr, bool is_awaited = true) {
    // As with NVIDIA's library, the copy finds out that a leading dimension is smaller than a column.
    if (rows < 0 || columns < 0 || size <= 0 || lda <= 0 || ldb <= 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    return copy(A, lda * size, B, ldb * size, rows * size, columns, kind, stream, is_awaited);
}

constexpr unsigned to_device = KBUILD_CPU_COPY_HOST_TO_DEVICE;
constexpr unsigned to_host = KBUILD_CPU_COPY_DEVICE_TO_HOST;

}  // namespace

#define KBUILD_TRANSFERS(suffix, Size) \
    cublasStatus_t cublasSetVector##suffix(Size n, Size elemSize, const void* x, Size incx, \
                                           void* y, Size incy) { \
        return copy_vector(n, elemSize, x, incx, y, incy, to_device); \
    } \
    cublasStatus_t cublasGetVector##suffix(Size n, Size elemSize, const void* x, Size incx, \
                                           void* y, Size incy) { \
        return copy_vector(n, elemSize, x, incx, y, incy, to_host); \
    } \
    cublasStatus_t cublasSetVectorAsync##suffix(Size n, Size elemSize, const void* x, Size incx, \
                                                void* y, Size incy, cudaStream_t stream) { \
        return copy_vector(n, elemSize, x, incx, y, incy, to_device, stream, false); \
    } \
    cublasStatus_t cublasGetVectorAsync##suffix(Size n, Size elemSize, const void* x, Size incx, \
                                                void* y, Size incy, cudaStream_t stream) { \
        return copy_vector(n, elemSize, x, incx, y, incy, to_host, stream, false); \
    } \
    cublasStatus_t cublasSetMatrix##suffix(Size rows, Size cols, Size elemSize, const void* A, \
                                           Size lda, void* B, Size ldb) { \
        return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, to_device); \
    } \
    cublasStatus_t cublasGetMatrix##suffix(Size rows, Size cols, Size elemSize, const void* A, \
                                           Size lda, void* B, Size ldb) { \
        return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, to_host); \
    } \
    cublasStatus_t cublasSetMatrixAsync##suffix(Size rows, Size cols, Size elemSize, \
                                                const void* A, Size lda, void* B, Size ldb, \
                                                cudaStream_t stream) { \
        return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, to_device, stream, false); \
    } \
    cublasStatus_t cublasGetMatrixAsync##suffix(Size rows, Size cols, Size elemSize, \
                                                const void* A, Size lda, void* B, Size ldb, \
                                                cudaStream_t stream) { \
        return copy_matrix(rows, cols, elemSize, A, lda, B, ldb, to_host, stream, false); \
    }

KBUILD_TRANSFERS(, int)
KBUILD_TRANSFERS(_64, int64_t)
