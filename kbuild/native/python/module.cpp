// The module kbuild._launcher; see kbuild/runtime/launching for what it is for.
#include "launcher.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

namespace {

namespace nb = nanobind;
using namespace kbuild::python;

// The arguments of Parameter's constructor.
using Row = std::tuple<std::size_t, std::size_t, std::string, bool, ElementTypes, nb::object>;

std::vector<Parameter> make_parameters(const std::vector<Row>& rows) {
    std::vector<Parameter> parameters;
    parameters.reserve(rows.size());
    for (const auto& [offset, size, code, takes_arrays, elements, find] : rows)
        parameters.emplace_back(offset, size, code.at(0), takes_arrays, elements, find);
    return parameters;
}

ArrayRules make_rules(std::vector<std::pair<std::int32_t, std::int32_t>> devices,
                      nb::object interface) {
    ArrayRules rules;
    rules.devices = std::move(devices);
    rules.interface_name = std::move(interface);
    return rules;
}

}  // namespace

NB_MODULE(_launcher, module) {
    // Kernels of a module live until Python ends, and then nobody frees their launchers.
    nb::set_leak_warnings(false);
    module.doc() = "The compiled part of launches from Python.";
    nb::class_<Launcher>(module, "Launcher")
        .def(
            "__init__",
            [](Launcher* self, const std::vector<Row>& parameters,
               std::vector<std::pair<std::int32_t, std::int32_t>> devices, nb::object interface,
               std::uintptr_t entry, std::uintptr_t function, nb::bytes config,
               std::uintptr_t stream, std::ptrdiff_t stream_offset, bool is_driver,
               nb::object prepare, nb::object keep, nb::object recover, nb::object refused,
               nb::object owner) {
                const auto* bytes = static_cast<const unsigned char*>(config.data());
                LaunchCall call{entry,  function,      {bytes, bytes + config.size()},
                                stream, stream_offset, is_driver};
                new (self) Launcher(make_parameters(parameters),
                                    make_rules(std::move(devices), std::move(interface)),
                                    std::move(call), std::move(prepare), std::move(keep),
                                    std::move(recover), std::move(refused), std::move(owner));
            },
            nb::kw_only(), nb::arg("parameters"), nb::arg("devices"), nb::arg("interface").none(),
            nb::arg("entry"), nb::arg("function"), nb::arg("config"), nb::arg("stream"),
            nb::arg("stream_offset"), nb::arg("is_driver"), nb::arg("prepare").none(),
            nb::arg("keep").none(), nb::arg("recover"), nb::arg("refused"), nb::arg("owner").none())
        .def("launch", [](Launcher& self, nb::args arguments) {
            return static_cast<int>(self.launch(arguments));
        });
}
