// Launches a kernel that fails an assertion. With an argument, it prints a backtrace.
#include <kbuild/kbuild.hpp>

#include "fail.hpp"

#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <unistd.h>

namespace {

void show_stack(int number) {
    std::signal(number, SIG_DFL);  // the instruction is repeated
    void* frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
}

void launch_fail() {
    (void)kbuild::launch(fail, {1, 4}, 7);  // launches fail
}

void launch_fail_late() {
    (void)kbuild::launch(fail_late, {1, 4}, 8);  // launches fail_late
}

}  // namespace

int main(int count, char** words) {
    if (count > 1 && std::strcmp(words[1], "handler") == 0) std::signal(SIGILL, show_stack);
    if (count > 1 && std::strcmp(words[count - 1], "late") == 0) launch_fail_late();
    launch_fail();
}
