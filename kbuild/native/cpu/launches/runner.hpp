// Runs blocks on one OS thread.
#ifndef KBUILD_CPU_LAUNCHES_RUNNER_HPP
#define KBUILD_CPU_LAUNCHES_RUNNER_HPP

#include "api/errors.hpp"
#include "crashes/machine_context.hpp"
#include "crashes/signals.hpp"
#include "crashes/stop.hpp"
#include "launches/block.hpp"
#include "launches/launch.hpp"
#include "fibers/places.hpp"
#include "launches/watchdog.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

namespace kbuild::cpu {

// Runs one block after another. Several blocks take turns if the launch is cooperative, or if the
// threads of one block spin until another block has done something.
//
// All fibers of a block stay on one OS thread, because compilers keep addresses of thread-local
// variables in registers across a barrier.
class BlockRunner final : private DeviceErrors {
public:
    BlockRunner();
    ~BlockRunner();

    // Returns the runner of the calling OS thread.
    static BlockRunner& of_this_thread();

    // Allocates fibers and stacks for a block of the launch. Throws Failure before anything runs.
    void reserve(const Launch& launch);

    // Runs blocks of the launch until none are left. Call `reserve` first.
    void run(Launch& launch) noexcept;

    // Returns the runner of the calling OS thread if that is inside a kernel, or null.
    static BlockRunner* running() noexcept;

    // The same for signal handlers, in which thread_local variables could allocate memory.
    static BlockRunner* interrupted() noexcept;

    // Returns what the reporter watches of the calling OS thread, or null.
    static const Activity* activity_of_this_thread() noexcept;

    // Writes where the interrupted thread is, for a signal handler. Sets no cause.
    void fill_stop(Stop& stop, const MachineContext& registers) const noexcept;

    // Ends the launch of the calling thread with a timeout, from anywhere in device code. Does not
    // return, and runs no destructors of device code.
    static void leave_kernel();

    Launch& launch() noexcept { return *launch_; }

    // The functions of device code; see kbuild/detail/cpu_device_api.h.
    static const kbuild_cpu_device_api device_api;

private:
    static const std::uint64_t* barrier(void* runner, const kbuild_cpu_call* call,
                                        std::uint64_t value);
    static const kbuild_cpu_lanes* exchange(void* runner, const kbuild_cpu_call* call,
                                            std::uint64_t mask, std::uint64_t value);
    static std::uint64_t converge(void* runner, const kbuild_cpu_call* call,
                                  const volatile char* place);
    static void grid_barrier(void* runner, const kbuild_cpu_call* call);
    static void cluster_barrier(void* runner, const kbuild_cpu_call* call);
    static void spin(void* runner, const kbuild_cpu_call* call, unsigned weight);
    static int is_cooperative(void* runner);
    static const kbuild_dim3* cluster_extent(void* runner);
    static void* map_shared(void* runner, const kbuild_cpu_call* call, const void* address,
                            unsigned rank);
    static unsigned find_shared_rank(void* runner, const kbuild_cpu_call* call,
                                     const void* address);
    static void fail(void* runner, const kbuild_cpu_call* call, const char* reason);
    static void trap(void* runner, kbuild_cpu_error error);
    static void fail_assertion(void* runner, const char* condition, const char* file, unsigned line,
                               const char* function);

    int last_error() const override;
    void set_last_error(int code) override;

    static void fiber_main(void* runner);
    void start_threads() noexcept;
    Fiber* end_thread() noexcept;
    kbuild_dim3 current_thread() const noexcept;
    std::uint64_t number_of_thread() const noexcept;
    const void* suspend(const kbuild_cpu_call& call, const void* result = nullptr,
                        std::uint64_t mask = 0) noexcept;
    const void* wait_at_barrier(const kbuild_cpu_call& call) noexcept;
    const void* continue_turn(const kbuild_cpu_call& call) noexcept;
    void begin_turns() noexcept;
    void leave_turns() noexcept;
    void check_can_wait(const kbuild_cpu_call& call) noexcept;
    void note_first_suspension() noexcept;
    const void* continue_other(const void* result) noexcept;
    const void* start_fiber(Fiber& from, const void* result) noexcept;
    void yield(const kbuild_cpu_call& call) noexcept;
    void let_others_run(const kbuild_cpu_call& call) noexcept;
    Task& pop_task() noexcept;
    void store_index(const Task& task) noexcept;
    const void* switch_to(Task& next, const void* result = nullptr) noexcept;
    void abandon() noexcept;

    bool find_work() noexcept;
    bool has_fiber() noexcept;
    bool advance_blocks() noexcept;
    bool enter_next_block() noexcept;
    void end_block(Block& block) noexcept;
    bool open_cluster_barrier(const Block& waiting) noexcept;
    bool continue_waiting_block() noexcept;
    bool continue_yielded_block() noexcept;
    void check_progress() noexcept;
    bool can_add_block() const noexcept;
    bool has_blocks() const noexcept {
        return indices_.begin != indices_.end || launch_->has_blocks();
    }
    bool start_block() noexcept;
    Block* take_block() noexcept;
    Block* free_block() noexcept;
    void enter(Block& block) noexcept;
    void report(const char* problem, int error) noexcept;

    Task* current_ = nullptr;
    Block* block_ = nullptr;  // the block of the current thread

    // Threads that meet only at barriers take turns: all of them are in a ring, in which each one continues
    // the next one without queues. `turns_` counts those that have not reached the barrier, with the current
    // one. It is 0 if threads do not take turns.
    std::size_t turns_ = 0;
    Task* ahead_ = nullptr;         // continues a few turns later
    Task* last_in_ring_ = nullptr;  // its successor is the first one that reaches each barrier

    kbuild_cpu_builtins builtins_ = {};
    Launch* launch_ = nullptr;
    BlockRange indices_ = {};   // of blocks that were taken from the launch, and not yet started
    bool is_starting_ = false;  // whether the current fiber starts threads, and none was suspended

    // Two take turns in most launches, and the others are freed after a launch.
    std::vector<std::unique_ptr<Block>> blocks_;
    std::vector<Block*> residents_;  // blocks that have started and not exited, in turn
    Tasks tasks_;
    Places places_;
    TaskQueue runnable_;  // threads of all blocks that can continue
    Fiber home_;          // the saved state of run()

    std::unordered_map<std::uint64_t, int> errors_;  // by the number of the thread in the grid
    unsigned spin_weight_ = 0;
    unsigned operations_ = 0;  // warp operations since another warp had a turn
    Watchdog watchdog_;
    SignalStack signal_stack_;
};

// Takes the thread that continues next, and makes its block current.
inline Task& BlockRunner::pop_task() noexcept {
    Task& next = *runnable_.pop();
    if (turns_ != 0)
        runnable_.clear();  // the ring has them
    else if (!runnable_.is_empty())
        runnable_.front()->fiber.prefetch();
    __builtin_prefetch(&next + 3, 1);  // tasks usually wait in the order of their memory
    if (next.block != block_) enter(*next.block);
    store_index(next);
    return next;
}

inline void BlockRunner::store_index(const Task& task) noexcept {
    std::memcpy(builtins_.thread_idx, &task.thread, sizeof task.thread);
}

// Returns the result when the current thread continues. Callers return what this returns, so that the
// compiler makes it a jump.
inline const void* BlockRunner::switch_to(Task& next, const void* result) noexcept {
    Task& previous = *current_;
    current_ = &next;
    return Fiber::switch_to(previous.fiber, next.fiber, result);
}

// Reads field by field, as the loop over threads writes. Reading two fields at once would wait for
// the preceding store of one.
inline kbuild_dim3 BlockRunner::current_thread() const noexcept {
    const volatile auto& index = *builtins_.thread_idx;
    return {index.x, index.y, index.z};
}

}  // namespace kbuild::cpu

#endif
