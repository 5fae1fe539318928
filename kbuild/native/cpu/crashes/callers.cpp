#include "crashes/callers.hpp"

#include "crashes/line_file.hpp"
#include "loader.hpp"

#include <unwind.h>

namespace kbuild::cpu {
namespace {

struct Walk {
    Callers found = {};
    std::size_t count = 0;
};

_Unwind_Reason_Code note_caller(_Unwind_Context* context, void* argument) {
    auto& walk = *static_cast<Walk*>(argument);
    const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
    if (is_in_own_object(reinterpret_cast<void*>(address))) return _URC_NO_REASON;
    walk.found[walk.count++] = address;
    return walk.count == walk.found.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

Callers list_callers() noexcept {
    Walk walk;
    _Unwind_Backtrace(note_caller, &walk);
    return walk.found;
}

std::optional<SourceLine> find_line_of(const Callers& callers) {
    // Only callers in the program or library that called the runtime: others are of an interpreter.
    const auto* const first = reinterpret_cast<void*>(callers[0]);
    if (first == nullptr) return std::nullopt;
    const auto object = find_object(first);
    const LineFile file(object.path.empty() ? "/proc/self/exe" : object.path);
    for (const auto caller : callers) {
        if (!are_in_one_object(reinterpret_cast<void*>(caller), first)) break;
        if (const auto line = file.find_caller(caller - 1 - object.base)) return line;
    }
    return std::nullopt;
}

}  // namespace kbuild::cpu
