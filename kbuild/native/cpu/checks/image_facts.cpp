#include "checks/image_facts.hpp"

#include "checks/arena.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <link.h>

namespace kbuild::cpu::checks {
namespace {

// What kbuild writes around the name of a shared variable; see mixed/shared_memory.py.
constexpr std::string_view place_start = "__kbuild_place_of_", place_end = "__";
constexpr std::size_t gap = 64;
// What compilers call before accesses; see kbuild/detail/cpu_check_hooks.h.
constexpr std::string_view hook_start = "__tsan_";

// Reads an instruction at an address. If it is a call of a function, returns that function's address, and sets
// the number of bytes of the call.
#if defined(__aarch64__)
constexpr std::size_t call_step = 4, call_bytes = 4;
std::uintptr_t find_called(std::uintptr_t place) {
    std::uint32_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(place), sizeof word);
    constexpr std::uint32_t branch_with_link = 0x94000000, kind = 0xFC000000;
    if ((word & kind) != branch_with_link) return 0;
    const auto distance = static_cast<std::int32_t>(word << 6) >> 4;  // 26 bits, in words
    return place + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(distance));
}
#else
// Instructions have no alignment. That four other bytes are the distance to a hook is as good as impossible.
constexpr std::size_t call_step = 1, call_bytes = 5;
std::uintptr_t find_called(std::uintptr_t place) {
    if (*reinterpret_cast<const unsigned char*>(place) != 0xE8) return 0;
    std::int32_t distance;
    std::memcpy(&distance, reinterpret_cast<const void*>(place + 1), sizeof distance);
    return place + call_bytes + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(distance));
}
#endif

std::string name_of_place(std::string_view symbol) {
    const auto start = symbol.find(place_start);
    if (start == std::string_view::npos) return "";
    const auto name = symbol.substr(start + place_start.size());
    return std::string(name.substr(0, name.find(place_end)));
}

template <class T>
const T* view(std::string_view file, std::uint64_t offset, std::uint64_t count = 1) {
    if (offset > file.size() || (file.size() - offset) / sizeof(T) < count) return nullptr;
    return reinterpret_cast<const T*>(file.data() + offset);
}

// The last variable that does not start after the address.
template <class Key>
const Variable* find_before(const std::vector<Variable>& variables, std::uintptr_t address,
                            Key key) {
    const auto behind =
        std::upper_bound(variables.begin(), variables.end(), address,
                         [&](std::uintptr_t a, const Variable& v) { return a < key(v); });
    return behind == variables.begin() ? nullptr : &*std::prev(behind);
}

}  // namespace

ImageFacts::ImageFacts(const std::string& path, const kbuild_cpu_image& table, const void* base,
                       const StorageLayout& storage)
    : table_(table),
      base_(reinterpret_cast<std::uintptr_t>(base)),
      storage_(storage),
      lines_(path) {
    const MappedFile file(path);
    read_symbols(file.bytes());
    lay_out_shared();
    find_segments();
    find_sites();
}

void ImageFacts::read_symbols(std::string_view file) {
    const auto* const header = view<ElfW(Ehdr)>(file, 0);
    if (header == nullptr) return;
    const auto* const sections = view<ElfW(Shdr)>(file, header->e_shoff, header->e_shnum);
    if (sections == nullptr) return;
    const auto* const names = header->e_shstrndx < header->e_shnum
                                  ? view<char>(file, sections[header->e_shstrndx].sh_offset,
                                               sections[header->e_shstrndx].sh_size)
                                  : nullptr;
    for (unsigned i = 0; i < header->e_shnum; ++i) {
        const auto& section = sections[i];
        constexpr auto writable = SHF_ALLOC | SHF_WRITE;
        if (names != nullptr && (section.sh_flags & (writable | SHF_TLS)) == writable)
            note_section(names + section.sh_name, base_ + section.sh_addr, section.sh_size);
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= header->e_shnum) continue;
        const auto count = section.sh_size / sizeof(ElfW(Sym));
        const auto* const symbols = view<ElfW(Sym)>(file, section.sh_offset, count);
        const auto& strings = sections[section.sh_link];
        const auto* const text = view<char>(file, strings.sh_offset, strings.sh_size);
        if (symbols == nullptr || text == nullptr) continue;
        for (std::size_t k = 0; k < count; ++k) {
            const auto& symbol = symbols[k];
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings.sh_size) continue;
            const auto kind = symbol.st_info & 15;
            const std::string_view name(text + symbol.st_name);
            if (kind == STT_TLS && !name_of_place(name).empty())
                shared_.push_back({symbol.st_value, symbol.st_size, name_of_place(name)});
            if (kind == STT_FUNC && name.find(hook_start) == 0)
                hooks_.push_back(base_ + symbol.st_value);
            if (kind == STT_OBJECT && symbol.st_size != 0)
                variables_.push_back({base_ + symbol.st_value, symbol.st_size, std::string(name)});
        }
    }
    const auto by_start = [](const Variable& a, const Variable& b) { return a.start < b.start; };
    for (std::uint64_t i = 0; i < table_.variable_count; ++i) {
        const auto& row = table_.variables[i];
        if (row.kind == KBUILD_VARIABLE_CONSTANT)
            constants_.push_back(
                {reinterpret_cast<std::uintptr_t>(row.address), row.size, row.name});
    }
    std::sort(constants_.begin(), constants_.end(), by_start);
    std::sort(shared_.begin(), shared_.end(), by_start);
    std::sort(variables_.begin(), variables_.end(), by_start);
    std::sort(hooks_.begin(), hooks_.end());
}

// Compilers and linkers use other names for data that is not a variable of a program.
void ImageFacts::note_section(const char* name, std::uintptr_t start, std::size_t bytes) {
    const std::string_view text = name;
    const auto starts_with = [&](std::string_view prefix) { return text.find(prefix) == 0; };
    if ((starts_with(".data") && !starts_with(".data.rel.ro")) || starts_with(".bss"))
        sections_.push_back({start, bytes, name});
}

bool ImageFacts::has_only_variables(std::uintptr_t address) const noexcept {
    return std::any_of(sections_.begin(), sections_.end(), [&](const Variable& section) {
        return address - section.start < section.bytes;
    });
}

// The variables keep their order and their alignment, but get gaps.
void ImageFacts::lay_out_shared() {
    std::size_t end = gap;
    for (auto& variable : shared_) {
        const auto unit = std::max<std::size_t>(storage_.alignment, 16);
        variable.place = (end + unit - 1) / unit * unit + variable.start % unit;
        end = variable.place + variable.bytes + gap;
    }
    shared_bytes_ = end;
}

void ImageFacts::find_segments() {
    struct Search {
        std::uintptr_t base, end, data_start, data_end, code_start, code_end;
    } search = {base_, base_, 0, 0, 0, 0};
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* data) {
            auto& found = *static_cast<Search*>(data);
            if (object->dlpi_addr != found.base) return 0;
            for (int i = 0; i < object->dlpi_phnum; ++i) {
                const auto& segment = object->dlpi_phdr[i];
                if (segment.p_type != PT_LOAD) continue;
                const auto start = object->dlpi_addr + segment.p_vaddr;
                found.end = std::max(found.end, start + segment.p_memsz);
                if ((segment.p_flags & PF_X) != 0) {
                    found.code_start = start;
                    found.code_end = start + segment.p_memsz;
                }
                if ((segment.p_flags & PF_W) == 0) continue;
                found.data_start = start / word_bytes * word_bytes;
                found.data_end = start + segment.p_memsz;
            }
            return 1;
        },
        &search);
    bytes_ = search.end - base_;
    code_start_ = search.code_start;
    code_bytes_ = search.code_end - search.code_start;
    run_sites_.resize(search.code_end - base_ + 1);
    data_.start = search.data_start;
    data_.bytes = search.data_end - search.data_start;
    if (data_.bytes != 0) map_cells(data_);
    data_.is_initialized = true;
    data_.has_constants = !constants_.empty();
}

void ImageFacts::find_sites() {
    for (std::size_t i = 0; i + call_bytes <= code_bytes_; i += call_step) {
        const auto called = find_called(code_start_ + i);
        if (called != 0 && std::binary_search(hooks_.begin(), hooks_.end(), called))
            sites_.push_back(static_cast<std::uint32_t>(code_start_ + i + call_bytes - base_));
    }
}

CoveredLines ImageFacts::list_lines() const {
    CoveredLines lines;
    const auto ranges = lines_.list_own_ranges();
    auto range = ranges.begin();
    for (const auto site : sites_) {
        while (range != ranges.end() && range->end < site) ++range;
        if (range == ranges.end()) break;
        if (site - 1 < range->start) continue;
        auto& has_run = lines[range->line.file][range->line.line];
        has_run = has_run || run_sites_[site] != 0;
    }
    return lines;
}

const Variable* ImageFacts::find_place(std::size_t offset) const noexcept {
    const auto* const found =
        find_before(shared_, offset, [](const Variable& v) { return v.start; });
    return found != nullptr && offset == found->start ? found : nullptr;
}

const Variable* ImageFacts::find_shared(std::size_t offset) const noexcept {
    return find_before(shared_, offset, [](const Variable& v) { return v.place; });
}

const Variable* ImageFacts::find_variable(std::uintptr_t address) const noexcept {
    const auto* const found =
        find_before(variables_, address, [](const Variable& v) { return v.start; });
    if (found == nullptr || !contains(address)) return nullptr;
    return address - found->start < found->bytes || has_only_variables(address) ? found : nullptr;
}

bool ImageFacts::is_constant(std::uintptr_t address) const noexcept {
    const auto* const found =
        find_before(constants_, address, [](const Variable& v) { return v.start; });
    return found != nullptr && address - found->start < found->bytes;
}

bool ImageFacts::is_own(std::uintptr_t address) const noexcept {
    const auto* const found = find_variable(address);
    return found != nullptr && address - found->start < found->bytes &&
           found->name.find("kbuild_cpu_") == 0;
}

unsigned ImageFacts::find_valid_bytes(std::uintptr_t word) const noexcept {
    unsigned mask = 0;
    for (unsigned i = 0; i < word_bytes; ++i) {
        const auto* const found = find_variable(word + i);
        if (!has_only_variables(word + i) ||
            (found != nullptr && word + i - found->start < found->bytes))
            mask |= 1u << i;
    }
    return mask;
}

const SourceLine& ImageFacts::find_line(std::uint32_t site) {
    const auto [place, is_new] = found_lines_.try_emplace(site);
    if (is_new && site != 0) {
        const auto lines = lines_.find(site - 1);
        if (lines.own)
            place->second = *lines.own;
        else if (lines.innermost)
            place->second = *lines.innermost;
    }
    return place->second;
}

}  // namespace kbuild::cpu::checks
