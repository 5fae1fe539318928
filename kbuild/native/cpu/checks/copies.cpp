// Asynchronous copies to shared memory. Here they are complete when they are issued. For checks, the cells of the memory
// say until a wait that a copy is not finished, so that any access to it conflicts.
#include "checks/checker.hpp"

#include <algorithm>

namespace kbuild::cpu::checks {

// Changes the last access of each word that lies within the memory.
template <class Change>
void Checker::change_accesses(const ThreadState::Copy& copy, const Change& change) {
    const auto first = (copy.start + word_bytes - 1) / word_bytes * word_bytes;
    const Region* const regions[] = {&block_->statics, &block_->dynamic, &arena_.region(), data_};
    for (auto word = first; word + word_bytes <= copy.start + copy.bytes; word += word_bytes) {
        for (const auto* const region : regions) {
            if (!region->contains(word)) continue;
            auto& cell = region->cell(word);
            if (cell.epoch() == region->epoch && !cell.is_divided())
                change(copy.reads ? cell.read : cell.write);
        }
    }
}

// The caller has recorded the accesses of the copy. Only those to shared memory are copies of which checks know the end.
void Checker::issue_copy(const void* place, std::size_t bytes, bool reads) {
    if (!checks_races_) return;
    if (has_pending_) judge_pending_write();
    auto& self = thread();
    const auto start = reinterpret_cast<std::uintptr_t>(place);
    if (!reads && !block_->has_memory_at(start)) return;
    const ThreadState::Copy copy = {start, bytes, self.batches, nullptr, reads};
    change_accesses(copy, [&](Access& access) {
        if (access.exists() && access.is_by_thread_of(now_)) access = access.as_unfinished_copy();
    });
    self.copies.push_back(copy);
    block_->has_copies = true;
}

void Checker::commit_copies(const void* barrier) {
    if (barrier == nullptr) {
        ++thread().batches;
        return;
    }
    for (auto& copy : thread().copies)
        if (copy.barrier == nullptr) copy.barrier = barrier;
}

// What a thread has copied before it arrives at a barrier is ordered by that. After a wait for its own batches, the
// thread is the only one that can use them.
void Checker::finish_copies(const void* barrier, std::size_t prior) {
    if (!block_->has_copies) return;
    if (has_pending_) judge_pending_write();
    const auto number = static_cast<std::uint32_t>(block_->number);
    const auto finish = [&](ThreadState& thread) {
        const auto is_finished = [&](const ThreadState::Copy& copy) {
            return copy.barrier == barrier &&
                   (barrier != nullptr ||
                    (copy.batch < thread.batches && thread.batches - copy.batch > prior));
        };
        for (const auto& copy : thread.copies) {
            if (!is_finished(copy)) continue;
            change_accesses(copy, [&](Access& access) {
                const auto done = access.as_finished();
                if (!access.is_unfinished_copy() ||
                    done.who() != Access::name(number, thread.number))
                    return;
                access = barrier != nullptr ? done : now_.with(whole_word);
            });
        }
        auto& copies = thread.copies;
        copies.erase(std::remove_if(copies.begin(), copies.end(), is_finished), copies.end());
    };
    if (barrier == nullptr) return finish(thread());
    for (std::uint32_t i = 0; i < launch_->threads_per_block; ++i)
        finish(block_->find_thread(i, grid_phase_));
}

}  // namespace kbuild::cpu::checks
