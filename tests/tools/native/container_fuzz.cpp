// Reads a container repeatedly with random damage. Any result except a crash is accepted.
// Usage: container_fuzz <container file> <rounds>
#include "api/errors.hpp"
#include "images/offload_binary.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    std::ifstream file(argv[1], std::ios::binary);
    const std::string sound{std::istreambuf_iterator<char>(file), {}};
    std::mt19937 random(42);
    int accepted = 0;
    const int rounds = std::atoi(argv[2]);
    for (int round = 0; round < rounds; ++round) {
        auto size = sound.size();
        if (round % 3 == 0) size = random() % (size + 1);
        // The allocation has exactly the right size, so that the sanitizer detects every overrun.
        const std::unique_ptr<char[]> damaged(new char[size]);
        std::memcpy(damaged.get(), sound.data(), size);
        for (auto flips = random() % 4; flips > 0 && size > 0; --flips)
            damaged[random() % size] = static_cast<char>(random() % 3 == 0 ? 0xFF : random());
        try {
            for (const auto& image : kbuild::cpu::read_offload_images({damaged.get(), size}))
                accepted += image.bytes.empty() || image.bytes.front() != image.bytes.back() + 1000;
        } catch (const kbuild::cpu::Failure& failure) {
            if (failure.code() != KBUILD_CPU_INVALID_IMAGE) return 1;
        }
    }
    std::printf("%d\n", accepted);
    return accepted > 0 ? 0 : 1;
}
