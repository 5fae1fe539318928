// Compiles source text with the command `kbuild rtc`. See cpu_rtc.h.
#include "api/command.hpp"
#include "api/exported.hpp"

#include <filesystem>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace kbuild::cpu::rtc {
namespace {

namespace fs = std::filesystem;

// The codes of NVRTC, which are also those with which the command ends.
enum Result {
    success = 0,
    out_of_memory = 1,
    invalid_input = 3,
    invalid_program = 4,
    compilation_failed = 6,
    expressions_after_compilation = 8,
    names_before_compilation = 9,
    invalid_expression = 10,
    internal_error = 11,
};

constexpr int most_results = 18;

struct Program {
    std::string text;
    std::string name;
    std::vector<std::pair<std::string, std::string>> headers;  // name and text
    std::vector<std::string> expressions;
    std::vector<std::string> symbols;
    std::string outputs[KBUILD_CPU_OUTPUTS];
    std::string log;
    bool is_compiled = false;
};

template <class Function>
int run(Function function) noexcept {
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return out_of_memory;
    } catch (const std::exception&) {
        return internal_error;
    }
}

int compile(Program& program, const std::vector<std::string>& options) {
    const CommandDirectory directory;
    directory.write("source", program.text);
    directory.write("name", program.name);
    directory.write_list("options", options);
    directory.write_list("expressions", program.expressions);
    for (const auto& [name, text] : program.headers)
        directory.write(fs::path("headers") / name, text);
    const int code = directory.run({});
    program.log = directory.read("log");
    if (code != success) return code < 0 || code > most_results ? int{internal_error} : code;
    program.outputs[KBUILD_CPU_OUTPUT_IMAGE] = directory.read("image");
    program.outputs[KBUILD_CPU_OUTPUT_TEXT] = directory.read("text");
    program.outputs[KBUILD_CPU_OUTPUT_LINKABLE] = directory.read("linkable");
    program.symbols = directory.read_list("symbols");
    program.is_compiled = true;
    return success;
}

std::string to_string(const char* text) { return text == nullptr ? "" : text; }

int create(void** program, const char* text, const char* name, kbuild_cpu_strings headers,
           kbuild_cpu_strings names) {
    return run([&] {
        if (program == nullptr || text == nullptr || headers.count != names.count ||
            (headers.count != 0 && (headers.items == nullptr || names.items == nullptr)))
            return int{invalid_input};
        auto created = std::make_unique<Program>();
        created->text = text;
        created->name = name == nullptr || *name == '\0' ? "default_program" : name;
        for (std::size_t i = 0; i < headers.count; ++i) {
            const auto path = fs::path(to_string(names.items[i])).lexically_normal();
            if (path.empty() || path.is_absolute() || *path.begin() == "..")
                return int{invalid_input};
            created->headers.emplace_back(path, to_string(headers.items[i]));
        }
        *program = created.release();
        return int{success};
    });
}

int destroy(void* program) {
    delete static_cast<Program*>(program);
    return program == nullptr ? invalid_program : success;
}

int add_expression(void* program, const char* expression) {
    return run([&] {
        if (program == nullptr) return int{invalid_program};
        if (expression == nullptr) return int{invalid_input};
        auto& changed = *static_cast<Program*>(program);
        if (changed.is_compiled) return int{expressions_after_compilation};
        changed.expressions.emplace_back(expression);
        return int{success};
    });
}

int compile_words(void* program, kbuild_cpu_strings options) {
    if (program == nullptr) return invalid_program;
    auto& compiled = *static_cast<Program*>(program);
    return run([&] {
        std::vector<std::string> words;
        for (std::size_t i = 0; i < options.count; ++i)
            words.push_back(to_string(options.items[i]));
        try {
            return compile(compiled, words);
        } catch (const std::runtime_error& error) {
            compiled.log = std::string("kbuild: error: ") + error.what() + "\n";
            return int{compilation_failed};
        }
    });
}

int get_output(const char** output, std::size_t* bytes, void* program,
               kbuild_cpu_program_output kind) {
    if (program == nullptr || !static_cast<Program*>(program)->is_compiled) return invalid_program;
    const auto& found = static_cast<Program*>(program)->outputs[kind];
    *output = found.data();
    *bytes = found.size();
    return found.empty() ? invalid_program : success;
}

int get_log(const char** log, std::size_t* bytes, void* program) {
    if (program == nullptr) return invalid_program;
    *log = static_cast<Program*>(program)->log.c_str();
    *bytes = static_cast<Program*>(program)->log.size() + 1;
    return success;
}

int get_symbol(const char** symbol, void* program, const char* expression) {
    return run([&] {
        if (program == nullptr) return int{invalid_program};
        if (symbol == nullptr || expression == nullptr) return int{invalid_input};
        const auto& compiled = *static_cast<Program*>(program);
        if (!compiled.is_compiled) return int{names_before_compilation};
        for (std::size_t i = 0; i < compiled.expressions.size(); ++i)
            if (compiled.expressions[i] == expression && i < compiled.symbols.size() &&
                !compiled.symbols[i].empty()) {
                *symbol = compiled.symbols[i].c_str();
                return int{success};
            }
        return int{invalid_expression};
    });
}

}  // namespace
}  // namespace kbuild::cpu::rtc

int kbuild_cpu_create_program(void** program, const char* text, const char* name,
                              kbuild_cpu_strings headers, kbuild_cpu_strings names) {
    return kbuild::cpu::rtc::create(program, text, name, headers, names);
}

int kbuild_cpu_destroy_program(void* program) { return kbuild::cpu::rtc::destroy(program); }

int kbuild_cpu_add_name_expression(void* program, const char* expression) {
    return kbuild::cpu::rtc::add_expression(program, expression);
}

int kbuild_cpu_compile_program(void* program, kbuild_cpu_strings options) {
    return kbuild::cpu::rtc::compile_words(program, options);
}

int kbuild_cpu_get_program_output(const char** output, std::size_t* bytes, void* program,
                                  kbuild_cpu_program_output kind) {
    return kbuild::cpu::rtc::get_output(output, bytes, program, kind);
}

int kbuild_cpu_program_log(const char** log, std::size_t* bytes, void* program) {
    return kbuild::cpu::rtc::get_log(log, bytes, program);
}

int kbuild_cpu_lowered_name(const char** symbol, void* program, const char* expression) {
    return kbuild::cpu::rtc::get_symbol(symbol, program, expression);
}
