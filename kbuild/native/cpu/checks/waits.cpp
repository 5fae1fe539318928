// The functions that instrumented device code calls. Those that can suspend a thread are the ordinary ones:
// when they return, the thread is the current one again.
#include "checks/checker.hpp"
#include "launches/runner.hpp"

#include <kbuild/detail/cpu_device_runtime.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace kbuild::cpu::checks {
namespace {

const kbuild_cpu_device_api& plain() { return BlockRunner::device_api; }

// The process has loaded an instrumented image.
Checker& checker() { return *Checker::find(); }

const std::uint64_t* barrier(void* runner, const kbuild_cpu_call* call, std::uint64_t value) {
    auto& all = checker();
    auto* const self = all.current();
    all.arrive_at_barrier(*call);
    __builtin_prefetch(self + 1, 1);  // the next one continues
    const auto* const sum = plain().barrier(runner, call, value);
    all.resume(self);
    all.leave_barrier();
    return all.accept_result(sum);
}

// CUDA's shuffle, vote, match, and reduce functions guarantee no memory ordering (CUDA C++ Programming Guide, "Warp
// Shuffle Functions", "Warp Vote Functions"). `__syncwarp` and groups do.
bool orders_memory(const kbuild_cpu_call& call) {
    const std::string_view name = call.function, suffix = "_sync";
    return name.size() < suffix.size() || name.substr(name.size() - suffix.size()) != suffix;
}

const kbuild_cpu_lanes* exchange(void* runner, const kbuild_cpu_call* call, std::uint64_t mask,
                                 std::uint64_t value) {
    auto& all = checker();
    auto* const self = all.current();
    const bool is_ordering = orders_memory(*call);
    if (is_ordering) all.begin_exchange();
    const auto* const lanes = plain().exchange(runner, call, mask, value);
    all.resume(self);
    if (is_ordering) all.end_exchange(*lanes, call->warp_size);
    return all.accept_result(lanes);
}

std::uint64_t converge(void* runner, const kbuild_cpu_call* call, const volatile char* place) {
    auto& all = checker();
    auto* const self = all.current();
    const auto mask = plain().converge(runner, call, place);
    all.resume(self);
    return mask & all.choose_lanes(call->warp_size);
}

void grid_barrier(void* runner, const kbuild_cpu_call* call) {
    auto& all = checker();
    auto* const self = all.current();
    plain().grid_barrier(runner, call);
    all.resume(self);
    all.leave_grid_barrier();
}

// Finds the blocks of the cluster, before anything depends on them.
void join_cluster(void* runner, const kbuild_cpu_call* call) {
    auto& all = checker();
    if (all.has_cluster()) return;
    std::vector<const void*> memories;
    for (unsigned rank = 0; rank < all.cluster_blocks(); ++rank)
        memories.push_back(plain().map_shared(runner, call, all.dynamic_memory(), rank));
    all.set_cluster(memories);
}

void cluster_barrier(void* runner, const kbuild_cpu_call* call) {
    auto& all = checker();
    auto* const self = all.current();
    join_cluster(runner, call);
    plain().cluster_barrier(runner, call);
    all.resume(self);
    all.leave_cluster_barrier();
}

const kbuild_dim3* cluster_extent(void* runner) {
    return checker().accept_result(plain().cluster_extent(runner));
}

void* map_shared(void* runner, const kbuild_cpu_call* call, const void* address, unsigned rank) {
    auto& all = checker();
    if (all.cluster_blocks() == 1 || rank >= all.cluster_blocks())
        return rank == 0 ? const_cast<void*>(address)
                         : plain().map_shared(runner, call, address, rank);
    join_cluster(runner, call);
    void* const found = all.map_shared(address, rank);
    return found != nullptr ? found : plain().map_shared(runner, call, address, rank);
}

unsigned find_shared_rank(void* runner, const kbuild_cpu_call* call, const void* address) {
    auto& all = checker();
    if (all.cluster_blocks() == 1) return 0;
    join_cluster(runner, call);
    const auto rank = all.find_shared_rank(address);
    return rank < all.cluster_blocks() ? rank : plain().find_shared_rank(runner, call, address);
}

void spin(void* runner, const kbuild_cpu_call* call, unsigned weight) {
    auto& all = checker();
    auto* const self = all.current();
    if (std::strncmp(call->function, "__threadfence", 13) == 0)
        all.fence(std::strcmp(call->function, "__threadfence_block") == 0
                      ? KBUILD_CPU_THREADS_OF_BLOCK
                      : KBUILD_CPU_ALL_THREADS);
    plain().spin(runner, call, weight);
    all.resume(self);
}

int is_cooperative(void* runner) { return plain().is_cooperative(runner); }
void fail(void* runner, const kbuild_cpu_call* call, const char* reason) {
    plain().fail(runner, call, reason);
}
void trap(void* runner, kbuild_cpu_error error) {
    auto& all = checker();
    all.report_failure(error, all.place_here(__builtin_return_address(0)));
    plain().trap(runner, error);
}
void fail_assertion(void* runner, const char* condition, const char* file, unsigned line,
                    const char* function) {
    auto& all = checker();
    auto place = all.place_here(nullptr);
    place.action = std::string("assertion `") + condition + "`";
    place.file = file;
    place.line = line;
    all.report_failure(KBUILD_CPU_ASSERTION, std::move(place));
    plain().fail_assertion(runner, condition, file, line, function);
}

void access(const void* address, std::size_t bytes, unsigned kind, const void* site) {
    checker().check_access(reinterpret_cast<std::uintptr_t>(address), bytes, kind, site);
}
void fence(kbuild_cpu_scope scope) { checker().fence(scope); }
void set_scope(kbuild_cpu_scope scope) { checker().current()->scope = scope; }
void begin_thread() { checker().begin_thread(); }
void begin_threads() { checker().begin_threads(); }
void enter_thread(unsigned number) { checker().enter_thread(number); }
void pass_barrier(const kbuild_cpu_call* call, unsigned number, unsigned count) {
    checker().pass_barrier(*call, number, count);
}
void issue_copy(const void* to, std::size_t bytes) { checker().issue_copy(to, bytes, false); }
void read_by_copy(const void* from, std::size_t bytes) { checker().issue_copy(from, bytes, true); }
void commit_copies(const void* barrier) { checker().commit_copies(barrier); }
void finish_copies(const void* barrier, std::size_t prior) {
    checker().finish_copies(barrier, prior);
}
void* find_shared(const void* place) { return checker().find_shared(place); }
void report(kbuild_cpu_mistake mistake, std::uint64_t value, std::uint64_t limit,
            const void* site) {
    checker().report_mistake(mistake, value, limit, site);
}

void* allocate(std::size_t bytes, const void*) {
    try {
        return checker().allocate_heap(std::max<std::size_t>(bytes, 1));
    } catch (const std::exception&) {
        return nullptr;
    }
}
void release(void* address, const void*) {
    if (address != nullptr) checker().remove_memory(address);
}

const kbuild_cpu_checks hooks = {
    {Checker::check_plain<0, false>, Checker::check_plain<1, false>, Checker::check_plain<2, false>,
     Checker::check_plain<3, false>, Checker::check_plain<4, false>},
    {Checker::check_plain<0, true>, Checker::check_plain<1, true>, Checker::check_plain<2, true>,
     Checker::check_plain<3, true>, Checker::check_plain<4, true>},
    access,
    fence,
    set_scope,
    begin_thread,
    find_shared,
    report,
    allocate,
    release,
    begin_threads,
    enter_thread,
    pass_barrier,
    issue_copy,
    commit_copies,
    finish_copies,
    read_by_copy,
};

}  // namespace

const kbuild_cpu_device_api& instrumented_api() {
    static const kbuild_cpu_device_api api = {
        barrier, exchange,       converge,       grid_barrier,    cluster_barrier,
        spin,    is_cooperative, cluster_extent, map_shared,      find_shared_rank,
        fail,    trap,           fail_assertion, plain().runtime, &hooks,
    };
    static const bool is_accepted = [] {
        checker().accept(&api, sizeof api);
        checker().accept(&hooks, sizeof hooks);
        checker().accept(api.runtime, sizeof *api.runtime);
        return true;
    }();
    static_cast<void>(is_accepted);
    return api;
}

}  // namespace kbuild::cpu::checks
