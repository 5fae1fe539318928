/* Texture references, which CUDA 12 removed. The program prints what is wrong, and returns the number of failures. */
#include <cstdio>

#include "textures.h"

texture<float, 2> image(0, cudaFilterModePoint, cudaAddressModeClamp);
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colors;
namespace other {
texture<int> first, second;
}
typedef texture<int> hidden_type;
hidden_type hidden;

__device__ float read_linear(int i) { return tex1Dfetch(linear, i); }

__global__ void read(float *out) {
    const int i = threadIdx.x;
    out[i] = read_linear(i) + 10 * tex2D(image, i % 4 + 0.5f, i / 4 + 0.5f);
    out[16 + i] = tex2D(colors, i % 4, i / 4).y;
    out[32 + i] = tex1Dfetch(other::first, i) - tex1Dfetch(other::second, i);
}

static int failures;

static void expect(const char *what, double found, double expected) {
    if (found == expected) return;
    std::printf("%s: %g instead of %g\n", what, found, expected);
    ++failures;
}

int main() {
    float *out, *floats;
    int *ints;
    uchar4 bytes[16];
    cudaArray *grays, *pixels;
    const cudaChannelFormatDesc gray = cudaCreateChannelDesc<float>();
    const cudaChannelFormatDesc pixel = cudaCreateChannelDesc<uchar4>();
    cudaMallocManaged(&out, 48 * sizeof(float));
    cudaMallocManaged(&floats, 16 * sizeof(float));
    cudaMallocManaged(&ints, 144 * sizeof(int));
    ints[129] = 7;
    for (int i = 0; i < 16; ++i) {
        floats[i] = i;
        ints[i] = 100 * i;
        bytes[i] = make_uchar4(0, i * 17, 0, 0);
    }
    cudaMallocArray(&grays, &gray, 4, 4);
    cudaMemcpyToArray(grays, 0, 0, floats, 16 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMallocArray(&pixels, &pixel, 4, 4);
    cudaMemcpyToArray(pixels, 0, 0, bytes, sizeof bytes, cudaMemcpyHostToDevice);

    size_t offset = 1;
    const textureReference *reference = nullptr;
    colors.addressMode[0] = cudaAddressModeWrap;
    expect("all of it", cudaBindTexture(&offset, linear, floats), 0);
    expect("offset", static_cast<double>(offset), 0);
    expect("array", cudaBindTextureToArray(image, grays, gray), 0);
    expect("array's channels", cudaBindTextureToArray(colors, pixels), 0);
    expect("bytes", cudaBindTexture(nullptr, other::first, ints, 16 * sizeof(int)), 0);
    expect("address", cudaGetTextureReference(&reference, &other::second), 0);
    expect("no channels", cudaBindTexture(nullptr, reference, ints, &reference->channelDesc),
           cudaErrorInvalidChannelDescriptor);
    other::second.channelDesc = cudaCreateChannelDesc<int>();
    expect("channels", cudaBindTexture(nullptr, reference, ints, &reference->channelDesc), 0);
    expect("hidden type", cudaBindTexture(nullptr, hidden, ints, 64), cudaErrorInvalidSymbol);

    read<<<1, 16>>>(out);
    expect("launch", cudaDeviceSynchronize(), 0);
    for (int i = 0; i < 16; ++i) {
        expect("linear and image", out[i], 11 * i);
        expect("color", out[16 + i], i * 17 / 255.0f);
        expect("others", out[32 + i], 0);
    }
    expect("other source", read_in_other_source(floats), 3);

    expect("not aligned", cudaBindTexture(nullptr, other::second, ints + 4, 12 * sizeof(int)),
           cudaErrorInvalidValue);
    expect("inside", cudaBindTexture(&offset, other::second, ints + 4, 12 * sizeof(int)), 0);
    expect("offset inside", static_cast<double>(offset), 4 * sizeof(int));
    cudaBindTexture(nullptr, other::second, ints + 128, 16 * sizeof(int));
    read<<<1, 16>>>(out);
    expect("bound again", (cudaDeviceSynchronize(), out[33]), 100 - 7);
    return failures;
}
