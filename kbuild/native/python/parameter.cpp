#include "parameter.hpp"

#include <cmath>
#include <cstring>
#include <utility>

namespace kbuild::python {

namespace {

template <typename Number>
bool store(Number number, unsigned char* target) {
    std::memcpy(target, &number, sizeof(number));
    return true;
}

// Ends a conversion that failed: the caller explains the problem in its own words.
bool fail() {
    PyErr_Clear();
    return false;
}

}  // namespace

Parameter::Parameter(std::size_t offset, std::size_t size, char code, bool takes_arrays,
                     ElementTypes elements, nb::object find)
    : offset_(offset),
      size_(size),
      code_(code),
      takes_arrays_(takes_arrays),
      elements_(std::move(elements)),
      find_(std::move(find)) {}

bool Parameter::write(PyObject* value, unsigned char* frame, const ArrayRules& rules,
                      StreamChoice& stream, nb::handle refused, std::vector<nb::object>& kept) {
    auto* kind = Py_TYPE(value);
    if (reinterpret_cast<PyObject*>(kind) != kind_.ptr()) choose_route(kind, rules);
    auto* target = frame + offset_;
    switch (route_) {
    case Route::packed: return pack(value, target);
    case Route::exchanged: {
        const auto address = exchange_->read_address(value, rules, elements_, stream);
        return address && store<std::uint64_t>(*address, target);
    }
    case Route::interfaced: {
        const auto address = read_interface(value, rules, elements_, stream);
        return address && store<std::uint64_t>(*address, target);
    }
    case Route::converted: {
        // The converter can start other launches, which change the route.
        const auto converter = converter_;
        auto converted = nb::steal(PyObject_CallFunctionObjArgs(converter.ptr(), value, nullptr));
        if (!converted.is_valid()) {
            if (PyErr_ExceptionMatches(refused.ptr()) == 0) nb::raise_python_error();
            return fail();
        }
        kept.push_back(std::move(converted));
        return pack(kept.back().ptr(), target);
    }
    case Route::none: break;
    }
    return false;
}

void Parameter::choose_route(PyTypeObject* kind, const ArrayRules& rules) {
    const auto type = nb::borrow(reinterpret_cast<PyObject*>(kind));
    auto route = Route::none;
    nb::object converter;
    const auto* exchange = takes_arrays_ ? ExchangeApi::find(kind) : nullptr;
    if (exchange != nullptr) {
        route = Route::exchanged;
    } else if (takes_arrays_ && !rules.interface_name.is_none() &&
               nb::hasattr(type, rules.interface_name)) {
        route = Route::interfaced;
    } else {
        converter = find_(type);
        if (converter.is_none())
            route = Route::packed;
        else if (converter.ptr() != Py_False)
            route = Route::converted;
    }
    kind_ = type;
    converter_ = std::move(converter);
    exchange_ = exchange;
    route_ = route;
}

bool Parameter::pack(PyObject* value, unsigned char* target) const {
    switch (code_) {
    case '?': {
        const int truth = PyObject_IsTrue(value);
        return truth < 0 ? fail() : store<bool>(truth != 0, target);
    }
    case 'f':
    case 'd': {
        const double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred() != nullptr) return fail();
        if (code_ == 'd') return store(number, target);
        const auto rounded = static_cast<float>(number);
        return (std::isfinite(rounded) || !std::isfinite(number)) && store(rounded, target);
    }
    case 's': {
        char* content = nullptr;
        Py_ssize_t length = 0;
        if (PyBytes_AsStringAndSize(value, &content, &length) < 0) return fail();
        if (static_cast<std::size_t>(length) != size_) return false;
        std::memcpy(target, content, size_);
        return true;
    }
    default: return pack_integer(value, target);
    }
}

bool Parameter::pack_integer(PyObject* value, unsigned char* target) const {
    const auto number = nb::steal(PyNumber_Index(value));
    if (!number.is_valid()) return fail();
    const bool is_signed = code_ >= 'a';
    const auto bits = 8 * size_;
    if (is_signed) {
        const long long wide = PyLong_AsLongLong(number.ptr());
        if (wide == -1 && PyErr_Occurred() != nullptr) return fail();
        const auto rest = wide >> (bits - 1);
        if (rest != 0 && rest != -1) return false;
        std::memcpy(target, &wide, size_);  // the first bytes are the low ones
        return true;
    }
    const unsigned long long wide = PyLong_AsUnsignedLongLong(number.ptr());
    if (wide == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) return fail();
    if (bits < 64 && (wide >> bits) != 0) return false;
    std::memcpy(target, &wide, size_);
    return true;
}

}  // namespace kbuild::python
