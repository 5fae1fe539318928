// Launches one kernel with one configuration, with the arguments that Python passes.
#ifndef KBUILD_PYTHON_LAUNCHER_HPP
#define KBUILD_PYTHON_LAUNCHER_HPP

#include "parameter.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kbuild::python {

// A launch function of a runtime, and all of its arguments except for those of the kernel.
struct LaunchCall {
    std::uintptr_t entry;
    std::uintptr_t function;
    std::vector<unsigned char> config;
    std::uintptr_t stream;         // that the configuration has
    std::ptrdiff_t stream_offset;  // of the stream in the configuration; -1 if it is fixed
    // int entry(config, function, arguments, extra), as the drivers have it; otherwise
    // int entry(function, config, arguments).
    bool is_driver;
};

// What a launch did; Python knows the values as numbers.
enum class Outcome : int { not_launched, launched, launched_in_stream_of_arrays };

class Launcher {
public:
    // `prepare()`, unless it is None, is called before each launch.
    // `keep(arguments, converted)`, unless it is None, is called after each launch with what must
    // exist until the kernel has run.
    // `recover(status, is_first)` is called after a failed launch; it returns true if a second
    // try makes sense, and raises an error otherwise. `owner` exists as long as the launcher.
    Launcher(std::vector<Parameter> parameters, ArrayRules rules, LaunchCall call, Object prepare,
             Object keep, Object recover, Object refused, Object owner);

    // Launches with a tuple of arguments. Returns Outcome::not_launched if an argument needs more
    // than this class does, or is wrong. Throws PythonError if `prepare`, `keep`, `recover`, or a
    // converter raises an error.
    Outcome launch(PyObject* arguments);

private:
    void submit(void** arguments, const StreamChoice& stream) const;

    std::vector<Parameter> parameters_;
    std::size_t size_ = 0;  // of all parameters
    ArrayRules rules_;
    LaunchCall call_;
    Object prepare_;
    Object keep_;
    Object recover_;
    Object refused_;
    Object owner_;
};

}  // namespace kbuild::python

#endif
