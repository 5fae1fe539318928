#include "launches/runner.hpp"

#include "api/errors.hpp"
#include "crashes/reporter.hpp"
#include "devices/properties.hpp"
#include "launches/device_arithmetic.hpp"
#include "launches/report.hpp"
#include "loader.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace kbuild::cpu {
namespace {

thread_local BlockRunner* runner_of_this_thread = nullptr;

// Rounds in which the threads of an OS thread only spin, before it starts another block.
constexpr unsigned rounds_before_block = 64;
// The same for blocks whose threads pass barriers between their rounds.
constexpr unsigned busy_rounds_before_block = 1024;

// How many turns later the thread continues whose stack is loaded into the cache. With fewer, a large block takes
// longer.
constexpr unsigned turns_ahead = 4;

// The key, once it exists. Signal handlers cannot wait for the initialization of a static variable.
std::atomic<const pthread_key_t*> existing_key{nullptr};

// The runner belongs to a pthread key instead of being a thread_local object. The main thread's
// runner must outlive its thread_local destructors, because atexit handlers can launch kernels. The
// key's destructor runs when any other thread ends, but not for the main thread.
pthread_key_t make_runner_key() {
    pthread_key_t key;
    const auto destroy = [](void* runner) {
        runner_of_this_thread = nullptr;
        delete static_cast<BlockRunner*>(runner);
    };
    if (pthread_key_create(&key, destroy) != 0)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the process has no thread-specific data key left");
    return key;
}

// Copies words of an interrupted stack. AddressSanitizer forbids access to some of them.
__attribute__((no_sanitize("address"))) void copy_words(std::uintptr_t* to, std::uintptr_t from,
                                                        std::size_t bytes) noexcept {
    const volatile auto* const words = reinterpret_cast<const std::uintptr_t*>(from);
    for (std::size_t i = 0; i < bytes / sizeof *to; ++i) to[i] = words[i];
}

}  // namespace

BlockRunner& BlockRunner::of_this_thread() {
    if (runner_of_this_thread == nullptr) {
        pin_this_library();
        static const pthread_key_t key = make_runner_key();
        existing_key = &key;
        runner_of_this_thread = new BlockRunner;
        pthread_setspecific(key, runner_of_this_thread);
    }
    return *runner_of_this_thread;
}

BlockRunner::BlockRunner() { watch_runner(watchdog_.activity()); }
BlockRunner::~BlockRunner() { forget_runner(watchdog_.activity()); }

BlockRunner* BlockRunner::running() noexcept {
    auto* const runner = runner_of_this_thread;
    return runner != nullptr && runner->launch_ != nullptr ? runner : nullptr;
}

BlockRunner* BlockRunner::interrupted() noexcept {
    const auto* const key = existing_key.load();
    auto* const runner =
        key == nullptr ? nullptr : static_cast<BlockRunner*>(pthread_getspecific(*key));
    return runner != nullptr && runner->launch_ != nullptr ? runner : nullptr;
}

const Activity* BlockRunner::activity_of_this_thread() noexcept {
    return runner_of_this_thread == nullptr ? nullptr
                                            : &runner_of_this_thread->watchdog_.activity();
}

void BlockRunner::fill_stop(Stop& stop, const MachineContext& registers) const noexcept {
    stop = {};
    std::strncpy(stop.kernel, launch_->kernel.name, sizeof stop.kernel - 1);
    stop.image = &launch_->image;
    stop.block = *builtins_.block_idx;
    stop.thread = current_thread();
    stop.program_counter = registers.program_counter();
    stop.link_register = registers.link_register();
    stop.shared = reinterpret_cast<std::uintptr_t>(builtins_.shared->dynamic);
    stop.shared_bytes = launch_->shared_bytes;
    stop.has_failed = launch_->error() != 0;
    const auto stack = tasks_.stack(*current_);
    stop.stack_start = reinterpret_cast<std::uintptr_t>(stack.base);
    stop.stack_bytes = stack.size;
    stop.stack_pointer = registers.stack_pointer();
    const auto used = stop.stack_start + stack.size - stop.stack_pointer;
    if (stop.stack_pointer % sizeof *stop.stack_words == 0 && !is_stack_full(stop) &&
        used < stack.size)
        copy_words(stop.stack_words, stop.stack_pointer, std::min(sizeof stop.stack_words, used));
}

void BlockRunner::leave_kernel() {
    auto& runner = *running();
    runner.launch_->fail(KBUILD_CPU_LAUNCH_TIMEOUT);
    runner.abandon();
}

// A plain loop stores no index, but nobody asks for the errors of its threads.
std::uint64_t BlockRunner::number_of_thread() const noexcept {
    const auto& block = *builtins_.block_idx;
    const auto& grid = launch_->grid;
    const auto number = (std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x;
    return number * launch_->threads_per_block + block_->number(current_thread());
}

int BlockRunner::last_error() const {
    const auto found = errors_.empty() ? errors_.end() : errors_.find(number_of_thread());
    return found == errors_.end() ? KBUILD_CPU_SUCCESS : found->second;
}

void BlockRunner::set_last_error(int code) {
    if (code != last_error()) errors_[number_of_thread()] = code;
}

void BlockRunner::reserve(const Launch& launch) {
    start_reporter();
    if (blocks_.empty()) blocks_.push_back(std::make_unique<Block>());
    tasks_.reserve(launch.threads_per_block);
    residents_.reserve(most_resident_blocks);
}

void BlockRunner::run(Launch& launch) noexcept {
    const DeviceArithmetic arithmetic;
    launch_ = &launch;
    indices_ = {};
    launch.image.builtins(&builtins_);
    *builtins_.grid_dim = launch.grid;
    *builtins_.block_dim = launch.block;
    *builtins_.runner = this;
    builtins_.progress->order = read_seed();
    builtins_.progress->runs_whole_block = 0;
    is_starting_ = false;
    turns_ = 0;
    watchdog_.begin(launch);
    keep_errors(this);
    if (start_block()) start_fiber(home_, nullptr);
    keep_errors(nullptr);
    watchdog_.end();
    runnable_.clear();
    residents_.clear();
    if (blocks_.size() > 2) blocks_.resize(2);
    for (auto& block : blocks_) block->reset();
    tasks_.reset();
    errors_.clear();
    places_.clear();
    launch_ = nullptr;
}

void BlockRunner::fiber_main(void* runner) {
    Fiber::begin();
    Fiber* next = nullptr;
    do {
        static_cast<BlockRunner*>(runner)->start_threads();
        next = static_cast<BlockRunner*>(runner)->end_thread();
    } while (next == nullptr);
    return Fiber::finish(*next);
}

// Starts threads of the current block on another fiber.
const void* BlockRunner::start_fiber(Fiber& from, const void* result) noexcept {
    current_ = &tasks_.take();
    return Fiber::start(from, current_->fiber, tasks_.use_stack(*current_),
                        {&fiber_main, this, home_}, result);
}

// Runs the threads that have not started, until one of them is suspended, and continues that one.
void BlockRunner::start_threads() noexcept {
    block_->has_unstarted = false;
    builtins_.progress->start = {block_->start.x, block_->start.y, block_->start.z};
    is_starting_ = true;
    // Reports tell from this index that the kernel does not say which thread runs.
    *builtins_.thread_idx = {~0u, ~0u, ~0u};
    launch_->kernel.run(launch_->args);
    is_starting_ = false;
}

// Returns the fiber that continues after the thread of this one has exited. Null if this one has threads to
// start.
Fiber* BlockRunner::end_thread() noexcept {
    if (turns_ != 0) leave_turns();
    Task& task = *current_;
    if (task.block != nullptr) {
        --block_->suspended;
        block_->warps.release(task);
        task.block = nullptr;
    }
    watchdog_.note_event();
    if (block_->has_unstarted || enter_next_block()) return nullptr;
    if (runnable_.is_empty() && !find_work()) return &home_;
    if (runnable_.is_empty()) return nullptr;
    tasks_.put_back(task);
    current_ = &pop_task();
    return &current_->fiber;
}

// Makes the next block current while threads of this one still continue. On the fiber whose thread
// has exited, a thread of the next block starts without a switch.
bool BlockRunner::enter_next_block() noexcept {
    if (runnable_.is_empty() || launch_->is_cooperative || launch_->has_clusters()) return false;
    if (residents_.size() == 1) return has_blocks() && start_block();
    Block& last = *residents_.back();
    if (residents_.size() > 2 || !last.has_unstarted) return false;
    enter(last);
    return true;
}

// Continues in run(), as if no work were left. The threads of all blocks never continue.
void BlockRunner::abandon() noexcept {
    indices_ = {};
    is_starting_ = false;
    turns_ = 0;
    Fiber::switch_to(current_->fiber, home_, nullptr);
}

// The kernel's loop, which started the thread on this fiber, does not start more of them. Another
// fiber does.
void BlockRunner::note_first_suspension() noexcept {
    is_starting_ = false;
    Task& task = *current_;
    Block& block = *block_;
    auto& progress = *builtins_.progress;
    ++progress.suspensions;
    task.block = &block;
    ++block.suspended;
    if (progress.more_blocks != 0) {
        indices_.begin -= progress.more_blocks;
        progress.more_blocks = 0;
    }
    block.index = *builtins_.block_idx;
    if (progress.runs_whole_block != 0) return;
    if (launch_->image.is_instrumented != 0 && progress.order != 0) {
        const auto threads = launch_->threads_per_block;
        auto place = progress.start.x + 1;
        while (place < kbuild_cpu_count_places(threads) &&
               kbuild_cpu_started_thread(place, threads, progress.order) >= threads)
            ++place;
        block.start = {place, 0, 0};
        block.has_unstarted = place < kbuild_cpu_count_places(threads);
        return;
    }
    auto next = task.thread;
    if (++next.x == block.extent.x) {
        next.x = 0;
        if (++next.y == block.extent.y) {
            next.y = 0;
            ++next.z;
        }
    }
    block.start = next;
    block.has_unstarted = next.z < block.extent.z;
}

// Continues or starts other threads, when none can continue. Returns the result when the current one does.
const void* BlockRunner::continue_other(const void* result) noexcept {
    if (!block_->has_unstarted || !has_fiber()) find_work();  // never fails, as the caller waits
    if (runnable_.is_empty()) return start_fiber(current_->fiber, result);
    Task& next = pop_task();
    return &next == current_ ? result : switch_to(next, result);
}

// Returns whether a fiber can start threads. If the caller's thread has exited, its own can.
bool BlockRunner::has_fiber() noexcept {
    if (current_->block == nullptr || !tasks_.is_empty()) return true;
    try {
        tasks_.add(launch_->threads_per_block);
        return true;
    } catch (const std::exception&) {
        if (launch_->is_cooperative || launch_->has_clusters())
            launch_->fail(KBUILD_CPU_OUT_OF_MEMORY);
        return false;
    }
}

// Finds threads that can continue, or makes a block current whose threads can start. Returns false
// if this OS thread has no work left.
bool BlockRunner::find_work() noexcept {
    if (advance_blocks()) return true;
    for (;;) {
        if (launch_->error() != 0 && !residents_.empty()) abandon();
        // An OS thread whose blocks wait reports this. The one that ran the last block to exit can
        // have none left.
        if (launch_->grid_barrier.is_broken() && !residents_.empty())
            report("some blocks have exited before the grid barrier", KBUILD_CPU_LAUNCH_FAILURE);
        if (continue_waiting_block()) return true;
        if (can_add_block() && has_fiber() && start_block()) return true;
        if (continue_yielded_block()) return true;
        if (residents_.empty()) return false;
        watchdog_.set_idle(true);
        launch_->grid_barrier.wait(residents_.front()->grid_phase);
        watchdog_.set_idle(false);
    }
}

// Does the same for the first resident block whose threads do not all wait for something outside.
bool BlockRunner::advance_blocks() noexcept {
    for (std::size_t i = 0; i < residents_.size();) {
        Block& block = *residents_[i];
        if (block.has_exited()) {
            end_block(block);
            continue;
        }
        if (block.has_unstarted && has_fiber()) {
            enter(block);
            return true;
        }
        if (!block.has_unstarted && block.settle(tasks_, runnable_)) {
            watchdog_.note_event();
            begin_turns();
            return true;
        }
        if (block.is_at_cluster_barrier()) {
            if (open_cluster_barrier(block)) return true;
        } else if (!block.has_unstarted && block.yielded.is_empty() && block.grid_phase == 0) {
            if (!block.is_at_grid_barrier()) {
                if (!launch_->is_cooperative)
                    residents_.assign(1, &block);  // the others can be fine
                report("the threads of a block wait for each other", KBUILD_CPU_LAUNCH_FAILURE);
            }
            block.grid_phase = launch_->grid_barrier.phase();
            launch_->grid_barrier.arrive();
        }
        ++i;
    }
    return false;
}

// If the threads that can continue are all threads of the only block, and come from a barrier, they take
// turns from now on.
void BlockRunner::begin_turns() noexcept {
    const auto threads = runnable_.size();
    if (threads < 2 || residents_.size() != 1 || threads != residents_.front()->suspended) return;
    if (runnable_.front()->mask != 0) return;  // they come from a warp operation
    turns_ = threads;
    last_in_ring_ = runnable_.back();
    last_in_ring_->next = runnable_.front();
    ahead_ = last_in_ring_;
    for (unsigned i = 0; i <= turns_ahead; ++i) ahead_ = ahead_->next;
}

// Moves the threads of the ring, except the current one, into the queues that say what each one does.
void BlockRunner::leave_turns() noexcept {
    Task* const first = last_in_ring_->next;
    const auto waiting = block_->suspended - turns_;
    runnable_ = {current_->next, last_in_ring_, turns_ - 1};
    turns_ = 0;
    if (waiting == 0) return;
    Task* last = first;
    for (auto i = waiting; i > 1; --i) last = last->next;
    block_->barrier_waits = {first, last, waiting};
}

void BlockRunner::end_block(Block& block) noexcept {
    residents_.erase(std::find(residents_.begin(), residents_.end(), &block));
    const auto cluster = block.cluster;
    if (std::all_of(cluster.begin(), cluster.end(), [](auto* each) { return each->has_exited(); }))
        for (Block* each : cluster) each->cluster.clear();
    if (launch_->is_cooperative) launch_->grid_barrier.exit();
}

// Continues the blocks of a cluster if all threads that have not exited wait at its barrier.
bool BlockRunner::open_cluster_barrier(const Block& waiting) noexcept {
    const auto& cluster = waiting.cluster;
    const bool is_open = std::all_of(cluster.begin(), cluster.end(), [](const Block* block) {
        return block->has_exited() || block->is_at_cluster_barrier();
    });
    if (!is_open) return false;
    watchdog_.note_event();
    for (Block* block : cluster) runnable_.take(block->cluster_waits);
    return true;
}

// Continues a block whose phase of the grid barrier has ended.
bool BlockRunner::continue_waiting_block() noexcept {
    if (!launch_->is_cooperative) return false;
    const auto phase = launch_->grid_barrier.phase();
    for (Block* block : residents_) {
        if (block->grid_phase == 0 || block->grid_phase == phase) continue;
        block->grid_phase = 0;
        watchdog_.note_event();
        runnable_.take(block->grid_waits);
        return true;
    }
    return false;
}

// Continues the next block with threads that spin.
bool BlockRunner::continue_yielded_block() noexcept {
    const auto next = std::find_if(residents_.begin(), residents_.end(),
                                   [](const Block* block) { return !block->yielded.is_empty(); });
    if (next == residents_.end()) return false;
    std::rotate(residents_.begin(), next + 1, residents_.end());
    check_progress();
    runnable_.take(residents_.back()->yielded);
    return true;
}

void BlockRunner::check_progress() noexcept {
    const bool is_idle = watchdog_.note_round() > 2 * residents_.size();
    if (is_idle && watchdog_.pause()) report(describe_timeout(), KBUILD_CPU_LAUNCH_TIMEOUT);
}

// A block of a launch that is not cooperative starts early only if the others spin, because they can
// wait for it.
bool BlockRunner::can_add_block() const noexcept {
    if (residents_.empty() || launch_->is_cooperative) return true;
    const bool can_wait = watchdog_.rounds() > rounds_before_block ||
                          watchdog_.rounds_of_blocks() > busy_rounds_before_block;
    return can_wait && static_cast<int>(residents_.size()) <
                           resident_blocks(static_cast<int>(launch_->threads_per_block));
}

// Starts the launch's next block. All blocks of a cluster become resident together.
bool BlockRunner::start_block() noexcept {
    if (indices_.begin == indices_.end) indices_ = launch_->take();
    if (indices_.begin == indices_.end) return false;
    Block* const block = take_block();
    if (block == nullptr) return false;
    if (launch_->has_clusters()) {
        std::vector<Block*> cluster = {block};
        while (cluster.size() < launch_->blocks_per_cluster) {
            cluster.push_back(take_block());
            if (cluster.back() == nullptr) return false;
        }
        for (Block* each : cluster) each->cluster = cluster;
    }
    enter(*block);
    // The kernel continues with the next blocks of the row. If a thread is suspended, they wait.
    const auto in_row =
        launch_->is_cooperative || launch_->has_clusters() || !launch_->order.is_usual()
            ? 0
            : std::min<std::uint64_t>(indices_.end - indices_.begin,
                                      launch_->grid.x - 1 - block->index.x);
    builtins_.progress->more_blocks = static_cast<unsigned>(in_row);
    indices_.begin += in_row;
    watchdog_.note_block();
    return true;
}

// Makes the next block resident. Returns null if there is no memory for one.
Block* BlockRunner::take_block() noexcept {
    Block* const block = free_block();
    if (block == nullptr) return nullptr;
    block->begin(launch_->locate(indices_.begin++), launch_->block);
    residents_.push_back(block);
    return block;
}

// Returns a block that is not resident, or null if there is no memory for one.
Block* BlockRunner::free_block() noexcept {
    const auto free = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& block) {
        return block->cluster.empty() &&
               std::find(residents_.begin(), residents_.end(), block.get()) == residents_.end();
    });
    try {
        Block& block =
            free == blocks_.end() ? *blocks_.emplace_back(std::make_unique<Block>()) : **free;
        if (&block != blocks_.front().get() && !block.has_memory)
            block.shared.use_own_memory(launch_->storage, builtins_.thread_idx);
        block.has_memory = true;
        return &block;
    } catch (const std::exception&) {
        if (launch_->is_cooperative || launch_->has_clusters())
            launch_->fail(KBUILD_CPU_OUT_OF_MEMORY);
        return nullptr;
    }
}

// Makes a block current.
void BlockRunner::enter(Block& block) noexcept {
    block_ = &block;
    *builtins_.block_idx = block.index;
    *builtins_.shared = block.shared.describe(launch_->storage, builtins_.thread_idx);
}

}  // namespace kbuild::cpu
