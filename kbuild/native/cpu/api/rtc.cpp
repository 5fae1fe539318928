// Compiles source text with the command `kbuild rtc`. See cpu_rtc.h.
#pragma GCC visibility push(default)
#include <kbuild/cpu_rtc.h>
#pragma GCC visibility pop

#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

extern char** environ;

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
    std::string image;
    std::string log;
    bool is_compiled = false;
};

class TemporaryDirectory {
public:
    TemporaryDirectory() {
        auto pattern = (fs::temp_directory_path() / "kbuild-rtc-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error("cannot create a directory in " + pattern);
        path_ = pattern;
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const fs::path& path() const { return path_; }

private:
    fs::path path_;
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

void write_file(const fs::path& path, const std::string& content) {
    fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << content;
    if (!file) throw std::runtime_error("cannot write " + path.string());
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Lists are files in which each item ends with a null character.
std::string join(const std::vector<std::string>& items) {
    std::string joined;
    for (const auto& item : items) joined.append(item.c_str(), item.size() + 1);
    return joined;
}

std::vector<std::string> split(const std::string& joined) {
    std::vector<std::string> items;
    for (std::size_t start = 0; start < joined.size();) {
        const auto end = joined.find('\0', start);
        items.push_back(joined.substr(start, end - start));
        start = end == std::string::npos ? joined.size() : end + 1;
    }
    return items;
}

// Returns the command: the one that the environment names, that of this library's installation
// (PREFIX/bin, for PREFIX/lib/python3.x/site-packages/kbuild/lib), or the one that PATH finds.
std::string find_command() {
    if (const char* const named = std::getenv("KBUILD_EXECUTABLE")) return named;
    Dl_info place;
    if (dladdr(reinterpret_cast<const void*>(&kbuild_cpu_compile_program), &place) != 0) {
        fs::path prefix = fs::absolute(place.dli_fname);
        for (int i = 0; i < 6; ++i) prefix = prefix.parent_path();
        std::error_code ignored;
        if (fs::exists(prefix / "bin" / "kbuild", ignored)) return prefix / "bin" / "kbuild";
    }
    return "kbuild";
}

// Runs the command for a directory, and returns its exit code.
int run_command(const std::string& directory) {
    const auto command = find_command();
    std::vector<std::string> words = {command, "rtc", "--backend", "cpu", directory};
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawnp(&child, command.c_str(), nullptr, nullptr, argv.data(), environ) != 0)
        throw std::runtime_error("cannot run " + command +
                                 ", which compiles; add it to PATH, or set KBUILD_EXECUTABLE to "
                                 "its path");
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) throw std::runtime_error("lost " + command);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : internal_error;
    return code > most_results ? internal_error : code;
}

int compile(Program& program, const std::vector<std::string>& options) {
    const TemporaryDirectory directory;
    const auto& path = directory.path();
    write_file(path / "source", program.text);
    write_file(path / "name", program.name);
    write_file(path / "options", join(options));
    write_file(path / "expressions", join(program.expressions));
    fs::create_directories(path / "headers");
    for (const auto& [name, text] : program.headers) write_file(path / "headers" / name, text);
    const int code = run_command(path);
    program.log = read_file(path / "log");
    if (code != success) return code;
    program.image = read_file(path / "image");
    program.symbols = split(read_file(path / "symbols"));
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

int get_image(const char** image, std::size_t* bytes, void* program) {
    if (program == nullptr || !static_cast<Program*>(program)->is_compiled) return invalid_program;
    *image = static_cast<Program*>(program)->image.data();
    *bytes = static_cast<Program*>(program)->image.size();
    return success;
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

int kbuild_cpu_program_image(const char** image, std::size_t* bytes, void* program) {
    return kbuild::cpu::rtc::get_image(image, bytes, program);
}

int kbuild_cpu_program_log(const char** log, std::size_t* bytes, void* program) {
    return kbuild::cpu::rtc::get_log(log, bytes, program);
}

int kbuild_cpu_lowered_name(const char** symbol, void* program, const char* expression) {
    return kbuild::cpu::rtc::get_symbol(symbol, program, expression);
}
