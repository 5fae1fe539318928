// Source: DWARF 5, section 6.2, and DWARF 2 to 4 for the older headers.
#include "crashes/line_table.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kbuild::cpu {
namespace {

// Reads numbers and strings. Reading beyond the end gives zeros, and `failed` becomes true.
class LineBytes {
public:
    explicit LineBytes(std::string_view bytes) : rest_(bytes) {}

    bool failed() const noexcept { return failed_; }
    bool is_empty() const noexcept { return rest_.empty(); }

    std::uint64_t number(std::size_t size) noexcept {
        const auto bytes = take(size);
        std::uint64_t value = 0;
        if (!bytes.empty()) std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
        return value;
    }
    std::uint64_t unsigned_leb() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = number(1);
            if (shift < 64) value |= (byte & 0x7F) << shift;
            if ((byte & 0x80) == 0) return value;
        }
    }
    std::int64_t signed_leb() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0;;) {
            const auto byte = number(1);
            if (shift < 64) value |= (byte & 0x7F) << shift;
            shift += 7;
            if ((byte & 0x80) != 0) continue;
            if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
            return static_cast<std::int64_t>(value);
        }
    }
    std::string_view string() noexcept {
        const auto end = rest_.find('\0');
        if (end == std::string_view::npos) return fail();
        const auto text = take(end);
        take(1);
        return text;
    }
    std::string_view take(std::uint64_t size) noexcept {
        if (size > rest_.size()) return fail();
        const auto taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

private:
    std::string_view fail() noexcept {
        failed_ = true;
        rest_ = {};
        return {};
    }

    std::string_view rest_;
    bool failed_ = false;
};

struct FileName {
    std::string_view name;
    std::uint64_t directory = 0;
};

struct LineHeader {
    unsigned version = 0;
    unsigned offset_bytes = 4;
    unsigned address_bytes = 8;
    unsigned smallest_instruction = 1;
    bool starts_statements = true;
    int line_base = 0;
    unsigned line_range = 1;
    std::vector<std::uint8_t> operands;  // of the standard opcodes
    std::vector<FileName> directories;
    std::vector<FileName> files;
};

std::string_view name_at(std::string_view section, std::uint64_t offset) noexcept {
    if (offset >= section.size()) return {};
    return LineBytes(section.substr(offset)).string();
}

enum Form : std::uint64_t {
    form_block2 = 0x03,
    form_block4 = 0x04,
    form_data2 = 0x05,
    form_data4 = 0x06,
    form_data8 = 0x07,
    form_string = 0x08,
    form_block = 0x09,
    form_block1 = 0x0A,
    form_data1 = 0x0B,
    form_strp = 0x0E,
    form_udata = 0x0F,
    form_data16 = 0x1E,
    form_line_strp = 0x1F
};

// Reads a value of which only strings and numbers are of interest. Returns false for an unknown form.
bool read_form(LineBytes& bytes, std::uint64_t form, const LineSections& sections,
               unsigned offset_bytes, std::string_view& text, std::uint64_t& number) {
    switch (form) {
    case form_string: text = bytes.string(); return true;
    case form_line_strp: text = name_at(sections.line_str, bytes.number(offset_bytes)); return true;
    case form_strp: text = name_at(sections.str, bytes.number(offset_bytes)); return true;
    case form_data1: number = bytes.number(1); return true;
    case form_data2: number = bytes.number(2); return true;
    case form_data4: number = bytes.number(4); return true;
    case form_data8: number = bytes.number(8); return true;
    case form_udata: number = bytes.unsigned_leb(); return true;
    case form_data16: bytes.take(16); return true;
    case form_block: bytes.take(bytes.unsigned_leb()); return true;
    case form_block1: bytes.take(bytes.number(1)); return true;
    case form_block2: bytes.take(bytes.number(2)); return true;
    case form_block4: bytes.take(bytes.number(4)); return true;
    default: return false;
    }
}

// Reads a table of directories or files of DWARF 5.
bool read_entries(LineBytes& bytes, const LineSections& sections, unsigned offset_bytes,
                  std::vector<FileName>& entries) {
    constexpr std::uint64_t content_path = 1, content_directory = 2;
    struct Field {
        std::uint64_t content, form;
    };
    std::vector<Field> fields(bytes.number(1));
    for (auto& field : fields) {
        field.content = bytes.unsigned_leb();
        field.form = bytes.unsigned_leb();
    }
    const auto count = bytes.unsigned_leb();
    if (fields.empty() && count != 0) return false;
    for (std::uint64_t i = 0; i < count && !bytes.failed(); ++i) {
        FileName entry;
        for (const auto& field : fields) {
            std::string_view text;
            std::uint64_t number = 0;
            if (!read_form(bytes, field.form, sections, offset_bytes, text, number)) return false;
            if (field.content == content_path) entry.name = text;
            if (field.content == content_directory) entry.directory = number;
        }
        entries.push_back(entry);
    }
    return !bytes.failed();
}

// Before DWARF 5, lists end with an empty name, and numbers start at 1. Directory 0 is not listed.
bool read_old_entries(LineBytes& bytes, LineHeader& header) {
    header.directories.emplace_back();
    for (;;) {
        const auto name = bytes.string();
        if (name.empty()) break;
        header.directories.push_back({name, 0});
    }
    header.files.emplace_back();
    for (;;) {
        const auto name = bytes.string();
        if (name.empty()) break;
        header.files.push_back({name, bytes.unsigned_leb()});
        bytes.unsigned_leb();  // time
        bytes.unsigned_leb();  // length
    }
    return !bytes.failed();
}

// Reads the header of a unit, whose length was read. Leaves `unit` at the unit's program.
bool read_header(LineBytes& unit, const LineSections& sections, LineHeader& header) {
    header.version = static_cast<unsigned>(unit.number(2));
    if (header.version < 2 || header.version > 5) return false;
    if (header.version >= 5) {
        header.address_bytes = static_cast<unsigned>(unit.number(1));
        unit.number(1);  // the size of segment selectors
    }
    LineBytes bytes(unit.take(unit.number(header.offset_bytes)));
    header.smallest_instruction = static_cast<unsigned>(bytes.number(1));
    if (header.version >= 4) bytes.number(1);  // operations per instruction
    header.starts_statements = bytes.number(1) != 0;
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): the field is signed
    header.line_base = static_cast<std::int8_t>(bytes.number(1));
    header.line_range = static_cast<unsigned>(bytes.number(1));
    const auto opcodes = bytes.number(1);
    for (std::uint64_t i = 1; i < opcodes; ++i)
        header.operands.push_back(static_cast<std::uint8_t>(bytes.number(1)));
    if (bytes.failed() || unit.failed() || header.line_range == 0 || opcodes == 0) return false;
    if (header.version < 5) return read_old_entries(bytes, header);
    return read_entries(bytes, sections, header.offset_bytes, header.directories) &&
           read_entries(bytes, sections, header.offset_bytes, header.files);
}

std::string full_name(const LineHeader& header, std::uint64_t file) {
    if (file >= header.files.size()) return "";
    const auto& entry = header.files[file];
    std::string name(entry.name);
    // Directory 0 is that of the compilation, to which relative names are relative.
    if (entry.directory != 0 && entry.directory < header.directories.size() && name.find('/') != 0)
        name = std::string(header.directories[entry.directory].name) + "/" + name;
    if (name.find("./") == 0) name.erase(0, 2);
    return name;
}

struct Row {
    std::uint64_t address = 0;
    std::uint64_t file = 1;
    std::uint64_t line = 1;
    bool is_statement = true;  // whether a statement begins
};

// Runs a unit's program, and passes each row to `visit(row, is_end)`.
template <class Visit>
void run_program(LineBytes& bytes, const LineHeader& header, Visit visit) {
    enum {
        copy = 1,
        advance_pc,
        advance_line,
        set_file,
        set_column,
        negate,
        set_basic_block,
        const_add_pc,
        fixed_advance_pc
    };
    enum { end_sequence = 1, set_address = 2 };
    const unsigned first_special = static_cast<unsigned>(header.operands.size()) + 1;
    Row first;
    first.is_statement = header.starts_statements;
    Row row = first;
    while (!bytes.is_empty()) {
        const auto opcode = static_cast<unsigned>(bytes.number(1));
        if (opcode >= first_special) {
            const unsigned step = opcode - first_special;
            row.address += std::uint64_t{step / header.line_range} * header.smallest_instruction;
            row.line += static_cast<std::uint64_t>(header.line_base +
                                                   static_cast<int>(step % header.line_range));
            visit(row, false);
            continue;
        }
        switch (opcode) {
        case 0: {
            LineBytes extended(bytes.take(bytes.unsigned_leb()));
            const auto kind = extended.number(1);
            if (kind == end_sequence) {
                visit(row, true);
                row = first;
            } else if (kind == set_address) {
                row.address = extended.number(header.address_bytes);
            }
            break;
        }
        case copy: visit(row, false); break;
        case advance_pc: row.address += bytes.unsigned_leb() * header.smallest_instruction; break;
        case advance_line: row.line += static_cast<std::uint64_t>(bytes.signed_leb()); break;
        case set_file: row.file = bytes.unsigned_leb(); break;
        case negate: row.is_statement = !row.is_statement; break;
        case const_add_pc:
            row.address += std::uint64_t{(255 - first_special) / header.line_range} *
                           header.smallest_instruction;
            break;
        case fixed_advance_pc: row.address += bytes.number(2); break;
        default:
            for (unsigned i = 0; i < header.operands[opcode - 1]; ++i) bytes.unsigned_leb();
        }
    }
}

// Searches one unit. Returns whether a sequence contains the address.
bool search_unit(LineBytes& unit, const LineHeader& header, std::uint64_t address,
                 const std::function<bool(const std::string&)>& is_own, FoundLines& found) {
    std::vector<Row> sequence;
    bool is_found = false;
    run_program(unit, header, [&](const Row& row, bool is_end) {
        if (is_found) return;
        sequence.push_back(row);
        if (!is_end) return;
        // Linkers leave sequences of dropped functions at address 0 or 1.
        const auto start = sequence.front().address;
        if (start > 1 && start <= address && address < row.address) {
            is_found = true;
            const auto after = std::upper_bound(
                sequence.begin(), sequence.end() - 1, address,
                [](std::uint64_t target, const Row& other) { return target < other.address; });
            // In front of code of another file, a line can be that of an instruction which the compiler
            // has moved there, unless a statement begins.
            bool is_sure = false;
            for (auto place = after; place != sequence.begin() && !is_sure;) {
                --place;
                if (place->line == 0) continue;  // no line of the source
                SourceLine line{full_name(header, place->file), static_cast<unsigned>(place->line)};
                if (line.file.empty()) continue;
                if (is_own(line.file)) {
                    is_sure = !found.innermost || place->is_statement;
                    if (is_sure || !found.own) found.own = line;
                }
                if (!found.innermost) found.innermost = std::move(line);
            }
        }
        sequence.clear();
    });
    return is_found;
}

}  // namespace

namespace {

// Passes the header and the program of each unit to `visit`, until that returns true.
template <class Visit>
void visit_units(const LineSections& sections, Visit visit) {
    constexpr std::uint64_t wide_format = 0xFFFFFFFF;
    LineBytes bytes(sections.line);
    while (!bytes.is_empty()) {
        LineHeader header;
        auto length = bytes.number(4);
        if (length == wide_format) {
            header.offset_bytes = 8;
            length = bytes.number(8);
        }
        LineBytes unit(bytes.take(length));
        if (bytes.failed()) break;
        if (read_header(unit, sections, header) && visit(unit, header)) break;
    }
}

}  // namespace

FoundLines find_lines(const LineSections& sections, std::uint64_t address,
                      const std::function<bool(const std::string&)>& is_own) {
    FoundLines found;
    visit_units(sections, [&](LineBytes& unit, const LineHeader& header) {
        return search_unit(unit, header, address, is_own, found);
    });
    return found;
}

std::vector<LineRange> list_line_ranges(const LineSections& sections,
                                        const std::function<bool(const std::string&)>& is_own) {
    std::vector<LineRange> ranges;
    visit_units(sections, [&](LineBytes& unit, const LineHeader& header) {
        Row last;
        bool has_last = false;
        run_program(unit, header, [&](const Row& row, bool is_end) {
            // Linkers leave sequences of dropped functions at address 0 or 1.
            if (has_last && last.address > 1 && last.address < row.address && last.line != 0) {
                auto file = full_name(header, last.file);
                if (is_own(file))
                    ranges.push_back({last.address,
                                      row.address,
                                      {std::move(file), static_cast<unsigned>(last.line)}});
            }
            last = row;
            has_last = !is_end;
        });
        return false;
    });
    std::sort(ranges.begin(), ranges.end(),
              [](const LineRange& a, const LineRange& b) { return a.start < b.start; });
    return ranges;
}

}  // namespace kbuild::cpu
