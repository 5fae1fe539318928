// What the runtime writes to stderr about launches that cannot continue.
#include "launches.hpp"

#include "fibers/sanitizers.hpp"

#include <fcntl.h>
#include <regex>
#include <thread>

namespace {

// Reads what the process writes to stderr while this object exists.
class CapturedErrors {
public:
    CapturedErrors() : saved_(dup(STDERR_FILENO)) {
        REQUIRE(pipe(ends_) == 0);
        REQUIRE(dup2(ends_[1], STDERR_FILENO) == STDERR_FILENO);
    }
    ~CapturedErrors() {
        dup2(saved_, STDERR_FILENO);
        for (const int file : {saved_, ends_[0], ends_[1]}) close(file);
    }
    CapturedErrors(const CapturedErrors&) = delete;
    CapturedErrors& operator=(const CapturedErrors&) = delete;

    // Waits for text, and returns it.
    std::string read() const {
        char text[1 << 16];
        const auto size = ::read(ends_[0], text, sizeof text);
        return {text, static_cast<std::size_t>(size)};
    }

private:
    int saved_;
    int ends_[2] = {-1, -1};
};

void check_text(const std::string& text, std::initializer_list<const char*> patterns) {
    INFO(text);
    for (const char* pattern : patterns)
        REQUIRE_MESSAGE(std::regex_search(text, std::regex(pattern)), std::string(pattern));
}

// Launches a kernel that fails, and checks what is written.
void check_report(const char* kernel, const kbuild_launch_config& config, int error,
                  std::initializer_list<const char*> patterns) {
    const Registered module;
    int flag = 0, code = 0;
    std::string text;
    {
        const CapturedErrors errors;
        code = launch(module.handle(kernel), config, &flag);
        std::fputc('\n', stderr);  // so that there is something to read
        text = errors.read();
    }
    REQUIRE(code == error);
    check_text(text, patterns);
}

TEST_CASE("threads of a block that wait for each other are listed") {
    check_report(
        "wait_for_each_other", make_config({2, 1, 1}, {32, 1, 1}), KBUILD_CPU_LAUNCH_FAILURE,
        {"kbuild: kernel wait_for_each_other: the threads of a block wait for each other",
         R"(\n  10 threads of block \(\d, 0, 0\) in __syncthreads at \S+kernels.cu:\d+: \(0, 0, 0\), )",
         R"(\n  22 threads of block \(\d, 0, 0\) in __syncwarp with mask 0xffffffff at \S+kernels.cu:)"});
}

TEST_CASE("a mask without the calling lane is named") {
    check_report("name_wrong_lane", make_config({1, 1, 1}, {32, 1, 1}), KBUILD_CPU_LAUNCH_FAILURE,
                 {R"(kbuild: kernel name_wrong_lane: __syncwarp at \S+kernels.cu:\d+: )",
                  R"(the mask does not contain the calling lane; block \(0, 0, 0\), )"
                  R"(thread \(0, 0, 0\)\n)"});
}

TEST_CASE("blocks that exit before the grid barrier are named") {
    auto config = make_config({3, 1, 1}, {4, 1, 1});
    config.cooperative = 1;
    check_report(
        "exit_before_grid_barrier", config, KBUILD_CPU_LAUNCH_FAILURE,
        {"kbuild: kernel exit_before_grid_barrier: some blocks have exited before the grid barrier",
         R"(\n  4 threads of block \(\d, 0, 0\) in grid_group::sync\(\) at \S+kernels.cu:\d+: )"});
}

TEST_CASE("the last block that exits before the grid barrier breaks it for those that wait") {
    auto config = make_config({2, 1, 1}, {1, 1, 1});
    config.cooperative = 1;
    check_report(
        "exit_after_others_wait", config, KBUILD_CPU_LAUNCH_FAILURE,
        {"kbuild: kernel exit_after_others_wait: some blocks have exited before the grid barrier",
         R"(\n  1 threads of block \(0, 0, 0\) in grid_group::sync\(\) at \S+kernels.cu:\d+: )"});
}

TEST_CASE("threads that spin for too long are listed") {
    // On a loaded machine, a thread of another launch can make no progress for this time.
    setenv("KBUILD_CPU_TIMEOUT", "1", 1);
    check_report("spin_forever", make_config({3, 1, 1}, {8, 1, 1}), KBUILD_CPU_LAUNCH_TIMEOUT,
                 {"kbuild: kernel spin_forever: no thread has made progress for 1 seconds",
                  R"(\n  8 threads of block \(\d, 0, 0\) in an atomic function that changes )"
                  R"(nothing: )"});
}

TEST_CASE("a grid barrier without a cooperative launch is named") {
    check_report("exit_before_grid_barrier", make_config({3, 1, 1}, {8, 1, 1}),
                 KBUILD_CPU_LAUNCH_FAILURE,
                 {"kernel exit_before_grid_barrier: ",
                  "the launch is not cooperative; use cudaLaunchCooperativeKernel"});
}

// ThreadSanitizer can be interrupted while it has locked what its handler of the signal needs.
#if !defined(KBUILD_CPU_TSAN)
TEST_CASE("a kernel that runs for long gets a message") {
    const Registered module;
    volatile int flag = 0;
    int code = -1;
    std::string text;
    {
        const CapturedErrors errors;
        std::thread host([&] {
            text = errors.read();
            flag = 1;
        });
        code = launch(module.handle("wait_for_host"), make_config({1, 1, 1}, {1, 1, 1}), &flag);
        host.join();
    }
    REQUIRE(code == KBUILD_CPU_SUCCESS);
    check_text(text, {"^kbuild: kernel wait_for_host has been running for 0.2 s in block",
                      R"( in block \(0, 0, 0\) at \S+kernels\.cu:\d+; if it does not end, )",
                      "set KBUILD_CPU_TIMEOUT to the number of seconds"});
}
#endif

}  // namespace
