// Launches of the kernels in kernels.cu, for tests.
#ifndef KBUILD_TESTS_LAUNCHES_HPP
#define KBUILD_TESTS_LAUNCHES_HPP

#include "test_module.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sys/wait.h>
#include <unistd.h>

// Like REQUIRE(call == 0), but also prints the runtime's error message.
#define REQUIRE_SUCCESS(call) \
    do { \
        const int code_ = (call); \
        REQUIRE_MESSAGE(code_ == 0, kbuild_cpu_error_message(code_)); \
    } while (false)

// Returns the image with the kernels.
inline const std::string& test_image() {
    static const std::string image = read_file(KBUILD_TEST_IMAGE);
    REQUIRE(!image.empty());
    return image;
}

// A module that is registered while this object exists.
class Registered : public TestModule {
public:
    explicit Registered(const std::string& bytes = test_image()) : TestModule(bytes) {
        REQUIRE_SUCCESS(kbuild_cpu_register(module_ = descriptor()));
    }
    ~Registered() { kbuild_cpu_unregister(module_); }

private:
    const kbuild_module* module_;
};

inline bool last_message_has(int code, const char* text) {
    const char* message = kbuild_cpu_error_message(code);
    if (std::strstr(message, text) != nullptr) return true;
    std::fprintf(stderr, "the message is: %s\n", message);
    return false;
}

inline void check_saxpy(const TestModule& module, int n) {
    std::vector<float> x(static_cast<size_t>(n)), y(x.size(), 1.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    const auto blocks = static_cast<uint32_t>((n + 255) / 256);
    REQUIRE_SUCCESS(launch(module.handle("saxpy"), make_config({blocks, 1, 1}, {256, 1, 1}), n,
                           2.0f, x.data(), y.data()));
    for (size_t i = 0; i < y.size(); ++i) REQUIRE(y[i] == 1.0f + 2.0f * x[i]);
}

inline void check_block_sum(const TestModule& module, uint32_t blocks, uint32_t threads) {
    std::vector<int> in(blocks * threads), out(blocks, -1);
    std::iota(in.begin(), in.end(), 0);
    REQUIRE_SUCCESS(launch(module.handle("block_sum"), make_config({blocks, 1, 1}, {threads, 1, 1}),
                           in.data(), out.data()));
    for (uint32_t b = 0; b < blocks; ++b) {
        const auto begin = in.begin() + b * threads;
        REQUIRE(out[b] == std::accumulate(begin, begin + threads, 0));
    }
}

// Runs the function in a child of this process, in which it must succeed.
template <class Function>
void require_in_child(Function function) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        alarm(60);
        try {
            function();
        } catch (...) {  // the check that failed is printed
            std::_Exit(1);
        }
        std::_Exit(0);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
}

#endif
