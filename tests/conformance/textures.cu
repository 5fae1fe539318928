// Texture objects: formats, read modes, address modes, filters, shapes, levels, and linear memory.
//
// Weights of linear filters have 8 fractional bits. Where they need no rounding, results are exact.
// Otherwise, the weight of each dimension can differ by 1/256.
#include "conformance.hpp"

namespace {

using conformance::check;
using conformance::DeviceVector;
using conformance::from_bits;
using conformance::print;
using conformance::print_within;
using conformance::Random;

constexpr int width = 16, height = 8, depth = 4, layers = 3;
constexpr float greatest = 255;

// Creates an array and fills it with elements.
class Array {
public:
    template <class T>
    Array(const std::vector<T>& elements, cudaChannelFormatDesc channels, cudaExtent extent,
          unsigned flags = 0) {
        check(cudaMalloc3DArray(&array_, &channels, extent, flags), "cudaMalloc3DArray");
        copy_to(array_, elements, extent);
    }
    ~Array() { cudaFreeArray(array_); }
    Array(const Array&) = delete;

    template <class T>
    static void copy_to(cudaArray_t array, const std::vector<T>& elements, cudaExtent extent) {
        cudaMemcpy3DParms copy = {};
        extent.height = std::max<std::size_t>(extent.height, 1);
        extent.depth = std::max<std::size_t>(extent.depth, 1);
        const auto pitch = elements.size() * sizeof(T) / (extent.height * extent.depth);
        copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(elements.data()), pitch, extent.width,
                                          extent.height);
        copy.dstArray = array;
        copy.extent = extent;
        copy.kind = cudaMemcpyHostToDevice;
        check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
    }

    cudaResourceDesc resource() const {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array_;
        return resource;
    }

private:
    cudaArray_t array_ = nullptr;
};

struct Options {
    cudaTextureAddressMode address = cudaAddressModeClamp;
    cudaTextureFilterMode filter = cudaFilterModePoint;
    cudaTextureReadMode read = cudaReadModeElementType;
    bool normalized = false;
    float border = 0;
    bool srgb = false;
    cudaTextureFilterMode level_filter = cudaFilterModePoint;
    float bias = 0, least_level = 0, greatest_level = 100;
};

class Texture {
public:
    Texture(const cudaResourceDesc& resource, Options options) {
        cudaTextureDesc sampling = {};
        for (auto& mode : sampling.addressMode) mode = options.address;
        sampling.filterMode = options.filter;
        sampling.readMode = options.read;
        sampling.normalizedCoords = options.normalized;
        sampling.sRGB = options.srgb;
        for (auto& channel : sampling.borderColor) channel = options.border;
        sampling.mipmapFilterMode = options.level_filter;
        sampling.mipmapLevelBias = options.bias;
        sampling.minMipmapLevelClamp = options.least_level;
        sampling.maxMipmapLevelClamp = options.greatest_level;
        check(cudaCreateTextureObject(&object_, &resource, &sampling, nullptr), "texture");
    }
    ~Texture() { cudaDestroyTextureObject(object_); }
    Texture(const Texture&) = delete;

    cudaTextureObject_t object() const { return object_; }

private:
    cudaTextureObject_t object_ = 0;
};

template <class T>
std::vector<T> make_elements(int count) {
    Random random;
    std::vector<T> elements(static_cast<std::size_t>(count));
    for (T& element : elements) {
        unsigned char bytes[sizeof(T)];
        for (auto& byte : bytes) byte = static_cast<unsigned char>(random.next());
        if (cudaCreateChannelDesc<T>().f == cudaChannelFormatKindFloat)  // normal numbers below 2
            for (std::size_t i = 3; i < sizeof(T); i += 4) bytes[i] = (bytes[i] & 0xBF) | 0x20;
        std::memcpy(&element, bytes, sizeof(T));
    }
    return elements;
}

// Integers up to 255, so that no sum of weighted elements is rounded.
std::vector<float> make_floats(int count) {
    Random random;
    std::vector<float> elements(static_cast<std::size_t>(count));
    for (float& element : elements) element = static_cast<float>(random.next() % 256);
    return elements;
}

// Positions in and around a texture of this size. The fractional part is a multiple of 1/steps, and
// never one of 1 with an offset of `offset`.
std::vector<float4> make_positions(int steps, float offset, float3 size, float margin = 1.5f) {
    Random random;
    std::vector<float4> positions(256);
    const auto make = [&](float extent) {
        const auto range = static_cast<int>(extent * (1 + 2 * margin)) * steps;
        const auto step = static_cast<float>(random.next() % static_cast<unsigned>(range));
        return std::floor(-margin * extent) + step / static_cast<float>(steps) + offset;
    };
    for (auto& position : positions) {
        position.x = make(size.x);
        position.y = make(size.y);
        position.z = make(size.z);
        position.w = static_cast<float>(static_cast<int>(random.next() % 7) - 1);  // of a layer
    }
    return positions;
}

std::vector<float4> divide(std::vector<float4> positions, float3 size) {
    for (auto& position : positions) {
        position.x /= size.x;
        position.y /= size.y;
        position.z /= size.z;
    }
    return positions;
}

const float3 sizes = {width, height, depth};

// Positions at quarters, where weights are exact.
std::vector<float4> at_quarters(float margin = 1.5f) {
    return make_positions(4, 0, sizes, margin);
}
// Positions in the middle of the first half of elements, away from where points change.
std::vector<float4> at_points() { return make_positions(1, 0.25f, sizes); }
std::vector<float4> anywhere() { return make_positions(1 << 16, 1.0f / (1 << 17), sizes); }

template <class T, class Kernel>
std::vector<T> sample(Kernel* kernel, const Texture& texture, const std::vector<float4>& positions) {
    const DeviceVector<float4> at(positions);
    const DeviceVector<T> out(std::vector<T>(positions.size()));
    const auto count = static_cast<int>(positions.size());
    kernel<<<(count + 63) / 64, 64>>>(texture.object(), at.data(), out.data(), count);
    check(cudaDeviceSynchronize(), "kernel");
    return out.read();
}

}  // namespace

// `p` is the position.
#define SAMPLER(name, expression)                                                                \
    template <class T>                                                                           \
    __global__ void name##_kernel(cudaTextureObject_t texture, const float4* at, T* out, int n) { \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
        if (i >= n) return;                                                                      \
        const float4 p = at[i];                                                                  \
        out[i] = expression;                                                                     \
    }

SAMPLER(tex1Dfetch, tex1Dfetch<T>(texture, static_cast<int>(p.x)))
SAMPLER(tex1D, tex1D<T>(texture, p.x))
SAMPLER(tex2D, tex2D<T>(texture, p.x, p.y))
SAMPLER(tex3D, tex3D<T>(texture, p.x, p.y, p.z))
SAMPLER(tex1DLayered, tex1DLayered<T>(texture, p.x, static_cast<int>(p.w)))
SAMPLER(tex2DLayered, tex2DLayered<T>(texture, p.x, p.y, static_cast<int>(p.w)))
SAMPLER(texCubemap, texCubemap<T>(texture, p.x, p.y, p.z))
SAMPLER(texCubemapLayered, texCubemapLayered<T>(texture, p.x, p.y, p.z, static_cast<int>(p.w)))
SAMPLER(tex2Dgather, tex2Dgather<T>(texture, p.x, p.y))
SAMPLER(tex2Dgather_component, tex2Dgather<T>(texture, p.x, p.y, 2))
SAMPLER(tex1DLod, tex1DLod<T>(texture, p.x, p.w))
SAMPLER(tex2DLod, tex2DLod<T>(texture, p.x, p.y, p.w))
SAMPLER(tex3DLod, tex3DLod<T>(texture, p.x, p.y, p.z, p.w))
SAMPLER(tex1DLayeredLod, tex1DLayeredLod<T>(texture, p.x, static_cast<int>(p.z), p.w))
SAMPLER(tex2DLayeredLod, tex2DLayeredLod<T>(texture, p.x, p.y, static_cast<int>(p.z), p.w))
SAMPLER(texCubemapLod, texCubemapLod<T>(texture, p.x, p.y, p.z, p.w))
SAMPLER(texCubemapLayeredLod, texCubemapLayeredLod<T>(texture, p.x, p.y, p.z, 1, p.w))
SAMPLER(tex1DGrad, tex1DGrad<T>(texture, p.x, exp2f(p.w) / width, 0))
SAMPLER(tex2DGrad, tex2DGrad<T>(texture, p.x, p.y, make_float2(exp2f(p.w) / width, 0),
                                make_float2(0, exp2f(p.w) / height)))
SAMPLER(tex3DGrad, tex3DGrad<T>(texture, p.x, p.y, p.z, make_float4(exp2f(p.w) / width, 0, 0, 0),
                                make_float4(0, 0, exp2f(p.w) / depth, 0)))
SAMPLER(tex1DLayeredGrad, tex1DLayeredGrad<T>(texture, p.x, static_cast<int>(p.z),
                                              exp2f(p.w) / width, 0))
SAMPLER(tex2DLayeredGrad, tex2DLayeredGrad<T>(texture, p.x, p.y, static_cast<int>(p.z),
                                              make_float2(exp2f(p.w) / width, 0),
                                              make_float2(0, exp2f(p.w) / height)))
SAMPLER(texCubemapGrad, texCubemapGrad<T>(texture, p.x, p.y, p.z, make_float4(0, 0, 0, 0),
                                          make_float4(0, 0, 0, 0)))
SAMPLER(texCubemapLayeredGrad, texCubemapLayeredGrad<T>(texture, p.x, p.y, p.z, 1,
                                                        make_float4(0, 0, 0, 0),
                                                        make_float4(0, 0, 0, 0)))

template <class T>
__global__ void pointer_forms(cudaTextureObject_t texture, const float4* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tex2D(out + i, texture, at[i].x, at[i].y);
}

namespace {

const cudaExtent flat = {width, height, 0};
const cudaExtent solid = {width, height, depth};
const cudaExtent line = {width, 0, 0};

template <class T>
void test_elements(const std::string& type) {
    const Array array(make_elements<T>(width * height), cudaCreateChannelDesc<T>(), flat);
    const Texture texture(array.resource(), {});
    print(("tex2D<" + type + ">").c_str(), sample<T>(tex2D_kernel<T>, texture, at_points()), 0);
}

template <class One, class Two, class Four>
void test_format(const std::string& type) {
    test_elements<One>(type + "1");
    test_elements<Two>(type + "2");
    test_elements<Four>(type + "4");
}

void test_formats() {
    test_elements<char>("char");
    test_elements<signed char>("signed_char");
    test_elements<unsigned char>("unsigned_char");
    test_elements<short>("short");
    test_elements<unsigned short>("unsigned_short");
    test_elements<int>("int");
    test_elements<unsigned int>("unsigned_int");
    test_elements<float>("float");
    test_format<char1, char2, char4>("char");
    test_format<uchar1, uchar2, uchar4>("uchar");
    test_format<short1, short2, short4>("short");
    test_format<ushort1, ushort2, ushort4>("ushort");
    test_format<int1, int2, int4>("int");
    test_format<uint1, uint2, uint4>("uint");
    test_format<float1, float2, float4>("float");
}

// 16-bit floating-point elements: every exponent, without NaNs.
void test_half() {
    std::vector<unsigned short> elements;
    for (unsigned i = 0; i < width * height; ++i)
        elements.push_back(static_cast<unsigned short>((i % 32 << 10) | (i / 64 << 15) |
                                                       (i % 32 == 31 ? 0 : i * 37 % 1024)));
    const Array array(elements, cudaCreateChannelDescHalf(), flat);
    const Texture texture(array.resource(), {});
    print("half", sample<float>(tex2D_kernel<float>, texture, at_points()), 0);
    const Array pairs(elements, cudaCreateChannelDescHalf2(), {width / 2, height, 0});
    const Texture two(pairs.resource(), {});
    print("half2", sample<float2>(tex2D_kernel<float2>, two, at_points()), 0);
    const Array fours(elements, cudaCreateChannelDescHalf4(), {width / 4, height, 0});
    const Texture four(fours.resource(), {});
    print("half4", sample<float4>(tex2D_kernel<float4>, four, at_points()), 0);
}

template <class T>
void test_normalized(const std::string& type) {
    Options options;
    options.read = cudaReadModeNormalizedFloat;
    const Array array(make_elements<T>(width * height), cudaCreateChannelDesc<T>(), flat);
    const Texture points(array.resource(), options);
    print(("normalized_" + type).c_str(), sample<float>(tex2D_kernel<float>, points, at_points()), 1);
    options.filter = cudaFilterModeLinear;
    const Texture linear(array.resource(), options);
    print_within(("normalized_" + type + "_linear").c_str(),
                 sample<float>(tex2D_kernel<float>, linear, anywhere()), 4.0 / 256);
}

void test_normalized_kinds() {
    const Array bytes(make_elements<uchar4>(width * height),
                      cudaCreateChannelDesc<cudaChannelFormatKindUnsignedNormalized8X4>(), flat);
    Options options;
    options.read = cudaReadModeNormalizedFloat;
    const auto print_first = [](const char* name, const Texture& texture, double difference) {
        std::vector<float> numbers;
        for (const auto& texel : sample<float4>(tex2D_kernel<float4>, texture, at_points()))
            numbers.insert(numbers.end(), {texel.x, texel.y, texel.z, texel.w});
        print_within(name, numbers, difference);
    };
    print_first("UnsignedNormalized8X4", Texture(bytes.resource(), options), 1e-6);
    const Array words(make_elements<short2>(width * height),
                      cudaCreateChannelDesc<cudaChannelFormatKindSignedNormalized16X2>(), flat);
    const Texture texture(words.resource(), options);
    print("SignedNormalized16X2", sample<float2>(tex2D_kernel<float2>, texture, at_points()), 0);
    const Array plain(make_elements<uchar4>(width * height), cudaCreateChannelDesc<uchar4>(), flat);
    options.srgb = true;
    print_first("sRGB", Texture(plain.resource(), options), 4e-3);  // GPUs have a table
}

void test_shapes(cudaTextureFilterMode filter, bool is_exact) {
    Options options;
    options.filter = filter;
    const bool is_point = filter == cudaFilterModePoint;
    const auto positions = is_point ? at_points() : is_exact ? at_quarters() : anywhere();
    const std::string suffix = is_point ? "_point" : is_exact ? "_linear" : "_linear_rounded";
    const auto show = [&](const char* name, const std::vector<float>& results, int dimensions) {
        if (is_exact) return print((name + suffix).c_str(), results, 0);
        print_within((name + suffix).c_str(), results, greatest * dimensions / 256);
    };
    const Array one(make_floats(width), cudaCreateChannelDesc<float>(), line);
    show("tex1D", sample<float>(tex1D_kernel<float>, Texture(one.resource(), options), positions), 1);
    const Array two(make_floats(width * height), cudaCreateChannelDesc<float>(), flat);
    const Texture square(two.resource(), options);
    show("tex2D", sample<float>(tex2D_kernel<float>, square, positions), 2);
    show("tex2D_pointer", sample<float>(pointer_forms<float>, square, positions), 2);
    const Array three(make_floats(width * height * depth), cudaCreateChannelDesc<float>(), solid);
    show("tex3D", sample<float>(tex3D_kernel<float>, Texture(three.resource(), options), positions), 3);
    const Array lines(make_floats(width * layers), cudaCreateChannelDesc<float>(),
                      {width, 0, layers}, cudaArrayLayered);
    show("tex1DLayered",
         sample<float>(tex1DLayered_kernel<float>, Texture(lines.resource(), options), positions), 1);
    const Array sheets(make_floats(width * height * layers), cudaCreateChannelDesc<float>(),
                       {width, height, layers}, cudaArrayLayered);
    show("tex2DLayered",
         sample<float>(tex2DLayered_kernel<float>, Texture(sheets.resource(), options), positions), 2);
}

void test_address_mode(cudaTextureAddressMode mode, const std::string& name) {
    Options options;
    options.address = mode;
    options.border = 7;
    const Array two(make_floats(width * height), cudaCreateChannelDesc<float>(), flat);
    const Array three(make_floats(width * height * depth), cudaCreateChannelDesc<float>(), solid);
    const auto test = [&](const std::string& kind, const std::vector<float4>& points,
                          const std::vector<float4>& quarters) {
        options.filter = cudaFilterModePoint;
        print((name + kind + "_2D_point").c_str(),
              sample<float>(tex2D_kernel<float>, Texture(two.resource(), options), points), 0);
        print((name + kind + "_3D_point").c_str(),
              sample<float>(tex3D_kernel<float>, Texture(three.resource(), options), points), 0);
        options.filter = cudaFilterModeLinear;
        print((name + kind + "_2D_linear").c_str(),
              sample<float>(tex2D_kernel<float>, Texture(two.resource(), options), quarters), 0);
        print((name + kind + "_3D_linear").c_str(),
              sample<float>(tex3D_kernel<float>, Texture(three.resource(), options), quarters), 0);
    };
    test("", at_points(), at_quarters());
    options.normalized = true;
    test("_normalized", divide(at_points(), sizes), divide(at_quarters(), sizes));
}

// Directions whose largest component is not ambiguous.
std::vector<float4> make_directions() {
    Random random;
    std::vector<float4> directions(256);
    for (auto& direction : directions) {
        const auto side = static_cast<unsigned>(random.next() % 6);
        const auto make = [&] {
            return (static_cast<float>(random.next() % 8) + 0.25f) / 4 - 1;
        };
        float values[3] = {make(), make(), make()};
        values[side / 2] = side % 2 == 0 ? 1.0f : -1.0f;
        direction = {values[0], values[1], values[2],
                     static_cast<float>(static_cast<int>(random.next() % 4) - 1)};
    }
    return directions;
}

void test_cubemaps() {
    Options options;
    options.normalized = true;
    const Array cube(make_floats(8 * 8 * 6), cudaCreateChannelDesc<float>(), {8, 8, 6},
                     cudaArrayCubemap);
    const Array cubes(make_floats(8 * 8 * 12), cudaCreateChannelDesc<float>(), {8, 8, 12},
                      cudaArrayCubemap | cudaArrayLayered);
    const Texture one(cube.resource(), options);
    const Texture two(cubes.resource(), options);
    const auto at = make_directions();
    print("texCubemap", sample<float>(texCubemap_kernel<float>, one, at), 0);
    print("texCubemapLod", sample<float>(texCubemapLod_kernel<float>, one, at), 0);
    print("texCubemapGrad", sample<float>(texCubemapGrad_kernel<float>, one, at), 0);
    print("texCubemapLayered", sample<float>(texCubemapLayered_kernel<float>, two, at), 0);
    print("texCubemapLayeredLod", sample<float>(texCubemapLayeredLod_kernel<float>, two, at), 0);
    print("texCubemapLayeredGrad", sample<float>(texCubemapLayeredGrad_kernel<float>, two, at), 0);
    options.filter = cudaFilterModeLinear;
    print_within("texCubemap_linear",
                 sample<float>(texCubemap_kernel<float>, Texture(cube.resource(), options), at),
                 greatest * 2 / 256);
}

void test_gather() {
    const Array array(make_elements<float4>(width * height), cudaCreateChannelDesc<float4>(), flat,
                      cudaArrayTextureGather);
    const Texture texture(array.resource(), {});
    print("tex2Dgather", sample<float4>(tex2Dgather_kernel<float4>, texture, at_points()), 0);
    print("tex2Dgather_component",
          sample<float4>(tex2Dgather_component_kernel<float4>, texture, at_points()), 0);
    const Array bytes(make_elements<uchar4>(width * height), cudaCreateChannelDesc<uchar4>(), flat,
                      cudaArrayTextureGather);
    const Texture integers(bytes.resource(), {});
    print("tex2Dgather_uchar4", sample<uchar4>(tex2Dgather_kernel<uchar4>, integers, at_points()), 0);
}

class Mipmap {
public:
    Mipmap(cudaExtent extent, unsigned flags = 0) {
        const auto channels = cudaCreateChannelDesc<float>();
        check(cudaMallocMipmappedArray(&array_, &channels, extent, 4, flags), "mipmap");
        for (unsigned i = 0; i < 4; ++i) {
            cudaArray_t level = nullptr;
            check(cudaGetMipmappedArrayLevel(&level, array_, i), "level");
            cudaExtent size = {};
            cudaChannelFormatDesc found = {};
            unsigned found_flags = 0;
            check(cudaArrayGetInfo(&found, &size, &found_flags, level), "info");
            auto count = size.width * std::max<std::size_t>(size.height, 1) *
                         std::max<std::size_t>(size.depth, 1);
            auto elements = make_floats(static_cast<int>(count));
            for (float& element : elements) element += static_cast<float>(i * 256);
            Array::copy_to(level, elements, size);
        }
    }
    ~Mipmap() { cudaFreeMipmappedArray(array_); }
    Mipmap(const Mipmap&) = delete;

    cudaResourceDesc resource() const {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = array_;
        return resource;
    }

private:
    cudaMipmappedArray_t array_ = nullptr;
};

// Positions with levels from -1 to 5, in steps of 1/`steps`, away from where the nearest one changes.
std::vector<float4> with_levels(int steps, float offset) {
    auto positions = divide(make_positions(1, 0.25f, {width, height, 8}), {width, height, 1});
    Random random;
    for (auto& position : positions) {
        position.w = static_cast<float>(random.next() % static_cast<unsigned>(6 * steps)) /
                         static_cast<float>(steps) - 1 + offset;
        position.z = std::floor(position.z) / 4 + 0.07f;  // also the number of a layer
    }
    return positions;
}

void test_levels(const std::string& suffix, Options options, const std::vector<float4>& at,
                 bool has_gradients) {
    const Mipmap one(line), two(flat), three(solid);
    const Mipmap lines({width, 0, layers}, cudaArrayLayered);
    const Mipmap sheets({width, height, layers}, cudaArrayLayered);
    const Texture a(one.resource(), options), b(two.resource(), options),
        c(three.resource(), options), d(lines.resource(), options), e(sheets.resource(), options);
    const auto show = [&](const char* name, const std::vector<float>& results) {
        print((name + suffix).c_str(), results, 0);
    };
    show("tex1DLod", sample<float>(tex1DLod_kernel<float>, a, at));
    show("tex2DLod", sample<float>(tex2DLod_kernel<float>, b, at));
    show("tex3DLod", sample<float>(tex3DLod_kernel<float>, c, at));
    show("tex1DLayeredLod", sample<float>(tex1DLayeredLod_kernel<float>, d, at));
    show("tex2DLayeredLod", sample<float>(tex2DLayeredLod_kernel<float>, e, at));
    if (!has_gradients) return;
    show("tex1DGrad", sample<float>(tex1DGrad_kernel<float>, a, at));
    show("tex2DGrad", sample<float>(tex2DGrad_kernel<float>, b, at));
    show("tex3DGrad", sample<float>(tex3DGrad_kernel<float>, c, at));
    show("tex1DLayeredGrad", sample<float>(tex1DLayeredGrad_kernel<float>, d, at));
    show("tex2DLayeredGrad", sample<float>(tex2DLayeredGrad_kernel<float>, e, at));
    show("tex2D_of_mipmap", sample<float>(tex2D_kernel<float>, b, at));
}

void test_mipmaps() {
    Options options;
    options.normalized = true;
    options.address = cudaAddressModeWrap;
    test_levels("", options, with_levels(4, 0.125f), true);
    options.least_level = 0.75f;
    options.greatest_level = 2.25f;
    test_levels("_clamped", options, with_levels(4, 0.125f), false);
    options = {};
    options.normalized = true;
    options.address = cudaAddressModeWrap;
    options.bias = 1.25f;
    test_levels("_biased", options, with_levels(4, 0.125f), false);
    options.bias = 0;
    options.level_filter = cudaFilterModeLinear;
    test_levels("_linear", options, with_levels(4, 0), false);
}

void test_linear_memory() {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    const DeviceVector<int2> integers(make_elements<int2>(width));
    resource.res.linear.devPtr = integers.data();
    resource.res.linear.desc = cudaCreateChannelDesc<int2>();
    resource.res.linear.sizeInBytes = width * sizeof(int2);
    print("tex1Dfetch<int2>", sample<int2>(tex1Dfetch_kernel<int2>, Texture(resource, {}), at_points()),
          0);
    const DeviceVector<unsigned char> bytes(make_elements<unsigned char>(width));
    resource.res.linear.devPtr = bytes.data();
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
    resource.res.linear.sizeInBytes = width;
    Options options;
    options.read = cudaReadModeNormalizedFloat;
    print("tex1Dfetch_normalized",
          sample<float>(tex1Dfetch_kernel<float>, Texture(resource, options), at_points()), 1);
}

void test_pitched_memory() {
    void* memory = nullptr;
    std::size_t pitch = 0;
    check(cudaMallocPitch(&memory, &pitch, 13 * sizeof(float), height), "cudaMallocPitch");
    const auto elements = make_floats(13 * height);
    check(cudaMemcpy2D(memory, pitch, elements.data(), 13 * sizeof(float), 13 * sizeof(float),
                       height, cudaMemcpyHostToDevice), "copy");
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = 13;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    Options options;
    print("pitch2D_point", sample<float>(tex2D_kernel<float>, Texture(resource, options), at_points()),
          0);
    options.filter = cudaFilterModeLinear;
    print("pitch2D_linear",
          sample<float>(tex2D_kernel<float>, Texture(resource, options), at_quarters()), 0);
    cudaFree(memory);
}

// The host API: what descriptions and copies return, and the codes of mistakes.
void test_host_functions() {
    const auto elements = make_elements<short2>(width * height);
    const auto channels = cudaCreateChannelDesc<short2>();
    const auto row = width * sizeof(short2);
    cudaArray_t first = nullptr, second = nullptr;
    check(cudaMallocArray(&first, &channels, width, height), "cudaMallocArray");
    check(cudaMallocArray(&second, &channels, width, height), "cudaMallocArray");
    check(cudaMemcpy2DToArray(first, 0, 0, elements.data(), row, row, height,
                              cudaMemcpyHostToDevice), "cudaMemcpy2DToArray");
    check(cudaMemcpy2DToArrayAsync(second, 0, 0, elements.data() + width, row, row, height - 1,
                                   cudaMemcpyHostToDevice), "cudaMemcpy2DToArrayAsync");
    check(cudaMemcpy2DArrayToArray(second, 8, 2, first, 4, 1, 16, 3), "cudaMemcpy2DArrayToArray");
    check(cudaMemcpy2DToArray(second, 0, height - 1, elements.data(), row, row, 1,
                              cudaMemcpyHostToDevice), "cudaMemcpy2DToArray");
    std::vector<short2> read(width * height);
    check(cudaMemcpy2DFromArray(read.data(), row, second, 0, 0, row, height,
                                cudaMemcpyDeviceToHost), "cudaMemcpy2DFromArray");
    print("cudaMemcpy2DArrayToArray", read, 0);
    check(cudaMemcpy2DFromArrayAsync(read.data(), row, first, 4, 1, row - 4, 2,
                                     cudaMemcpyDeviceToHost), "cudaMemcpy2DFromArrayAsync");
    print("cudaMemcpy2DFromArrayAsync", read, 0);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = first;
    copy.srcPos = make_cudaPos(2, 1, 0);
    copy.dstArray = second;
    copy.dstPos = make_cudaPos(4, 3, 0);
    copy.extent = make_cudaExtent(7, 2, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
    check(cudaMemcpy2DFromArray(read.data(), row, second, 0, 0, row, height,
                                cudaMemcpyDeviceToHost), "cudaMemcpy2DFromArray");
    print("cudaMemcpy3D", read, 0);

    cudaChannelFormatDesc found = {};
    cudaExtent extent = {};
    unsigned flags = 77;
    check(cudaArrayGetInfo(&found, &extent, &flags, first), "cudaArrayGetInfo");
    std::vector<int> facts = {found.x, found.y, found.z, found.w, found.f,
                              static_cast<int>(extent.width), static_cast<int>(extent.height),
                              static_cast<int>(extent.depth), static_cast<int>(flags)};
    print("cudaArrayGetInfo", facts, 0);
    check(cudaGetChannelDesc(&found, second), "cudaGetChannelDesc");
    print("cudaGetChannelDesc", std::vector<int>{found.x, found.y, found.z, found.w, found.f}, 0);

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = first;
    Options options;
    options.address = cudaAddressModeBorder;
    const Texture texture(resource, options);
    cudaResourceDesc same = {};
    cudaTextureDesc sampling = {};
    check(cudaGetTextureObjectResourceDesc(&same, texture.object()), "resource");
    check(cudaGetTextureObjectTextureDesc(&sampling, texture.object()), "sampling");
    print("cudaGetTextureObjectResourceDesc",
          std::vector<int>{same.resType, same.res.array.array == first}, 0);
    print("cudaGetTextureObjectTextureDesc",
          std::vector<int>{sampling.addressMode[0], sampling.filterMode, sampling.readMode,
                           sampling.normalizedCoords}, 0);
    cudaFreeArray(first);
    cudaFreeArray(second);
}

void test_mistakes() {
    const auto report = [](const char* name, cudaError_t error) {
        std::printf("%s exact 1 %s\n", name, cudaGetErrorName(error));
        cudaGetLastError();
    };
    const auto integers = cudaCreateChannelDesc<int>();
    cudaArray_t array = nullptr;
    check(cudaMallocArray(&array, &integers, width, height), "cudaMallocArray");
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc sampling = {};
    cudaTextureObject_t texture = 0;
    sampling.filterMode = cudaFilterModeLinear;
    report("linear_filter_of_integers",
           cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    sampling.filterMode = cudaFilterModePoint;
    sampling.readMode = cudaReadModeNormalizedFloat;
    report("normalized_32_bits", cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    cudaSurfaceObject_t surface = 0;
    report("surface_without_flag", cudaCreateSurfaceObject(&surface, &resource));
    const int value = 0;
    report("copy_past_row", cudaMemcpy2DToArray(array, width * 4, 0, &value, 4, 4, 1,
                                                cudaMemcpyHostToDevice));
    report("copy_past_last_row", cudaMemcpy2DToArray(array, 0, height, &value, 4, 4, 1,
                                                     cudaMemcpyHostToDevice));
    cudaArray_t other = nullptr;
    const cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
    report("three_channels", cudaMallocArray(&other, &three, width, height));
    const cudaChannelFormatDesc uneven = {8, 16, 0, 0, cudaChannelFormatKindSigned};
    report("uneven_channels", cudaMallocArray(&other, &uneven, width, height));
    report("cubemap_without_square",
           cudaMalloc3DArray(&other, &integers, {8, 4, 6}, cudaArrayCubemap));
    report("cudaFreeArray", cudaFreeArray(array));
    report("free_null", cudaFreeArray(nullptr));
    report("destroy_null", cudaDestroyTextureObject(0));
}

}  // namespace

int main() {
    test_formats();
    test_half();
    test_normalized<char>("char");
    test_normalized<unsigned char>("uchar");
    test_normalized<short>("short");
    test_normalized<unsigned short>("ushort");
    test_normalized_kinds();
    test_shapes(cudaFilterModePoint, true);
    test_shapes(cudaFilterModeLinear, true);
    test_shapes(cudaFilterModeLinear, false);
    test_address_mode(cudaAddressModeWrap, "wrap");
    test_address_mode(cudaAddressModeClamp, "clamp");
    test_address_mode(cudaAddressModeMirror, "mirror");
    test_address_mode(cudaAddressModeBorder, "border");
    test_cubemaps();
    test_gather();
    test_mipmaps();
    test_linear_memory();
    test_pitched_memory();
    test_host_functions();
    test_mistakes();
}
