// The functions that device code calls; see kbuild/detail/cpu_device_api.h.
#include "checks/checker.hpp"
#include "launches/device_runtime.hpp"
#include "launches/report.hpp"
#include "launches/runner.hpp"

#include <kbuild/cpu_runtime.h>

#include <cstdio>

namespace kbuild::cpu {
namespace {

// Warp operations in a row before other warps have a turn. A warp can wait in a loop of operations
// for what another warp does.
constexpr unsigned operations_per_turn = 1024;

BlockRunner& runner_of(void* runner) { return *static_cast<BlockRunner*>(runner); }

}  // namespace

const kbuild_cpu_device_api BlockRunner::device_api = {
    barrier, exchange,       converge,       grid_barrier,    cluster_barrier,
    spin,    is_cooperative, cluster_extent, map_shared,      find_shared_rank,
    fail,    trap,           fail_assertion, &device_runtime, nullptr,
};

// Stops the current thread, which is in a queue, until another thread has taken it from there.
// Returns the result. The switch comes last, so that its return is also the caller's.
inline const void* BlockRunner::suspend(const kbuild_cpu_call& call, const void* result,
                                        std::uint64_t mask) noexcept {
    if (turns_ != 0) leave_turns();
    Task& task = *current_;
    task.call = &call;
    task.mask = mask;
    // Reads field by field, as the loop over threads writes. Reading two fields at once would wait
    // for the preceding store of one.
    const volatile auto& index = *builtins_.thread_idx;
    task.thread.x = index.x;
    task.thread.y = index.y;
    task.thread.z = index.z;
    if (is_starting_) note_first_suspension();
    return runnable_.is_empty() ? continue_other(result) : switch_to(pop_task(), result);
}

// Fails if one loop runs all threads of the block, so that no other one can continue. kbuild reads in objects which
// kernels wait, but a pointer that the host passes to a kernel is in no object.
inline void BlockRunner::check_can_wait(const kbuild_cpu_call& call) noexcept {
    if (builtins_.progress->runs_whole_block != 0)
        fail(
            this, &call,
            "the kernel runs its threads in a loop, and waits in a function that it calls through a pointer; "
            "compile it with KBUILD_CPU_SPLIT=off in the environment");
}

const std::uint64_t* BlockRunner::barrier(void* this_runner, const kbuild_cpu_call* call,
                                          std::uint64_t value) {
    auto& runner = runner_of(this_runner);
    runner.block_->barrier_sum += value;
    return static_cast<const std::uint64_t*>(runner.turns_ > 1 ? runner.continue_turn(*call)
                                                               : runner.wait_at_barrier(*call));
}

// Lets the next thread of the ring continue, from the barrier before.
inline const void* BlockRunner::continue_turn(const kbuild_cpu_call& call) noexcept {
    --turns_;
    Task& task = *current_;
    task.call = &call;
    Task& next = *task.next;
    ahead_ = ahead_->next;
    ahead_->fiber.prefetch();
    store_index(next);
    return switch_to(next, &block_->last_sum);
}

// Does the same for the last thread of the ring, which opens the barrier, or without a ring.
const void* BlockRunner::wait_at_barrier(const kbuild_cpu_call& call) noexcept {
    auto& block = *block_;
    if (turns_ == 0) {
        check_can_wait(call);
        block.barrier_waits.push(current_);
        return suspend(call, &block.last_sum);
    }
    block.open_barrier();
    watchdog_.note_event();
    turns_ = block.suspended + 1;
    return continue_turn(call);
}

const kbuild_cpu_lanes* BlockRunner::exchange(void* this_runner, const kbuild_cpu_call* call,
                                              std::uint64_t mask, std::uint64_t value) {
    auto& runner = runner_of(this_runner);
    if (runner.turns_ != 0) runner.leave_turns();
    auto& block = *runner.block_;
    const auto thread = block.number(runner.current_thread());
    const auto lane = thread & (call->warp_size - 1);
    if ((mask >> lane & 1) == 0)
        fail(this_runner, call, "the mask does not contain the calling lane");
    const auto full_mask = mask;
    // Lanes beyond the end of the block have exited, so to speak.
    const auto lanes = runner.launch_->threads_per_block - (thread - lane);
    if (lanes < most_lanes) mask &= (std::uint64_t{1} << lanes) - 1;
    auto& operation = block.warps.join(thread, *call, mask, value, *runner.current_);
    for (auto beyond = lanes; beyond < call->warp_size; ++beyond)
        operation.result.values[beyond] = 0;
    if (operation.result.arrived != mask) {
        runner.check_can_wait(*call);
        operation.waiting.push(runner.current_);
        return static_cast<const kbuild_cpu_lanes*>(
            runner.suspend(*call, &operation.result, full_mask));
    }
    block.warps.complete(operation, runner.runnable_);
    runner.watchdog_.note_event();
    if (++runner.operations_ % operations_per_turn == 0) runner.let_others_run(*call);
    return &operation.result;
}

std::uint64_t BlockRunner::converge(void* this_runner, const kbuild_cpu_call* call,
                                    const volatile char* place) {
    auto& runner = runner_of(this_runner);
    runner.check_can_wait(*call);
    Task& task = *runner.current_;
    const auto number =
        runner.places_.find(__builtin_dwarf_cfa(), place, runner.tasks_.stack(task));
    runner.block_->converging.push_back({&task, number});
    runner.suspend(*call);
    return task.mask;
}

void BlockRunner::grid_barrier(void* this_runner, const kbuild_cpu_call* call) {
    auto& runner = runner_of(this_runner);
    if (!runner.launch_->is_cooperative)
        fail(this_runner, call, "the launch is not cooperative; use cudaLaunchCooperativeKernel");
    runner.check_can_wait(*call);
    runner.block_->grid_waits.push(runner.current_);
    runner.suspend(*call);
}

void BlockRunner::cluster_barrier(void* this_runner, const kbuild_cpu_call* call) {
    auto& runner = runner_of(this_runner);
    runner.check_can_wait(*call);
    runner.block_->cluster_waits.push(runner.current_);
    runner.suspend(*call);
}

void BlockRunner::spin(void* this_runner, const kbuild_cpu_call* call, unsigned weight) {
    auto& runner = runner_of(this_runner);
    runner.spin_weight_ += weight;
    // While one loop runs all threads of a block, no other one can continue: a rest is only for the case
    // that this thread waits for another block. kbuild divides no loop that is known to wait.
    const unsigned patience = runner.builtins_.progress->runs_whole_block != 0 ? 1024 : 1;
    if (runner.spin_weight_ < patience * KBUILD_CPU_SPIN_LIMIT) return;
    runner.spin_weight_ = 0;
    runner.watchdog_.note_rounds_of_blocks(patience - 1);
    runner.yield(*call);
}

void BlockRunner::yield(const kbuild_cpu_call& call) noexcept {
    block_->yielded.push(current_);
    suspend(call);
}

// Moves the threads that can continue behind all others.
void BlockRunner::let_others_run(const kbuild_cpu_call& call) noexcept {
    const auto& block = *block_;
    if (!block.has_unstarted && block.yielded.is_empty() && residents_.size() == 1) return;
    while (!runnable_.is_empty()) {
        Task* const task = runnable_.pop();
        task->block->yielded.push(task);
    }
    yield(call);
}

int BlockRunner::is_cooperative(void* this_runner) {
    return runner_of(this_runner).launch_->is_cooperative;
}

const kbuild_dim3* BlockRunner::cluster_extent(void* this_runner) {
    return &runner_of(this_runner).launch_->cluster;
}

void* BlockRunner::map_shared(void* this_runner, const kbuild_cpu_call* call, const void* address,
                              unsigned rank) {
    auto& runner = runner_of(this_runner);
    const auto& block = *runner.block_;
    if (rank >= runner.launch_->blocks_per_cluster)
        fail(this_runner, call, "the cluster has no block with this rank");
    const auto& other = block.cluster.empty() ? block : *block.cluster[rank];
    char* const found = block.shared.find_in(other.shared, address, runner.launch_->storage,
                                             runner.builtins_.thread_idx);
    if (found == nullptr)
        fail(this_runner, call, "the address is not in the shared memory of the block");
    return found;
}

unsigned BlockRunner::find_shared_rank(void* this_runner, const kbuild_cpu_call* call,
                                       const void* address) {
    auto& runner = runner_of(this_runner);
    const auto& cluster = runner.block_->cluster;
    for (std::size_t rank = 0; rank < cluster.size(); ++rank) {
        const auto& shared = cluster[rank]->shared;
        if (shared.find_in(shared, address, runner.launch_->storage, runner.builtins_.thread_idx) !=
            nullptr)
            return static_cast<unsigned>(rank);
    }
    if (!cluster.empty())
        fail(this_runner, call, "the address is not in the shared memory of the cluster");
    return 0;
}

void BlockRunner::fail(void* this_runner, const kbuild_cpu_call* call, const char* reason) {
    auto& runner = runner_of(this_runner);
    if (runner.launch_->image.is_instrumented != 0)
        checks::Checker::instance().note_stuck(describe(*call, 0) + ": " + reason);
    if (runner.launch_->fail(KBUILD_CPU_LAUNCH_FAILURE))
        std::fprintf(stderr, "kbuild: kernel %s: %s: %s; block %s, thread %s\n",
                     kernel_name(*runner.launch_).c_str(), describe(*call, 0).c_str(), reason,
                     to_string(*runner.builtins_.block_idx).c_str(),
                     to_string(runner.current_thread()).c_str());
    runner.abandon();
}

// Prints what the threads of blocks on this OS thread wait for, and ends the launch. Does not
// return, so that destructors of the caller do not run.
void BlockRunner::report(const char* problem, int error) noexcept {
    if (launch_->fail(error)) {
        const auto text = describe_waits(*launch_, problem, residents_, tasks_);
        if (launch_->image.is_instrumented != 0) checks::Checker::instance().note_stuck(problem);
        std::fputs(text.c_str(), stderr);
    }
    abandon();
}

void BlockRunner::trap(void* this_runner, kbuild_cpu_error error) {
    auto& runner = runner_of(this_runner);
    runner.launch_->fail(error);
    runner.abandon();
}

// Prints what CUDA prints.
void BlockRunner::fail_assertion(void* this_runner, const char* condition, const char* file,
                                 unsigned line, const char* function) {
    auto& runner = runner_of(this_runner);
    const auto block = *runner.builtins_.block_idx;
    const auto thread = *runner.builtins_.thread_idx;
    std::fprintf(
        stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
        line, function, block.x, block.y, block.z, thread.x, thread.y, thread.z, condition);
    runner.launch_->fail(KBUILD_CPU_ASSERTION);
    runner.abandon();
}

}  // namespace kbuild::cpu
