// Several threads and a child process launch kernels of two targets.
#include "kernels.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

KBUILD_KERNEL void other(int n);

static std::atomic<bool> is_launching{false};

static void launch_all(int thread)
{
    float out[4] = {};
    for (int i = 0; i < 100; i++) {
        if (kbuild::launch(ns::set, {1, 4}, i, 1.0f * thread, Pair{}, Mode::plain, false,
                           (unsigned char)0, out) ||
            kbuild::launch(other, {1, 1}, i))
            std::exit(1);
        is_launching = true;
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; thread++)
        threads.emplace_back(launch_all, thread);
    // Fork while the other threads launch, so that the child copies any lock that they hold. The
    // parent launches first, because the trace file belongs to the process that launches first.
    while (!is_launching)
        std::this_thread::yield();
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        const bool failed = static_cast<bool>(kbuild::launch(other, {1, 1}, -1));
        _exit(failed ? 1 : 0);
    }
    waitpid(child, &status, 0);
    for (auto& thread : threads)
        thread.join();
    return status;
}
