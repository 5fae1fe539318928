// Compares what tasks and the host do with the same memory, if nothing orders them. Cells remember the last launch that
// has accessed a word. Copies, fills, and releases use ranges of memory from the moment that the host adds them.
#include "checks/checker.hpp"

#include <algorithm>
#include <variant>

namespace kbuild::cpu::checks {
namespace {

constexpr std::size_t most_host_uses = std::size_t{1} << 16;

bool overlap(const MemoryUse& a, const MemoryUse& b) {
    return a.start < b.start + b.bytes && b.start < a.start + a.bytes;
}

MemoryUse use_area(const kbuild_cpu_area& area, std::size_t width, std::size_t height,
                   std::size_t depth, bool writes, const char* action) {
    const auto rows = (depth - 1) * area.rows + (height - 1);
    MemoryUse use;
    use.start = reinterpret_cast<std::uintptr_t>(area.start);
    use.bytes = rows * area.pitch + width;
    use.writes = writes;
    use.action = action;
    return use;
}

bool is_empty(std::size_t width, std::size_t height, std::size_t depth) {
    return width == 0 || height == 0 || depth == 0;
}

}  // namespace

// Returns the memory that a task uses besides kernels.
std::vector<MemoryUse> Checker::list_uses(const Operation& operation) const {
    std::vector<MemoryUse> uses;
    if (const auto* const copy = std::get_if<CopyCall>(&operation)) {
        const auto& area = copy->area;
        if (is_empty(area.width, area.height, area.depth)) return uses;
        // Rows with gaps between them would be ranges of their own.
        if (area.height != 1 || area.depth != 1) return uses;
        uses.push_back(use_area(area.to, area.width, 1, 1, true, "copy to the memory"));
        if (copy->staged == nullptr)
            uses.push_back(use_area(area.from, area.width, 1, 1, false, "copy of the memory"));
    } else if (const auto* const fill = std::get_if<FillCall>(&operation)) {
        const auto& area = fill->area;
        if (is_empty(area.width, area.height, area.depth) || area.height != 1 || area.depth != 1)
            return uses;
        uses.push_back(use_area(area.to, area.width, 1, 1, true, "fill of the memory"));
    } else if (const auto* const release = std::get_if<ReleaseCall>(&operation)) {
        const std::lock_guard lock(memory_mutex_);
        const auto* const found = history_.find(reinterpret_cast<std::uintptr_t>(release->pointer));
        if (found != nullptr && !found->is_free)
            uses.push_back({nullptr, found->start, found->bytes, true, "release of the memory"});
    }
    return uses;
}

TaskPointer Checker::add_task(const Operation& operation,
                              const std::vector<TaskPointer>& predecessors) {
    auto task = order_.add(predecessors);
    if (!checks_races_) return task;
    for (auto& use : list_uses(operation)) {
        use.task = task;
        add_use(std::move(use));
    }
    return task;
}

void Checker::add_use(MemoryUse use) {
    const std::lock_guard lock(uses_mutex_);
    const auto is_over = [&](const MemoryUse& other) {
        return other.task->number <= use.task->base;
    };
    uses_.erase(std::remove_if(uses_.begin(), uses_.end(), is_over), uses_.end());
    for (const auto& other : uses_)
        if ((use.writes || other.writes) && overlap(use, other) &&
            !TaskOrder::are_ordered(*use.task, *other.task))
            report_uses(use, other);
    uses_.push_back(use);
    // While a kernel runs, its end does this.
    if (launch_mutex_.try_lock()) {
        compare_use(use, nullptr);
        launch_mutex_.unlock();
    } else {
        late_uses_.push_back(std::move(use));
    }
}

// Compares a use with what launches have done, or one launch. The caller has the mutex of launches.
void Checker::compare_use(const MemoryUse& use, const Task* only) {
    const auto& region = arena_.region();
    if (!region.contains(use.start)) return;
    const auto first = use.task->base;
    const auto is_new = [&](const EpochLaunch& launch) {
        return launch.task != nullptr && launch.task->number > first &&
               !TaskOrder::are_ordered(*launch.task, *use.task);
    };
    // Launches that come before the base have earlier epochs.
    auto last = launches_of_epochs_.rbegin();
    const auto end_of_new = launches_of_epochs_.rend();
    while (last != end_of_new && (last->task == nullptr || last->task->number > first) &&
           !is_new(*last))
        ++last;
    if (last == end_of_new || !is_new(*last)) return;
    const auto end = std::min(use.start + use.bytes, region.start + region.bytes);
    for (auto word = use.start / word_bytes * word_bytes; word < end; word += word_bytes) {
        const auto is_used = [&](Access access) {
            return hits(access, word, use.start, use.bytes);
        };
        const auto* const used = region.find_cell(region.cell(word), [&](const Cell& each) {
            if (each.epoch() == 0 || each.epoch() >= launches_of_epochs_.size()) return false;
            const auto& launch = launches_of_epochs_[each.epoch()];
            return (only == nullptr || launch.task.get() == only) && is_new(launch) &&
                   (is_used(each.write) || (use.writes && is_used(each.read)));
        });
        if (used != nullptr) return report_use(use, *used, word, is_used(used->write));
    }
}

void Checker::finish_uses() {
    if (task_ == nullptr) return;
    const std::lock_guard lock(uses_mutex_);
    for (const auto& use : late_uses_) compare_use(use, nullptr);
    late_uses_.clear();
    for (const auto& use : uses_)
        if (!TaskOrder::are_ordered(*use.task, *task_)) compare_use(use, task_.get());
    for (const auto& use : host_uses_) compare_host_use(use);
    if (!order_.has_pending()) host_uses_.clear();
}

// The cells of memory that the launch uses for the first time tell what an unordered launch did before.
void Checker::begin_uses() {
    task_ = current_task();
    unordered_.assign(launches_of_epochs_.size() + 1, 0);
    has_unordered_ = false;
    if (task_ == nullptr || !checks_races_) return;
    for (auto i = launches_of_epochs_.size(); i-- != 0;) {
        const auto& launch = launches_of_epochs_[i];
        if (launch.task != nullptr && launch.task->number <= task_->base) break;
        if (launch.task == nullptr || TaskOrder::are_ordered(*launch.task, *task_)) continue;
        unordered_[i] = 1;
        has_unordered_ = true;
    }
}

bool Checker::is_unordered(const Cell& cell) const {
    return has_unordered_ && cell.epoch() != 0 && cell.epoch() < unordered_.size() &&
           unordered_[cell.epoch()] != 0;
}

// Returns the line of a read that a later write of this launch can conflict with, or 0.
std::uint32_t Checker::check_other_launch(const Region& region, const Cell& cell, unsigned mask,
                                          Event event) {
    const bool is_write = (event.kind & KBUILD_CPU_WRITES) != 0;
    const bool is_ordinary = (event.kind & (KBUILD_CPU_ATOMIC | KBUILD_CPU_VOLATILE)) == 0;
    const auto conflicts = [&](Access earlier) {
        return earlier.exists() && (earlier.mask() & mask) != 0 &&
               (is_ordinary || earlier.flags() == 0);
    };
    const auto* const used = region.find_cell(cell, [&](const Cell& each) {
        return is_unordered(each) && (conflicts(each.write) || (is_write && conflicts(each.read)));
    });
    if (used != nullptr) {
        const bool is_written = conflicts(used->write);
        const auto site = is_written ? used->write_site() : used->read_site();
        report_other_launch(describe_cell(*used, is_written), site, event);
        return 0;
    }
    const bool is_kept = !cell.is_divided() && is_unordered(cell) && cell.read.mask() == mask &&
                         cell.read.flags() == 0;
    return is_kept ? cell.read_site() : 0;
}

// Cells have no room for the thread that has read, and for its launch.
void Checker::report_unordered_read(std::uint32_t site, Event event) {
    for (auto epoch = unordered_.size(); epoch-- != 0;) {
        if (unordered_[epoch] == 0) continue;
        const auto& launch = launches_of_epochs_[epoch];
        const auto& line = launch.image->find_line(site);
        Place place;
        place.action = "read in kernel " + launch.kernel;
        place.file = line.file;
        place.line = line.line;
        return report_other_launch(std::move(place), site, event);
    }
}

void Checker::report_other_launch(Place other, std::uint32_t site, Event event) {
    const auto key = key_of(207, event.site, site);
    if (findings_.count_again(key)) return;
    Finding finding;
    finding.rule = "KC207";
    finding.kernel = kernel_;
    finding.message = "two kernels access the same memory, and nothing orders their launches";
    finding.place = describe_event(event);
    finding.other = std::move(other);
    finding.memory = describe_memory(event.address);
    findings_.add(std::move(finding), key);
}

// The access of a launch that has ended.
Place Checker::describe_cell(const Cell& cell, bool is_written) const {
    const auto& launch = launches_of_epochs_[cell.epoch()];
    const auto access = is_written ? cell.write : cell.read;
    const auto site = is_written ? cell.write_site() : cell.read_site();
    const auto& line = launch.image->find_line(site);
    Place place;
    place.action = std::string(is_written ? "write" : "read") + " in kernel " + launch.kernel;
    place.file = line.file;
    place.line = line.line;
    place.has_thread = true;
    place.block = find_index(access.block(), launch.grid);
    place.thread = find_index(access.thread(), launch.block);
    return place;
}

void Checker::report_use(const MemoryUse& use, const Cell& cell, std::uintptr_t word,
                         bool is_written) {
    Finding finding;
    finding.rule = "KC207";
    finding.kernel = launches_of_epochs_[cell.epoch()].kernel;
    finding.message =
        "a kernel and another operation access the same memory, and nothing orders them";
    finding.place = describe_cell(cell, is_written);
    finding.other.action = use.action;
    finding.memory = describe_allocation(word);
    findings_.add(std::move(finding));
}

void Checker::report_uses(const MemoryUse& use, const MemoryUse& other) {
    Finding finding;
    finding.rule = "KC207";
    finding.message = "two operations access the same memory, and nothing orders them";
    finding.place.action = use.action;
    finding.other.action = other.action;
    finding.memory = describe_allocation(std::max(use.start, other.start));
    findings_.add(std::move(finding));
}

// The host accesses memory that kernels and copies can access, too. Atomic and volatile accesses can wait for
// kernels.
void Checker::check_host_use(std::uintptr_t address, std::size_t bytes, bool writes, bool is_flag,
                             const void* site) {
    if (!checks_races_ || !order_.has_pending() || current_task() != nullptr) return;
    if (is_flag) return order_.join_all();
    const HostUse use = {address, bytes, writes, site, order_.now()};
    const std::lock_guard lock(uses_mutex_);
    for (const auto& other : uses_) {
        if (!(writes || other.writes) || address >= other.start + other.bytes ||
            other.start >= address + bytes || !order_.is_running(*other.task, use.time))
            continue;
        Finding finding;
        finding.rule = "KC208";
        finding.message = "host code accesses memory while an operation can use it";
        finding.other.action = other.action;
        report_host_use(use, std::move(finding));
        break;
    }
    if (!keep_host_use(use))
        return findings_.note_limit("host code accessed memory more than " +
                                    std::to_string(most_host_uses) +
                                    " times while kernels could run");
    if (launch_mutex_.try_lock()) {
        compare_host_use(use);
        launch_mutex_.unlock();
    }
}

// Keeps the use for launches that end later. A loop uses one range. Returns false if there are too many.
bool Checker::keep_host_use(const HostUse& use) {
    constexpr std::size_t farthest = 16;
    const auto count = std::min(host_uses_.size(), farthest);
    for (auto place = host_uses_.rbegin(); place != host_uses_.rbegin() + count; ++place) {
        const auto end = place->start + place->bytes;
        if (place->site != use.site || place->time != use.time || use.start < place->start ||
            use.start > end)
            continue;
        place->bytes = std::max(end, use.start + use.bytes) - place->start;
        return true;
    }
    if (host_uses_.size() == most_host_uses) return false;
    host_uses_.push_back(use);
    return true;
}

void Checker::compare_host_use(const HostUse& use) {
    const auto& region = arena_.region();
    for (auto word = use.start / word_bytes * word_bytes; word < use.start + use.bytes;
         word += word_bytes) {
        if (!region.contains(word)) return;
        const auto conflicts = [&](Access access) {
            return access.flags() == 0 && hits(access, word, use.start, use.bytes);
        };
        const auto* const used = region.find_cell(region.cell(word), [&](const Cell& each) {
            if (each.epoch() == 0 || each.epoch() >= launches_of_epochs_.size()) return false;
            const auto& task = launches_of_epochs_[each.epoch()].task;
            return task != nullptr && order_.is_running(*task, use.time) &&
                   (conflicts(each.write) || (use.writes && conflicts(each.read)));
        });
        if (used == nullptr) continue;
        Finding finding;
        finding.rule = "KC208";
        finding.kernel = launches_of_epochs_[used->epoch()].kernel;
        finding.message = "host code accesses memory while a kernel that uses it can run";
        finding.other = describe_cell(*used, conflicts(used->write));
        return report_host_use(use, std::move(finding));
    }
}

// Returns whether there is an access to a word, and to some of the bytes.
bool Checker::hits(Access access, std::uintptr_t word, std::uintptr_t start, std::size_t bytes) {
    for (unsigned i = 0; i < word_bytes; ++i)
        if ((access.mask() >> i & 1) != 0 && word + i - start < bytes) return true;
    return false;
}

void Checker::report_host_use(const HostUse& use, Finding finding) {
    const auto line = find_host_line(use.site);
    finding.place.action = std::string(use.writes ? "write" : "read") + " of " +
                           count_bytes(use.bytes) + " in host code";
    finding.place.file = line.file;
    finding.place.line = line.line;
    finding.memory = describe_allocation(use.start);
    findings_.add(std::move(finding));
}

}  // namespace kbuild::cpu::checks
