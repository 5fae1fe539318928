// Containers, and which of their images a machine can run.
#include "containers.hpp"
#include "launches.hpp"

#include "api/errors.hpp"
#include "images/machine.hpp"
#include "images/offload_binary.hpp"

#include <cstring>
#include <memory>
#include <random>

using namespace kbuild::cpu;

namespace {

const std::string baseline(runnable_architectures().back());

// Resolves a kernel of the container, and returns the code.
int resolve(const std::string& container) {
    const Registered module(container);
    return kbuild_cpu_resolve(module.handle("saxpy"));
}

bool has_failed(const std::string& container, int code, const char* text) {
    return resolve(container) == code && last_message_has(code, text);
}

TEST_CASE("the best image of a container is loaded") {
    const Registered module(make_container("not even ELF", "sm_90") +
                            make_container(test_image(), baseline));
    check_saxpy(module, 1000);
}

TEST_CASE("architectures are named if no image can run") {
    setenv("KBUILD_CPU_ARCH", baseline.c_str(), 1);
    const auto container = make_container("a", "x86-64-v9") + make_container("b", "sm_90");
    const auto text =
        "kernel saxpy was built for x86-64-v9, sm_90, but this machine is " + baseline;
    REQUIRE(has_failed(container, KBUILD_CPU_NO_IMAGE_FOR_MACHINE, text.c_str()));
}

#if defined(__x86_64__)
TEST_CASE("images above the requested level are skipped") {
    setenv("KBUILD_CPU_ARCH", "x86-64", 1);
    REQUIRE(has_failed(make_container(test_image(), "x86-64-v2"), KBUILD_CPU_NO_IMAGE_FOR_MACHINE,
                       "kernel saxpy was built for x86-64-v2"));
}
#endif

TEST_CASE("an unknown level is named") {
    setenv("KBUILD_CPU_ARCH", "x86-64-v9", 1);
    REQUIRE(has_failed(make_container(test_image(), baseline), KBUILD_CPU_INVALID_VALUE,
                       "KBUILD_CPU_ARCH is 'x86-64-v9', which this machine cannot run"));
}

TEST_CASE("malformed containers are described") {
    REQUIRE(has_failed("", KBUILD_CPU_NO_IMAGE_FOR_MACHINE, "built for nothing"));
    REQUIRE(has_failed("\x10\xff\x10", KBUILD_CPU_INVALID_IMAGE,
                       "malformed container: the header is truncated"));
    REQUIRE(has_failed("\x10\xff\x10\xad" + std::string(60, '\0'), KBUILD_CPU_INVALID_IMAGE,
                       "malformed container: unsupported version"));
    REQUIRE(has_failed(make_container("x", baseline, "../../etc"), KBUILD_CPU_INVALID_IMAGE,
                       "not 64 hex digits"));
    REQUIRE(has_failed(make_container("not ELF", baseline), KBUILD_CPU_INVALID_IMAGE,
                       "cannot load the device image"));
}

TEST_CASE("damaged containers are read or rejected") {
    const auto sound =
        make_container(std::string(20, 'i'), "x86-64") + make_container("image", "x86-64-v3");
    std::mt19937 random(42);
    int accepted = 0, rejected = 0;
    for (int round = 0; round < 100000; ++round) {
        auto size = sound.size();
        if (round % 3 == 0) size = random() % (size + 1);
        // The allocation has exactly the right size, so that a sanitizer detects every overrun.
        const std::unique_ptr<char[]> damaged(new char[size]);
        std::memcpy(damaged.get(), sound.data(), size);
        for (auto flips = random() % 4; flips > 0 && size > 0; --flips)
            damaged[random() % size] = static_cast<char>(random() % 3 == 0 ? 0xFF : random());
        try {
            for (const auto& image : read_offload_images({damaged.get(), size}))
                accepted += image.bytes.empty() || image.bytes.front() != image.bytes.back() + 1000;
        } catch (const Failure& failure) {
            REQUIRE(failure.code() == KBUILD_CPU_INVALID_IMAGE);
            ++rejected;
        }
    }
    REQUIRE(accepted > 0);
    REQUIRE(rejected > 0);
}

}  // namespace
