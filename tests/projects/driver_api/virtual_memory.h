/* Virtual memory management: a range that grows, one memory at two addresses, and mistakes. */
#include "checks.h"

#include <unistd.h>

static void check_mapped_memory(CUdeviceptr range, size_t unit, CUdeviceptr other,
                                CUmemGenericAllocationHandle second) {
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                    CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle found, imported;
    CUmemAllocationProp properties;
    unsigned long long flags = 0;
    unsigned type = 0;
    int file = -1, value[2] = {1, 2};
    /* Copies and fills cross the border between two mappings. */
    CHECK(cuMemsetD32(range, 7, 2 * unit / sizeof(int)));
    CHECK(cuMemcpyHtoD(range + unit - sizeof(int), value, sizeof value));
    CHECK(cuMemMap(other, unit, 0, second, 0));
    EXPECT(cuMemcpyDtoH(value, other, sizeof value), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemSetAccess(other, unit, &access, 1));
    CHECK(cuMemcpyDtoH(value, other, sizeof value));
    EXPECT(value[0], 2);
    EXPECT(value[1], 7);
    CHECK(cuMemGetAccess(&flags, &access.location, other + 5));
    EXPECT(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, other));
    EXPECT(type, CU_MEMORYTYPE_DEVICE);
    CHECK(cuMemRetainAllocationHandle(&found, (void *)(other + 5)));
    EXPECT(found, second);
    CHECK(cuMemRelease(found));
    CHECK(cuMemGetAllocationPropertiesFromHandle(&properties, second));
    EXPECT(properties.requestedHandleTypes, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    CHECK(cuMemExportToShareableHandle(&file, second, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CHECK(cuMemImportFromShareableHandle(&imported, (void *)(size_t)file,
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    CHECK(close(file));
    CHECK(cuMemUnmap(other, unit));
    CHECK(cuMemMap(other, unit, 0, imported, 0));
    CHECK(cuMemSetAccess(other, unit, &access, 1));
    CHECK(cuMemRelease(imported));
    CHECK(cuMemcpyDtoH(value, other, sizeof value));
    EXPECT(value[0], 2);
    CHECK(cuMemUnmap(other, unit));
}

static void check_virtual_memory(void) {
    CUmemAllocationProp properties = {
        .type = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    const CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle handles[2];
    CUdeviceptr range, other;
    size_t unit = 0;
    int i, value = 0;
    CHECK(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT(cuMemAddressReserve(&range, unit / 2, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemAddressReserve(&range, 3 * unit, 4 * unit, 0, 0));
    EXPECT(range % (4 * unit), 0);
    CHECK(cuMemAddressReserve(&other, unit, 0, 0, 0));
    for (i = 0; i < 2; ++i) {
        CHECK(cuMemCreate(&handles[i], unit, &properties, 0));
        CHECK(cuMemMap(range + (size_t)i * unit, unit, 0, handles[i], 0));
        CHECK(cuMemSetAccess(range + (size_t)i * unit, unit, &access, 1));
    }
    check_mapped_memory(range, unit, other, handles[1]);
    EXPECT(cuMemCreate(&handles[0], unit + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemCreate(&handles[0], unit << 30, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT(cuMemMap(range, unit, 0, handles[0], 0), CUDA_ERROR_INVALID_VALUE); /* mapped */
    EXPECT(cuMemMap(range + 3 * unit, unit, 0, handles[0], 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemUnmap(range, unit / 2), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemFree(range), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemAddressFree(range, 3 * unit), CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyDtoH(&value, range + 2 * unit, sizeof value), CUDA_ERROR_INVALID_VALUE);
    for (i = 0; i < 2; ++i) CHECK(cuMemRelease(handles[i]));
    EXPECT(cuMemRelease(handles[1]), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyDtoH(&value, range, sizeof value)); /* mappings outlive handles */
    EXPECT(value, 7);
    CHECK(cuMemUnmap(range, unit));
    EXPECT(cuMemcpyDtoH(&value, range, sizeof value), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemcpyDtoH(&value, range + unit, sizeof value));
    CHECK(cuMemUnmap(range + unit, unit));
    CHECK(cuMemAddressFree(range, 3 * unit));
    CHECK(cuMemAddressFree(other, unit));
}
