// Arrays in memory that a device can use, as their library describes them.
#ifndef KBUILD_PYTHON_ARRAYS_HPP
#define KBUILD_PYTHON_ARRAYS_HPP

#include "objects.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kbuild::python {

// The arrays that a device accepts, and the stream of a launch.
struct ArrayRules {
    // DLPack's device types, each with the number of the device or -1 for any.
    std::vector<std::pair<std::int32_t, std::int32_t>> devices;
    Object interface_name;  // the attribute of the array interface, or None
    // The keys of the array interface.
    Object data_key = Object::take(PyUnicode_FromString("data"));
    Object strides_key = Object::take(PyUnicode_FromString("strides"));
    Object type_key = Object::take(PyUnicode_FromString("typestr"));
    Object stream_key = Object::take(PyUnicode_FromString("stream"));
};

// The stream of one launch: fixed by the caller, or that of the arrays.
struct StreamChoice {
    bool is_fixed;
    std::uintptr_t stream;
    bool is_stated = false;  // by an array

    // Returns whether the launch can use an array whose library works in `stated`.
    bool accept(std::uintptr_t stated);
};

// The element types of a parameter: NumPy's letters with a size in bytes, such as "f4".
// Without any, a parameter accepts arrays of all types.
using ElementTypes = std::vector<std::string>;

// An array as DLPack describes it. The layouts of these three types are DLPack's and must not change.
struct ElementType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

struct ArrayDevice {
    std::int32_t type;
    std::int32_t number;
};

struct Tensor {
    void* data;
    ArrayDevice device;
    std::int32_t axes;
    ElementType type;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};

// DLPack's table of functions of an array library (DLPack 1.3, DLPackExchangeAPI).
class ExchangeApi {
public:
    // Returns the table of a type, or null if the type does not have one that is usable.
    static const ExchangeApi* find(PyTypeObject* kind);

    // Returns the address of an array, or nothing if the array does not fit.
    std::optional<std::uintptr_t> read_address(PyObject* array, const ArrayRules& rules,
                                               const ElementTypes& elements,
                                               StreamChoice& stream) const;

private:
    struct Version {
        std::uint32_t major;
        std::uint32_t minor;
    };
    // Must not change: the layout is DLPack's.
    Version version_;
    void* previous_;
    void* allocate_;
    void* managed_from_object_;
    void* managed_to_object_;
    int (*tensor_from_object_)(void* object, Tensor* out);
    int (*current_stream_)(std::int32_t device_type, std::int32_t device, void** stream);
};

// Returns the address that an array interface states, or nothing if the array does not fit.
std::optional<std::uintptr_t> read_interface(PyObject* array, const ArrayRules& rules,
                                             const ElementTypes& elements, StreamChoice& stream);

}  // namespace kbuild::python

#endif
