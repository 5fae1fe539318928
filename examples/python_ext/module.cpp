// saxpy(a, x, y) computes y = a * x + y in place, for any two buffers of floats.
#include <Python.h>

#include <cstring>
#include <kbuild/kbuild.hpp>

KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);

namespace {

// A buffer of floats, which the destructor releases.
class Floats {
public:
    Floats() = default;
    Floats(const Floats&) = delete;
    ~Floats() { PyBuffer_Release(&view_); }

    bool open(PyObject* object, int flags)
    {
        if (PyObject_GetBuffer(object, &view_, flags | PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0)
            return false;
        if (view_.format != nullptr && std::strcmp(view_.format, "f") == 0)
            return true;
        PyErr_SetString(PyExc_TypeError, "expected a buffer of floats");
        return false;
    }

    float* data() const { return static_cast<float*>(view_.buf); }
    Py_ssize_t size() const { return view_.len / static_cast<Py_ssize_t>(sizeof(float)); }

private:
    Py_buffer view_ = {};
};

kbuild::error run(float a, const Floats& x, const Floats& y)
{
    const auto bytes = static_cast<std::size_t>(x.size()) * sizeof(float);
    void* device_x = nullptr;
    void* device_y = nullptr;
    kbuild::error error = kbuild::allocate(&device_x, bytes);
    if (!error) error = kbuild::allocate(&device_y, bytes);
    if (!error) error = kbuild::copy(device_x, x.data(), bytes, KBUILD_COPY_TO_DEVICE);
    if (!error) error = kbuild::copy(device_y, y.data(), bytes, KBUILD_COPY_TO_DEVICE);
    if (!error)
        error = kbuild::launch(saxpy, {(x.size() + 255) / 256, 256}, static_cast<int>(x.size()), a,
                               static_cast<const float*>(device_x), static_cast<float*>(device_y));
    if (!error) error = kbuild::synchronize();
    if (!error) error = kbuild::copy(y.data(), device_y, bytes, KBUILD_COPY_TO_HOST);
    (void)kbuild::release(device_x);
    (void)kbuild::release(device_y);
    return error;
}

PyObject* py_saxpy(PyObject*, PyObject* args)
{
    float a = 0;
    PyObject *x_object = nullptr, *y_object = nullptr;
    if (!PyArg_ParseTuple(args, "fOO", &a, &x_object, &y_object))
        return nullptr;
    Floats x, y;
    if (!x.open(x_object, PyBUF_SIMPLE) || !y.open(y_object, PyBUF_WRITABLE))
        return nullptr;
    if (x.size() != y.size() || x.size() == 0) {
        PyErr_SetString(PyExc_ValueError, "x and y must have the same size and must not be empty");
        return nullptr;
    }
    if (const kbuild::error error = run(a, x, y)) {
        PyErr_SetString(PyExc_RuntimeError, error.message());
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"saxpy", py_saxpy, METH_VARARGS, "saxpy(a, x, y): y = a * x + y, in place"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "_saxpy", nullptr, -1, methods,
                      nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit__saxpy()
{
    return PyModule_Create(&module);
}
