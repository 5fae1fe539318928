// Surface objects: element types, shapes, and boundary modes. Offsets in a row count bytes.
#include "conformance.hpp"

namespace {

using conformance::check;
using conformance::DeviceVector;
using conformance::print;
using conformance::Random;

constexpr int width = 16, height = 8, depth = 6;

// An array with a surface object, filled with random bytes.
template <class T>
class Surface {
public:
    Surface(cudaExtent extent, unsigned flags = 0)
        : extent_{extent.width, std::max<std::size_t>(extent.height, 1),
                  std::max<std::size_t>(extent.depth, 1)} {
        const auto channels = cudaCreateChannelDesc<T>();
        check(cudaMalloc3DArray(&array_, &channels, extent, flags | cudaArraySurfaceLoadStore),
              "cudaMalloc3DArray");
        Random random;
        bytes_.resize(extent_.width * extent_.height * extent_.depth * sizeof(T));
        for (auto& byte : bytes_) byte = static_cast<unsigned char>(random.next());
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = pointer();
        copy.dstArray = array_;
        copy.extent = extent_;
        copy.kind = cudaMemcpyHostToDevice;
        check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array_;
        check(cudaCreateSurfaceObject(&object_, &resource), "cudaCreateSurfaceObject");
    }
    ~Surface() {
        cudaDestroySurfaceObject(object_);
        cudaFreeArray(array_);
    }
    Surface(const Surface&) = delete;

    cudaSurfaceObject_t object() const { return object_; }
    cudaArray_t array() const { return array_; }

    std::vector<unsigned char> read() {
        cudaMemcpy3DParms copy = {};
        copy.srcArray = array_;
        copy.dstPtr = pointer();
        copy.extent = extent_;
        copy.kind = cudaMemcpyDeviceToHost;
        check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
        return bytes_;
    }

private:
    cudaPitchedPtr pointer() {
        return make_cudaPitchedPtr(bytes_.data(), extent_.width * sizeof(T), extent_.width,
                                   extent_.height);
    }

    cudaExtent extent_;
    cudaArray_t array_ = nullptr;
    cudaSurfaceObject_t object_ = 0;
    std::vector<unsigned char> bytes_;
};

// Columns, rows, and slices in and around the surfaces. No two writes have the same target.
std::vector<int4> make_positions(bool is_inside) {
    std::vector<int4> positions;
    const int margin = is_inside ? 0 : 3;
    for (int x = -margin; x < width + margin; ++x)
        for (int y = -margin; y < height + margin; y += 3)
            for (int z = -margin; z < depth + margin; z += 2) positions.push_back({x, y, z, 0});
    return positions;
}

template <class T, class Kernel>
void run(const std::string& name, Kernel* kernel, Surface<T>& surface, bool is_inside = true) {
    const DeviceVector<int4> at(make_positions(is_inside));
    const auto count = static_cast<int>(make_positions(is_inside).size());
    std::vector<T> nothing(static_cast<std::size_t>(count));
    std::memset(static_cast<void*>(nothing.data()), 0, nothing.size() * sizeof(T));
    const DeviceVector<T> values(nothing);
    kernel<<<(count + 63) / 64, 64>>>(surface.object(), at.data(), values.data(), count);
    check(cudaDeviceSynchronize(), name.c_str());
    print((name + "_values").c_str(), values.read(), 0);
    print((name + "_surface").c_str(), surface.read(), 0);
}

template <class T>
__device__ T invert(T value) {
    auto* bytes = reinterpret_cast<unsigned char*>(&value);
    for (unsigned i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(~bytes[i]);
    return value;
}

}  // namespace

// Reads an element, and writes it back with all bits inverted. `x` is a byte, and `p` the position.
#define UPDATE(name, mode, ...)                                                                  \
    template <class T>                                                                           \
    __global__ void name##_##mode(cudaSurfaceObject_t surface, const int4* at, T* out, int n) {  \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
        if (i >= n) return;                                                                      \
        const int4 p = at[i];                                                                    \
        const int x = p.x * static_cast<int>(sizeof(T));                                         \
        out[i] = name##read<T>(surface, __VA_ARGS__, cudaBoundaryMode##mode);                    \
        name##write(invert(out[i]), surface, __VA_ARGS__, cudaBoundaryMode##mode);               \
    }

UPDATE(surf2D, Trap, x, p.y)
UPDATE(surf3D, Trap, x, p.y, p.z)
UPDATE(surf2DLayered, Trap, x, p.y, p.z)
UPDATE(surfCubemap, Trap, x, p.y, p.z)
UPDATE(surfCubemapLayered, Trap, x, p.y, p.z)
UPDATE(surf3D, Zero, x, p.y, p.z)

// One-dimensional surfaces have one position for several threads, so only one of them writes.
#define UPDATE_LINE(name, ...)                                                                   \
    template <class T>                                                                           \
    __global__ void name##_line(cudaSurfaceObject_t surface, const int4* at, T* out, int n) {    \
        const int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
        if (i >= n) return;                                                                      \
        const int4 p = at[i];                                                                    \
        const int x = p.x * static_cast<int>(sizeof(T));                                         \
        if (p.y != 0 || p.z * !HAS_LAYERS != 0) return;                                          \
        name##read(&out[i], surface, __VA_ARGS__);                                               \
        name##write(invert(out[i]), surface, __VA_ARGS__);                                       \
    }

#define HAS_LAYERS 0
UPDATE_LINE(surf1D, x)
#undef HAS_LAYERS
#define HAS_LAYERS 1
UPDATE_LINE(surf1DLayered, x, p.z)
#undef HAS_LAYERS

template <class T>
__global__ void surf2D_once(cudaSurfaceObject_t surface, const int4* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || at[i].z != 0) return;
    const int x = at[i].x * static_cast<int>(sizeof(T));
    surf2Dread(&out[i], surface, x, at[i].y);
    surf2Dwrite(invert(out[i]), surface, x, at[i].y);
}

template <class T>
__global__ void surf3D_clamped(cudaSurfaceObject_t surface, const int4* at, T* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int x = at[i].x * static_cast<int>(sizeof(T));
    out[i] = surf3Dread<T>(surface, x, at[i].y, at[i].z, cudaBoundaryModeClamp);
}

// Only one thread writes: clamped writes of others would have the same target.
template <class T>
__global__ void surf2D_clamped_write(cudaSurfaceObject_t surface, const int4*, T* out, int) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    out[0] = invert(T{});
    surf2Dwrite(out[0], surface, 1600, -5, cudaBoundaryModeClamp);
    surf2Dwrite(out[0], surface, -64, 2, cudaBoundaryModeClamp);
}

namespace {

template <class T>
void test_type(const std::string& type) {
    Surface<T> surface({width, height, 0});
    run<T>("surf2D<" + type + ">", surf2D_once<T>, surface);
}

template <class T>
void test_shapes(const std::string& type) {
    Surface<T> line({width, 0, 0});
    run<T>("surf1D_" + type, surf1D_line<T>, line);
    Surface<T> lines({width, 0, depth}, cudaArrayLayered);
    run<T>("surf1DLayered_" + type, surf1DLayered_line<T>, lines);
    Surface<T> solid({width, height, depth});
    run<T>("surf3D_" + type, surf3D_Trap<T>, solid);
    run<T>("surf3D_zero_" + type, surf3D_Zero<T>, solid, false);
    run<T>("surf3D_clamp_" + type, surf3D_clamped<T>, solid, false);
    Surface<T> sheets({width, height, depth}, cudaArrayLayered);
    run<T>("surf2DLayered_" + type, surf2DLayered_Trap<T>, sheets);
    Surface<T> cube({width, width, 6}, cudaArrayCubemap);
    run<T>("surfCubemap_" + type, surfCubemap_Trap<T>, cube);
    Surface<T> cubes({width, width, 12}, cudaArrayCubemap | cudaArrayLayered);
    run<T>("surfCubemapLayered_" + type, surfCubemapLayered_Trap<T>, cubes);
    Surface<T> sheet({width, height, 0});
    run<T>("surf2D_clamp_" + type, surf2D_clamped_write<T>, sheet);
}

void test_description() {
    Surface<int> surface({width, height, 0});
    cudaResourceDesc resource = {};
    check(cudaGetSurfaceObjectResourceDesc(&resource, surface.object()), "description");
    print("cudaGetSurfaceObjectResourceDesc",
          std::vector<int>{resource.resType, resource.res.array.array == surface.array()}, 0);
}

// The last test, because no kernel runs after a trap.
void test_trap() {
    Surface<int> surface({width, height, 0});
    const DeviceVector<int4> at(make_positions(false));
    const DeviceVector<int> out(std::vector<int>(make_positions(false).size()));
    surf2D_Trap<int><<<1, 64>>>(surface.object(), at.data(), out.data(), 64);
    std::printf("surf2D_trap exact 1 %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::fflush(stdout);
    std::_Exit(0);
}

}  // namespace

int main() {
    test_type<char>("char");
    test_type<signed char>("signed_char");
    test_type<unsigned char>("unsigned_char");
    test_type<short>("short");
    test_type<unsigned short>("unsigned_short");
    test_type<int>("int");
    test_type<unsigned int>("unsigned_int");
    test_type<float>("float");
    test_type<uchar4>("uchar4");
    test_type<short2>("short2");
    test_type<ushort4>("ushort4");
    test_type<int2>("int2");
    test_type<uint4>("uint4");
    test_type<float2>("float2");
    test_type<float4>("float4");
    test_shapes<float>("float");
    test_shapes<uchar4>("uchar4");
    test_shapes<int4>("int4");
    test_description();
    test_trap();
}
