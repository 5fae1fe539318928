#include "arrays.hpp"

#include <algorithm>
#include <cstring>

namespace kbuild::python {

namespace {

constexpr std::int32_t device_cuda = 2;
// DLPack's codes of the element types that NumPy has; it has no letter for the others.
constexpr std::uint8_t code_complex = 5;
constexpr const char* letters = "iuf  cb";
constexpr std::uint8_t code_handle = 3;

bool is_contiguous(const Tensor& array) {
    if (array.strides == nullptr) return true;
    std::int64_t expected = 1;
    bool contiguous = true;
    for (auto axis = array.axes; axis-- > 0;) {
        const auto length = array.shape[axis];
        if (length == 0) return true;
        contiguous = contiguous && (length == 1 || array.strides[axis] == expected);
        expected *= length;
    }
    return contiguous;
}

bool is_element(ElementType type, const ElementTypes& elements) {
    if (type.lanes != 1 || type.code == code_handle || type.bits % 8 != 0) return false;
    // NumPy has no name for the others, such as bfloat16, so any pointer accepts them.
    const bool has_letter = type.code <= code_complex + 1 && letters[type.code] != ' ';
    if (elements.empty() || !has_letter) return true;
    const std::string spelled = letters[type.code] + std::to_string(type.bits / 8);
    return std::find(elements.begin(), elements.end(), spelled) != elements.end();
}

bool is_usable(ArrayDevice device, const ArrayRules& rules) {
    return std::any_of(rules.devices.begin(), rules.devices.end(), [&](const auto& each) {
        return each.first == device.type && (each.second < 0 || each.second == device.number);
    });
}

// Returns an item of a dictionary; null, without an error, if it is missing.
PyObject* get_item(const Object& dictionary, const Object& key) {
    auto* found = PyDict_GetItemWithError(dictionary.get(), key.get());
    if (found == nullptr) PyErr_Clear();
    return found;
}

// Returns an address or a stream; nothing if `number` is not an integer of 64 bits.
std::optional<std::uintptr_t> read_number(PyObject* number) {
    if (number == nullptr || !PyLong_CheckExact(number)) return std::nullopt;
    const auto value = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return std::nullopt;
    }
    return static_cast<std::uintptr_t>(value);
}

}  // namespace

bool StreamChoice::accept(std::uintptr_t stated) {
    if (is_fixed || is_stated) return stream == stated;
    stream = stated;
    is_stated = true;
    return true;
}

const ExchangeApi* ExchangeApi::find(PyTypeObject* kind) {
    const auto capsule = Object::steal(
        PyObject_GetAttrString(reinterpret_cast<PyObject*>(kind), "__dlpack_c_exchange_api__"));
    if (capsule.is_null()) {
        PyErr_Clear();
        return nullptr;
    }
    if (PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api") == 0) return nullptr;
    const auto* table =
        static_cast<const ExchangeApi*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
    const bool is_usable = table->version_.major == 1 && table->tensor_from_object_ != nullptr;
    return is_usable ? table : nullptr;
}

std::optional<std::uintptr_t> ExchangeApi::read_address(PyObject* array, const ArrayRules& rules,
                                                        const ElementTypes& elements,
                                                        StreamChoice& stream) const {
    Tensor tensor;
    if (tensor_from_object_(array, &tensor) != 0) {
        PyErr_Clear();
        return std::nullopt;
    }
    if (!is_usable(tensor.device, rules) || !is_element(tensor.type, elements) ||
        !is_contiguous(tensor))
        return std::nullopt;
    if (!stream.is_fixed && tensor.device.type == device_cuda) {
        void* current = nullptr;
        if (current_stream_(tensor.device.type, tensor.device.number, &current) != 0) {
            PyErr_Clear();
            return std::nullopt;
        }
        if (!stream.accept(reinterpret_cast<std::uintptr_t>(current))) return std::nullopt;
    }
    return reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
}

std::optional<std::uintptr_t> read_interface(PyObject* array, const ArrayRules& rules,
                                             const ElementTypes& elements, StreamChoice& stream) {
    const auto interface = Object::steal(PyObject_GetAttr(array, rules.interface_name.get()));
    if (interface.is_null()) {  // libraries raise errors for arrays in host memory
        PyErr_Clear();
        return std::nullopt;
    }
    if (!PyDict_Check(interface.get())) return std::nullopt;
    auto* data = get_item(interface, rules.data_key);
    auto* strides = get_item(interface, rules.strides_key);
    auto* spelled = get_item(interface, rules.type_key);
    auto* stated = get_item(interface, rules.stream_key);
    if (data == nullptr || !PyTuple_Check(data) || PyTuple_Size(data) < 1) return std::nullopt;
    if (strides != nullptr && strides != Py_None) return std::nullopt;
    if (!elements.empty()) {
        const char* text = spelled == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(spelled, nullptr);
        PyErr_Clear();
        if (text == nullptr || text[0] == '\0' ||
            std::find(elements.begin(), elements.end(), text + 1) == elements.end())
            return std::nullopt;
    }
    if (stated != nullptr && stated != Py_None) {
        const auto number = read_number(stated);
        if (!number || !stream.accept(*number)) return std::nullopt;
    }
    return read_number(PyTuple_GetItem(data, 0));
}

}  // namespace kbuild::python
