#include "launcher.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace kbuild::python {

namespace {

// No parameter type needs a larger alignment; offsets preserve the alignment of each parameter.
constexpr std::size_t alignment = 256;
constexpr std::size_t most_bytes = 4096;  // on the stack; kernels rarely have more
constexpr std::size_t most_parameters = 64;
constexpr std::size_t most_config_bytes = 256;

// Memory for the arguments of one launch.
class Frame {
public:
    Frame(std::size_t bytes, std::size_t parameters) {
        if (bytes > most_bytes) {
            large_.resize(bytes + alignment);
            const auto start = reinterpret_cast<std::uintptr_t>(large_.data());
            bytes_ = large_.data() + (alignment - start % alignment) % alignment;
        }
        if (parameters > most_parameters) {
            many_.resize(parameters);
            pointers_ = many_.data();
        }
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

    unsigned char* bytes() { return bytes_; }
    void** pointers() { return pointers_; }

private:
    alignas(alignment) std::array<unsigned char, most_bytes> small_;
    std::array<void*, most_parameters> few_;
    std::vector<unsigned char> large_;
    std::vector<void*> many_;
    unsigned char* bytes_ = small_.data();
    void** pointers_ = few_.data();
};

// Lets other threads use the interpreter.
class ReleasedInterpreter {
public:
    ReleasedInterpreter() : thread_(PyEval_SaveThread()) {}
    ReleasedInterpreter(const ReleasedInterpreter&) = delete;
    ReleasedInterpreter& operator=(const ReleasedInterpreter&) = delete;
    ~ReleasedInterpreter() { PyEval_RestoreThread(thread_); }

private:
    PyThreadState* thread_;
};

int call_entry(const LaunchCall& call, unsigned char* config, void** arguments) {
    auto* function = reinterpret_cast<void*>(call.function);
    // A launch can wait for a full queue, and kernels on the CPU can run in it.
    const ReleasedInterpreter released;
    if (call.is_driver) {
        using Entry = int (*)(void*, void*, void**, void**);
        return reinterpret_cast<Entry>(call.entry)(config, function, arguments, nullptr);
    }
    using Entry = int (*)(void*, void*, void**);
    return reinterpret_cast<Entry>(call.entry)(function, config, arguments);
}

}  // namespace

Launcher::Launcher(std::vector<Parameter> parameters, ArrayRules rules, LaunchCall call,
                   Object prepare, Object keep, Object recover, Object refused, Object owner)
    : parameters_(std::move(parameters)),
      rules_(std::move(rules)),
      call_(std::move(call)),
      prepare_(std::move(prepare)),
      keep_(std::move(keep)),
      recover_(std::move(recover)),
      refused_(std::move(refused)),
      owner_(std::move(owner)) {
    for (const auto& parameter : parameters_) size_ = std::max(size_, parameter.end());
    if (call_.config.size() > most_config_bytes) {
        PyErr_SetString(PyExc_ValueError, "the configuration is too large");
        throw PythonError{};
    }
}

Outcome Launcher::launch(PyObject* arguments) {
    const auto count = static_cast<std::size_t>(PyTuple_Size(arguments));
    if (count != parameters_.size()) return Outcome::not_launched;
    Frame frame(size_, count);
    StreamChoice stream{call_.stream_offset < 0, call_.stream};
    std::vector<Object> kept;
    for (std::size_t index = 0; index < count; ++index) {
        auto& parameter = parameters_[index];
        auto* value = PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(index));
        if (!parameter.write(value, frame.bytes(), rules_, stream, refused_, kept))
            return Outcome::not_launched;
        frame.pointers()[index] = frame.bytes() + parameter.offset();
    }
    submit(frame.pointers(), stream);
    if (!keep_.is_none()) {
        const auto converted = Object::take(PyList_New(0));
        for (const auto& each : kept)
            if (PyList_Append(converted.get(), each.get()) < 0) throw PythonError{};
        Object::take(
            PyObject_CallFunctionObjArgs(keep_.get(), arguments, converted.get(), nullptr));
    }
    return stream.is_stated ? Outcome::launched_in_stream_of_arrays : Outcome::launched;
}

void Launcher::submit(void** arguments, const StreamChoice& stream) const {
    // A copy, because other threads can launch at the same time, in other streams.
    alignas(16) std::array<unsigned char, most_config_bytes> config;
    std::memcpy(config.data(), call_.config.data(), call_.config.size());
    if (stream.is_stated)
        std::memcpy(config.data() + call_.stream_offset, &stream.stream, sizeof(stream.stream));
    if (!prepare_.is_none()) Object::take(PyObject_CallFunctionObjArgs(prepare_.get(), nullptr));
    for (bool is_first = true;; is_first = false) {
        const int status = call_entry(call_, config.data(), arguments);
        if (status == 0) return;
        const auto again = Object::take(
            PyObject_CallFunction(recover_.get(), "iO", status, is_first ? Py_True : Py_False));
        if (again.get() != Py_True) return;
    }
}

}  // namespace kbuild::python
