// One parameter of a kernel: writes the Python values that it takes into the memory of a launch.
#ifndef KBUILD_PYTHON_PARAMETER_HPP
#define KBUILD_PYTHON_PARAMETER_HPP

#include "arrays.hpp"

#include <cstddef>

namespace kbuild::python {

class Parameter {
public:
    // `code` is a format character of Python's struct module: one of ?bBhHiIqQfds.
    // `find` returns, for a Python type, a converter to what `code` packs; None if there is nothing
    // to convert; False if a value of the type needs more than that.
    Parameter(std::size_t offset, std::size_t size, char code, bool takes_arrays,
              ElementTypes elements, Object find);

    // Writes `value` to `frame`. `kept` receives what must exist until the launch has returned.
    // Returns false, without a Python error, if the value needs more than this function does.
    // Throws what a converter raises, except `refused`.
    bool write(PyObject* value, unsigned char* frame, const ArrayRules& rules, StreamChoice& stream,
               const Object& refused, std::vector<Object>& kept);

    std::size_t offset() const { return offset_; }
    std::size_t end() const { return offset_ + size_; }

private:
    enum class Route { packed, converted, exchanged, interfaced, none };

    void choose_route(PyTypeObject* kind, const ArrayRules& rules);
    bool pack(PyObject* value, unsigned char* target) const;
    bool pack_integer(PyObject* value, unsigned char* target) const;

    std::size_t offset_;
    std::size_t size_;
    char code_;
    bool takes_arrays_;
    ElementTypes elements_;
    Object find_;

    // The route of the type that was seen last: a call site passes the same types each time.
    Object kind_;
    Route route_ = Route::none;
    Object converter_;
    const ExchangeApi* exchange_ = nullptr;
};

}  // namespace kbuild::python

#endif
