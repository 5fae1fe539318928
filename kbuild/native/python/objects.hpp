// Owned references to Python objects, and errors of Python as C++ exceptions.
#ifndef KBUILD_PYTHON_OBJECTS_HPP
#define KBUILD_PYTHON_OBJECTS_HPP

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace kbuild::python {

// The Python error that is set.
struct PythonError {};

// A reference that this object owns, or null.
class Object {
public:
    Object() = default;
    Object(const Object& other) : pointer_(other.pointer_) { Py_XINCREF(pointer_); }
    Object(Object&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
    Object& operator=(Object other) noexcept {
        std::swap(pointer_, other.pointer_);
        return *this;
    }
    ~Object() { Py_XDECREF(pointer_); }

    // Takes over a reference that the caller owns.
    static Object steal(PyObject* pointer) {
        Object object;
        object.pointer_ = pointer;
        return object;
    }
    // The same for the result of a function of Python. Throws PythonError if it is null.
    static Object take(PyObject* result) {
        if (result == nullptr) throw PythonError{};
        return steal(result);
    }
    static Object borrow(PyObject* pointer) {
        Py_XINCREF(pointer);
        return steal(pointer);
    }

    // Gives the reference to the caller.
    PyObject* release() { return std::exchange(pointer_, nullptr); }
    PyObject* get() const { return pointer_; }
    bool is_null() const { return pointer_ == nullptr; }
    bool is_none() const { return pointer_ == Py_None; }

private:
    PyObject* pointer_ = nullptr;
};

}  // namespace kbuild::python

#endif
