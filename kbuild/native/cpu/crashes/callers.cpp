#include "crashes/callers.hpp"

#include "crashes/line_file.hpp"
#include "loader.hpp"

#include <unwind.h>

namespace kbuild::cpu {
namespace {

struct FoundCallers {
    Callers all = {};
    std::size_t count = 0;
};

_Unwind_Reason_Code note_caller(_Unwind_Context* context, void* argument) {
    auto& found = *static_cast<FoundCallers*>(argument);
    const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
    if (is_in_own_object(reinterpret_cast<void*>(address))) return _URC_NO_REASON;
    found.all[found.count++] = address;
    return found.count == found.all.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

Callers find_callers() noexcept {
    FoundCallers found;
    _Unwind_Backtrace(note_caller, &found);
    return found.all;
}

std::optional<SourceLine> find_calling_line(const Callers& callers) {
    const auto* const first = reinterpret_cast<void*>(callers[0]);
    if (first == nullptr) return std::nullopt;
    const auto object = find_object(first);
    const LineFile file(object.path.empty() ? "/proc/self/exe" : object.path);
    for (const auto caller : callers) {
        if (!are_in_one_object(reinterpret_cast<void*>(caller), first)) break;
        if (auto line = file.find_caller(caller - 1 - object.base)) return line;
    }
    return std::nullopt;
}

}  // namespace kbuild::cpu
