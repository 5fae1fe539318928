// Contexts of the driver API.
#include "fork_safe_mutex.hpp"
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "devices/contexts.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace {

using namespace kbuild::cpu;

struct Context {
    unsigned long long id;
    std::atomic<unsigned> flags;
};

constexpr unsigned most_contexts = 64;  // on the stack of a thread

// A plain buffer, because a type with a destructor would be destroyed before the last atexit handler.
struct Stack {
    Context* contexts[most_contexts];
    unsigned depth;
    bool uses_primary;
};
thread_local Stack stack = {};

// The flags of contexts: the ways to wait, mapped memory, memory of threads, and dumps.
constexpr unsigned known_flags = 0xFF;

class Contexts {
public:
    static Contexts& instance() {
        static auto* const created = new Contexts;  // never freed, as the registry
        return *created;
    }

    Context* create(unsigned flags) {
        const std::lock_guard lock(mutex_);
        own_.push_back(std::make_unique<Context>());
        own_.back()->id = ++last_id_;
        own_.back()->flags = flags;
        return own_.back().get();
    }

    void destroy(Context* context) {
        const std::lock_guard lock(mutex_);
        own_.erase(find(context));
    }

    // Throws Failure if there is no such context.
    void check(Context* context) {
        if (context == &primary) return;
        const std::lock_guard lock(mutex_);
        if (context == nullptr || find(context) == own_.end())
            throw Failure(KBUILD_CPU_INVALID_CONTEXT, "there is no such context");
    }

    Context primary{1, {0}};
    std::atomic<unsigned> primary_uses{0};
    std::atomic<bool> is_initialized{false};

private:
    std::vector<std::unique_ptr<Context>>::iterator find(const Context* context) {
        return std::find_if(own_.begin(), own_.end(),
                            [&](const auto& one) { return one.get() == context; });
    }

    ForkSafeMutex mutex_{LockRank::contexts};
    std::vector<std::unique_ptr<Context>> own_;
    unsigned long long last_id_ = 1;
};

void require_initialized() {
    if (!Contexts::instance().is_initialized && !stack.uses_primary)
        throw Failure(KBUILD_CPU_NOT_INITIALIZED, "the driver is not initialized; call cuInit");
}

Context* find_current() {
    if (stack.depth != 0) return stack.contexts[stack.depth - 1];
    return stack.uses_primary ? &Contexts::instance().primary : nullptr;
}

// Throws Failure if the thread has no context, or another thread has destroyed it.
Context& require_current() {
    require_initialized();
    auto* const current = find_current();
    if (current == nullptr)
        throw Failure(KBUILD_CPU_INVALID_CONTEXT,
                      "the thread has no context; call cuCtxCreate or cuCtxSetCurrent");
    Contexts::instance().check(current);
    return *current;
}

void push(Context* context) {
    Contexts::instance().check(context);
    require(stack.depth < most_contexts, "the thread has too many contexts");
    stack.contexts[stack.depth++] = context;
}

void check_flags(unsigned flags) {
    const auto schedule = flags & 7;
    require((flags & ~known_flags) == 0 && (schedule & (schedule - 1)) == 0,
            "unknown or contradictory flags");
}

}  // namespace

namespace kbuild::cpu {

void use_primary_context() noexcept { stack.uses_primary = true; }

}  // namespace kbuild::cpu

int kbuild_cpu_initialize_driver(unsigned flags) {
    return guarded([&] {
        require(flags == 0, "the flags are not 0");
        Contexts::instance().is_initialized = true;
    });
}

int kbuild_cpu_require_context() {
    return guarded([] { require_current(); });
}

int kbuild_cpu_create_context(void** context, unsigned flags) {
    return guarded([&] {
        require_initialized();
        require(context != nullptr, "the address for the result is a null pointer");
        check_flags(flags);
        auto* const created = Contexts::instance().create(flags);
        push(created);
        *context = created;
    });
}

int kbuild_cpu_destroy_context(void* context) {
    return guarded([&] {
        require_initialized();
        auto* const destroyed = static_cast<Context*>(context);
        auto& contexts = Contexts::instance();
        contexts.check(destroyed);
        require(destroyed != &contexts.primary, "the primary context cannot be destroyed");
        if (stack.depth != 0 && stack.contexts[stack.depth - 1] == destroyed) --stack.depth;
        contexts.destroy(destroyed);
    });
}

int kbuild_cpu_push_context(void* context) {
    return guarded([&] {
        require_initialized();
        push(static_cast<Context*>(context));
    });
}

int kbuild_cpu_pop_context(void** context) {
    return guarded([&] {
        require_initialized();
        if (stack.depth == 0) throw Failure(KBUILD_CPU_INVALID_CONTEXT, "the stack is empty");
        --stack.depth;
        if (context != nullptr) *context = stack.contexts[stack.depth];
    });
}

int kbuild_cpu_set_context(void* context) {
    return guarded([&] {
        require_initialized();
        auto* const chosen = static_cast<Context*>(context);
        if (chosen != nullptr) Contexts::instance().check(chosen);
        if (stack.depth != 0) --stack.depth;
        if (chosen != nullptr) push(chosen);
    });
}

int kbuild_cpu_current_context(void** context) {
    return guarded([&] {
        require_initialized();
        require(context != nullptr, "the address for the result is a null pointer");
        *context = find_current();
    });
}

int kbuild_cpu_describe_context(kbuild_cpu_context* description, void* context) {
    return guarded([&] {
        require(description != nullptr, "the address for the result is a null pointer");
        if (context != nullptr) Contexts::instance().check(static_cast<Context*>(context));
        const auto& found =
            context == nullptr ? require_current() : *static_cast<Context*>(context);
        *description = {found.flags, found.id};
    });
}

int kbuild_cpu_set_context_flags(unsigned flags) {
    return guarded([&] {
        check_flags(flags);
        require_current().flags = flags;
    });
}

int kbuild_cpu_retain_primary_context(void** context) {
    return guarded([&] {
        require_initialized();
        require(context != nullptr, "the address for the result is a null pointer");
        ++Contexts::instance().primary_uses;
        *context = &Contexts::instance().primary;
    });
}

int kbuild_cpu_release_primary_context() {
    return guarded([] {
        require_initialized();
        auto& uses = Contexts::instance().primary_uses;
        if (uses == 0)
            throw Failure(KBUILD_CPU_INVALID_CONTEXT, "the primary context is not retained");
        --uses;
    });
}

int kbuild_cpu_reset_primary_context() {
    const int code = guarded([] { require_initialized(); });
    return code != 0 ? code : kbuild_cpu_reset_device();
}

int kbuild_cpu_set_primary_flags(unsigned flags) {
    return guarded([&] {
        require_initialized();
        check_flags(flags);
        Contexts::instance().primary.flags = flags;
    });
}

int kbuild_cpu_primary_state(unsigned* flags, int* is_active) {
    return guarded([&] {
        require_initialized();
        require(flags != nullptr && is_active != nullptr, "a result is a null pointer");
        *flags = Contexts::instance().primary.flags;
        *is_active = Contexts::instance().primary_uses != 0 || stack.uses_primary ? 1 : 0;
    });
}
