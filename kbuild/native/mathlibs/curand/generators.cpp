// Generators: NVIDIA's library makes the numbers during the call, and an operation of the stream copies
// them to the memory of the device.
#include "curand/numbers.hpp"

#include "common/memory.hpp"
#include "common/operation.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>

namespace {

using namespace kbuild::mathlibs;

struct Generator {
    curandRngType_t type;
    bool is_for_device;
    cudaStream_t stream = nullptr;
};

// The generators of the process, by NVIDIA's handles.
class Generators {
public:
    static Generators& instance() {
        static Generators& generators = *new Generators;  // destructors of programs use it, too
        return generators;
    }
    void add(curandGenerator_t handle, const Generator& generator) {
        const std::lock_guard lock(mutex_);
        generators_.insert_or_assign(handle, generator);
    }
    bool remove(curandGenerator_t handle) {
        const std::lock_guard lock(mutex_);
        return generators_.erase(handle) != 0;
    }
    // Calls the function with the generator, and returns whether it exists.
    template <class Function>
    bool use(curandGenerator_t handle, Function function) {
        const std::lock_guard lock(mutex_);
        const auto found = generators_.find(handle);
        if (found == generators_.end()) return false;
        function(found->second);
        return true;
    }

private:
    std::mutex mutex_;
    std::map<curandGenerator_t, Generator> generators_;
};

bool find(curandGenerator_t handle, Generator& generator) {
    return Generators::instance().use(handle, [&](const Generator& one) { generator = one; });
}

curandStatus_t create(curandGenerator_t* handle, curandRngType_t type, bool is_for_device) {
    const auto status = CALL_NVIDIA(curandCreateGeneratorHost, handle, type);
    if (status == CURAND_STATUS_SUCCESS) Generators::instance().add(*handle, {type, is_for_device});
    return status;
}

// Calls NVIDIA's function for a setting.
template <class Function, class... Arguments>
curandStatus_t set(Function function, const char* name, curandGenerator_t handle,
                   Arguments... arguments) {
    Generator generator;
    if (!find(handle, generator)) return CURAND_STATUS_NOT_INITIALIZED;
    return call(function, name, handle, arguments...);
}

template <class T, class Function, class... Parameters>
curandStatus_t generate(Function function, const char* name, curandGenerator_t handle, T* to,
                        size_t count, Parameters... parameters) {
    Generator generator;
    if (!find(handle, generator)) return CURAND_STATUS_NOT_INITIALIZED;
    if (!generator.is_for_device) return call(function, name, handle, to, count, parameters...);
    kbuild_cpu_capture capture = {};
    const int error = kbuild_cpu_describe_capture(&capture, generator.stream);
    if (error != 0 || capture.status != 0) {
        log_message(name,
                    "the stream captures, and each launch of a graph would get the same "
                    "numbers; generate them before the capture, or with curand_kernel.h");
        return CURAND_STATUS_LAUNCH_FAILURE;
    }
    const std::shared_ptr<T[]> numbers(new (std::nothrow) T[count]);
    if (numbers == nullptr) return CURAND_STATUS_ALLOCATION_FAILED;
    const auto status = call(function, name, handle, numbers.get(), count, parameters...);
    if (status != CURAND_STATUS_SUCCESS) return status;
    const auto copy = [=] {
        Memory memory(name);
        memory.writes("outputPtr", to, static_cast<std::int64_t>(count));
        if (memory.is_valid()) std::copy_n(numbers.get(), count, to);
    };
    return enqueue(generator.stream, copy) == 0 ? CURAND_STATUS_SUCCESS
                                                : CURAND_STATUS_LAUNCH_FAILURE;
}

}  // namespace

#define SET(function, ...) set(&function, #function, __VA_ARGS__)
#define GENERATE(function, ...) generate(&function, #function, __VA_ARGS__)

curandStatus_t curandCreateGenerator(curandGenerator_t* handle, curandRngType_t type) {
    return create(handle, type, true);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* handle, curandRngType_t type) {
    return create(handle, type, false);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t handle) {
    if (!Generators::instance().remove(handle)) return CURAND_STATUS_NOT_INITIALIZED;
    return CALL_NVIDIA(curandDestroyGenerator, handle);
}

curandStatus_t curandSetStream(curandGenerator_t handle, cudaStream_t stream) {
    const bool exists = Generators::instance().use(
        handle, [=](Generator& generator) { generator.stream = stream; });
    return exists ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t handle,
                                                  unsigned long long seed) {
    return SET(curandSetPseudoRandomGeneratorSeed, handle, seed);
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t handle, unsigned long long offset) {
    return SET(curandSetGeneratorOffset, handle, offset);
}
// NVIDIA's generators for hosts reject the best order of MT19937, which is the default one on a GPU.
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t handle, curandOrdering_t order) {
    Generator generator;
    if (!find(handle, generator)) return CURAND_STATUS_NOT_INITIALIZED;
    const bool is_default = generator.is_for_device &&
                            generator.type == CURAND_RNG_PSEUDO_MT19937 &&
                            order == CURAND_ORDERING_PSEUDO_BEST;
    return SET(curandSetGeneratorOrdering, handle,
               is_default ? CURAND_ORDERING_PSEUDO_DEFAULT : order);
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t handle,
                                                       unsigned int dimensions) {
    return SET(curandSetQuasiRandomGeneratorDimensions, handle, dimensions);
}
curandStatus_t curandGenerateSeeds(curandGenerator_t handle) {
    return SET(curandGenerateSeeds, handle);
}

curandStatus_t curandGenerate(curandGenerator_t handle, unsigned int* to, size_t count) {
    return GENERATE(curandGenerate, handle, to, count);
}
curandStatus_t curandGenerateLongLong(curandGenerator_t handle, unsigned long long* to,
                                      size_t count) {
    return GENERATE(curandGenerateLongLong, handle, to, count);
}
curandStatus_t curandGenerateUniform(curandGenerator_t handle, float* to, size_t count) {
    return GENERATE(curandGenerateUniform, handle, to, count);
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t handle, double* to, size_t count) {
    return GENERATE(curandGenerateUniformDouble, handle, to, count);
}
curandStatus_t curandGenerateNormal(curandGenerator_t handle, float* to, size_t count, float mean,
                                    float deviation) {
    return GENERATE(curandGenerateNormal, handle, to, count, mean, deviation);
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t handle, double* to, size_t count,
                                          double mean, double deviation) {
    return GENERATE(curandGenerateNormalDouble, handle, to, count, mean, deviation);
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t handle, float* to, size_t count,
                                       float mean, float deviation) {
    return GENERATE(curandGenerateLogNormal, handle, to, count, mean, deviation);
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t handle, double* to, size_t count,
                                             double mean, double deviation) {
    return GENERATE(curandGenerateLogNormalDouble, handle, to, count, mean, deviation);
}
curandStatus_t curandGeneratePoisson(curandGenerator_t handle, unsigned int* to, size_t count,
                                     double lambda) {
    return GENERATE(curandGeneratePoisson, handle, to, count, lambda);
}
curandStatus_t curandGeneratePoissonMethod(curandGenerator_t handle, unsigned int* to, size_t count,
                                           double lambda, curandMethod_t method) {
    return GENERATE(curandGeneratePoissonMethod, handle, to, count, lambda, method);
}
curandStatus_t curandCreatePoissonDistribution(double /*lambda*/,
                                               curandDiscreteDistribution_t* /*distribution*/) {
    log_message(
        "curandCreatePoissonDistribution",
        "tables of distributions need an algorithm that the cpu backend does not have; call "
        "curand_poisson in kernels");
    return CURAND_STATUS_INITIALIZATION_FAILED;
}
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t /*distribution*/) {
    return CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGetVersion(int* version) { return CALL_NVIDIA(curandGetVersion, version); }
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
    return CALL_NVIDIA(curandGetProperty, type, value);
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[],
                                           curandDirectionVectorSet_t set) {
    return CALL_NVIDIA(curandGetDirectionVectors32, vectors, set);
}
curandStatus_t curandGetScrambleConstants32(unsigned int** constants) {
    return CALL_NVIDIA(curandGetScrambleConstants32, constants);
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[],
                                           curandDirectionVectorSet_t set) {
    return CALL_NVIDIA(curandGetDirectionVectors64, vectors, set);
}
curandStatus_t curandGetScrambleConstants64(unsigned long long** constants) {
    return CALL_NVIDIA(curandGetScrambleConstants64, constants);
}
