#include "own_threads.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <memory>
#include <pthread.h>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace kbuild::cpu {
namespace {

// By this prefix, all copies of the runtime in a process know the threads of the others.
constexpr char prefix[] = "kbuild-";
constexpr useconds_t pause_between_looks = 20000;

bool is_own(const char* thread) {
    const auto path = std::string("/proc/self/task/") + thread + "/comm";
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
    char name[sizeof prefix] = {};
    // A thread that has ended has no name.
    return file == nullptr || std::fgets(name, sizeof name, file.get()) == nullptr ||
           std::strcmp(name, prefix) == 0;
}

// Returns whether a thread of the program runs besides the main thread, which stays in the list when it has ended.
bool has_other_threads() {
    const std::unique_ptr<DIR, int (*)(DIR*)> list(opendir("/proc/self/task"), closedir);
    if (list == nullptr) return true;
    const auto main_thread = std::to_string(getpid());
    while (const auto* const entry = readdir(list.get()))
        if (entry->d_name[0] != '.' && main_thread != entry->d_name && !is_own(entry->d_name))
            return true;
    return false;
}

// Does what the C library does when the last thread ends. This thread handles the signals of the program, which
// the main thread cannot any more.
void await_end(void*) {
    try {
        std::thread([] {
            pthread_setname_np(pthread_self(), "kbuild-end");
            while (has_other_threads()) usleep(pause_between_looks);
            std::exit(0);
        }).detach();
    } catch (const std::exception&) {
        std::exit(0);  // instead of waiting for threads that never end
    }
}

// pthread_exit and pthread_cancel call the destructor of a key, and exit does not. Only the main thread has a value.
class MainThread {
public:
    MainThread() {
        has_key_ = syscall(SYS_gettid) == getpid() && pthread_key_create(&key_, await_end) == 0 &&
                   pthread_setspecific(key_, this) == 0;
    }
    ~MainThread() {
        if (has_key_) pthread_key_delete(key_);
    }
    MainThread(const MainThread&) = delete;
    MainThread& operator=(const MainThread&) = delete;

private:
    pthread_key_t key_ = 0;
    bool has_key_ = false;
};
const MainThread main_thread;

}  // namespace

void start_own_thread(const char* name, std::function<void()> work) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const auto restore = [](const sigset_t* mask) { pthread_sigmask(SIG_SETMASK, mask, nullptr); };
    const std::unique_ptr<const sigset_t, decltype(restore)> restored(&before, restore);
    std::thread([full_name = std::string(prefix) + name, work = std::move(work)] {
        pthread_setname_np(pthread_self(), full_name.c_str());
        work();
    }).detach();
}

}  // namespace kbuild::cpu
