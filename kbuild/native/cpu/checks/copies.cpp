// Asynchronous copies to shared memory. Here they are complete when they are issued. For checks, the cells of the memory
// say until a wait that a copy is not finished, so that any access to it conflicts.
#include "checks/checker.hpp"

#include <algorithm>

namespace kbuild::cpu::checks {

// Changes the last write of each word that lies within the memory, if that is in the shared memory of the block.
template <class Change>
void Checker::change_writes(std::uintptr_t start, std::size_t bytes, const Change& change) {
    const auto first = (start + word_bytes - 1) / word_bytes * word_bytes;
    for (auto word = first; word + word_bytes <= start + bytes; word += word_bytes)
        for (const auto* const region : {&block_->statics, &block_->dynamic})
            if (region->contains(word) && region->cell(word).epoch() == region->epoch &&
                !region->cell(word).is_divided())
                change(region->cell(word).write);
}

// The caller has recorded the write of the copy.
void Checker::issue_copy(const void* to, std::size_t bytes) {
    if (!checks_races_) return;
    if (has_pending_) judge_pending_write();
    const auto start = reinterpret_cast<std::uintptr_t>(to);
    change_writes(start, bytes, [&](Access& write) {
        if (write.exists() && write.is_by_thread_of(now_)) write = write.as_unfinished_copy();
    });
    auto& self = thread();
    self.copies.push_back({start, bytes, self.batches, nullptr});
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
    const auto finish = [&](ThreadState& thread) {
        const auto is_finished = [&](const ThreadState::Copy& copy) {
            return copy.barrier == barrier &&
                   (barrier != nullptr ||
                    (copy.batch < thread.batches && thread.batches - copy.batch > prior));
        };
        for (const auto& copy : thread.copies) {
            if (!is_finished(copy)) continue;
            change_writes(copy.start, copy.bytes, [&](Access& write) {
                const auto done = write.as_finished();
                if (!write.is_unfinished_copy() || done.thread() != thread.number) return;
                write = barrier != nullptr ? done : now_.with(whole_word);
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
