#include "streams/operation.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "launches/launch.hpp"
#include "launches/pool.hpp"
#include "memory/copies.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace kbuild::cpu {
namespace {

// At most the alignment of any parameter.
constexpr std::size_t argument_alignment = 128;

// Runs one kernel, and puts the operations that its threads have queued on the stack.
void launch_now(const KernelCall& call, std::vector<Operation>& stack) {
    const KernelUse& use = *call.use;  // NOLINT(bugprone-unchecked-optional-access): it is loaded
    Launch work(use.image(), use.kernel(), call.config, call.arguments.pointers());
    try {
        Pool::instance().run(work);
    } catch (const Failure& failure) {
        checks::report_refused(call.handle, failure.code(), failure.what());
        throw;
    }
    const int error = work.error();
    if (error == 0) return work.children.move_to(stack);
    const auto detail =
        std::string("kernel ") + use.kernel().name + " failed: " + kbuild_cpu_error_text(error);
    break_device(error, detail.c_str());
    throw Failure(static_cast<kbuild_cpu_error>(error), detail);
}

// Runs a kernel, and then its children, each of which is followed by its own.
void launch_all(KernelCall&& call) {
    std::vector<Operation> stack;
    stack.emplace_back(std::move(call));
    while (!stack.empty() && broken_device() == 0) {
        Operation next = std::move(stack.back());
        stack.pop_back();
        if (const auto* kernel = std::get_if<KernelCall>(&next))
            launch_now(*kernel, stack);
        else
            run(next);
    }
}

// Runs copies, because a loop runs the same steps again.
void run_steps(const Steps& steps) {
    for (Operation operation : steps.operations) {
        if (broken_device() != 0) return;
        load_kernel(operation);
        if (const auto* call = std::get_if<KernelCall>(&operation)) checks::note_queued(*call);
        run(operation);
    }
}

void run_conditional(ConditionalCall& call) {
    const auto& value = call.condition->value;
    if (call.kind == ConditionalKind::loop) {
        while (value != 0 && broken_device() == 0) run_steps(*call.steps.front());
        return;
    }
    const unsigned number = call.kind == ConditionalKind::choice ? value.load() : value == 0;
    if (number < call.steps.size()) run_steps(*call.steps[number]);
}

struct Runner {
    void operator()(Join&) const {}
    void operator()(KernelCall& call) const { launch_all(std::move(call)); }
    void operator()(CopyCall& call) const { perform_copy(call.area); }
    void operator()(FillCall& call) const { perform_fill(call.area, call.element_bytes); }
    void operator()(HostCall& call) const {
        const HostScope scope;
        call.function(call.data);
    }
    void operator()(CallbackCall& call) const {
        const HostScope scope;
        call.function(call.stream, broken_device(), call.data);
    }
    void operator()(RecordCall& call) const {
        using namespace std::chrono;
        const auto now = steady_clock::now().time_since_epoch();
        call.moment->time = duration_cast<nanoseconds>(now).count();
    }
    void operator()(WaitCall&) const {}
    void operator()(AllocateCall&) const {}
    void operator()(ReleaseCall& call) const {
        if (call.release != nullptr) call.release(call.pointer);
    }
    void operator()(ChildCall&) const {}
    void operator()(ConditionalCall& call) const { run_conditional(call); }
    void operator()(AssignCall& call) const {
        for (const auto& condition : call.conditions) condition->value = condition->initial;
    }
    void operator()(KeepCall&) const {}
};

}  // namespace

Arguments::Arguments(const kbuild_cpu_kernel& kernel, void* const* arguments) {
    const std::uint32_t count = kernel.param_count;
    if (count == 0) return;
    std::size_t bytes = 0;
    for (std::uint32_t i = 0; i < count; ++i)
        bytes = std::max<std::size_t>(bytes, kernel.params[i].offset + kernel.params[i].size);
    bytes = (bytes + sizeof(void*) - 1) / sizeof(void*) * sizeof(void*);
    void* memory = nullptr;
    if (posix_memalign(&memory, argument_alignment, bytes + count * sizeof(void*)) != 0)
        throw std::bad_alloc();
    storage_.reset(static_cast<char*>(memory), [](char* start) { std::free(start); });
    auto* const pointers = reinterpret_cast<void**>(storage_.get() + bytes);
    for (std::uint32_t i = 0; i < count; ++i) {
        pointers[i] = storage_.get() + kernel.params[i].offset;
        std::memcpy(pointers[i], arguments[i], kernel.params[i].size);
    }
    pointers_ = pointers;
}

Operation::Operation(const Operation& other) = default;
Operation::Operation(Operation&& other) noexcept = default;
Operation& Operation::operator=(const Operation& other) = default;
Operation& Operation::operator=(Operation&& other) noexcept = default;
Operation::~Operation() = default;

void run(Operation& operation) { std::visit(Runner(), static_cast<AnyCall&>(operation)); }

void load_kernel(Operation& operation) {
    if (auto* call = std::get_if<KernelCall>(&operation); call != nullptr && !call->use)
        call->use.emplace(call->handle);
}

}  // namespace kbuild::cpu
