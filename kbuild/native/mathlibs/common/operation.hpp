// Operations of streams.
#ifndef KBUILD_MATHLIBS_COMMON_OPERATION_HPP
#define KBUILD_MATHLIBS_COMMON_OPERATION_HPP

#include <kbuild/cpu_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace kbuild::mathlibs {

// A function that a stream calls; what it captures follows. Libraries have hundreds, so templates
// contain only what depends on the function.
struct alignas(std::max_align_t) Queued {
    using Callback = void (*)(void* captured);

    Callback call;
    Callback destroy;  // null if nothing is to be done

    void* captured() { return this + 1; }
    void run() { call(captured()); }
};

inline void free_queued(void* data) {
    auto* const queued = static_cast<Queued*>(data);
    if (queued->destroy != nullptr) queued->destroy(queued->captured());
    std::free(queued);
}

struct FreeQueued {
    void operator()(Queued* queued) const { free_queued(queued); }
};
using OwnedQueued = std::unique_ptr<Queued, FreeQueued>;

inline Queued* allocate_queued(Queued::Callback call, Queued::Callback destroy, std::size_t bytes) {
    void* const memory = std::malloc(sizeof(Queued) + bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return new (memory) Queued{call, destroy};
}

// Copies the function, which must not throw.
template <class Function>
OwnedQueued make_queued(const Function& function) {
    static_assert(alignof(Function) <= alignof(Queued));
    static_assert(std::is_nothrow_copy_constructible_v<Function>);
    Queued::Callback destroy = nullptr;
    if constexpr (!std::is_trivially_destructible_v<Function>)
        destroy = [](void* captured) { static_cast<Function*>(captured)->~Function(); };
    const auto call = [](void* captured) { (*static_cast<Function*>(captured))(); };
    Queued* const queued = allocate_queued(call, destroy, sizeof function);
    new (queued->captured()) Function(function);
    return OwnedQueued(queued);
}

inline int enqueue_queued(void* stream, OwnedQueued queued) {
    kbuild_cpu_capture capture = {};
    if (const int error = kbuild_cpu_describe_capture(&capture, stream); error != 0) return error;
    if (capture.status == 0) {
        const auto call_once = [](void* data) {
            const OwnedQueued owned(static_cast<Queued*>(data));
            owned->run();
        };
        const int error = kbuild_cpu_call_host(stream, call_once, queued.get());
        if (error == 0) static_cast<void>(queued.release());
        return error;
    }
    auto* const kept = queued.get();
    void* object = nullptr;
    if (const int error = kbuild_cpu_create_user_object(&object, free_queued, kept, 1); error != 0)
        return error;
    static_cast<void>(queued.release());
    if (const int error = kbuild_cpu_retain_in_graph(capture.graph, object, 1, 1); error != 0) {
        kbuild_cpu_release_user_object(object, 1);
        return error;
    }
    const auto call = [](void* data) { static_cast<Queued*>(data)->run(); };
    return kbuild_cpu_call_host(stream, call, kept);
}

// Appends a function to a stream, as a launch does. If the stream captures, the graph keeps the
// function. Returns a kbuild_cpu_error.
template <class Function>
int enqueue(void* stream, const Function& function) {
    return enqueue_queued(stream, make_queued(function));
}

}  // namespace kbuild::mathlibs

#endif
