#include "contexts.hpp"

#include <boost/context/detail/fcontext.hpp>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace contexts {
namespace {

using boost::context::fiber;
using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr std::size_t stack_bytes = 256 * 1024; // as kbuild's

// What the functions of the library have in common: continue a context, and return the one that continued
// the caller.
fiber switch_to(fiber& context) { return std::move(context).resume(); }
fcontext_t switch_to(fcontext_t context) { return jump_fcontext(context, nullptr).fctx; }

// A context continues the next one, and the last one of a round the first one. A context that has just been
// continued stores the one that did it.
template <class Context>
struct Ring {
    std::vector<Context> contexts;
    Context home{};
    int rounds = 0;
    bool starts = false; // whether `home` continues the first context

    void run(int count)
    {
        rounds = count;
        starts = true;
        contexts.back() = switch_to(contexts.front());
    }

    // The body of a context. It never returns.
    [[noreturn]] void take_turns(int own, Context caller)
    {
        const int count = int(contexts.size());
        const int next = own + 1 == count ? 0 : own + 1;
        Context& previous = own == 0 ? contexts.back() : contexts[own - 1];
        Context from = switch_to(caller);
        for (;;) {
            if (own == 0 && std::exchange(starts, false))
                home = std::move(from);
            else
                previous = std::move(from);
            from = switch_to(next == 0 && --rounds == 0 ? home : contexts[next]);
        }
    }
};

struct FcontextRing : Ring<fcontext_t> {
    boost::context::fixedsize_stack allocator{stack_bytes};
    std::vector<boost::context::stack_context> stacks;
    int started = 0;

    explicit FcontextRing(int count)
    {
        contexts.resize(count);
        for (auto& context : contexts) {
            stacks.push_back(allocator.allocate());
            const auto fresh = make_fcontext(stacks.back().sp, stacks.back().size, [](transfer_t from) {
                auto& ring = *static_cast<FcontextRing*>(from.data);
                ring.take_turns(ring.started++, from.fctx);
            });
            context = jump_fcontext(fresh, this).fctx;
        }
    }
    ~FcontextRing()
    {
        for (auto& stack : stacks)
            allocator.deallocate(stack);
    }
};

} // namespace

std::function<void(int)> make_ring_of_fibers(int count)
{
    auto ring = std::make_shared<Ring<fiber>>();
    ring->contexts.resize(count);
    for (int i = 0; i < count; ++i) {
        const auto body = [ring = ring.get(), i](fiber&& caller) -> fiber {
            ring->take_turns(i, std::move(caller));
        };
        ring->contexts[i]
            = fiber(std::allocator_arg, boost::context::fixedsize_stack(stack_bytes), body).resume();
    }
    return [ring](int rounds) { ring->run(rounds); };
}

std::function<void(int)> make_ring_of_fcontexts(int count)
{
    return [ring = std::make_shared<FcontextRing>(count)](int rounds) { ring->run(rounds); };
}

std::function<void()> make_starts(int count)
{
    using Pool = boost::context::pooled_fixedsize_stack;
    const Pool pool(stack_bytes);
    auto waiting = std::make_shared<std::vector<fiber>>(count);
    return [pool, waiting] {
        for (auto& each : *waiting)
            each = fiber(std::allocator_arg, Pool(pool), [](fiber&& caller) {
                return std::move(caller).resume();
            }).resume();
        for (auto& each : *waiting)
            each = std::move(each).resume();
    };
}

} // namespace contexts
