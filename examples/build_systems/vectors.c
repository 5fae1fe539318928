#include <Python.h>

#include "vector.h"

static PyObject *add(PyObject *module, PyObject *args)
{
    double a, b, sum;
    int error;

    (void)module;
    if (!PyArg_ParseTuple(args, "dd", &a, &b)) return NULL;
    if ((error = add_vectors(1, &a, &b, &sum))) return PyErr_Format(PyExc_RuntimeError, "error %d", error);
    return PyFloat_FromDouble(sum);
}

static PyMethodDef methods[] = { { "add", add, METH_VARARGS, "Adds two numbers on the device." }, { 0 } };
static struct PyModuleDef definition = { PyModuleDef_HEAD_INIT, "vectors", 0, -1, methods, 0, 0, 0, 0 };

PyMODINIT_FUNC PyInit_vectors(void) { return PyModule_Create(&definition); }
