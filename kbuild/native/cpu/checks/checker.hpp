// The checks of one process. Checked kernels run one after another, each on one OS thread.
#ifndef KBUILD_CPU_CHECKS_CHECKER_HPP
#define KBUILD_CPU_CHECKS_CHECKER_HPP

#include "fork_safe_mutex.hpp"
#include "checks/arena.hpp"
#include "checks/block_state.hpp"
#include "checks/journal/findings.hpp"
#include "checks/history.hpp"
#include "checks/image_facts.hpp"
#include "checks/ranges.hpp"
#include "checks/settings.hpp"
#include "checks/tasks.hpp"
#include "crashes/line_table.hpp"
#include "crashes/stop.hpp"
#include "launches/launch.hpp"
#include "streams/operation.hpp"

#include <kbuild/detail/cpu_checks.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <sys/types.h>
#include <vector>

namespace kbuild::cpu::checks {

// Returns whether the process is checked: from the start if a variable requests it, or else since it has
// loaded an instrumented image.
bool is_active() noexcept;

// Starts checks, also in a process that did not request them, with the memory that it has allocated so far.
void start();

// These do nothing in a process without checks.
void note_queued(const KernelCall& call);
// Says where the calling thread launches a kernel next.
void note_launch_place(const char* file, unsigned line) noexcept;
// Reports a launch that the runtime refuses. The handle is null for a graph.
void report_refused(const void* handle, int code, const char* detail) noexcept;
void report_crash(const Stop& stop);
void note_signal(int number) noexcept;

// Returns the line of the instruction before an address of the program, or an empty file.
SourceLine find_host_line(const void* site);

// An index in a grid or block, from its number.
inline kbuild_dim3 find_index(std::uint32_t number, const kbuild_dim3& extent) {
    return {number % extent.x, number / extent.x % extent.y, number / extent.x / extent.y};
}

// Memory that a copy, a fill, or a release uses.
struct MemoryUse {
    TaskPointer task;
    std::uintptr_t start = 0;
    std::size_t bytes = 0;
    bool writes = false;
    const char* action = "";
};

// An access of host code while tasks can run.
struct HostUse {
    std::uintptr_t start;
    std::size_t bytes;
    bool writes;
    const void* site;
    std::uint64_t time;  // of TaskOrder
};

class Checker {
public:
    static Checker& instance();
    // Returns the checker of the process, or null before there is one.
    static Checker* find() noexcept { return process_.load(std::memory_order_relaxed); }

    // Images and launches.
    void add_image(const std::string& path, const kbuild_cpu_image& table, const void* base,
                   const StorageLayout& storage);
    void begin_launch(const Launch& launch);
    void end_launch(int error);
    void note_stuck(const std::string& text);
    // Reports that the current thread ends its kernel with an error.
    void report_failure(int error, Place place);
    Place place_here(const void* site) const;
    // A launch of a kernel without instrumentation. Others can run at the same time.
    void begin_unchecked(const Launch& launch);
    void end_unchecked(const Launch& launch);
    Findings& findings() noexcept { return findings_; }
    // Checks what remains at the end of the process.
    void finish();
    // Ends a process that runs alone with 1 if it has errors.
    void end_process();
    // Does both for a process that ends without its exit handlers.
    void leave_process();
    // Does what is possible before another program takes the place of this one.
    void leave_program();
    pid_t process() const noexcept { return findings_.process(); }

    // Forgets what the parent of a forked process was doing.
    void restart();

    // What streams, graphs, and the host do.
    TaskOrder& order() noexcept { return order_; }
    TaskPointer add_task(const Operation& operation, const std::vector<TaskPointer>& predecessors);

    // Allocations.
    void add_memory(const void* start, std::size_t bytes, kbuild_cpu_memory_kind kind,
                    bool is_heap = false);
    void remove_memory(const void* start);
    // Returns memory of the heap of device code. Throws Failure.
    void* allocate_heap(std::size_t bytes);
    Arena& arena() noexcept { return arena_; }

    // Threads and what they wait for. A thread that continues is the current one again.
    void begin_thread();
    void begin_threads();
    ThreadState* current() {
        if (has_pending_) judge_pending_write();
        return &thread();
    }
    void resume(ThreadState* thread);
    // A thread continues in a region. Others can have passed barriers for it.
    void enter_thread(std::uint32_t number) {
        if (has_pending_) judge_pending_write();
        thread_number_ = number;
        note_thread();
    }
    void pass_barrier(const kbuild_cpu_call& call, std::uint32_t first, std::uint32_t count);
    void arrive_at_barrier(const kbuild_cpu_call& call);
    void leave_barrier();
    void leave_grid_barrier();
    void leave_cluster_barrier();
    bool has_cluster() const noexcept { return !block_->cluster.empty(); }
    std::uint32_t cluster_blocks() const noexcept { return launch_->blocks_per_cluster; }
    const void* dynamic_memory() const noexcept;
    // Tells the block of the others in its cluster: their dynamic memory, by rank.
    void set_cluster(const std::vector<const void*>& memories);
    // Returns where a block of the cluster has what the current block has in shared memory at an address, or
    // null.
    void* map_shared(const void* address, std::uint32_t rank) const noexcept;
    // Returns the rank of the block with shared memory at an address, or the number of blocks.
    std::uint32_t find_shared_rank(const void* address) const noexcept;
    // Returns the lanes with which the current one can be active: all, or with a seed one half of them.
    std::uint64_t choose_lanes(unsigned warp_size) const noexcept;
    void begin_exchange() noexcept { thread().is_exchanging = true; }
    void end_exchange(const kbuild_cpu_lanes& lanes, unsigned warp_size);
    void* find_shared(const void* place);

    // Accesses.
    template <unsigned log_bytes, bool is_write>
    static void check_plain(const void* address, const void* site);
    void check_access(std::uintptr_t address, std::size_t bytes, unsigned kind, const void* site);
    void fence(kbuild_cpu_scope scope);
    // Asynchronous copies; see kbuild_cpu_checks.
    void issue_copy(const void* place, std::size_t bytes, bool reads);
    void commit_copies(const void* barrier);
    void finish_copies(const void* barrier, std::size_t prior);
    // Says what functions of the runtime have written and copied.
    void note_written(const void* start, std::size_t bytes);
    void note_copied(const void* to, const void* from, std::size_t bytes);
    // Reports host code that accesses memory of the device.
    void check_host_access(const void* address, std::size_t bytes, bool writes, bool is_flag,
                           const void* site);
    // Reports a copy or fill of the runtime that fails, because memory at an address is not what it needs.
    void report_invalid_copy(const std::string& problem, const void* address);
    // Reports memory that a function of a library cannot access, and returns whether it is such memory.
    bool check_library_access(const std::string& function, const std::string& parameter,
                              const void* start, std::size_t bytes, bool writes);
    // The same for a function that frees memory.
    void report_invalid_free(const std::string& problem, const void* address);
    // The same for a stream, event, or device that does not exist.
    void report_invalid_handle(const char* problem);
    // Reports host code that uses what nobody has written.
    void check_host_read(const void* start, std::size_t bytes, const void* site);
    // Says that the host copies memory.
    void note_host_move(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);
    void note_host_texts() noexcept { has_host_texts_ = true; }
    void report_mistake(kbuild_cpu_mistake mistake, std::uint64_t value, std::uint64_t limit,
                        const void* site);

    // Lets device code read memory of the runtime: the tables of functions, and the result of the last wait.
    void accept(const void* start, std::size_t bytes);
    template <class T>
    const T* accept_result(const T* result) noexcept {
        result_start_ = reinterpret_cast<std::uintptr_t>(result);
        result_bytes_ = sizeof *result;
        return result;
    }

private:
    static inline std::atomic<Checker*> process_{nullptr};

    struct Event {  // an access that is being checked
        std::uintptr_t address;
        std::size_t bytes;
        unsigned kind;
        std::uint32_t site;
    };
    // A write to words that another thread has written, until it is known whether it changes them.
    struct PendingWrite {
        struct Word {
            std::uintptr_t address;
            std::uint32_t value;
            Access earlier;
            std::uint32_t earlier_site;
        };
        Event event = {};
        unsigned count = 0;
        std::array<Word, 5> words = {};  // an unaligned write of 16 bytes
    };

    Checker();

    const Region* find_region(std::uintptr_t address) noexcept;
    bool is_private(std::uintptr_t address) const noexcept;
    void report_dead_local(std::uintptr_t address, std::size_t bytes, unsigned kind,
                           const void* site);
    template <unsigned log_bytes, bool is_write>
    void check_rare(const Region* region, std::uintptr_t address, const void* site);
    template <unsigned log_bytes, bool is_write>
    bool record_plain(const Region& region, std::uintptr_t address, const void* place);
    template <std::size_t words>
    bool repeat_read(std::uint64_t* repeats, std::uint32_t site) noexcept;
    template <std::size_t words>
    bool repeat_in_other_line(std::uint64_t* repeats, std::uint32_t site) noexcept;
    bool record_plain_read(const Region& region, Cell& cell, unsigned mask, std::uint32_t site);
    bool record_known_read(Cell& cell, unsigned mask, std::uint32_t site);
    bool is_repeated(const Cell& cell) const;
    bool record_update(const Region& region, std::uintptr_t address, std::size_t bytes,
                       std::uint32_t site);
    bool record_plain_write(const Region& region, Cell& cell, unsigned mask, std::uint32_t site);
    void check_alignment(Event event, std::size_t alignment);
    void check_ordinary(std::uintptr_t address, std::size_t bytes, unsigned kind, const void* site);
    bool check_other_memory(Event event);
    void check_word(const Region& region, std::uintptr_t address, unsigned mask, Event event,
                    bool& is_valid, unsigned& read_bytes, unsigned& fresh_bytes);
    bool is_behind_bad_index(std::uint32_t site) const;
    void mark_valid_words(std::uintptr_t word);
    void mark_written_words(const Region& region, std::uintptr_t word);
    bool check_bounds(const Region& region, std::uintptr_t word, unsigned mask, Event event);
    void check_words(const Region& region, Event event);
    Region& add_other(std::uintptr_t address, std::size_t bytes);
    const Region& add_variables(std::uintptr_t address);
    unsigned find_valid_bytes(const Region& region, std::uintptr_t word);
    unsigned find_unwritten(const Region& region, std::uintptr_t word) const;
    std::uintptr_t find_fresh(std::uintptr_t start, std::uintptr_t end) const;
    bool is_device_memory(std::uintptr_t address, std::size_t bytes) const;
    std::uintptr_t find_end_of_fresh(std::uintptr_t place, std::uintptr_t end) const;
    void note_host_copy(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);
    void check_locals(std::uintptr_t start, std::size_t bytes);
    bool is_input() const;
    static bool has_words_of_bytes(std::uintptr_t start, std::size_t bytes);
    void check_locals_of(std::uintptr_t start);
    void report_copy(const char* rule, std::uintptr_t address, const char* message);
    bool is_host_memory(std::uintptr_t place, std::string& memory) const;
    bool keep_host_use(const HostUse& use);
    std::vector<MemoryUse> list_uses(const Operation& operation) const;
    void add_use(MemoryUse use);
    void compare_use(const MemoryUse& use, const Task* only);
    void begin_uses();
    void finish_uses();
    std::uint32_t check_other_launch(const Region& region, const Cell& cell, unsigned mask,
                                     Event event);
    bool is_unordered(const Cell& cell) const;
    void renew_unordered(const Region& region, Cell& cell, unsigned mask, Event event);
    bool keeps_bytes(const Region& region, const Cell& cell) const;
    void check_unordered_read(const Cell& cell, Event event);
    void report_unordered_read(std::uint32_t site, Event event);
    void report_other_launch(Place other, std::uint32_t site, Event event);
    void check_host_use(std::uintptr_t address, std::size_t bytes, bool writes, bool is_flag,
                        const void* site);
    void compare_host_use(const HostUse& use);
    static bool hits(Access access, std::uintptr_t word, std::uintptr_t start, std::size_t bytes);
    Place describe_cell(const Cell& cell, bool is_written) const;
    void report_use(const MemoryUse& use, const Cell& cell, std::uintptr_t word, bool is_written);
    void report_uses(const MemoryUse& use, const MemoryUse& other);
    void report_host_use(const HostUse& use, Finding finding);
    void check_constant(Event event);
    bool is_own_variable(std::uintptr_t address) const noexcept;
    void stop_write(Event event);
    void stop_kernel(Place place);
    void report_outside_variable(std::uintptr_t address, bool writes, std::uint32_t site);
    void renew(const Region& region, Cell& cell) const noexcept;
    void check_race(const Region& region, Cell& cell, std::uintptr_t address, unsigned mask,
                    Event event);
    bool needs_bytes(const Cell& cell, unsigned mask, unsigned flags, Event event) const;
    void check_cell(Cell& cell, std::uintptr_t address, unsigned mask, unsigned flags, Event event);
    bool is_flag(std::uintptr_t address, unsigned kind) const;
    bool is_data(unsigned flags, Event event) const;
    void order_volatile_writes(unsigned kind);
    void note_write() noexcept;
    void record_read(Cell& cell, Access access, std::uint32_t site);
    bool is_before(Access access) const;
    bool is_before_barrier(Access access) const {
        return access.bits() - block_start_ < barrier_distance_;
    }
    bool is_settled(Access access) const;
    void note_order();
    void note_thread();
    void note_other_order();
    void note_site(std::uint32_t site) noexcept {
        if (site < code_bytes_) run_sites_[site] = 1;
    }
    bool is_known(Access access) const;
    bool is_conflict(Access earlier, unsigned mask, unsigned flags, Event event) const;
    void note_seen(ThreadState& self, Access write) const;
    bool relies_on_order(Access earlier, bool earlier_writes) const;
    bool is_lockstep(std::uint32_t earlier_site, bool earlier_writes, Event event) const;
    const char* choose_race_rule(Access earlier, std::uint32_t earlier_site, bool earlier_writes,
                                 Event event) const;
    void report_race(Access earlier, std::uint32_t earlier_site, bool earlier_writes, Event event,
                     bool is_same_value = false);
    void await_write(std::uintptr_t word, Access earlier, std::uint32_t earlier_site, Event event);
    void judge_pending_write();
    void report_memory(const char* rule, Event event, const char* message,
                       const char* memory = nullptr);
    void report_uninitialized(const Region& region, Event event);
    template <class Change>
    void change_accesses(const ThreadState::Copy& copy, const Change& change);
    void release(std::uintptr_t address, unsigned kind);
    void acquire(std::uintptr_t address, unsigned kind);
    void report_missing_acquire(Access earlier, std::uint32_t earlier_site, Event event);
    Place make_place(std::string action, std::uint32_t site, const BlockState& block,
                     std::uint32_t thread) const;
    Place describe_event(Event event) const;
    std::string describe_memory(std::uintptr_t address) const;
    std::string describe_allocation(std::uintptr_t address) const;
    // A name of a cause in the current image.
    std::uint64_t key_of(unsigned rule, std::uint32_t site,
                         std::uint32_t other = 0) const noexcept {
        return (std::uint64_t{rule} << 48 | std::uint64_t{site & Cell::site_mask} << 24 |
                (other & Cell::site_mask)) ^
               (reinterpret_cast<std::uintptr_t>(&launch_->kernel) << 20);
    }
    std::uint32_t site_of(const void* site) const noexcept {
        return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(site) - image_base_);
    }
    BlockState& state_of(const void* dynamic);
    void find_current_block();
    void open_barrier();
    void begin_block(BlockState& block, const kbuild_dim3& index);
    void use_block(BlockState& block, std::uint32_t thread);
    std::uint64_t number_of(const kbuild_dim3& index) const noexcept;
    const BlockState* find_block(std::uintptr_t address) const noexcept;
    void next_epoch();
    void synchronize();
    void report_leaks();
    void report_invalid_call(const char* rule, const std::string& problem, const void* address);
    void report_lines();

    __attribute__((always_inline)) ThreadState& thread() const {
        return block_->find_thread(thread_number_, grid_phase_);
    }

    // What each access reads.
    Access now_;     // an access of the thread, of no bytes
    Repeat repeat_;  // the same, in no line
    std::uint64_t block_start_ =
        0;  // the block's accesses before its last barrier are numbers from here
    std::uint64_t barrier_distance_ = 0;  // up to here, relative to the start
    bool has_more_order_ = false;  // whether more than barriers can order others before the thread
    bool has_only_barriers_ = false;  // whether nothing else orders any threads of the block
    bool has_pending_ = false;        // whether `pending_` is one
    BlockState* block_ = &none_;
    std::uint32_t thread_number_ = 0;
    unsigned char* writes_ = nullptr;  // of the thread
    std::uintptr_t image_base_ = 0;
    const Region* data_ = &no_data_;  // of device variables
    std::uintptr_t storage_start_ = 0;
    std::size_t storage_bytes_ = 0;
    std::uintptr_t result_start_ = 0;
    std::size_t result_bytes_ = 0;
    std::size_t stack_bytes_ = 0;  // of a thread
    std::size_t private_bytes_ =
        0;  // the same, with the arrays of all threads of a kernel with regions
    unsigned char* run_sites_ = nullptr;  // see ImageFacts
    std::size_t code_bytes_ = 0;
    // The last index outside of an array: who used it, and in which line. The access to a variable that follows is no
    // other mistake.
    std::uint64_t bad_index_ = 0;
    unsigned bad_index_line_ = 0;
    mutable bool lacks_acquire_ = false;  // whether only a fence is missing; see is_known
    bool has_unordered_ = false;          // see unordered_
    bool checks_races_ = false;
    bool checks_init_ = false;

    BlockState none_;  // while no thread runs
    const Settings& settings_;
    const Region no_data_;
    Arena arena_;
    History history_;
    std::uint64_t inherited_ =
        0;  // the allocations up to this number are those of the parent process
    mutable ForkSafeMutex memory_mutex_{LockRank::checked_memory};
    std::vector<std::unique_ptr<ImageFacts>> images_;
    std::vector<std::unique_ptr<Region>> others_;  // memory outside of the arena
    std::unordered_set<std::uintptr_t> accepted_pages_;
    Ranges written_;               // of the arena, by functions of the runtime
    bool has_local_word_ = false;  // whether they have written the value of a local variable
    Ranges unwritten_copies_;      // copies on the host of memory that nobody has written
    struct Origin {
        std::size_t bytes;
        std::uintptr_t from;
    };
    std::map<std::uintptr_t, Origin> origins_;  // of these copies, by where they start
    bool has_host_texts_ = false;               // whether host code is instrumented
    struct EpochLaunch {
        std::string kernel;
        ImageFacts* image;
        kbuild_dim3 grid, block;
        TaskPointer task;
    };
    std::vector<EpochLaunch> launches_of_epochs_;
    TaskOrder order_;
    TaskPointer task_;             // of the launch
    std::vector<char> unordered_;  // by epoch: whether the launch of it is unordered with this one
    ForkSafeMutex uses_mutex_{LockRank::memory_uses};
    std::vector<MemoryUse> uses_;
    std::vector<MemoryUse> late_uses_;  // that were added while a kernel ran
    std::vector<HostUse> host_uses_;
    struct AddressRange {
        std::uintptr_t start;
        std::size_t bytes;
    };
    std::vector<AddressRange> accepted_;
    std::unordered_map<const void*, std::unique_ptr<BlockState>> blocks_;  // by dynamic memory
    std::unordered_map<std::uintptr_t, Knowledge> released_;               // by address
    PendingWrite pending_;
    Findings findings_;

    std::mutex launch_mutex_;
    const Launch* launch_ = nullptr;
    ImageFacts* image_ = nullptr;
    kbuild_cpu_builtins builtins_ = {};
    std::string kernel_;
    bool has_reached_limit_ = false;
    bool has_failed_ = false;  // whether a finding says why the launch fails
    std::uint64_t launches_ = 0;
    unsigned seed_ = 0;  // of the launch; see KBUILD_SEED
    std::uint64_t blocks_begun_ = 0;
    std::uint32_t intervals_ = 0;
    std::uint64_t grid_phase_ = 0;
};

// After each change of the thread, and of what orders accesses.
inline void Checker::note_order() {
    const auto number = static_cast<std::uint32_t>(block_->number);
    now_ = Access(Access::name(number, 0), 0, 0, block_->time);
    block_start_ = Access(Access::name(number, 0), 0, 0, 0).bits();
    barrier_distance_ = Access(0, 0, 0, block_->barrier_time).bits();
    has_only_barriers_ = !block_->has_other_order && block_->time != Access::last_time;
    has_more_order_ = false;
    if (block_->interval == 0 && intervals_ != Repeat::last_interval)
        block_->interval = ++intervals_;
    repeat_ = Repeat(block_->interval, 0);
    note_thread();
}

// After each change of the thread alone.
inline void Checker::note_thread() {
    now_ = now_.by(thread_number_);
    repeat_ = repeat_.by(thread_number_);
    writes_ = block_->writes.data() + thread_number_;
    if (!has_only_barriers_) note_other_order();
}

// The table for instrumented images.
const kbuild_cpu_device_api& instrumented_api();

}  // namespace kbuild::cpu::checks

#endif
