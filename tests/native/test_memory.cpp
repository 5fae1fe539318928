// Memory that programs allocate.
#include "launches.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

bool is_in(const void* pointer, const void* base, size_t bytes) {
    void* found = nullptr;
    size_t found_bytes = 1;
    REQUIRE_SUCCESS(kbuild_cpu_find_allocation(pointer, &found, &found_bytes));
    return found == base && found_bytes == bytes;
}

TEST_CASE("memory is allocated, copied, and released") {
    int count = 0;
    REQUIRE_SUCCESS(kbuild_cpu_device_count(&count));
    REQUIRE((count == 1 && kbuild_cpu_device_count(nullptr) == KBUILD_CPU_INVALID_VALUE));
    void* pointer = &count;
    REQUIRE_SUCCESS(kbuild_cpu_allocate(&pointer, 0));
    REQUIRE(pointer == nullptr);
    REQUIRE_SUCCESS(kbuild_cpu_allocate(&pointer, 1001));
    REQUIRE(reinterpret_cast<uintptr_t>(pointer) % 256 == 0);
    const std::string text(1001, 'k');
    REQUIRE_SUCCESS(kbuild_cpu_copy(pointer, text.data(), text.size(), KBUILD_COPY_TO_DEVICE));
    REQUIRE(std::memcmp(pointer, text.data(), text.size()) == 0);
    REQUIRE(kbuild_cpu_copy(nullptr, text.data(), 1, KBUILD_COPY_TO_DEVICE) ==
            KBUILD_CPU_INVALID_VALUE);
    REQUIRE(kbuild_cpu_copy(pointer, nullptr, 1, KBUILD_COPY_TO_HOST) == KBUILD_CPU_INVALID_VALUE);
    REQUIRE(kbuild_cpu_copy(pointer, pointer, 1, static_cast<kbuild_copy_direction>(0)) ==
            KBUILD_CPU_INVALID_VALUE);
    REQUIRE_SUCCESS(kbuild_cpu_copy(nullptr, nullptr, 0, KBUILD_COPY_ON_DEVICE));
    REQUIRE_SUCCESS(kbuild_cpu_release(pointer));
    REQUIRE_SUCCESS(kbuild_cpu_release(nullptr));
    REQUIRE(kbuild_cpu_allocate(nullptr, 1) == KBUILD_CPU_INVALID_VALUE);
    REQUIRE(kbuild_cpu_allocate(&pointer, SIZE_MAX / 2) == KBUILD_CPU_OUT_OF_MEMORY);
    REQUIRE(last_message_has(KBUILD_CPU_OUT_OF_MEMORY, "cannot allocate"));
    REQUIRE_SUCCESS(kbuild_cpu_synchronize());
    REQUIRE(std::strcmp(kbuild_cpu_error_message(0), "no error") == 0);
    REQUIRE(std::strcmp(kbuild_cpu_error_message(-7), "unrecognized error code") == 0);
}

TEST_CASE("every address in an allocation finds it") {
    REQUIRE(is_in(nullptr, nullptr, 0));
    void *first = nullptr, *second = nullptr;
    REQUIRE_SUCCESS(kbuild_cpu_allocate(&first, 1000));
    REQUIRE_SUCCESS(kbuild_cpu_allocate(&second, 1));
    auto* const bytes = static_cast<char*>(first);
    REQUIRE((is_in(bytes, first, 1000) && is_in(bytes + 999, first, 1000)));
    REQUIRE((is_in(bytes - 1, nullptr, 0) && is_in(bytes + 1000, nullptr, 0)));
    REQUIRE((is_in(second, second, 1) && is_in(static_cast<char*>(second) + 1, nullptr, 0)));
    const int local = 0;
    const auto own = std::make_unique<int>(0);
    REQUIRE((is_in(&local, nullptr, 0) && is_in(own.get(), nullptr, 0)));
    REQUIRE(kbuild_cpu_find_allocation(first, nullptr, nullptr) == KBUILD_CPU_INVALID_VALUE);
    REQUIRE_SUCCESS(kbuild_cpu_release(first));
    REQUIRE((is_in(bytes, nullptr, 0) && is_in(second, second, 1)));
    REQUIRE_SUCCESS(kbuild_cpu_release(second));
    std::vector<void*> all(100);
    for (auto& pointer : all) REQUIRE_SUCCESS(kbuild_cpu_allocate(&pointer, 2));
    for (auto* pointer : all) REQUIRE(is_in(static_cast<char*>(pointer) + 1, pointer, 2));
    for (auto* pointer : all) REQUIRE_SUCCESS(kbuild_cpu_release(pointer));
    for (auto* pointer : all) REQUIRE(is_in(pointer, nullptr, 0));
}

TEST_CASE("threads and children allocate at the same time") {
    std::atomic<bool> stop{false};
    const auto work = [&] {
        while (!stop) {
            void* pointer = nullptr;
            REQUIRE_SUCCESS(kbuild_cpu_allocate(&pointer, 64));
            REQUIRE(is_in(static_cast<char*>(pointer) + 63, pointer, 64));
            REQUIRE_SUCCESS(kbuild_cpu_release(pointer));
        }
    };
    std::thread first(work), second(work);
    void* kept = nullptr;
    REQUIRE_SUCCESS(kbuild_cpu_allocate(&kept, 64));
    for (int i = 0; i < 50; ++i) {
        require_in_child([&] {
            void* pointer = nullptr;
            REQUIRE_SUCCESS(kbuild_cpu_allocate(&pointer, 64));
            REQUIRE((is_in(kept, kept, 64) && is_in(pointer, pointer, 64)));
        });
    }
    stop = true;
    first.join();
    second.join();
    REQUIRE_SUCCESS(kbuild_cpu_release(kept));
}

}  // namespace
