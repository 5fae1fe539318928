// Ranges of addresses that do not overlap.
#ifndef KBUILD_CPU_CHECKS_RANGES_HPP
#define KBUILD_CPU_CHECKS_RANGES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace kbuild::cpu::checks {

class Ranges {
public:
    void add(std::uintptr_t start, std::size_t bytes) {
        if (bytes == 0) return;
        auto end = start + bytes;
        auto place = first_that_ends_after(start == 0 ? 0 : start - 1);  // joins neighbors, too
        while (place != ends_.end() && place->first <= end) {
            start = std::min(start, place->first);
            end = std::max(end, place->second);
            place = ends_.erase(place);
        }
        ends_[start] = end;
    }

    void remove(std::uintptr_t start, std::size_t bytes) {
        const auto end = start + bytes;
        auto place = first_that_ends_after(start);
        while (place != ends_.end() && place->first < end) {
            const auto [first, last] = *place;
            place = ends_.erase(place);
            if (first < start) ends_[first] = start;
            if (last > end) place = ends_.emplace(end, last).first;
        }
    }

    bool contains(std::uintptr_t address) const {
        const auto behind = ends_.upper_bound(address);
        return behind != ends_.begin() && address < std::prev(behind)->second;
    }

    // Returns the end of the range that contains an address, or the address.
    std::uintptr_t find_end(std::uintptr_t address) const {
        const auto behind = ends_.upper_bound(address);
        return behind == ends_.begin() ? address : std::max(address, std::prev(behind)->second);
    }

    // Returns the starts and the ends of the parts that are in a range.
    std::vector<std::pair<std::uintptr_t, std::uintptr_t>> list_within(std::uintptr_t start,
                                                                       std::size_t bytes) {
        std::vector<std::pair<std::uintptr_t, std::uintptr_t>> parts;
        const auto end = start + bytes;
        for (auto place = first_that_ends_after(start); place != ends_.end() && place->first < end;
             ++place)
            parts.emplace_back(std::max(place->first, start), std::min(place->second, end));
        return parts;
    }

    bool is_empty() const noexcept { return ends_.empty(); }

private:
    using Ends = std::map<std::uintptr_t, std::uintptr_t>;  // by start

    Ends::iterator first_that_ends_after(std::uintptr_t address) {
        const auto behind = ends_.upper_bound(address);
        if (behind == ends_.begin()) return behind;
        const auto before = std::prev(behind);
        return address < before->second ? before : behind;
    }

    Ends ends_;
};

}  // namespace kbuild::cpu::checks

#endif
