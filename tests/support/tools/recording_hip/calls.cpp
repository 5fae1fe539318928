// Test code: the part of HIP's API that the test programs call. It records and checks its
// arguments. All memory is host memory, and no kernel runs.
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <execinfo.h>
#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "journal.hpp"
#include "loaded_file.hpp"
#include "registry.hpp"

using recording::Line;
using recording::require;

namespace {

struct Configuration {
    dim3 grid, block;
    std::size_t shared_bytes;
    hipStream_t stream;
};

thread_local std::vector<Configuration> pushed;
thread_local hipError_t last_error = hipSuccess;

// Before HIP 6, every call replaces the last error with its own result.
hipError_t finish(hipError_t error) {
    last_error = error;
    return error;
}

// The sizes of the allocations that hipMalloc returned, by address.
std::map<char*, std::size_t>& allocations() {
    static auto& all = *new std::map<char*, std::size_t>;
    return all;
}

// Finds the allocation that contains the address. Returns end() if there is none.
std::map<char*, std::size_t>::iterator find_allocation(const void* pointer) {
    auto* const address = static_cast<char*>(const_cast<void*>(pointer));
    const auto behind = allocations().upper_bound(address);
    if (behind == allocations().begin()) return allocations().end();
    const auto own = std::prev(behind);
    return address < own->first + own->second ? own : allocations().end();
}

std::vector<std::string> read_stack() {
    void* addresses[32];
    const int count = backtrace(addresses, 32);
    std::vector<std::string> names;
    for (int index = 0; index < count; ++index)
        // Subtract 1 to get an address inside the call, which can be the function's last
        // instruction.
        names.push_back(recording::function_around(static_cast<char*>(addresses[index]) - 1));
    return names;
}

std::vector<std::string> read_arguments(const recording::CodeObject& image, const std::string& kernel,
                                        void** args) {
    std::vector<std::string> values;
    for (const auto& parameter : recording::read_parameters(image.data, image.size, kernel)) {
        require(args != nullptr && args[values.size()] != nullptr, kernel + ": launched without its arguments");
        values.push_back(recording::to_hex(args[values.size()], parameter.size));
    }
    return values;
}

hipError_t launch(const char* function, const void* handle, dim3 grid, dim3 block, void** args,
                  std::size_t shared_bytes, hipStream_t stream) {
    const recording::Kernel* const kernel = recording::find_kernel(handle);
    Line line(function);
    line.add("handle", handle).add("grid", grid.x, grid.y, grid.z).add("block", block.x, block.y, block.z);
    line.add("shared_bytes", shared_bytes).add("stream", static_cast<const void*>(stream));
    line.add("stack", read_stack());
    hipError_t error = hipSuccess;
    const recording::CodeObject* image = nullptr;
    if (kernel == nullptr) error = hipErrorInvalidDeviceFunction;
    else if ((image = recording::choose_image(*kernel->container)) == nullptr) error = hipErrorNoBinaryForGpu;
    else if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z) error = hipErrorInvalidConfiguration;
    if (kernel != nullptr) line.add("kernel", kernel->name);
    if (image != nullptr) line.add("args", read_arguments(*image, kernel->name, args));
    line.add("error", static_cast<std::uint64_t>(error));
    return finish(error);
}

// Returns the bytes of a variable that a copy accesses, or null if the variable is too small.
unsigned char* find_bytes(const void* symbol, std::size_t bytes, std::size_t offset) {
    recording::Variable* const variable = recording::find_variable(symbol);
    if (variable == nullptr || offset > variable->memory.size() ||
        bytes > variable->memory.size() - offset)
        return nullptr;
    return variable->memory.data() + offset;
}

std::string name_of(const void* symbol) {
    const recording::Variable* const variable = recording::find_variable(symbol);
    return variable != nullptr ? variable->name : "";
}

}  // namespace

extern "C" {

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, hipStream_t stream) {
    pushed.push_back({grid, block, shared_bytes, stream});
    Line("__hipPushCallConfiguration").add("depth", pushed.size());
    return finish(hipSuccess);
}

hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, hipStream_t* stream) {
    require(!pushed.empty(), "a configuration is popped that was not pushed");
    const Configuration top = pushed.back();
    pushed.pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared_bytes = top.shared_bytes;
    *stream = top.stream;
    Line("__hipPopCallConfiguration").add("depth", pushed.size());
    return finish(hipSuccess);
}

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** args, size_t shared_bytes,
                           hipStream_t stream) {
    return launch("hipLaunchKernel", function, grid, block, args, shared_bytes, stream);
}

hipError_t hipLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** args,
                                      unsigned shared_bytes, hipStream_t stream) {
    return launch("hipLaunchCooperativeKernel", function, grid, block, args, shared_bytes, stream);
}

hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
    const recording::Kernel* const kernel = recording::find_kernel(function);
    Line("hipFuncGetAttributes").add("kernel", kernel != nullptr ? kernel->name : "");
    std::memset(attributes, 0, sizeof *attributes);
    if (kernel == nullptr) return finish(hipErrorInvalidDeviceFunction);
    return finish(recording::choose_image(*kernel->container) ? hipSuccess : hipErrorNoBinaryForGpu);
}

hipError_t hipMalloc(void** pointer, size_t bytes) {
    *pointer = std::calloc(1, bytes);
    allocations()[static_cast<char*>(*pointer)] = bytes;
    Line("hipMalloc").add("bytes", bytes).add("pointer", static_cast<const void*>(*pointer));
    return finish(hipSuccess);
}

hipError_t hipFree(void* pointer) {
    Line("hipFree").add("pointer", static_cast<const void*>(pointer));
    require(pointer == nullptr || allocations().erase(static_cast<char*>(pointer)) == 1, "hipFree of what hipMalloc did not return");
    std::free(pointer);
    return finish(hipSuccess);
}

hipError_t hipMemcpy(void* destination, const void* source, size_t bytes, hipMemcpyKind kind) {
    std::memcpy(destination, source, bytes);
    Line("hipMemcpy").add("bytes", bytes).add("kind", static_cast<std::uint64_t>(kind));
    return finish(hipSuccess);
}

hipError_t hipMemcpyToSymbol(const void* symbol, const void* source, size_t bytes, size_t offset,
                             hipMemcpyKind kind) {
    unsigned char* const target = find_bytes(symbol, bytes, offset);
    if (target == nullptr) return finish(hipErrorInvalidSymbol);
    require(kind == hipMemcpyHostToDevice || kind == hipMemcpyDefault, "hipMemcpyToSymbol in another direction");
    std::memcpy(target, source, bytes);
    Line("hipMemcpyToSymbol").add("variable", name_of(symbol)).add("offset", offset)
        .add("bytes", recording::to_hex(source, bytes));
    return finish(hipSuccess);
}

hipError_t hipMemcpyFromSymbol(void* destination, const void* symbol, size_t bytes, size_t offset,
                               hipMemcpyKind kind) {
    const unsigned char* const source = find_bytes(symbol, bytes, offset);
    if (source == nullptr) return finish(hipErrorInvalidSymbol);
    require(kind == hipMemcpyDeviceToHost || kind == hipMemcpyDefault, "hipMemcpyFromSymbol in another direction");
    std::memcpy(destination, source, bytes);
    Line("hipMemcpyFromSymbol").add("variable", name_of(symbol)).add("offset", offset)
        .add("bytes", recording::to_hex(source, bytes));
    return finish(hipSuccess);
}

hipError_t hipGetSymbolAddress(void** pointer, const void* symbol) {
    *pointer = find_bytes(symbol, 0, 0);
    Line("hipGetSymbolAddress").add("variable", name_of(symbol));
    return finish(*pointer != nullptr ? hipSuccess : hipErrorInvalidSymbol);
}

hipError_t hipGetDeviceCount(int* count) {
    *count = 1;
    Line("hipGetDeviceCount");
    return finish(hipSuccess);
}

hipError_t hipGetDevice(int* device) {
    *device = 0;
    return finish(hipSuccess);
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int) {
    std::memset(properties, 0, sizeof *properties);
    std::strcpy(properties->name, "a recorder, no device");
    recording::device_arch().copy(properties->gcnArchName, sizeof properties->gcnArchName - 1);
    return finish(hipSuccess);
}

// Returns the limits of a typical device, against which debug stubs check launches.
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int) {
    switch (attribute) {
        case hipDeviceAttributeMaxGridDimX: *value = 2147483647; break;
        case hipDeviceAttributeMaxGridDimY:
        case hipDeviceAttributeMaxGridDimZ:
        case hipDeviceAttributeMaxSharedMemoryPerBlock: *value = 65536; break;
        case hipDeviceAttributeMaxBlockDimX:
        case hipDeviceAttributeMaxBlockDimY:
        case hipDeviceAttributeMaxBlockDimZ:
        case hipDeviceAttributeMaxThreadsPerBlock: *value = 1024; break;
        default: *value = 0;
    }
    return finish(hipSuccess);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
    std::memset(attributes, 0, sizeof *attributes);
#if HIP_VERSION_MAJOR >= 6
    attributes->type = hipMemoryTypeDevice;
#else
    attributes->memoryType = hipMemoryTypeDevice;
#endif
    return finish(find_allocation(pointer) != allocations().end() ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, size_t* bytes, hipDeviceptr_t pointer) {
    const auto own = find_allocation(pointer);
    if (own == allocations().end()) return finish(hipErrorNotFound);
    *base = own->first;
    *bytes = own->second;
    return finish(hipSuccess);
}

hipError_t hipStreamIsCapturing(hipStream_t, hipStreamCaptureStatus* status) {
    *status = hipStreamCaptureStatusNone;
    return finish(hipSuccess);
}

hipError_t hipStreamSynchronize(hipStream_t) {
    Line("hipStreamSynchronize");
    return finish(hipSuccess);
}

hipError_t hipDeviceSynchronize() {
    Line("hipDeviceSynchronize");
    return finish(hipSuccess);
}

hipError_t hipPeekAtLastError() { return last_error; }

hipError_t hipGetLastError() {
    const hipError_t error = last_error;
    last_error = hipSuccess;
    return error;
}

const char* hipGetErrorString(hipError_t error) {
    return error == hipSuccess ? "no error" : "an error, says the recorder";
}

}  // extern "C"
