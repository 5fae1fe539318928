#include "checks/checker.hpp"

#include "api/errors.hpp"
#include "devices/properties.hpp"
#include "fibers/stacks.hpp"
#include "launches/block_order.hpp"
#include "launches/report.hpp"
#include "memory/allocations.hpp"
#include "memory/pools.hpp"
#include "loader.hpp"
#include <kbuild/cpu_runtime.h>
#include "streams/stream_table.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <pthread.h>
#include <thread>
#include <unistd.h>

namespace kbuild::cpu::checks {
namespace {

Finding describe_failure(const std::string& kernel, int error) {
    Finding finding;
    finding.rule = "KC703";
    finding.kernel = kernel;
    finding.message = std::string("the kernel fails: ") + kbuild_cpu_error_name(error) + " (" +
                      kbuild_cpu_error_text(error) + ")";
    return finding;
}

// The table says how threads run, and possibly why.
std::string model_of(const Launch& launch) {
    const std::string text = launch.kernel.execution == nullptr ? "" : launch.kernel.execution;
    return text.empty() ? "fibers" : text.substr(0, text.find(':'));
}

// What ends a process can be the handler of a signal that has interrupted a kernel, or a task that others wait for. If
// the work takes too long, the journal says that the process has not been checked to its end.
template <class Work>
void do_in_time(Work work) {
    constexpr std::chrono::seconds longest(10);
    try {
        const auto done = std::make_shared<std::promise<void>>();
        std::thread([done, work] {
            work();
            done->set_value();
        }).detach();
        done->get_future().wait_for(longest);
    } catch (const std::exception&) {
        // Without a thread, the process ends before its check, too.
    }
}

}  // namespace

bool is_active() noexcept { return Checker::find() != nullptr || settings().is_requested; }

Checker& Checker::instance() {
    pin_this_library();
    static Checker* const checker = [] {
        auto* const created = new Checker;  // exit handlers of the program can launch kernels
        process_ = created;
        std::atexit([] { process_.load()->finish(); });
        at_quick_exit([] {
            process_.load()->finish();
            process_.load()->end_process();
        });
        pthread_atfork(
            nullptr, [] { process_.load()->findings_.note_fork(); },
            [] { process_.load()->restart(); });
        return created;
    }();
    return *checker;
}

// Comes after the exit handlers and the destructors of the program, which can set another exit status.
__attribute__((destructor(101))) static void end_process() {
    if (auto* const checker = Checker::find()) checker->end_process();
}

// Programs can allocate memory before they load an image.
void start() {
    const bool was_active = is_active();
    auto& checker = Checker::instance();
    if (was_active) return;
    for (const auto& allocation : Allocations::instance().list())
        checker.add_memory(allocation.base, allocation.bytes, allocation.kind);
}

Checker::Checker()
    : stack_bytes_(kbuild::cpu::stack_bytes()),
      private_bytes_(stack_bytes_),
      settings_(checks::settings()) {
    checks_races_ = settings_.race;
    checks_init_ = settings_.init;
}

void Checker::add_image(const std::string& path, const kbuild_cpu_image& table, const void* base,
                        const StorageLayout& storage) {
    auto image = std::make_unique<ImageFacts>(path, table, base, storage);
    const std::lock_guard no_launch(launch_mutex_);
    const std::lock_guard lock(memory_mutex_);
    images_.push_back(std::move(image));
    findings_.note_image();
}

// In a forked child, the thread that ran a kernel does not exist, and what it was changing is forgotten. Whatever the
// program has queued is lost or done.
void Checker::restart() {
    abandon(launch_mutex_);
    launch_ = nullptr;
    use_block(none_, 0);
    has_pending_ = false;
    abandon(task_);
    abandon(kernel_);
    abandon(blocks_);
    abandon(released_);
    abandon(launches_of_epochs_);
    abandon(unordered_);
    abandon(accepted_pages_);
    abandon(arena_.region().bytes_of_words);
    for (auto& other : others_) abandon(other->bytes_of_words);
    for (auto& image : images_) image->restart();
    late_uses_.clear();
    uses_.clear();
    host_uses_.clear();
    order_.join_all();
    inherited_ = history_.count();
    findings_.restart();
}

void Checker::accept(const void* start, std::size_t bytes) {
    const std::lock_guard lock(memory_mutex_);
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const auto is_known = [&](const AddressRange& range) { return range.start == address; };
    if (std::none_of(accepted_.begin(), accepted_.end(), is_known))
        accepted_.push_back({address, bytes});
}

void Checker::begin_launch(const Launch& launch) {
    launch_mutex_.lock();
    launch_ = &launch;
    ++launches_;
    seed_ = read_seed();
    grid_phase_ = 0;
    image_ = nullptr;
    for (const auto& image : images_)
        if (&image->table() == &launch.image) image_ = image.get();
    launch.image.builtins(&builtins_);
    image_base_ = image_->base();
    data_ = &image_->data();
    run_sites_ = image_->run_sites().data();
    code_bytes_ = image_->run_sites().size();
    storage_start_ = reinterpret_cast<std::uintptr_t>(builtins_.thread_idx) +
                     static_cast<std::uintptr_t>(image_->storage().start);
    storage_bytes_ = image_->storage().bytes;
    kernel_ = kernel_name(launch);
    has_failed_ = false;
    findings_.begin_launch(kernel_, model_of(launch), launch.block_count,
                           launch.block_count * launch.threads_per_block, true);
    released_.clear();
    use_block(none_, 0);
    if (launch.block_count > Access::block_mask)
        findings_.note_limit("a grid has more than " + std::to_string(Access::block_mask) +
                             " blocks, of which some are not told apart");
    begin_uses();
    next_epoch();
}

void Checker::end_launch(int error) {
    judge_pending_write();
    finish_uses();
    launch_ = nullptr;
    use_block(none_, 0);
    if (error != 0 && !has_failed_) findings_.add(describe_failure(kernel_, error));
    findings_.end_launch(kernel_, error != 0);
    launch_mutex_.unlock();
}

void Checker::report_failure(int error, Place place) {
    auto finding = describe_failure(kernel_, error);
    finding.place = std::move(place);
    findings_.add(std::move(finding));
    has_failed_ = true;
}

Place Checker::place_here(const void* site) const {
    return make_place("end of the kernel", site_of(site), *block_, thread_number_);
}

void Checker::begin_unchecked(const Launch& launch) {
    const auto name = kernel_name(launch);
    findings_.begin_launch(name, model_of(launch), launch.block_count,
                           launch.block_count * launch.threads_per_block, false);
    Finding finding;
    finding.rule = "KC707";
    finding.kernel = name;
    finding.message = "the kernel is not instrumented, so it was not checked";
    findings_.add(std::move(finding));
}

void Checker::end_unchecked(const Launch& launch) {
    const auto name = kernel_name(launch);
    if (launch.error() != 0) findings_.add(describe_failure(name, launch.error()));
    findings_.end_launch(name, launch.error() != 0);
}

// All accesses so far happen before all later ones. After the last number, cells of the first ones could
// look current.
void Checker::next_epoch() {
    auto& arena = arena_.region();
    if (arena.epoch == UINT16_MAX) {
        arena.epoch = 0;
        const std::lock_guard lock(memory_mutex_);
        for (const auto& allocation : history_.list_live())
            if (arena.contains(allocation.start))
                for (std::size_t i = 0; i < allocation.bytes; i += word_bytes)
                    arena.cell(allocation.start + i).set_epoch(0);
        for (auto& image : images_)
            for (std::size_t i = 0; i < image->data().bytes; i += word_bytes)
                image->data().cell(image->data().start + i).set_epoch(0);
        for (auto& other : others_)
            for (std::size_t i = 0; i < other->bytes; i += word_bytes)
                other->cell(other->start + i).set_epoch(0);
    }
    // Launches that the program has already added can be unordered with earlier ones, too.
    const bool keeps_bytes = arena.epoch != 0 && task_ != nullptr &&
                             (has_unordered_ || order_.has_others_pending(*task_));
    arena.begin_epoch(static_cast<std::uint16_t>(arena.epoch + 1), keeps_bytes);
    launches_of_epochs_.resize(arena.epoch);
    launches_of_epochs_.push_back({kernel_, image_, launch_->grid, launch_->block, task_});
    for (auto& image : images_) image->data().begin_epoch(arena.epoch, keeps_bytes);
    const std::lock_guard lock(memory_mutex_);
    for (auto& other : others_) other->begin_epoch(arena.epoch, keeps_bytes);
}

void Checker::note_stuck(const std::string& text) {
    if (!settings_.barrier) return;
    has_failed_ = true;
    Finding finding;
    finding.rule = "KC303";
    finding.kernel = kernel_;
    finding.message = "the kernel cannot continue: " + text;
    findings_.add(std::move(finding));
}

void Checker::add_memory(const void* start, std::size_t bytes, kbuild_cpu_memory_kind kind,
                         bool is_heap) {
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const std::lock_guard lock(memory_mutex_);
    history_.add(address, bytes, kind, is_heap);
    if (kind != KBUILD_CPU_MEMORY_REGISTERED) findings_.count_memory(1);
    if (arena_.contains(start)) {
        auto& region = arena_.region();
        clear_cells(region, address, bytes);
        written_.remove(address, bytes);
        if (kind == KBUILD_CPU_MEMORY_DEVICE || kind == KBUILD_CPU_MEMORY_MANAGED) {
            if (checks_init_) fill_fresh(const_cast<void*>(start), bytes);
        } else {
            written_.add(address, bytes);
        }
        return;
    }
    add_other(address, bytes);
}

Region& Checker::add_other(std::uintptr_t address, std::size_t bytes) {
    auto other = std::make_unique<Region>();
    other->start = address / word_bytes * word_bytes;
    other->bytes = address + bytes - other->start;
    other->begin_epoch(arena_.region().epoch);
    map_cells(*other);
    others_.push_back(std::move(other));
    return *others_.back();
}

// Managed variables of mixed sources are in the program, and have initial values.
const Region& Checker::add_variables(std::uintptr_t address) {
    constexpr std::uintptr_t page = 4096;
    const std::lock_guard lock(memory_mutex_);
    auto& added = add_other(address / page * page, page);
    added.is_initialized = true;
    return added;
}

void* Checker::allocate_heap(std::size_t bytes) {
    void* const memory = arena_.allocate(bytes);
    add_memory(memory, bytes, KBUILD_CPU_MEMORY_DEVICE, true);
    return memory;
}

void Checker::remove_memory(const void* start) {
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    if (checks_init_ && arena_.contains(start)) check_locals_of(address);
    const std::lock_guard lock(memory_mutex_);
    const auto removed = history_.remove(address);
    if (!removed) return;
    if (removed->kind != KBUILD_CPU_MEMORY_REGISTERED) findings_.count_memory(-1);
    if (arena_.contains(start)) {
        clear_cells(arena_.region(), address, removed->bytes);
        clear_memory(const_cast<void*>(start), removed->bytes);
        return;
    }
    for (auto place = others_.begin(); place != others_.end(); ++place)
        if ((*place)->start == address / word_bytes * word_bytes && !(*place)->is_initialized) {
            others_.erase(place);
            return;
        }
}

// Runs what the program has queued. A task that ends the process cannot wait for itself.
void Checker::synchronize() {
    if (current_task() != nullptr) return;
    try {
        Streams::instance().synchronize_all();
    } catch (const std::exception&) {
        // The findings so far remain.
    }
}

void Checker::finish() {
    report_leaks();
    report_lines();
    findings_.note_end();
}

// Without a report that somebody reads, the exit status says it.
void Checker::end_process() {
    if (!settings_.report_directory.empty()) return;
    findings_.await_forked();
    if (findings_.has_checked_nothing())
        std::fputs("kbuild: no kernel ran, so the checks have checked nothing\n", stderr);
    std::fflush(nullptr);
    if (findings_.has_errors()) _exit(1);
}

void Checker::leave_process() {
    do_in_time([this] { finish(); });
    end_process();
}

// Memory belongs to the process until it ends, so the check for leaks does not run.
void Checker::leave_program() {
    do_in_time([this] { synchronize(); });
    end_process();
}

void Checker::report_lines() {
    CoveredLines all;
    for (const auto& image : images_)
        for (const auto& [source, lines] : image->list_lines())
            for (const auto& [line, has_run] : lines) {
                auto& known = all[source][line];
                known = known || has_run;
            }
    for (const auto& [source, lines] : all) findings_.note_lines(source, lines);
}

void Checker::report_leaks() {
    synchronize();
    // After a failure, programs cannot free memory.
    if (!settings_.leak || broken_device() != 0) return;
    const auto live = [&] {
        const std::lock_guard lock(memory_mutex_);
        return history_.list_live();
    }();
    for (const auto& allocation : live) {
        if (allocation.kind == KBUILD_CPU_MEMORY_REGISTERED) continue;
        if (allocation.number <= inherited_) continue;
        // The memory of a graph exists as long as the graph, whether or not its nodes have freed it.
        if (GraphMemory::contains(reinterpret_cast<const void*>(allocation.start))) continue;
        Finding finding;
        finding.rule = "KC501";
        finding.message = name_allocation(allocation) + " is not freed";
        finding.place.line = static_cast<unsigned>(allocation.number);
        findings_.add(std::move(finding));
    }
}

BlockState& Checker::state_of(const void* dynamic) {
    auto& state = blocks_[dynamic];
    if (state == nullptr) {
        state = std::make_unique<BlockState>();
        state->dynamic.start = reinterpret_cast<std::uintptr_t>(dynamic);
        state->dynamic.bytes = most_shared_bytes;
        state->dynamic.is_shared = state->dynamic.is_dynamic = true;
        map_cells(state->dynamic);
    }
    return *state;
}

std::uint64_t Checker::number_of(const kbuild_dim3& index) const noexcept {
    const auto& grid = launch_->grid;
    return (std::uint64_t{index.z} * grid.y + index.y) * grid.x + index.x;
}

// Lets the memory belong to another block, unless it does.
void Checker::begin_block(BlockState& block, const kbuild_dim3& index) {
    const auto number = number_of(index);
    if (block.launch == launches_ && block.number == number) return;
    block.serial = ++blocks_begun_;
    block.launch = launches_;
    block.number = number;
    block.index = index;
    block.cluster.clear();
    block.cluster_barriers = 0;
    block.time = 1;
    block.interval = 0;
    block.barrier_time = block.barriers = block.arrivals = 0;
    block.barrier_call = nullptr;
    block.acquired.clear();
    block.has_acquired = block.has_volatile_writes = block.has_other_order = false;
    block.has_copies = false;
    if (block.threads.size() < launch_->threads_per_block)
        block.threads.resize(launch_->threads_per_block);
    block.writes.assign(launch_->threads_per_block, nothing_written);
    if (block.statics_image != image_) {
        block.statics_image = image_;
        block.statics = Region();
        block.statics.bytes = (image_->shared_bytes() + word_bytes - 1) / word_bytes * word_bytes;
        block.statics.start = reinterpret_cast<std::uintptr_t>(map_memory(block.statics.bytes));
        block.statics.is_shared = true;
        map_cells(block.statics);
    }
    if (block.dynamic_bytes != launch_->shared_bytes || block.dynamic.epoch == UINT16_MAX) {
        block.dynamic_bytes = launch_->shared_bytes;
        clear_cells(block.dynamic, block.dynamic.start, block.dynamic.bytes);
        block.dynamic.epoch = 0;
    }
    if (block.statics.epoch == UINT16_MAX) {
        clear_cells(block.statics, block.statics.start, block.statics.bytes);
        block.statics.epoch = 0;
    }
    for (auto* const region : {&block.dynamic, &block.statics})
        region->begin_epoch(static_cast<std::uint16_t>(region->epoch + 1));
}

// Makes the block of the running thread the current one.
void Checker::find_current_block() {
    if (has_pending_) judge_pending_write();
    const auto& index = *builtins_.block_idx;
    const auto& current = block_->index;
    if (block_->launch == launches_ && current.x == index.x && current.y == index.y &&
        current.z == index.z &&
        block_->dynamic.start == reinterpret_cast<std::uintptr_t>(builtins_.shared->dynamic))
        return;
    auto& block = state_of(builtins_.shared->dynamic);
    begin_block(block, index);
    block_ = &block;
}

void Checker::use_block(BlockState& block, std::uint32_t thread) {
    block_ = &block;
    thread_number_ = thread;
}

void Checker::begin_thread() {
    find_current_block();
    const auto& index = *builtins_.thread_idx;
    thread_number_ = (index.z * launch_->block.y + index.y) * launch_->block.x + index.x;
    private_bytes_ = stack_bytes_;
    note_order();
}

void Checker::begin_threads() {
    find_current_block();
    private_bytes_ = first_stack_bytes();
    thread_number_ = 0;
    note_order();
}

void Checker::resume(ThreadState* thread) {
    if (has_pending_) judge_pending_write();  // of the thread that ran before
    thread_number_ = thread->number;
    block_ = thread->block;
    note_order();
}

// Not in the usual case.
void Checker::note_other_order() {
    const auto& current = thread();
    has_more_order_ = current.warp_time > block_->barrier_time || current.lane_times != nullptr ||
                      current.acquired.exists() || current.unfenced.exists() ||
                      block_->acquired.exists() || block_->time == Access::last_time;
    repeat_ = Repeat(has_more_order_ ? 0 : block_->interval, thread_number_);
    if (block_->time == Access::last_time && !has_reached_limit_) {
        has_reached_limit_ = true;
        findings_.note_limit("a block synchronized more than " + std::to_string(Access::last_time) +
                             " times, so later races within it were not found");
    }
}

void* Checker::find_shared(const void* place) {
    const auto offset = reinterpret_cast<std::uintptr_t>(place) - storage_start_;
    const auto* const variable = image_->find_place(offset);
    if (variable == nullptr) {  // of kbuild's own headers
        const auto start = storage_start_ + builtins_.shared->offset;
        accept(reinterpret_cast<const void*>(start), storage_bytes_);
        return reinterpret_cast<void*>(start + offset);
    }
    return reinterpret_cast<void*>(block_->statics.start + variable->place);
}

void Checker::arrive_at_barrier(const kbuild_cpu_call& call) {
    auto& block = *block_;
    if (block.arrivals++ == 0) {
        block.first_call = call;
        block.barrier_call = &block.first_call;
        block.first_thread = thread_number_;
        return;
    }
    const auto& first = block.first_call;
    if (call.line == first.line && call.function == first.function && call.file == first.file)
        return;
    if (!settings_.barrier || is_same_site(call, first)) return;
    const auto place_of = [&](const kbuild_cpu_call& at, std::uint32_t thread) {
        auto place = make_place(std::string("barrier ") + at.function, 0, block, thread);
        if (at.file != nullptr) place.file = at.file;
        place.line = at.line;
        return place;
    };
    Finding finding;
    finding.rule = "KC302";
    finding.kernel = kernel_;
    finding.message = "threads of a block meet at two different barriers";
    finding.place = place_of(call, thread_number_);
    finding.other = place_of(block.first_call, block.first_thread);
    findings_.add(std::move(finding));
}

// The first thread that continues stands for all: the others have arrived, too, or have exited.
void Checker::leave_barrier() {
    auto& block = *block_;
    auto& self = thread();
    *writes_ |= has_written;
    if (++self.barriers <= block.barriers) return;
    block.barriers = self.barriers;
    open_barrier();
}

void Checker::pass_barrier(const kbuild_cpu_call& call, std::uint32_t first, std::uint32_t count) {
    if (has_pending_) judge_pending_write();
    auto& block = *block_;
    block.first_call = call;
    block.first_thread = first;
    block.arrivals = count;
    ++block.barriers;
    thread_number_ = first;
    for (auto& writes : block.writes) writes |= has_written;
    open_barrier();
}

// The accesses of the block so far happen before what follows.
void Checker::open_barrier() {
    auto& block = *block_;
    block.barrier_time = block.advance();
    for (std::uint32_t i = 0; block.has_acquired && i < launch_->threads_per_block; ++i) {
        auto& thread = block.find_thread(i, grid_phase_);
        thread.finish_acquire();
        block.acquired.add(thread.acquired);
    }
    note_order();
    const auto missing = launch_->threads_per_block - block.arrivals;
    block.arrivals = 0;
    if (missing == 0 || !settings_.barrier) return;
    Finding finding;
    finding.rule = "KC301";
    finding.kernel = kernel_;
    finding.message = std::to_string(missing) + " of " +
                      std::to_string(launch_->threads_per_block) +
                      " threads of the block do not reach the barrier, because they have exited";
    finding.place = make_place(std::string("barrier ") + block.first_call.function, 0, block,
                               block.first_thread);
    if (block.first_call.file != nullptr) finding.place.file = block.first_call.file;
    finding.place.line = block.first_call.line;
    findings_.add(std::move(finding));
}

void Checker::leave_grid_barrier() {
    auto& self = thread();
    if (++self.grid_phases <= grid_phase_) return;
    grid_phase_ = self.grid_phases;
    next_epoch();
    for (auto& [dynamic, block] : blocks_)
        if (block->launch == launches_) block->barrier_time = block->advance();
    note_order();
}

const void* Checker::dynamic_memory() const noexcept {
    return reinterpret_cast<const void*>(block_->dynamic.start);
}

// The others may not have started.
void Checker::set_cluster(const std::vector<const void*>& memories) {
    const auto& extent = launch_->cluster;
    const auto& own = block_->index;
    const kbuild_dim3 first = {own.x / extent.x * extent.x, own.y / extent.y * extent.y,
                               own.z / extent.z * extent.z};
    std::vector<BlockState*> cluster;
    for (const auto* const memory : memories) {
        const auto rank = static_cast<std::uint32_t>(cluster.size());
        auto& block = state_of(memory);
        begin_block(block, {first.x + rank % extent.x, first.y + rank / extent.x % extent.y,
                            first.z + rank / extent.x / extent.y});
        cluster.push_back(&block);
    }
    for (auto* const block : cluster) block->cluster = cluster;
}

void* Checker::map_shared(const void* address, std::uint32_t rank) const noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    const auto& other = *block_->cluster[rank];
    if (block_->dynamic.contains(place))
        return reinterpret_cast<void*>(place - block_->dynamic.start + other.dynamic.start);
    if (block_->statics.contains(place))
        return reinterpret_cast<void*>(place - block_->statics.start + other.statics.start);
    return nullptr;
}

std::uint32_t Checker::find_shared_rank(const void* address) const noexcept {
    std::uint32_t rank = 0;
    for (const auto* const block : block_->cluster) {
        if (block->has_memory_at(reinterpret_cast<std::uintptr_t>(address))) break;
        ++rank;
    }
    return rank;
}

// The first thread that continues stands for all. The accesses of all blocks so far happen before what follows.
void Checker::leave_cluster_barrier() {
    *writes_ |= has_written;
    auto& self = thread();
    if (++self.cluster_barriers <= block_->cluster_barriers) return;
    Knowledge known;
    for (auto* const block : block_->cluster) {
        block->cluster_barriers = self.cluster_barriers;
        block->barrier_time = block->advance();
        known.add(block->acquired);
        for (std::uint32_t i = 0; block->has_acquired && i < launch_->threads_per_block; ++i) {
            auto& thread = block->find_thread(i, grid_phase_);
            thread.finish_acquire();
            known.add(thread.acquired);
        }
        known.add_block(static_cast<std::uint32_t>(block->number), block->barrier_time,
                        KBUILD_CPU_ALL_THREADS);
    }
    for (auto* const block : block_->cluster) {
        block->acquired.add(known);
        block->has_other_order = true;
    }
    note_order();
}

// Threads of a warp need not be active together, even behind the same branch (CUDA C++ Programming Guide, "Warp Vote
// Functions"). Which bit of the lane's number divides them depends on the seed.
std::uint64_t Checker::choose_lanes(unsigned warp_size) const noexcept {
    if (seed_ == 0) return ~std::uint64_t{0};
    const auto bit = (seed_ - 1) % 5;
    const auto own = thread_number_ % warp_size >> bit & 1;
    std::uint64_t lanes = 0;
    for (unsigned lane = 0; lane < warp_size; ++lane)
        if ((lane >> bit & 1) == own) lanes |= std::uint64_t{1} << lane;
    return lanes;
}

// The first lane that continues stands for all that have arrived.
void Checker::end_exchange(const kbuild_cpu_lanes& lanes, unsigned warp_size) {
    if (!thread().is_exchanging) return;
    auto& block = *block_;
    const auto first = thread_number_ / warp_size * warp_size;
    const auto count = std::min<std::uint32_t>(warp_size, launch_->threads_per_block - first);
    const auto everyone = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    const auto now = block.advance();
    block.has_other_order = true;
    const bool is_whole = lanes.arrived == everyone;
    Knowledge acquired;
    std::array<std::uint32_t, warp_lanes> known = {};
    std::uint32_t warp_time = 0;
    for (std::uint32_t lane = 0; lane < count; ++lane) {
        if ((lanes.arrived >> lane & 1) == 0) continue;
        auto& thread = block.find_thread(first + lane, grid_phase_);
        thread.finish_acquire();
        acquired.add(thread.acquired);
        warp_time = std::max(warp_time, thread.warp_time);
        known[lane] = now;
        if (!is_whole && thread.lane_times != nullptr)
            for (std::uint32_t i = 0; i < count; ++i)
                known[i] = std::max(known[i], (*thread.lane_times)[i]);
    }
    for (std::uint32_t lane = 0; lane < count; ++lane) {
        if ((lanes.arrived >> lane & 1) == 0) continue;
        auto& thread = block.find_thread(first + lane, grid_phase_);
        thread.is_exchanging = false;
        thread.acquired.add(acquired);
        block.has_acquired |= acquired.exists();
        thread.warp_time = is_whole ? now : warp_time;
        if (is_whole) continue;
        if (thread.lane_times == nullptr)
            thread.lane_times = std::make_unique<std::array<std::uint32_t, warp_lanes>>();
        *thread.lane_times = known;
    }
    note_order();
}

}  // namespace kbuild::cpu::checks
