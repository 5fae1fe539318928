#include "fibers/places.hpp"

#include "loader.hpp"

#include <cstddef>
#include <unwind.h>
#include <utility>

namespace kbuild::cpu {
namespace {

// A kernel with more of them is unwound each time.
constexpr std::size_t most_known = 64;

// AddressSanitizer forbids access to some words of a stack.
__attribute__((no_sanitize("address"))) std::uintptr_t read_word(std::uintptr_t address) noexcept {
    return *reinterpret_cast<const volatile std::uintptr_t*>(address);
}

struct Frame {
    std::uintptr_t start;     // its lowest address
    std::uintptr_t address;   // where its function continues
    std::uintptr_t function;  // where that starts
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* argument) {
    auto& frames = *static_cast<std::vector<Frame>*>(argument);
    const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
    if (is_in_own_object(reinterpret_cast<void*>(address)))
        return frames.empty() ? _URC_NO_REASON : _URC_END_OF_STACK;
    frames.push_back({static_cast<std::uintptr_t>(_Unwind_GetCFA(context)), address,
                      static_cast<std::uintptr_t>(_Unwind_GetRegionStart(context))});
    return _URC_NO_REASON;
}

// Combines the facts that make a place, as FNV-1a combines bytes.
std::uint64_t number_place(const std::vector<Frame>& frames, std::uintptr_t variable) noexcept {
    std::uint64_t number = 0xCBF29CE484222325;
    const auto add = [&](std::uintptr_t value) { number = (number ^ value) * 0x100000001B3; };
    const Frame* inner = nullptr;  // the innermost function that can have the variable
    for (const auto& frame : frames) {
        if (frame.start <= variable) {
            inner = &frame;
            continue;
        }
        if (inner != nullptr) {
            add(inner->function);
            add(frame.start - variable);
            inner = nullptr;
        }
        add(frame.address);
    }
    return number;
}

}  // namespace

std::uint64_t Places::find(const void* call, const volatile char* variable, const Stack& stack) {
    constexpr auto word = sizeof(std::uintptr_t);
    const auto base = reinterpret_cast<std::uintptr_t>(call);
    const auto place = reinterpret_cast<std::uintptr_t>(variable);
    const auto own = variable == nullptr ? 0 : place - base;
    const auto size = reinterpret_cast<std::uintptr_t>(stack.base) + stack.size - base;
    for (const auto& known : known_) {
        bool is_same = known.variable == own;
        for (auto next = known.returns.begin(); is_same && next != known.returns.end(); ++next)
            is_same =
                next->distance < size && read_word(base + next->distance - word) == next->address;
        if (is_same) return known.number;
    }
    std::vector<Frame> frames;
    _Unwind_Backtrace(note_frame, &frames);
    const auto number = number_place(frames, place);
    Known found{{}, own, number};
    bool is_readable = known_.size() < most_known;  // the stack has all addresses, as on x86-64
    for (const auto& frame : frames) {
        is_readable =
            is_readable && frame.start >= base && read_word(frame.start - word) == frame.address;
        found.returns.push_back({frame.start - base, frame.address});
    }
    if (is_readable) known_.push_back(std::move(found));
    return number;
}

}  // namespace kbuild::cpu
