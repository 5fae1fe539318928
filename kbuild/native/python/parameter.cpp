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
                     ElementTypes elements, Object find)
    : offset_(offset),
      size_(size),
      code_(code),
      takes_arrays_(takes_arrays),
      elements_(std::move(elements)),
      find_(std::move(find)) {}

bool Parameter::write(PyObject* value, unsigned char* frame, const ArrayRules& rules,
                      StreamChoice& stream, const Object& refused, std::vector<Object>& kept) {
    auto* kind = Py_TYPE(value);
    if (reinterpret_cast<PyObject*>(kind) != kind_.get()) choose_route(kind, rules);
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
        auto converted =
            Object::steal(PyObject_CallFunctionObjArgs(converter.get(), value, nullptr));
        if (converted.is_null()) {
            if (PyErr_ExceptionMatches(refused.get()) == 0) throw PythonError{};
            return fail();
        }
        kept.push_back(std::move(converted));
        return pack(kept.back().get(), target);
    }
    case Route::none: break;
    }
    return false;
}

void Parameter::choose_route(PyTypeObject* kind, const ArrayRules& rules) {
    const auto type = Object::borrow(reinterpret_cast<PyObject*>(kind));
    auto route = Route::none;
    Object converter;
    const auto* exchange = takes_arrays_ ? ExchangeApi::find(kind) : nullptr;
    if (exchange != nullptr) {
        route = Route::exchanged;
    } else if (takes_arrays_ && !rules.interface_name.is_none() &&
               PyObject_HasAttr(type.get(), rules.interface_name.get()) != 0) {
        route = Route::interfaced;
    } else {
        converter = Object::take(PyObject_CallFunctionObjArgs(find_.get(), type.get(), nullptr));
        if (converter.is_none())
            route = Route::packed;
        else if (converter.get() != Py_False)
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
    const auto number = Object::steal(PyNumber_Index(value));
    if (number.is_null()) return fail();
    const bool is_signed = code_ >= 'a';
    const auto bits = 8 * size_;
    if (is_signed) {
        const long long wide = PyLong_AsLongLong(number.get());
        if (wide == -1 && PyErr_Occurred() != nullptr) return fail();
        const auto rest = wide >> (bits - 1);
        if (rest != 0 && rest != -1) return false;
        std::memcpy(target, &wide, size_);  // the first bytes are the low ones
        return true;
    }
    const unsigned long long wide = PyLong_AsUnsignedLongLong(number.get());
    if (wide == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) return fail();
    if (bits < 64 && (wide >> bits) != 0) return false;
    std::memcpy(target, &wide, size_);
    return true;
}

}  // namespace kbuild::python
