// The order in which the threads and blocks of kernels run; see KBUILD_SEED.
#ifndef KBUILD_CPU_LAUNCHES_BLOCK_ORDER_HPP
#define KBUILD_CPU_LAUNCHES_BLOCK_ORDER_HPP

#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace kbuild::cpu {

// Returns 0 without the variable. A program can change it between launches, as pytest's plugin does.
inline unsigned read_seed() {
    const char* const text = std::getenv("KBUILD_SEED");
    return text == nullptr ? 0 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

// A permutation of the numbers of blocks: from the first one to the last one with seed 0, the reverse
// with 1, and others with other seeds.
class BlockOrder {
public:
    BlockOrder(std::uint64_t count, unsigned seed) : count_(count) {
        if (seed == 0 || count < 2) return;
        factor_ = count - 1;
        offset_ = count - 1;
        if (seed == 1) return;
        std::uint64_t state = seed;
        const auto next = [&] {  // Knuth's MMIX
            state = state * 6364136223846793005u + 1442695040888963407u;
            return state >> 33;
        };
        next();
        offset_ = next() % count;
        do factor_ = next() % count;
        while (std::gcd(factor_, count) != 1);
    }

    bool is_usual() const noexcept { return factor_ == 1 && offset_ == 0; }
    std::uint64_t operator()(std::uint64_t number) const noexcept {
        return static_cast<std::uint64_t>((static_cast<Wide>(number) * factor_ + offset_) % count_);
    }

private:
    __extension__ using Wide = unsigned __int128;

    std::uint64_t count_;
    std::uint64_t factor_ = 1;
    std::uint64_t offset_ = 0;
};

}  // namespace kbuild::cpu

#endif
