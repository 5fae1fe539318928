// Ends in the way that its argument says. Before that, most ways launch a kernel with a mistake.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void bad(int* p) { p[threadIdx.x] = 1; }
__global__ void good(int* p) { p[threadIdx.x] = 1; }
__global__ void crash(int* p) {
    if (p != nullptr) __builtin_trap();
}
__global__ void trap() { __trap(); }
__global__ void check(int value) { assert(value > 0); }
__global__ void hang(volatile int* p) {
    while (*p != 1) {
    }
}

namespace {

template <class Kernel>
void run(Kernel kernel, unsigned threads) {
    int* p;
    cudaMalloc(&p, 16 * sizeof *p);
    kernel<<<1, threads>>>(p);
    cudaDeviceSynchronize();
    cudaFree(p);
}
void fault() { run(bad, 32); }
void fine() { run(good, 16); }

bool exits_in_destructor = false;
struct Last {
    ~Last() {
        if (exits_in_destructor) std::exit(0);
    }
} last;

int wait_for_child() {
    int status;
    wait(&status);
    return 0;
}

// Starts the program again, without its environment.
int spawn(char* path) {
    char* const words[] = {path, const_cast<char*>("return"), nullptr};
    char* const variables[] = {nullptr};
    pid_t child;
    return posix_spawn(&child, path, nullptr, nullptr, words, variables) + wait_for_child();
}

// Returns whether the argument is this one.
const char* argument;
bool is(const char* name) { return std::strcmp(argument, name) == 0; }

// The process whose parent has already ended makes a mistake.
int leave_grandchild() {
    fine();
    if (fork() != 0) return wait_for_child();
    if (fork() == 0) usleep(300000), fault();
    _exit(0);
}

pthread_t main_thread;

int end_quickly() {
    if (is("exit")) std::exit(0);
    if (is("_exit")) _exit(0);
    if (is("_Exit")) std::_Exit(0);
    if (is("quick_exit")) std::quick_exit(0);
    if (is("thread")) std::thread([] { std::exit(0); }).join();
    if (is("pthread_exit")) pthread_exit(nullptr);
    if (is("cancel")) {
        main_thread = pthread_self();
        std::thread([] { pthread_cancel(main_thread); }).detach();
        pause();
    }
    if (is("kill")) raise(SIGKILL);
    if (is("abort")) std::abort();
    if (is("null")) *static_cast<volatile int*>(nullptr) = 1;
    if (is("exec")) execl("/bin/true", "true", nullptr);
    if (is("execve")) {
        char* const words[] = {const_cast<char*>("true"), nullptr};
        execve("/bin/true", words, environ);
    }
    if (is("closed")) return close(0) + close(1) + close(2);
    if (is("moved")) return chdir("/");
    if (is("reset")) return cudaDeviceReset();
    if (is("destructor")) exits_in_destructor = true;
    if (is("handler")) std::atexit([] { _exit(0); });
    return 0;
}

}  // namespace

int main(int, char** argv) {
    argument = argv[1];
    if (is("ok")) return fine(), 0;
    if (is("fails")) return fine(), 5;
    if (is("nothing")) return 0;
    if (is("spawn")) return fine(), spawn(argv[0]);
    if (is("environment")) return clearenv(), fault(), 0;
    if (is("child")) return fork() == 0 ? (fault(), 0) : wait_for_child();
    if (is("grandchild")) return leave_grandchild();
    if (is("late_thread")) {
        std::thread([] { usleep(100000), fault(); }).detach();
        fine();
        pthread_exit(nullptr);
    }
    if (is("child_exit") && fork() == 0) fault(), _exit(0);
    if (is("child_kill") && fork() == 0) fault(), raise(SIGKILL);
    if (is("child_crash") && fork() == 0) run(crash, 1);
    if (is("child_exit") || is("child_kill") || is("child_crash")) return fine(), wait_for_child();
    if (is("crash")) return run(crash, 1), 0;
    if (is("caught")) {
        std::signal(SIGILL, [](int) { _exit(0); });
        return run(crash, 1), 0;
    }
    if (is("killed"))
        std::thread([] {
            usleep(100000);
            raise(SIGKILL);
        }).detach();
    if (is("hang") || is("killed")) return run(hang, 1), 0;
    if (is("trap")) return trap<<<1, 1>>>(), cudaDeviceSynchronize(), fine(), 0;
    if (is("assert")) return check<<<1, 1>>>(0), cudaDeviceSynchronize(), 0;
    if (is("refused")) return fine(), run(good, 2048), 0;
    if (is("queued")) {
        int* p;
        cudaMalloc(&p, 16 * sizeof *p);
        bad<<<1, 32>>>(p);
        _exit(0);
    }
    fault();
    return end_quickly();
}
