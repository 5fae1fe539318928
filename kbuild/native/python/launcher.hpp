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
    Launcher(std::vector<Parameter> parameters, ArrayRules rules, LaunchCall call,
             nb::object prepare, nb::object keep, nb::object recover, nb::object refused,
             nb::object owner);

    // Launches. Returns Outcome::not_launched if an argument needs more than this class does, or
    // is wrong.
    Outcome launch(nb::handle arguments);

private:
    void submit(void** arguments, const StreamChoice& stream) const;

    std::vector<Parameter> parameters_;
    std::size_t size_ = 0;  // of all parameters
    ArrayRules rules_;
    LaunchCall call_;
    nb::object prepare_;
    nb::object keep_;
    nb::object recover_;
    nb::object refused_;
    nb::object owner_;
};

}  // namespace kbuild::python

#endif
