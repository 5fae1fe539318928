// Operations of streams.
#ifndef KBUILD_MATHLIBS_COMMON_OPERATION_HPP
#define KBUILD_MATHLIBS_COMMON_OPERATION_HPP

#include <kbuild/cpu_runtime.h>

#include <memory>
#include <utility>

namespace kbuild::mathlibs {

// A function that a stream calls. Libraries have hundreds, so the code for all of them is not in
// templates.
class Queued {
public:
    virtual ~Queued() = default;
    virtual void call() = 0;
};

inline int enqueue_queued(void* stream, std::unique_ptr<Queued> queued) {
    kbuild_cpu_capture capture = {};
    if (const int error = kbuild_cpu_describe_capture(&capture, stream); error != 0) return error;
    if (capture.status == 0) {
        const auto call_once = [](void* data) {
            const std::unique_ptr<Queued> owned(static_cast<Queued*>(data));
            owned->call();
        };
        const int error = kbuild_cpu_call_host(stream, call_once, queued.get());
        if (error == 0) static_cast<void>(queued.release());
        return error;
    }
    auto* const kept = queued.get();
    void* object = nullptr;
    const auto destroy = [](void* data) { delete static_cast<Queued*>(data); };
    if (const int error = kbuild_cpu_create_user_object(&object, destroy, kept, 1); error != 0)
        return error;
    static_cast<void>(queued.release());
    if (const int error = kbuild_cpu_retain_in_graph(capture.graph, object, 1, 1); error != 0) {
        kbuild_cpu_release_user_object(object, 1);
        return error;
    }
    const auto call = [](void* data) { static_cast<Queued*>(data)->call(); };
    return kbuild_cpu_call_host(stream, call, kept);
}

template <class Function>
std::unique_ptr<Queued> make_queued(Function function) {
    class Call final : public Queued {
    public:
        explicit Call(Function&& called) : called_(std::move(called)) {}
        void call() override { called_(); }

    private:
        Function called_;
    };
    return std::make_unique<Call>(std::move(function));
}

// Appends a function to a stream, as a launch does. If the stream captures, the graph keeps the
// function. Returns a kbuild_cpu_error.
template <class Function>
int enqueue(void* stream, Function function) {
    return enqueue_queued(stream, make_queued(std::move(function)));
}

}  // namespace kbuild::mathlibs

#endif
