#include "textures/sampler.hpp"

#include <algorithm>
#include <cmath>

namespace kbuild::cpu {
namespace {

// The weights of linear filtering are fixed-point numbers with 8 fractional bits.
constexpr double weight_steps = 256;
constexpr long outside = -1;

// The one or two elements that a coordinate selects in one dimension.
struct Taps {
    long index[2];  // `outside` for elements of the border
    float weight;   // of the second element
};

// Where a sample is taken, in one level.
struct Place {
    float position[3];
    long slice;  // a layer or face
};

cudaTextureAddressMode find_mode(const Texture& texture, unsigned dimension) {
    if (texture.is_cubemap) return cudaAddressModeClamp;
    const auto mode = texture.sampling.addressMode[dimension];
    const bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    return repeats && !texture.is_normalized ? cudaAddressModeClamp : mode;
}

// Returns a position in elements, limited to values that integers can represent.
float scale(float coordinate, long size, bool is_normalized, cudaTextureAddressMode mode) {
    if (is_normalized) {
        const float whole = std::floor(coordinate);
        if (mode == cudaAddressModeWrap) coordinate -= whole;
        if (mode == cudaAddressModeMirror)
            coordinate =
                std::fmod(whole, 2.0f) != 0 ? 1 - (coordinate - whole) : coordinate - whole;
        coordinate *= static_cast<float>(size);
    }
    constexpr float limit = 0x1p29f;
    if (std::isnan(coordinate)) return 0;
    return std::clamp(coordinate, -limit, limit);
}

// Rounds down. Unlike std::floor, this is never a call.
long round_down(double position) {
    const auto whole = static_cast<long>(position);
    return whole - (static_cast<double>(whole) > position);
}

long find_index(long index, long size, cudaTextureAddressMode mode) {
    if (index >= 0 && index < size) return index;
    switch (mode) {
    case cudaAddressModeBorder: return outside;
    case cudaAddressModeWrap: return (index % size + size) % size;
    default: return index < 0 ? 0 : size - 1;  // also the nearest element of a mirrored texture
    }
}

Taps find_point(const Texture& texture, unsigned dimension, float coordinate, long size) {
    const auto mode = find_mode(texture, dimension);
    const auto position = scale(coordinate, size, texture.is_normalized, mode);
    const auto index = find_index(round_down(static_cast<double>(position)), size, mode);
    return {{index, index}, 0};
}

Taps find_pair(const Texture& texture, unsigned dimension, float coordinate, long size) {
    const auto mode = find_mode(texture, dimension);
    const auto position = scale(coordinate, size, texture.is_normalized, mode);
    const auto steps = round_down((static_cast<double>(position) - 0.5) * weight_steps + 0.5);
    const auto first = steps >> 8;
    return {{find_index(first, size, mode), find_index(first + 1, size, mode)},
            static_cast<float>(static_cast<double>(steps & 255) / weight_steps)};
}

Texel read_border(const Texture& texture) {
    Texel texel = {};
    for (unsigned i = 0; i < texture.format.channels; ++i)
        texel[i] = to_bits(texture.sampling.borderColor[i]);
    return texel;
}

Texel read_texel(const Texture& texture, const Level& level, long x, long y, long z) {
    if (x == outside || y == outside || z == outside) return read_border(texture);
    const auto row = static_cast<std::size_t>(z * level.size[1] + y);
    const auto* element =
        level.data + row * level.pitch + static_cast<std::size_t>(x) * texture.format.bytes();
    const auto texel = read_element(texture.format, element);
    if (!texture.reads_normalized()) return texel;
    return normalize(texture.format, texel, texture.sampling.sRGB != 0 && texture.format.bits == 8);
}

Texel interpolate(const Texel& first, const Texel& second, float weight) {
    Texel result;
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = to_bits((1 - weight) * to_float(first[i]) + weight * to_float(second[i]));
    return result;
}

// Filters along the first `dimensions` dimensions.
Texel filter(const Texture& texture, const Level& level, const Taps* taps, unsigned dimensions,
             long x, long y, long z) {
    if (dimensions == 0) return read_texel(texture, level, x, y, z);
    const auto& own = taps[dimensions - 1];
    const auto at = [&](long index) {
        long place[3] = {x, y, z};
        place[dimensions - 1] = index;
        return filter(texture, level, taps, dimensions - 1, place[0], place[1], place[2]);
    };
    if (own.weight == 0) return at(own.index[0]);
    return interpolate(at(own.index[0]), at(own.index[1]), own.weight);
}

Texel sample_level(const Texture& texture, unsigned number, const Place& place) {
    const auto& level = texture.levels[number];
    const bool is_linear =
        texture.sampling.filterMode == cudaFilterModeLinear && texture.reads_floats();
    Taps taps[3];
    for (unsigned i = 0; i < texture.dimensions; ++i)
        taps[i] = is_linear ? find_pair(texture, i, place.position[i], level.size[i])
                            : find_point(texture, i, place.position[i], level.size[i]);
    return filter(texture, level, taps, texture.dimensions, 0, 0, place.slice);
}

Texel sample(const Texture& texture, float number, const Place& place) {
    const auto last = static_cast<float>(texture.levels.size() - 1);
    if (last == 0) return sample_level(texture, 0, place);
    const auto& sampling = texture.sampling;
    number = std::fmax(number + sampling.mipmapLevelBias, sampling.minMipmapLevelClamp);
    number = std::fmin(number, sampling.maxMipmapLevelClamp);
    number = std::clamp(std::isnan(number) ? 0 : number, 0.0f, last);
    if (sampling.mipmapFilterMode == cudaFilterModePoint || !texture.reads_floats())
        return sample_level(texture, static_cast<unsigned>(std::floor(number + 0.5f)), place);
    const auto steps = static_cast<unsigned>(std::lround(number * weight_steps));
    const auto weight = static_cast<float>((steps & 255) / weight_steps);
    const auto first = sample_level(texture, steps >> 8, place);
    if (weight == 0) return first;
    return interpolate(first, sample_level(texture, (steps >> 8) + 1, place), weight);
}

// A direction on the plane of a cubemap's face: its coordinates, and its distance from the center.
struct Projection {
    float s, t, distance;
};

Projection project(long face, const float* direction) {
    const float x = direction[0], y = direction[1], z = direction[2];
    switch (face) {
    case 0: return {-z, -y, x};
    case 1: return {z, -y, -x};
    case 2: return {x, z, y};
    case 3: return {x, -z, -y};
    case 4: return {x, -y, z};
    default: return {-x, -y, -z};
    }
}

long find_face(const float* direction) {
    const float x = std::fabs(direction[0]), y = std::fabs(direction[1]),
                z = std::fabs(direction[2]);
    const int axis = x > y && x > z ? 0 : y > z ? 1 : 2;
    return 2 * axis + (direction[axis] < 0);
}

Place find_on_cube(const float* direction) {
    const auto face = find_face(direction);
    const auto at = project(face, direction);
    return {{(at.s / at.distance + 1) / 2, (at.t / at.distance + 1) / 2, 0}, face};
}

// Returns the length of a step in elements of level 0.
float measure(const Texture& texture, const kbuild_cpu_texture_request& request,
              const float* step) {
    float along[3] = {step[0], step[1], step[2]};
    if (texture.is_cubemap) {
        const auto face = find_face(request.position);
        const auto at = project(face, request.position), by = project(face, step);
        const auto square = 2 * at.distance * at.distance;
        along[0] = (by.s * at.distance - at.s * by.distance) / square;
        along[1] = (by.t * at.distance - at.t * by.distance) / square;
    }
    float sum = 0;
    for (unsigned i = 0; i < texture.dimensions; ++i) {
        along[i] *= static_cast<float>(texture.levels[0].size[i]);
        sum += along[i] * along[i];
    }
    return std::sqrt(sum);
}

// Returns the level at which the longer of the two steps is one element long.
float find_level(const Texture& texture, const kbuild_cpu_texture_request& request) {
    return std::log2(std::fmax(measure(texture, request, request.along_x),
                               measure(texture, request, request.along_y)));
}

// As on a GPU, a negative layer is a large unsigned number, which selects the last layer.
long find_layer(const Texture& texture, int layer) {
    if (!texture.is_layered) return 0;
    const long layers = texture.levels[0].size[2] / (texture.is_cubemap ? 6 : 1);
    return static_cast<long>(
        std::min<std::uint64_t>(static_cast<std::uint32_t>(layer), layers - 1));
}

Place find_place(const Texture& texture, const kbuild_cpu_texture_request& request) {
    const auto layer = find_layer(texture, request.layer);
    const auto* at = request.position;
    if (!texture.is_cubemap) return {{at[0], at[1], at[2]}, layer};
    auto place = find_on_cube(at);
    place.slice += layer * 6;
    return place;
}

Texel fetch(const Texture& texture, long index) {
    const auto& level = texture.levels[0];
    if (index < 0 || index >= level.size[0]) return {};
    return read_texel(texture, level, index, 0, 0);
}

// Returns one channel of the four elements around a position, in the vendor's order.
Texel gather(const Texture& texture, const Place& place, int component) {
    const auto& level = texture.levels[0];
    const auto x = find_pair(texture, 0, place.position[0], level.size[0]);
    const auto y = find_pair(texture, 1, place.position[1], level.size[1]);
    const auto read = [&](int i, int j) {
        const auto texel = read_texel(texture, level, x.index[i], y.index[j], place.slice);
        return texel[static_cast<std::size_t>(component & 3)];
    };
    return {read(0, 1), read(1, 1), read(1, 0), read(0, 0)};
}

Texel answer(const Texture& texture, const kbuild_cpu_texture_request& request) {
    if (request.operation == KBUILD_CPU_TEXTURE_FETCH) return fetch(texture, request.integer);
    const auto place = find_place(texture, request);
    switch (request.operation) {
    case KBUILD_CPU_TEXTURE_GATHER: return gather(texture, place, request.integer);
    case KBUILD_CPU_TEXTURE_LEVEL: return sample(texture, request.level, place);
    case KBUILD_CPU_TEXTURE_GRADIENT: return sample(texture, find_level(texture, request), place);
    default: return sample(texture, 0, place);
    }
}

}  // namespace

void read_texture(const kbuild_cpu_texture* object, const kbuild_cpu_texture_request* request,
                  std::uint32_t* channels) {
    const auto texel = answer(*reinterpret_cast<const Texture*>(object), *request);
    std::copy(texel.begin(), texel.end(), channels);
}

}  // namespace kbuild::cpu
