// Usage: planted NAME buggy|correct, or planted to list the cases.
#include "planted.hpp"

int main(int argc, char **argv) {
    if (argc == 1) {
        for (const auto &[name, entry] : cases()) std::printf("%s %s\n", name.c_str(), entry.rule);
        return 0;
    }
    const auto found = cases().find(argv[1]);
    if (argc != 3 || found == cases().end()) {
        std::fprintf(stderr, "usage: planted [NAME buggy|correct]\n");
        return 2;
    }
    const bool is_correct = std::strcmp(argv[2], "correct") == 0;
    (is_correct ? found->second.run_correct : found->second.run_buggy)();
    return 0;
}
