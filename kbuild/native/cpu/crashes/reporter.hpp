// The thread that reports crashes and long runs. Signal handlers only copy facts and wait for it.
#ifndef KBUILD_CPU_CRASHES_REPORTER_HPP
#define KBUILD_CPU_CRASHES_REPORTER_HPP

#include "crashes/machine_context.hpp"
#include "crashes/stop.hpp"
#include "launches/watchdog.hpp"

namespace kbuild::cpu {

class BlockRunner;

// Starts the thread, unless it runs. A forked child starts its own at its first launch. Throws Failure.
void start_reporter();

// Adds and removes an OS thread that runs device code.
void watch_runner(const Activity& activity);
void forget_runner(const Activity& activity) noexcept;

// The rest is for signal handlers. They hold no lock and allocate nothing.

// Reports the first crash of the process, and returns when that is done. If the reporter does not
// answer, because the crashed thread holds a lock that it needs, writes the bare facts.
void report_crash(const Stop& stop) noexcept;

// Answers the reporter's question where the thread is. If the reporter says so, lets the thread leave
// its kernel.
void answer_question(BlockRunner& runner, MachineContext& registers) noexcept;

}  // namespace kbuild::cpu

#endif
