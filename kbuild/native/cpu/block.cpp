#include "block.hpp"

#include "errors.hpp"
#include "pin.hpp"

#include <pthread.h>

namespace kbuild::cpu {
namespace {

thread_local BlockRunner* runner_of_this_thread = nullptr;

// A pthread key and not a thread_local object: the main thread's runner must outlive its
// thread_local destructors, because atexit handlers may launch. The key's destructor runs
// when any other thread ends, and never for the main thread.
pthread_key_t make_runner_key() {
    pin_this_library();
    pthread_key_t key;
    const auto destroy = [](void* runner) {
        runner_of_this_thread = nullptr;
        delete static_cast<BlockRunner*>(runner);
    };
    if (pthread_key_create(&key, destroy) != 0)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the process has no thread-specific key left");
    return key;
}

void advance(kbuild_dim3& index, const kbuild_dim3& extent) {
    if (++index.x < extent.x) return;
    index.x = 0;
    if (++index.y < extent.y) return;
    index.y = 0;
    ++index.z;
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
    if (threads <= fibres_.size()) return;
    fibres_.clear();  // should a step below fail, the next call starts afresh
    stacks_.reserve(threads);
    idle_.clear();
    idle_.reserve(threads);
    waiting_.reserve(threads);
    resumable_.reserve(threads);
    fibres_.resize(threads);
    for (auto fibre = fibres_.rbegin(); fibre != fibres_.rend(); ++fibre) idle_.push_back(&*fibre);
}

void BlockRunner::run(Launch& launch) noexcept {
    launch_ = &launch;
    blocks_ = {};
    launch.image.builtins(&builtins_);
    *builtins_.grid_dim = launch.grid;
    *builtins_.block_dim = launch.block;
    if (start_block()) {
        current_ = &fresh_fibre();
        Fibre::switch_to(home_, *current_);
        idle_.push_back(current_);
    }
    launch_ = nullptr;
}

void BlockRunner::fibre_main(void* runner) { static_cast<BlockRunner*>(runner)->run_threads(); }

// Runs on every fibre. When there is nothing left to do here, it leaves for good.
void BlockRunner::run_threads() {
    do {
        while (unstarted_ > 0) start_thread();
        if (Fibre* next = next_resumable()) {
            idle_.push_back(current_);
            switch_to(*next);
        }
    } while (start_block());
    Fibre::switch_to(*current_, home_);
}

bool BlockRunner::start_block() noexcept {
    if (blocks_.begin == blocks_.end) blocks_ = launch_->take();
    if (blocks_.begin == blocks_.end) return false;
    const auto index = blocks_.begin++;
    const auto& grid = launch_->grid;
    builtins_.block_idx->x = static_cast<std::uint32_t>(index % grid.x);
    builtins_.block_idx->y = static_cast<std::uint32_t>(index / grid.x % grid.y);
    builtins_.block_idx->z = static_cast<std::uint32_t>(index / grid.x / grid.y);
    next_thread_ = {0, 0, 0};
    unstarted_ = launch_->threads_per_block;
    return true;
}

void BlockRunner::start_thread() {
    *builtins_.thread_idx = next_thread_;
    advance(next_thread_, launch_->block);
    --unstarted_;
    launch_->kernel.call(launch_->args);
}

void BlockRunner::barrier() {
    BlockRunner& runner = *runner_of_this_thread;
    const auto thread_idx = *runner.builtins_.thread_idx;
    runner.waiting_.push_back(runner.current_);
    // There is a next one: at worst this thread itself, when the others have exited.
    Fibre& next = runner.unstarted_ > 0 ? runner.fresh_fibre() : *runner.next_resumable();
    if (&next != runner.current_) runner.switch_to(next);
    *runner.builtins_.thread_idx = thread_idx;
}

Fibre& BlockRunner::fresh_fibre() {
    Fibre& fibre = *idle_.back();
    idle_.pop_back();
    fibre.prepare(stacks_.use(static_cast<std::size_t>(&fibre - fibres_.data())), &fibre_main,
                  this);
    return fibre;
}

// Once all threads that the last barrier let go have exited or wait again, the next
// barrier is complete. Null when no thread waits: the block is done.
Fibre* BlockRunner::next_resumable() noexcept {
    if (resumed_ == resumable_.size()) {
        resumable_.swap(waiting_);
        waiting_.clear();
        resumed_ = 0;
    }
    return resumed_ < resumable_.size() ? resumable_[resumed_++] : nullptr;
}

void BlockRunner::switch_to(Fibre& next) noexcept {
    Fibre& previous = *current_;
    current_ = &next;
    Fibre::switch_to(previous, next);
}

}  // namespace kbuild::cpu
