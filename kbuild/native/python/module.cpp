// The module kbuild._launcher; see kbuild/runtime/launching for what it is for.
#include "launcher.hpp"

#include <exception>
#include <new>
#include <string>
#include <vector>

namespace kbuild::python {

namespace {

struct LauncherObject {
    PyObject_HEAD Launcher launcher;
};

// Calls a function that throws. Returns null with a Python error if it does.
template <typename Function>
PyObject* call_safely(Function function) {
    try {
        return function();
    } catch (const PythonError&) {
        return nullptr;
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        return nullptr;
    }
}

// Calls `add` with each item of a sequence.
template <typename Add>
void visit_items(PyObject* sequence, Add add) {
    const auto count = PySequence_Size(sequence);
    if (count < 0) throw PythonError{};
    for (Py_ssize_t index = 0; index < count; ++index)
        add(Object::take(PySequence_GetItem(sequence, index)).get());
}

ElementTypes read_elements(PyObject* names) {
    ElementTypes elements;
    visit_items(names, [&](PyObject* name) {
        const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
        if (text == nullptr) throw PythonError{};
        elements.emplace_back(text);
    });
    return elements;
}

// Reads the arguments of Parameter's constructor.
Parameter read_parameter(PyObject* row) {
    Py_ssize_t offset = 0;
    Py_ssize_t size = 0;
    int code = 0;
    int takes_arrays = 0;
    PyObject* elements = nullptr;
    PyObject* find = nullptr;
    if (PyArg_ParseTuple(row, "nnCpOO", &offset, &size, &code, &takes_arrays, &elements, &find) ==
        0)
        throw PythonError{};
    return {static_cast<std::size_t>(offset), static_cast<std::size_t>(size),
            static_cast<char>(code),          takes_arrays != 0,
            read_elements(elements),          Object::borrow(find)};
}

PyObject* make_launcher(PyTypeObject* kind, PyObject* arguments, PyObject* keywords) {
    // The names in kbuild/runtime/arguments/_launcher.pyi, in the order of the pointers below.
    static const char* names[] = {"parameters", "devices", "interface",     "entry",     "function",
                                  "config",     "stream",  "stream_offset", "is_driver", "prepare",
                                  "keep",       "recover", "refused",       "owner",     nullptr};
    PyObject *parameters, *devices, *interface, *prepare, *keep, *recover, *refused, *owner;
    unsigned long long entry = 0;
    unsigned long long function = 0;
    unsigned long long stream = 0;
    const char* config = nullptr;
    Py_ssize_t config_bytes = 0;
    Py_ssize_t stream_offset = 0;
    int is_driver = 0;
    if (PyArg_ParseTupleAndKeywords(
            arguments, keywords, "$OOOKKy#KnpOOOOO", const_cast<char**>(names), &parameters,
            &devices, &interface, &entry, &function, &config, &config_bytes, &stream,
            &stream_offset, &is_driver, &prepare, &keep, &recover, &refused, &owner) == 0)
        return nullptr;
    return call_safely([&] {
        std::vector<Parameter> read;
        visit_items(parameters, [&](PyObject* row) { read.push_back(read_parameter(row)); });
        ArrayRules rules;
        rules.interface_name = Object::borrow(interface);
        visit_items(devices, [&](PyObject* device) {
            int type = 0;
            int number = 0;
            if (PyArg_ParseTuple(device, "ii", &type, &number) == 0) throw PythonError{};
            rules.devices.emplace_back(type, number);
        });
        Launcher launcher(std::move(read), std::move(rules),
                          LaunchCall{static_cast<std::uintptr_t>(entry),
                                     static_cast<std::uintptr_t>(function),
                                     {config, config + config_bytes},
                                     static_cast<std::uintptr_t>(stream),
                                     stream_offset,
                                     is_driver != 0},
                          Object::borrow(prepare), Object::borrow(keep), Object::borrow(recover),
                          Object::borrow(refused), Object::borrow(owner));
        const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(kind, Py_tp_alloc));
        auto made = Object::take(allocate(kind, 0));
        // What cannot fail comes last, because the destructor of the object destroys the launcher.
        new (&reinterpret_cast<LauncherObject*>(made.get())->launcher)
            Launcher(std::move(launcher));
        return made.release();
    });
}

void destroy_launcher(PyObject* self) {
    auto* kind = Py_TYPE(self);
    reinterpret_cast<LauncherObject*>(self)->launcher.~Launcher();
    reinterpret_cast<freefunc>(PyType_GetSlot(kind, Py_tp_free))(self);
    Py_DECREF(reinterpret_cast<PyObject*>(kind));  // objects own their types
}

PyObject* launch(PyObject* self, PyObject* arguments) {
    return call_safely([&] {
        auto& launcher = reinterpret_cast<LauncherObject*>(self)->launcher;
        return PyLong_FromLong(static_cast<int>(launcher.launch(arguments)));
    });
}

PyMethodDef methods[] = {
    {"launch", launch, METH_VARARGS, "Launch; see kbuild.runtime.arguments.launchers.Launcher."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(make_launcher)},
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy_launcher)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

PyType_Spec specification = {"kbuild.runtime.arguments._launcher.Launcher", sizeof(LauncherObject),
                             0, Py_TPFLAGS_DEFAULT, slots};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "_launcher",
                          "The compiled part of launches from Python.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

}  // namespace kbuild::python

PyMODINIT_FUNC PyInit__launcher() {
    using namespace kbuild::python;
    return call_safely([] {
        auto module = Object::take(PyModule_Create(&definition));
        const auto kind = Object::take(PyType_FromSpec(&specification));
        if (PyModule_AddObjectRef(module.get(), "Launcher", kind.get()) < 0) throw PythonError{};
        return module.release();
    });
}
