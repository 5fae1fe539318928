// Prints the numbers of cuRAND's generators: name, number, parameter, and the bits of elements in hexadecimal.
// Arguments select results by their names.
#include <cuda_runtime.h>
#include <curand.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct Generator {
    const char* name;
    curandRngType_t type;
    bool is_quasi, is_64;
};

static const Generator generators[] = {
    {"xorwow", CURAND_RNG_PSEUDO_XORWOW, false, false},
    {"mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A, false, false},
    {"mtgp32", CURAND_RNG_PSEUDO_MTGP32, false, false},
    {"mt19937", CURAND_RNG_PSEUDO_MT19937, false, false},
    {"philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, false, false},
    {"sobol32", CURAND_RNG_QUASI_SOBOL32, true, false},
    {"scrambled32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, true, false},
    {"sobol64", CURAND_RNG_QUASI_SOBOL64, true, true},
    {"scrambled64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, true, true},
};

enum Kind { bits, wide_bits, uniform, uniform_double, normal, normal_double, log_normal, poisson };
static const char* const kinds[] = {"bits",   "wide_bits",     "uniform",    "uniform_double",
                                    "normal", "normal_double", "log_normal", "poisson"};

static curandStatus_t generate(curandGenerator_t generator, Kind kind, void* to, size_t n) {
    switch (kind) {
    case bits: return curandGenerate(generator, (unsigned*)to, n);
    case wide_bits: return curandGenerateLongLong(generator, (unsigned long long*)to, n);
    case uniform: return curandGenerateUniform(generator, (float*)to, n);
    case uniform_double: return curandGenerateUniformDouble(generator, (double*)to, n);
    case normal: return curandGenerateNormal(generator, (float*)to, n, 1, 2);
    case normal_double: return curandGenerateNormalDouble(generator, (double*)to, n, 1, 2);
    case log_normal: return curandGenerateLogNormal(generator, (float*)to, n, 0, 0.5f);
    default: return curandGeneratePoisson(generator, (unsigned*)to, n, 12.5);
    }
}

static bool is_wide(Kind kind) {
    return kind == wide_bits || kind == uniform_double || kind == normal_double;
}

// Prints some of the numbers, and a digest of all.
static void print(const std::string& name, int call, const void* from, size_t n, bool wide) {
    const size_t bytes = n * (wide ? 8 : 4);
    std::vector<unsigned char> all(bytes);
    cudaMemcpy(all.data(), from, bytes, cudaMemcpyDeviceToHost);
    uint64_t digest = 14695981039346656037u;
    for (unsigned char byte : all) digest = (digest ^ byte) * 1099511628211u;
    std::printf("%s %d n=%zu digest=%016llx", name.c_str(), call, n, (unsigned long long)digest);
    for (size_t i = 0; i < n; ++i) {
        const bool is_shown = i < 12 || (i >= 4092 && i < 4100) || (i >= 8188 && i < 8196) ||
                              (i >= 65534 && i < 65540) || i + 3 >= n;
        if (!is_shown) continue;
        uint64_t element = 0;
        std::memcpy(&element, &all[i * (wide ? 8 : 4)], wide ? 8 : 4);
        std::printf(" %zu:%llx", i, (unsigned long long)element);
    }
    std::printf("\n");
}

static std::vector<std::string> selected;

static void run(const Generator& which, Kind kind, int order, unsigned long long seed,
                unsigned long long offset, unsigned dimensions, size_t n) {
    const std::string name = std::string(which.name) + "_" + kinds[kind] + "_order" +
                             std::to_string(order) + "_seed" + std::to_string(seed) + "_offset" +
                             std::to_string(offset) + "_dimensions" + std::to_string(dimensions);
    if (!selected.empty() && std::find(selected.begin(), selected.end(), name) == selected.end())
        return;
    curandGenerator_t generator;
    if (curandStatus_t status = curandCreateGenerator(&generator, which.type)) {
        std::printf("%s create %d\n", name.c_str(), (int)status);
        return;
    }
    if (order != 0)
        if (curandStatus_t status =
                curandSetGeneratorOrdering(generator, (curandOrdering_t)order)) {
            std::printf("%s order %d\n", name.c_str(), (int)status);
            curandDestroyGenerator(generator);
            return;
        }
    int setup = 0;
    if (!which.is_quasi) setup |= curandSetPseudoRandomGeneratorSeed(generator, seed);
    if (which.is_quasi) setup |= curandSetQuasiRandomGeneratorDimensions(generator, dimensions);
    const int offset_status = offset == 0 ? 0 : curandSetGeneratorOffset(generator, offset);
    void* memory = nullptr;
    cudaMalloc(&memory, n * 8);
    // The second call continues the sequence.
    for (int call = 0; call < 2; ++call) {
        const auto status = generate(generator, kind, memory, n);
        const auto error = cudaDeviceSynchronize();
        if (status || error || setup || offset_status)
            std::printf("%s %d status %d %d %d %d\n", name.c_str(), call, (int)status, (int)error,
                        setup, offset_status);
        if (status == 0) print(name, call, memory, n, is_wide(kind));
    }
    cudaFree(memory);
    curandDestroyGenerator(generator);
}

int main(int count, char** names) {
    selected.assign(names + 1, names + count);
    int version = 0;
    curandGetVersion(&version);
    std::printf("# cuRAND %d\n", version);
    for (const auto& which : generators)
        for (int k = bits; k <= poisson; ++k) {
            const auto kind = (Kind)k;
            if (which.is_quasi) {
                run(which, kind, 0, 0, 0, 1, 8200);
                run(which, kind, 0, 0, 0, 3, 3 * 2000);
                run(which, kind, 0, 0, 5, 2, 2 * 100);
                continue;
            }
            run(which, kind, 0, 1234, 0, 0, 100000);
            run(which, kind, 0, 42, 0, 0, 4098);
            run(which, kind, 0, 0, 0, 0, 10);
            run(which, kind, 0, 1234, 7, 0, 1000);
            run(which, kind, CURAND_ORDERING_PSEUDO_BEST, 1234, 0, 0, 10000);
            run(which, kind, CURAND_ORDERING_PSEUDO_SEEDED, 1234, 0, 0, 10000);
            run(which, kind, CURAND_ORDERING_PSEUDO_LEGACY, 1234, 0, 0, 10000);
        }
}
