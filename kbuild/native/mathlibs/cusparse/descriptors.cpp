// Contexts, descriptors, and status codes.
#include "cusparse/objects.hpp"

#include <new>

using namespace kbuild::mathlibs;

namespace {

struct Status {
    cusparseStatus_t status;
    const char* name;
    const char* text;
};

constexpr Status statuses[] = {
    {CUSPARSE_STATUS_SUCCESS, "CUSPARSE_STATUS_SUCCESS", "success"},
    {CUSPARSE_STATUS_NOT_INITIALIZED, "CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {CUSPARSE_STATUS_ALLOC_FAILED, "CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {CUSPARSE_STATUS_INVALID_VALUE, "CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {CUSPARSE_STATUS_ARCH_MISMATCH, "CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {CUSPARSE_STATUS_MAPPING_ERROR, "CUSPARSE_STATUS_MAPPING_ERROR", "mapping error"},
    {CUSPARSE_STATUS_EXECUTION_FAILED, "CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {CUSPARSE_STATUS_INTERNAL_ERROR, "CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
     "matrix type not supported"},
    {CUSPARSE_STATUS_ZERO_PIVOT, "CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {CUSPARSE_STATUS_NOT_SUPPORTED, "CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {CUSPARSE_STATUS_INSUFFICIENT_RESOURCES, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
     "insufficient resources"},
};

const Status* find_status(cusparseStatus_t status) {
    for (const auto& known : statuses)
        if (known.status == status) return &known;
    return nullptr;
}

// Sets or returns a member of an object.
template <class Object, class T>
cusparseStatus_t set(Object* object, T Object::* member, T value) {
    if (object == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    object->*member = value;
    return CUSPARSE_STATUS_SUCCESS;
}
template <class Pointer, class... More>
cusparseStatus_t give(const void* object, Pointer* to, Pointer value, More... more) {
    if (object == nullptr || to == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *to = value;
    if constexpr (sizeof...(more) != 0) return give(object, more...);
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Pointer, class Object>
cusparseStatus_t create(Pointer* to, bool is_valid, const Object& object) {
    if (to == nullptr || !is_valid) return CUSPARSE_STATUS_INVALID_VALUE;
    *to = new (std::nothrow) Object(object);
    return *to == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
template <class Object>
cusparseStatus_t destroy(const Object* object) {
    delete object;
    return CUSPARSE_STATUS_SUCCESS;
}

bool is_base(cusparseIndexBase_t base) {
    return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}

void* writable(const void* memory) { return const_cast<void*>(memory); }

template <class Pointer>
cusparseStatus_t create_sparse(Pointer* to, cusparseFormat_t format, int64_t rows, int64_t columns,
                               int64_t count, const void* offsets, const void* indices,
                               const void* values, cusparseIndexType_t offset_type,
                               cusparseIndexType_t index_type, cusparseIndexBase_t base,
                               cudaDataType type) {
    // The offsets of COO are rows of elements, which do not exist in a matrix without elements.
    const cusparseSpMatDescr matrix = {format,
                                       rows,
                                       columns,
                                       count,
                                       {writable(offsets), offset_type, base},
                                       {writable(indices), index_type, base},
                                       writable(values),
                                       type};
    const bool is_valid = rows >= 0 && columns >= 0 && count >= 0 && is_base(base);
    if (is_valid &&
        !(matrix.offsets.is_supported() && matrix.indices.is_supported() && size_of(type) != 0))
        return reject_sparse("cusparseCreate*", unsupported_types);
    return create(to, is_valid, matrix);
}

// Indices and values of a matrix can be null until its elements are counted.
cusparseStatus_t set_pointers(cusparseSpMatDescr_t matrix, void* offsets, void* indices,
                              void* values) {
    if (matrix == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    matrix->offsets.start = offsets;
    matrix->indices.start = indices;
    matrix->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

template <class Void>
cusparseStatus_t get_sparse(cusparseConstSpMatDescr_t A, cusparseFormat_t format, int64_t* rows,
                            int64_t* columns, int64_t* count, Void** offsets, Void** indices,
                            Void** values, cusparseIndexType_t* offset_type,
                            cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                            cudaDataType* type) {
    if (A == nullptr || A->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(A, rows, A->rows, columns, A->columns, count, A->count, offsets,
                static_cast<Void*>(A->offsets.start), indices, static_cast<Void*>(A->indices.start),
                values, static_cast<Void*>(A->values), offset_type, A->offsets.type, index_type,
                A->indices.type, base, static_cast<cusparseIndexBase_t>(A->indices.base), type,
                A->type);
}

}  // namespace

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
    return create(handle, true, cusparseContext());
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
    if (handle == nullptr) return CUSPARSE_STATUS_SUCCESS;
    if (const auto status = check_handle(handle); status != CUSPARSE_STATUS_SUCCESS) return status;
    handle->state = 0;
    return destroy(handle);
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
    if (const auto status = check_handle(handle); status != CUSPARSE_STATUS_SUCCESS) return status;
    return give(handle, version, CUSPARSE_VERSION);
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
    switch (type) {
    case MAJOR_VERSION: return give(value, value, CUSPARSE_VER_MAJOR);
    case MINOR_VERSION: return give(value, value, CUSPARSE_VER_MINOR);
    case PATCH_LEVEL: return give(value, value, CUSPARSE_VER_PATCH);
    }
    return CUSPARSE_STATUS_INVALID_VALUE;
}
const char* cusparseGetErrorName(cusparseStatus_t status) {
    const auto* const found = find_status(status);
    return found == nullptr ? "unrecognized error code" : found->name;
}
const char* cusparseGetErrorString(cusparseStatus_t status) {
    const auto* const found = find_status(status);
    return found == nullptr ? "unrecognized error code" : found->text;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
    if (const auto status = check_handle(handle); status != CUSPARSE_STATUS_SUCCESS) return status;
    return set(handle, &cusparseContext::stream, stream);
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
    if (const auto status = check_handle(handle); status != CUSPARSE_STATUS_SUCCESS) return status;
    return give(handle, stream, handle->stream);
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
    if (const auto status = check_handle(handle); status != CUSPARSE_STATUS_SUCCESS) return status;
    if (mode != CUSPARSE_POINTER_MODE_HOST && mode != CUSPARSE_POINTER_MODE_DEVICE)
        return CUSPARSE_STATUS_INVALID_VALUE;
    return set(handle, &cusparseContext::pointer_mode, mode);
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
    if (const auto status = check_handle(handle); status != CUSPARSE_STATUS_SUCCESS) return status;
    return give(handle, mode, handle->pointer_mode);
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor) {
    return create(descriptor, true, cusparseMatDescr());
}
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
    return destroy(descriptor);
}
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descriptor, cusparseMatrixType_t type) {
    return set(descriptor, &cusparseMatDescr::type, type);
}
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descriptor) {
    return descriptor->type;
}
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descriptor, cusparseFillMode_t fill) {
    return set(descriptor, &cusparseMatDescr::fill, fill);
}
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descriptor) {
    return descriptor->fill;
}
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descriptor,
                                        cusparseDiagType_t diagonal) {
    return set(descriptor, &cusparseMatDescr::diagonal, diagonal);
}
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descriptor) {
    return descriptor->diagonal;
}
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descriptor, cusparseIndexBase_t base) {
    return set(descriptor, &cusparseMatDescr::base, base);
}
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descriptor) {
    return descriptor->base;
}

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t* vector, int64_t size,
                                          int64_t count, const void* indices, const void* values,
                                          cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                          cudaDataType type) {
    const cusparseSpVecDescr made = {
        size, count, {writable(indices), index_type, base}, writable(values), type};
    const bool is_valid = size >= 0 && count >= 0 && count <= size && is_base(base);
    if (is_valid && !(made.indices.is_supported() && size_of(type) != 0))
        return reject_sparse("cusparseCreateSpVec", unsupported_types);
    return create(vector, is_valid, made);
}
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* vector, int64_t size, int64_t count,
                                     void* indices, void* values, cusparseIndexType_t index_type,
                                     cusparseIndexBase_t base, cudaDataType type) {
    return cusparseCreateConstSpVec(const_cast<cusparseConstSpVecDescr_t*>(vector), size, count,
                                    indices, values, index_type, base, type);
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t x, int64_t* size, int64_t* count,
                                       const void** indices, const void** values,
                                       cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                       cudaDataType* type) {
    if (x == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(x, size, x->size, count, x->count, indices,
                static_cast<const void*>(x->indices.start), values,
                static_cast<const void*>(x->values), index_type, x->indices.type, base,
                static_cast<cusparseIndexBase_t>(x->indices.base), type, x->type);
}
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t x, int64_t* size, int64_t* count,
                                  void** indices, void** values, cusparseIndexType_t* index_type,
                                  cusparseIndexBase_t* base, cudaDataType* type) {
    return cusparseConstSpVecGet(x, size, count, const_cast<const void**>(indices),
                                 const_cast<const void**>(values), index_type, base, type);
}
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t x, cusparseIndexBase_t* base) {
    if (x == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(x, base, static_cast<cusparseIndexBase_t>(x->indices.base));
}
cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t x, const void** values) {
    if (x == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(x, values, static_cast<const void*>(x->values));
}
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t x, void** values) {
    return cusparseConstSpVecGetValues(x, const_cast<const void**>(values));
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t x, void* values) {
    return set(x, &cusparseSpVecDescr::values, values);
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* vector, int64_t size,
                                          const void* values, cudaDataType type) {
    if (size >= 0 && size_of(type) == 0)
        return reject_sparse("cusparseCreateDnVec", unsupported_types);
    return create(vector, size >= 0, cusparseDnVecDescr{size, writable(values), type});
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* vector, int64_t size, void* values,
                                     cudaDataType type) {
    return cusparseCreateConstDnVec(const_cast<cusparseConstDnVecDescr_t*>(vector), size, values,
                                    type);
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t x, int64_t* size,
                                       const void** values, cudaDataType* type) {
    if (x == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(x, size, x->size, values, static_cast<const void*>(x->values), type, x->type);
}
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t x, int64_t* size, void** values,
                                  cudaDataType* type) {
    return cusparseConstDnVecGet(x, size, const_cast<const void**>(values), type);
}
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t x, const void** values) {
    if (x == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(x, values, static_cast<const void*>(x->values));
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t x, void** values) {
    return cusparseConstDnVecGetValues(x, const_cast<const void**>(values));
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t x, void* values) {
    return set(x, &cusparseDnVecDescr::values, values);
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* matrix, int64_t rows,
                                          int64_t columns, int64_t leading, const void* values,
                                          cudaDataType type, cusparseOrder_t order) {
    const bool is_ordered = order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW;
    const bool is_valid = rows >= 0 && columns >= 0 && is_ordered &&
                          leading >= (order == CUSPARSE_ORDER_COL ? rows : columns);
    if (is_valid && size_of(type) == 0)
        return reject_sparse("cusparseCreateDnMat", unsupported_types);
    return create(matrix, is_valid,
                  cusparseDnMatDescr{rows, columns, leading, writable(values), type, order});
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, int64_t rows, int64_t columns,
                                     int64_t leading, void* values, cudaDataType type,
                                     cusparseOrder_t order) {
    return cusparseCreateConstDnMat(const_cast<cusparseConstDnMatDescr_t*>(matrix), rows, columns,
                                    leading, values, type, order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t A, int64_t* rows, int64_t* columns,
                                       int64_t* leading, const void** values, cudaDataType* type,
                                       cusparseOrder_t* order) {
    if (A == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(A, rows, A->rows, columns, A->columns, leading, A->leading, values,
                static_cast<const void*>(A->values), type, A->type, order, A->order);
}
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t A, int64_t* rows, int64_t* columns,
                                  int64_t* leading, void** values, cudaDataType* type,
                                  cusparseOrder_t* order) {
    return cusparseConstDnMatGet(A, rows, columns, leading, const_cast<const void**>(values), type,
                                 order);
}
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t A, const void** values) {
    if (A == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(A, values, static_cast<const void*>(A->values));
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t A, void** values) {
    return cusparseConstDnMatGetValues(A, const_cast<const void**>(values));
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t A, void* values) {
    return set(A, &cusparseDnMatDescr::values, values);
}

#define KBUILD_CUSPARSE_COMPRESSED(Name, format) \
    cusparseStatus_t cusparseCreate##Name( \
        cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t count, void* offsets, \
        void* indices, void* values, cusparseIndexType_t offset_type, \
        cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) { \
        return create_sparse(matrix, format, rows, columns, count, offsets, indices, values, \
                             offset_type, index_type, base, type); \
    } \
    cusparseStatus_t cusparseCreateConst##Name( \
        cusparseConstSpMatDescr_t* matrix, int64_t rows, int64_t columns, int64_t count, \
        const void* offsets, const void* indices, const void* values, \
        cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, \
        cudaDataType type) { \
        return create_sparse(matrix, format, rows, columns, count, offsets, indices, values, \
                             offset_type, index_type, base, type); \
    } \
    cusparseStatus_t cusparse##Name##Get( \
        cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* columns, int64_t* count, \
        void** offsets, void** indices, void** values, cusparseIndexType_t* offset_type, \
        cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) { \
        return get_sparse(matrix, format, rows, columns, count, offsets, indices, values, \
                          offset_type, index_type, base, type); \
    } \
    cusparseStatus_t cusparseConst##Name##Get( \
        cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* columns, int64_t* count, \
        const void** offsets, const void** indices, const void** values, \
        cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type, \
        cusparseIndexBase_t* base, cudaDataType* type) { \
        return get_sparse(matrix, format, rows, columns, count, offsets, indices, values, \
                          offset_type, index_type, base, type); \
    } \
    cusparseStatus_t cusparse##Name##SetPointers(cusparseSpMatDescr_t matrix, void* offsets, \
                                                 void* indices, void* values) { \
        return set_pointers(matrix, offsets, indices, values); \
    }
KBUILD_CUSPARSE_COMPRESSED(Csr, CUSPARSE_FORMAT_CSR)
KBUILD_CUSPARSE_COMPRESSED(Csc, CUSPARSE_FORMAT_CSC)

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t columns,
                                   int64_t count, void* row_indices, void* column_indices,
                                   void* values, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
    return create_sparse(matrix, CUSPARSE_FORMAT_COO, rows, columns, count, row_indices,
                         column_indices, values, index_type, index_type, base, type);
}
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t* matrix, int64_t rows,
                                        int64_t columns, int64_t count, const void* row_indices,
                                        const void* column_indices, const void* values,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                        cudaDataType type) {
    return create_sparse(matrix, CUSPARSE_FORMAT_COO, rows, columns, count, row_indices,
                         column_indices, values, index_type, index_type, base, type);
}
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* columns,
                                int64_t* count, void** row_indices, void** column_indices,
                                void** values, cusparseIndexType_t* index_type,
                                cusparseIndexBase_t* base, cudaDataType* type) {
    return get_sparse(matrix, CUSPARSE_FORMAT_COO, rows, columns, count, row_indices,
                      column_indices, values, index_type, index_type, base, type);
}
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t matrix, int64_t* rows,
                                     int64_t* columns, int64_t* count, const void** row_indices,
                                     const void** column_indices, const void** values,
                                     cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                     cudaDataType* type) {
    return get_sparse(matrix, CUSPARSE_FORMAT_COO, rows, columns, count, row_indices,
                      column_indices, values, index_type, index_type, base, type);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void* row_indices,
                                        void* column_indices, void* values) {
    return set_pointers(matrix, row_indices, column_indices, values);
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t A, cusparseFormat_t* format) {
    if (A == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(A, format, A->format);
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t A, cusparseIndexBase_t* base) {
    if (A == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(A, base, static_cast<cusparseIndexBase_t>(A->indices.base));
}
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t A, const void** values) {
    if (A == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(A, values, static_cast<const void*>(A->values));
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t A, void** values) {
    return cusparseConstSpMatGetValues(A, const_cast<const void**>(values));
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t A, void* values) {
    return set(A, &cusparseSpMatDescr::values, values);
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t A, int64_t* rows, int64_t* columns,
                                      int64_t* count) {
    if (A == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return give(A, rows, A->rows, columns, A->columns, count, A->count);
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t A,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           size_t size) {
    if (A == nullptr || data == nullptr || size != sizeof(int))
        return CUSPARSE_STATUS_INVALID_VALUE;
    switch (attribute) {
    case CUSPARSE_SPMAT_FILL_MODE: return give(A, static_cast<cusparseFillMode_t*>(data), A->fill);
    case CUSPARSE_SPMAT_DIAG_TYPE:
        return give(A, static_cast<cusparseDiagType_t*>(data), A->diagonal);
    default: return CUSPARSE_STATUS_NOT_SUPPORTED;
    }
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t A,
                                           cusparseSpMatAttribute_t attribute, void* data,
                                           size_t size) {
    if (A == nullptr || data == nullptr || size != sizeof(int))
        return CUSPARSE_STATUS_INVALID_VALUE;
    switch (attribute) {
    case CUSPARSE_SPMAT_FILL_MODE:
        return set(A, &cusparseSpMatDescr::fill, *static_cast<cusparseFillMode_t*>(data));
    case CUSPARSE_SPMAT_DIAG_TYPE:
        return set(A, &cusparseSpMatDescr::diagonal, *static_cast<cusparseDiagType_t*>(data));
    default:
        return reject_sparse("cusparseSpMatSetAttribute",
                             "the CPU has the attributes for the fill mode and the diagonal only");
    }
}
