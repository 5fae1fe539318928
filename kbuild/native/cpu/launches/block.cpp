#include "launches/block.hpp"

#include "api/errors.hpp"
#include "launches/device_arithmetic.hpp"
#include "pin.hpp"

#include <algorithm>
#include <cstdio>
#include <pthread.h>

namespace kbuild::cpu {
namespace {

thread_local BlockRunner* runner_of_this_thread = nullptr;

// The runner belongs to a pthread key instead of being a thread_local object. The main thread's
// runner must outlive its thread_local destructors, because atexit handlers can launch kernels. The
// key's destructor runs when any other thread ends, but not for the main thread.
pthread_key_t make_runner_key() {
    pin_this_library();
    pthread_key_t key;
    const auto destroy = [](void* runner) {
        runner_of_this_thread = nullptr;
        delete static_cast<BlockRunner*>(runner);
    };
    if (pthread_key_create(&key, destroy) != 0)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the process has no thread-specific data key left");
    return key;
}

}  // namespace

BlockRunner& BlockRunner::of_this_thread() {
    if (runner_of_this_thread == nullptr) {
        static const pthread_key_t key = make_runner_key();
        runner_of_this_thread = new BlockRunner;
        pthread_setspecific(key, runner_of_this_thread);
    }
    return *runner_of_this_thread;
}

void BlockRunner::reserve(const Launch& launch) {
    const std::size_t threads = launch.threads_per_block;
    if (threads <= fibers_.size()) return;
    fibers_.clear();  // if a step below fails, the next call starts over
    stacks_.reserve(threads);
    idle_.clear();
    idle_.reserve(threads);
    waiting_.reserve(threads);
    resumable_.reserve(threads);
    fibers_.resize(threads);
    for (auto fiber = fibers_.rbegin(); fiber != fibers_.rend(); ++fiber) idle_.push_back(&*fiber);
}

void BlockRunner::run(Launch& launch) noexcept {
    const DeviceArithmetic arithmetic;
    launch_ = &launch;
    blocks_ = {};
    launch.image.builtins(&builtins_);
    *builtins_.grid_dim = launch.grid;
    *builtins_.block_dim = launch.block;
    *builtins_.runner = this;
    has_unstarted_ = is_starting_ = false;
    if (start_block()) {
        current_ = &fresh_fiber();
        Fiber::switch_to(home_, *current_);
        idle_.push_back(current_);
    }
    launch_ = nullptr;
}

void BlockRunner::fiber_main(void* runner) { static_cast<BlockRunner*>(runner)->run_threads(); }

// Runs on every fiber, until no work is left for it.
void BlockRunner::run_threads() {
    do {
        if (has_unstarted_) start_threads();
        if (Fiber* next = next_resumable()) {
            idle_.push_back(current_);
            switch_to(*next);
        }
    } while (start_block());
    Fiber::switch_to(*current_, home_);
}

bool BlockRunner::start_block() noexcept {
    if (blocks_.begin == blocks_.end) blocks_ = launch_->take();
    if (blocks_.begin == blocks_.end) return false;
    const auto index = blocks_.begin++;
    const auto& grid = launch_->grid;
    builtins_.block_idx->x = static_cast<std::uint32_t>(index % grid.x);
    builtins_.block_idx->y = static_cast<std::uint32_t>(index / grid.x % grid.y);
    builtins_.block_idx->z = static_cast<std::uint32_t>(index / grid.x / grid.y);
    builtins_.progress->start = {0, 0, 0};
    // The kernel continues with the next blocks of the row. If a thread is suspended, they wait.
    const auto in_row = std::min<std::uint64_t>(blocks_.end - blocks_.begin,
                                                grid.x - 1 - builtins_.block_idx->x);
    builtins_.progress->more_blocks = static_cast<unsigned>(in_row);
    blocks_.begin += in_row;
    has_unstarted_ = true;
    return true;
}

// Runs the threads that have not started, until one of them is suspended.
void BlockRunner::start_threads() {
    has_unstarted_ = false;
    is_starting_ = true;
    launch_->kernel.run(launch_->args);
    is_starting_ = false;
}

// Call this before the current thread stops and another one runs. The kernel's loop, which started
// the thread on this fiber, does not start more of them. Another fiber does.
void BlockRunner::note_suspension() noexcept {
    ++builtins_.progress->suspensions;
    if (!is_starting_) return;
    is_starting_ = false;
    blocks_.begin -= builtins_.progress->more_blocks;
    builtins_.progress->more_blocks = 0;
    const auto& index = *builtins_.thread_idx;
    const auto& extent = launch_->block;
    auto& start = builtins_.progress->start;
    start = {index.x + 1, index.y, index.z};
    if (start.x == extent.x) start = {0, start.y + 1, start.z};
    if (start.y == extent.y) start = {0, 0, start.z + 1};
    has_unstarted_ = start.z < extent.z;
}

void BlockRunner::barrier(void* this_runner) {
    auto& runner = *static_cast<BlockRunner*>(this_runner);
    // Reads field by field, as the loop over threads writes. Reading two fields at once would wait
    // for the preceding store of one.
    volatile auto& index = *runner.builtins_.thread_idx;
    const auto x = index.x, y = index.y, z = index.z;
    runner.note_suspension();
    runner.waiting_.push(runner.current_);
    // There is always a next fiber: if all other threads have exited, it is this one.
    Fiber& next = runner.has_unstarted_ ? runner.fresh_fiber() : *runner.next_resumable();
    if (&next != runner.current_) runner.switch_to(next);
    index.x = x;
    index.y = y;
    index.z = z;
}

void BlockRunner::trap(void* this_runner) {
    static_cast<BlockRunner*>(this_runner)->abandon(KBUILD_CPU_LAUNCH_FAILURE);
}

// Prints what CUDA prints.
void BlockRunner::fail_assertion(void* this_runner, const char* condition, const char* file,
                                 unsigned line, const char* function) {
    auto& runner = *static_cast<BlockRunner*>(this_runner);
    const auto block = *runner.builtins_.block_idx;
    const auto thread = *runner.builtins_.thread_idx;
    std::fprintf(stderr,
                 "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                 line, function, block.x, block.y, block.z, thread.x, thread.y, thread.z,
                 condition);
    runner.abandon(KBUILD_CPU_ASSERTION);
}

// Continues in run(), as if no work were left. The block's fibers never continue.
void BlockRunner::abandon(int error) noexcept {
    launch_->fail(error);
    blocks_ = {};
    has_unstarted_ = is_starting_ = false;
    waiting_.clear();
    resumable_.clear();
    idle_.clear();
    for (auto fiber = fibers_.rbegin(); fiber != fibers_.rend(); ++fiber)
        if (&*fiber != current_) idle_.push_back(&*fiber);
    Fiber::switch_to(*current_, home_);
}

Fiber& BlockRunner::fresh_fiber() {
    Fiber& fiber = *idle_.back();
    idle_.pop_back();
    fiber.prepare(stacks_.use(static_cast<std::size_t>(&fiber - fibers_.data())), &fiber_main,
                  this, home_);
    return fiber;
}

// Returns the next fiber to continue. Once all threads that the last barrier released have exited
// or wait again, the next barrier is complete. Returns null if no thread waits: the block is done.
Fiber* BlockRunner::next_resumable() noexcept {
    if (resumable_.is_empty()) {
        resumable_.clear();
        std::swap(resumable_, waiting_);
    }
    if (resumable_.is_empty()) return nullptr;
    Fiber* next = resumable_.pop();
    if (!resumable_.is_empty()) resumable_.front()->prefetch();
    return next;
}

void BlockRunner::switch_to(Fiber& next) noexcept {
    Fiber& previous = *current_;
    current_ = &next;
    Fiber::switch_to(previous, next);
}

}  // namespace kbuild::cpu
