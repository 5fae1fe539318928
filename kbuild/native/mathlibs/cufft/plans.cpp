// Plans of cuFFT, and their execution.
#pragma GCC visibility push(default)
#include <cufftXt.h>
#pragma GCC visibility pop

#include "cufft/transform.hpp"

#include "common/memory.hpp"
#include "common/operation.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace {

using namespace kbuild::mathlibs;

constexpr int most_dimensions = 3;

enum class Shape { complex, real_to_complex, complex_to_real };

struct Plan {
    Plan(cufftType type, const Sizes& sizes) : type(type), transform(sizes) {}

    cufftType type;
    Transform transform;
    std::int64_t items = 1;
    bool has_layout = false;  // whether the program has described it
    Layout in = {}, out = {};

    Shape shape() const {
        if (type == CUFFT_C2C || type == CUFFT_Z2Z) return Shape::complex;
        return type == CUFFT_R2C || type == CUFFT_D2Z ? Shape::real_to_complex
                                                      : Shape::complex_to_real;
    }
};

struct Handle {
    std::shared_ptr<const Plan> plan;  // null until it is made
    cudaStream_t stream = nullptr;
};

// The plans of the process, by number.
class Plans {
public:
    static Plans& instance() {
        static Plans& plans = *new Plans;  // programs destroy plans in destructors, too
        return plans;
    }
    cufftHandle add() {
        const std::lock_guard lock(mutex_);
        handles_[++last_];
        return last_;
    }
    bool remove(cufftHandle handle) {
        const std::lock_guard lock(mutex_);
        return handles_.erase(handle) != 0;
    }
    // Calls the function with the handle, and returns whether it exists.
    template <class Function>
    bool use(cufftHandle handle, Function function) {
        const std::lock_guard lock(mutex_);
        const auto found = handles_.find(handle);
        if (found == handles_.end()) return false;
        function(found->second);
        return true;
    }

private:
    std::mutex mutex_;
    cufftHandle last_ = 0;
    std::map<cufftHandle, Handle> handles_;
};

// The types of NVIDIA's transforms.
struct TypedTransform {
    cudaDataType in, out, execution;
    cufftType type;
};
constexpr TypedTransform typed_transforms[] = {
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C},
    {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
    {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R},
    {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
    {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z},
    {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D},
};

bool is_type(cufftType type) {
    switch (type) {
    case CUFFT_R2C:
    case CUFFT_C2R:
    case CUFFT_C2C:
    case CUFFT_D2Z:
    case CUFFT_Z2D:
    case CUFFT_Z2Z: return true;
    }
    return false;
}

// Where elements are by default. Rows of real numbers that are replaced by complex ones have room for these.
Layout default_layout(const Sizes& sizes, bool is_halved, bool is_padded) {
    Layout layout = {sizes, 1, 0};
    const auto halved = sizes[2] / 2 + 1;
    if (is_halved)
        layout.embedding[2] = halved;
    else if (is_padded)
        layout.embedding[2] = 2 * halved;
    layout.distance = layout.embedding[0] * layout.embedding[1] * layout.embedding[2];
    return layout;
}

Sizes halve(Sizes sizes) {
    sizes[2] = sizes[2] / 2 + 1;
    return sizes;
}

template <class Function>
void for_each(const Sizes& sizes, Function function) {
    Sizes index = {};
    for (index[0] = 0; index[0] < sizes[0]; ++index[0])
        for (index[1] = 0; index[1] < sizes[1]; ++index[1])
            for (index[2] = 0; index[2] < sizes[2]; ++index[2]) function(index);
}

std::int64_t extent(const Layout& layout, const Sizes& sizes, std::int64_t items) {
    return layout.place(items - 1, {sizes[0] - 1, sizes[1] - 1, sizes[2] - 1}) + 1;
}

// One execution of a plan.
template <class In, class Out>
class Execution {
public:
    Execution(std::shared_ptr<const Plan> plan, const char* name, const In* from, Out* to,
              bool is_inverse)
        : plan_(std::move(plan)), name_(name), from_(from), to_(to), is_inverse_(is_inverse) {
        const bool is_in_place = static_cast<const void*>(from) == static_cast<const void*>(to);
        const auto shape = plan_->shape();
        in_ = plan_->in;
        out_ = plan_->out;
        if (!plan_->has_layout) {
            in_ = default_layout(sizes(), shape == Shape::complex_to_real,
                                 shape == Shape::real_to_complex && is_in_place);
            out_ = default_layout(sizes(), shape == Shape::real_to_complex,
                                  shape == Shape::complex_to_real && is_in_place);
        }
        in_sizes_ = shape == Shape::complex_to_real ? halve(sizes()) : sizes();
        out_sizes_ = shape == Shape::real_to_complex ? halve(sizes()) : sizes();
    }

    void operator()() const {
        Memory memory(name_);
        memory.reads("idata", from_, extent(in_, in_sizes_, plan_->items));
        memory.writes("odata", to_, extent(out_, out_sizes_, plan_->items));
        if (!memory.is_valid()) return;
        std::vector<Complex> data(static_cast<std::size_t>(sizes()[0] * sizes()[1] * sizes()[2]));
        for (std::int64_t item = 0; item < plan_->items; ++item) {
            read(data, item);
            if (plan_->shape() == Shape::complex_to_real) complete(data);
            plan_->transform.run(data, is_inverse_);
            write(data, item);
        }
    }

private:
    const Sizes& sizes() const { return plan_->transform.sizes(); }
    std::size_t place(const Sizes& index) const {
        return static_cast<std::size_t>((index[0] * sizes()[1] + index[1]) * sizes()[2] + index[2]);
    }

    void read(std::vector<Complex>& data, std::int64_t item) const {
        for_each(in_sizes_, [&](const Sizes& index) {
            const auto& element = from_[in_.place(item, index)];
            if constexpr (std::is_floating_point_v<In>)
                data[place(index)] = element;
            else
                data[place(index)] = {element.x, element.y};
        });
    }

    void write(const std::vector<Complex>& data, std::int64_t item) const {
        for_each(out_sizes_, [&](const Sizes& index) {
            auto& element = to_[out_.place(item, index)];
            const auto& value = data[place(index)];
            if constexpr (std::is_floating_point_v<Out>)
                element = static_cast<Out>(value.real());
            else
                element = {static_cast<decltype(element.x)>(value.real()),
                           static_cast<decltype(element.y)>(value.imag())};
        });
    }

    // Fills in the half that the spectrum of real numbers has twice.
    void complete(std::vector<Complex>& data) const {
        const auto& n = sizes();
        for_each(n, [&](const Sizes& index) {
            if (index[2] < in_sizes_[2]) return;
            const Sizes mirrored = {(n[0] - index[0]) % n[0], (n[1] - index[1]) % n[1],
                                    n[2] - index[2]};
            data[place(index)] = std::conj(data[place(mirrored)]);
        });
    }

    std::shared_ptr<const Plan> plan_;
    const char* name_;
    const In* from_;
    Out* to_;
    bool is_inverse_;
    Layout in_, out_;
    Sizes in_sizes_, out_sizes_;
};

template <class In, class Out>
cufftResult execute(cufftHandle handle, cufftType type, const char* name, const In* from, Out* to,
                    int direction) {
    Handle found;
    if (!Plans::instance().use(handle, [&](const Handle& one) { found = one; }) ||
        found.plan == nullptr)
        return CUFFT_INVALID_PLAN;
    if (found.plan->type != type) return CUFFT_INVALID_TYPE;
    if (from == nullptr || to == nullptr ||
        (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
        return CUFFT_INVALID_VALUE;
    const Execution<In, Out> execution(found.plan, name, from, to, direction == CUFFT_INVERSE);
    return enqueue(found.stream, execution) == 0 ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

// The memory that a plan describes: null if it has the default layout.
template <class Size>
struct Description {
    int rank;
    const Size* n;
    const Size* in_embedding;
    Size in_stride, in_distance;
    const Size* out_embedding;
    Size out_stride, out_distance;
    Size items;
};

template <class Size>
Sizes align(int rank, const Size* values) {
    Sizes sizes = {1, 1, 1};
    std::copy_n(values, rank, sizes.end() - rank);
    return sizes;
}

template <class Size>
cufftResult make(cufftHandle handle, const Description<Size>& d, cufftType type,
                 std::size_t* work_bytes) {
    if (!is_type(type)) return CUFFT_INVALID_TYPE;
    if (d.rank < 1 || d.rank > most_dimensions || d.n == nullptr) return CUFFT_INVALID_VALUE;
    if (std::any_of(d.n, d.n + d.rank, [](Size size) { return size <= 0; }) || d.items <= 0)
        return CUFFT_INVALID_SIZE;
    const auto plan = std::make_shared<Plan>(type, align(d.rank, d.n));
    plan->items = d.items;
    if (d.in_embedding != nullptr && d.out_embedding != nullptr) {
        plan->has_layout = true;
        plan->in = {align(d.rank, d.in_embedding), d.in_stride, d.in_distance};
        plan->out = {align(d.rank, d.out_embedding), d.out_stride, d.out_distance};
    }
    if (work_bytes != nullptr) *work_bytes = 0;
    const bool exists = Plans::instance().use(handle, [&](Handle& found) { found.plan = plan; });
    return exists ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

template <class Size>
cufftResult add(cufftHandle* handle, const Description<Size>& description, cufftType type) {
    if (handle == nullptr) return CUFFT_INVALID_VALUE;
    const auto added = Plans::instance().add();
    const auto result = make(added, description, type, nullptr);
    if (result == CUFFT_SUCCESS)
        *handle = added;
    else
        Plans::instance().remove(added);
    return result;
}

template <class Size>
Description<Size> describe(int rank, const Size* n, Size items) {
    return {rank, n, nullptr, 1, 0, nullptr, 1, 0, items};
}

cufftResult return_nothing(std::size_t* work_bytes) {
    if (work_bytes == nullptr) return CUFFT_INVALID_VALUE;
    *work_bytes = 0;  // the memory for a transform is that of the host
    return CUFFT_SUCCESS;
}

cufftResult check_plan(cufftHandle handle) {
    return Plans::instance().use(handle, [](const Handle&) {}) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

}  // namespace

cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
    return add(plan, describe(1, &nx, batch), type);
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
    const int n[] = {nx, ny};
    return add(plan, describe(2, n, 1), type);
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
    const int n[] = {nx, ny, nz};
    return add(plan, describe(3, n, 1), type);
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist,
                          int* onembed, int ostride, int odist, cufftType type, int batch) {
    return add(plan,
               Description<int>{rank, n, inembed, istride, idist, onembed, ostride, odist, batch},
               type);
}

cufftResult cufftCreate(cufftHandle* handle) {
    if (handle == nullptr) return CUFFT_INVALID_VALUE;
    *handle = Plans::instance().add();
    return CUFFT_SUCCESS;
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* bytes) {
    return make(plan, describe(1, &nx, batch), type, bytes);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* bytes) {
    const int n[] = {nx, ny};
    return make(plan, describe(2, n, 1), type, bytes);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type,
                            size_t* bytes) {
    const int n[] = {nx, ny, nz};
    return make(plan, describe(3, n, 1), type, bytes);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride,
                              int idist, int* onembed, int ostride, int odist, cufftType type,
                              int batch, size_t* bytes) {
    return make(plan,
                Description<int>{rank, n, inembed, istride, idist, onembed, ostride, odist, batch},
                type, bytes);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long* n, long long* inembed,
                                long long istride, long long idist, long long* onembed,
                                long long ostride, long long odist, cufftType type, long long batch,
                                size_t* bytes) {
    return make(
        plan,
        Description<long long>{rank, n, inembed, istride, idist, onembed, ostride, odist, batch},
        type, bytes);
}

cufftResult cufftGetSize(cufftHandle handle, size_t* bytes) {
    const auto result = check_plan(handle);
    return result == CUFFT_SUCCESS ? return_nothing(bytes) : result;
}
cufftResult cufftEstimate1d(int, cufftType, int, size_t* bytes) { return return_nothing(bytes); }
cufftResult cufftEstimate2d(int, int, cufftType, size_t* bytes) { return return_nothing(bytes); }
cufftResult cufftEstimate3d(int, int, int, cufftType, size_t* bytes) {
    return return_nothing(bytes);
}
cufftResult cufftSetWorkArea(cufftHandle plan, void*) { return check_plan(plan); }
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) { return check_plan(plan); }
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream) {
    const bool exists = Plans::instance().use(plan, [&](Handle& found) { found.stream = stream; });
    return exists ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftDestroy(cufftHandle plan) {
    return Plans::instance().remove(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
    return execute(plan, CUFFT_C2C, "cufftExecC2C", in, out, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out,
                         int direction) {
    return execute(plan, CUFFT_Z2Z, "cufftExecZ2Z", in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
    return execute(plan, CUFFT_R2C, "cufftExecR2C", in, out, CUFFT_FORWARD);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
    return execute(plan, CUFFT_D2Z, "cufftExecD2Z", in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
    return execute(plan, CUFFT_C2R, "cufftExecC2R", in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
    return execute(plan, CUFFT_Z2D, "cufftExecZ2D", in, out, CUFFT_INVERSE);
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* inembed,
                                long long istride, long long idist, cudaDataType in,
                                long long* onembed, long long ostride, long long odist,
                                cudaDataType out, long long batch, size_t* bytes,
                                cudaDataType execution) {
    for (const auto& known : typed_transforms)
        if (known.in == in && known.out == out && known.execution == execution)
            return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride,
                                       odist, known.type, batch, bytes);
    return CUFFT_NOT_SUPPORTED;
}

cufftResult cufftXtExec(cufftHandle plan, void* in, void* out, int direction) {
    cufftType type = CUFFT_C2C;
    const bool is_made = Plans::instance().use(plan, [&](const Handle& found) {
        if (found.plan != nullptr) type = found.plan->type;
    });
    if (!is_made) return CUFFT_INVALID_PLAN;
    switch (type) {
    case CUFFT_C2C:
        return cufftExecC2C(plan, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out),
                            direction);
    case CUFFT_Z2Z:
        return cufftExecZ2Z(plan, static_cast<cufftDoubleComplex*>(in),
                            static_cast<cufftDoubleComplex*>(out), direction);
    case CUFFT_R2C:
        return cufftExecR2C(plan, static_cast<cufftReal*>(in), static_cast<cufftComplex*>(out));
    case CUFFT_D2Z:
        return cufftExecD2Z(plan, static_cast<cufftDoubleReal*>(in),
                            static_cast<cufftDoubleComplex*>(out));
    case CUFFT_C2R:
        return cufftExecC2R(plan, static_cast<cufftComplex*>(in), static_cast<cufftReal*>(out));
    case CUFFT_Z2D:
        return cufftExecZ2D(plan, static_cast<cufftDoubleComplex*>(in),
                            static_cast<cufftDoubleReal*>(out));
    }
    return CUFFT_INVALID_TYPE;
}

cufftResult cufftGetVersion(int* version) {
    if (version == nullptr) return CUFFT_INVALID_VALUE;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
    if (value == nullptr) return CUFFT_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION: *value = CUFFT_VER_MAJOR; return CUFFT_SUCCESS;
    case MINOR_VERSION: *value = CUFFT_VER_MINOR; return CUFFT_SUCCESS;
    case PATCH_LEVEL: *value = CUFFT_VER_PATCH; return CUFFT_SUCCESS;
    }
    return CUFFT_INVALID_TYPE;
}
