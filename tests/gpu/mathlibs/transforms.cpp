// Prints the results of cuFFT: name, number, parameter, and the elements.
#include <cuda_runtime.h>
#include <cufft.h>

#include <cstdio>
#include <string>
#include <vector>

static int number = 0;

static double value(int seed, int index) {
    return (((seed * 7919LL + index * 104729LL) % 997) / 997.0 - 0.5) * 2;
}

template <class T>
static T* upload(int seed, size_t count) {
    std::vector<T> content(count);
    for (size_t i = 0; i < count; ++i) content[i] = (T)value(seed, (int)i);
    T* start = nullptr;
    cudaMalloc((void**)&start, count * sizeof(T));
    cudaMemcpy(start, content.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    return start;
}

template <class T>
static void print(const std::string& name, const char* parameter, const T* from, size_t count) {
    std::vector<T> content(count);
    cudaMemcpy(content.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
    std::printf("%s %d %s", name.c_str(), number, parameter);
    for (T element : content) std::printf(" %.17g", (double)element);
    std::printf("\n");
}

template <class T>
static void run(const std::string& name, cufftHandle plan, cufftType type, size_t count) {
    T* const in = upload<T>(1, 2 * count);
    T* const out = upload<T>(2, 2 * count);
    for (int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        cufftResult result = CUFFT_SUCCESS;
        switch (type) {
        case CUFFT_C2C:
            result = cufftExecC2C(plan, (cufftComplex*)in, (cufftComplex*)out, direction);
            break;
        case CUFFT_Z2Z:
            result = cufftExecZ2Z(plan, (cufftDoubleComplex*)in, (cufftDoubleComplex*)out, direction);
            break;
        case CUFFT_R2C: result = cufftExecR2C(plan, (cufftReal*)in, (cufftComplex*)out); break;
        case CUFFT_D2Z:
            result = cufftExecD2Z(plan, (cufftDoubleReal*)in, (cufftDoubleComplex*)out);
            break;
        case CUFFT_C2R: result = cufftExecC2R(plan, (cufftComplex*)in, (cufftReal*)out); break;
        default: result = cufftExecZ2D(plan, (cufftDoubleComplex*)in, (cufftDoubleReal*)out);
        }
        const auto error = cudaDeviceSynchronize();
        ++number;
        if (result || error)
            std::printf("%s %d status %d %d\n", name.c_str(), number, (int)result, (int)error);
        print(name, "out", out, 2 * count);
        if (type != CUFFT_C2C && type != CUFFT_Z2Z) break;
    }
    cudaFree(in);
    cudaFree(out);
    cufftDestroy(plan);
}

static void dispatch(const std::string& name, cufftHandle plan, cufftType type, size_t count) {
    const bool is_double = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
    if (is_double)
        run<double>(name, plan, type, count);
    else
        run<float>(name, plan, type, count);
}

int main() {
    const cufftType types[] = {CUFFT_C2C, CUFFT_Z2Z, CUFFT_R2C, CUFFT_D2Z, CUFFT_C2R, CUFFT_Z2D};
    const char* const names[] = {"C2C", "Z2Z", "R2C", "D2Z", "C2R", "Z2D"};
    for (int t = 0; t < 6; ++t) {
        const auto type = types[t];
        for (int n : {1, 2, 7, 16, 30, 97}) {
            cufftHandle plan;
            const std::string name = std::string(names[t]) + "_1d_" + std::to_string(n);
            if (const auto result = cufftPlan1d(&plan, n, type, 3)) {
                std::printf("%s plan %d\n", name.c_str(), (int)result);
                continue;
            }
            dispatch(name, plan, type, (n + 1) * 3);
        }
        cufftHandle plan;
        if (cufftPlan2d(&plan, 6, 9, type) == CUFFT_SUCCESS)
            dispatch(std::string(names[t]) + "_2d", plan, type, 6 * 10);
        if (cufftPlan3d(&plan, 3, 4, 5, type) == CUFFT_SUCCESS)
            dispatch(std::string(names[t]) + "_3d", plan, type, 3 * 4 * 6);
        int n[2] = {4, 6}, inembed[2] = {5, 8}, onembed[2] = {4, 7};
        if (cufftPlanMany(&plan, 2, n, inembed, 2, 90, onembed, 1, 31, type, 2) == CUFFT_SUCCESS)
            dispatch(std::string(names[t]) + "_many", plan, type, 200);
    }
    cufftHandle plan;
    std::printf("errors 0 statuses %d %d %d\n", (int)cufftPlan1d(&plan, 0, CUFFT_C2C, 1),
                (int)cufftPlan1d(&plan, 8, (cufftType)3, 1), (int)cufftDestroy(12345));
}
