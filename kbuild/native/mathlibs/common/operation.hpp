// Operations of streams.
#ifndef KBUILD_MATHLIBS_COMMON_OPERATION_HPP
#define KBUILD_MATHLIBS_COMMON_OPERATION_HPP

#include <kbuild/cpu_runtime.h>

#include <memory>
#include <utility>

namespace kbuild::mathlibs {

// Appends a function to a stream, as a launch does. If the stream captures, the graph keeps the
// function. Returns a kbuild_cpu_error.
template <class Function>
int enqueue(void* stream, Function function) {
    auto owned = std::make_unique<Function>(std::move(function));
    kbuild_cpu_capture capture = {};
    if (const int error = kbuild_cpu_describe_capture(&capture, stream); error != 0) return error;
    if (capture.status == 0) {
        const int error = kbuild_cpu_call_host(
            stream,
            [](void* data) {
                const std::unique_ptr<Function> called(static_cast<Function*>(data));
                (*called)();
            },
            owned.get());
        if (error == 0) static_cast<void>(owned.release());
        return error;
    }
    auto* const kept = owned.get();
    void* object = nullptr;
    const auto destroy = [](void* data) { delete static_cast<Function*>(data); };
    if (const int error = kbuild_cpu_create_user_object(&object, destroy, kept, 1); error != 0)
        return error;
    static_cast<void>(owned.release());
    if (const int error = kbuild_cpu_retain_in_graph(capture.graph, object, 1, 1); error != 0) {
        kbuild_cpu_release_user_object(object, 1);
        return error;
    }
    const auto call = [](void* data) { (*static_cast<Function*>(data))(); };
    return kbuild_cpu_call_host(stream, call, kept);
}

}  // namespace kbuild::mathlibs

#endif
