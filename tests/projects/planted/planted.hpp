// Kernels with one mistake each, and the same kernels without it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

// An entry of the list of all cases.
struct Case {
    Case(const char *name_, const char *rule_, void (*run_buggy_)(), void (*run_correct_)())
        : name(name_), rule(rule_), run_buggy(run_buggy_), run_correct(run_correct_), next(first()) {
        first() = this;
    }

    static const Case *&first() {
        static const Case *last_defined = nullptr;
        return last_defined;
    }

    const char *name;
    const char *rule;  // what checks report
    void (*run_buggy)();
    void (*run_correct)();
    const Case *next;
};

// Defines a case, whose body launches a kernel. `is_correct` is true for the one without the mistake.
#define PLANTED(name, rule) \
    template <bool is_correct> \
    static void name(); \
    static const Case case_##name(#name, rule, name<false>, name<true>); \
    template <bool is_correct> \
    static void name()

// Device memory with zeros, which is freed at the end of the scope.
template <class T>
class Zeros {
public:
    explicit Zeros(std::size_t count) {
        cudaMalloc(&data_, count * sizeof(T));
        cudaMemset(data_, 0, count * sizeof(T));
    }
    ~Zeros() { cudaFree(data_); }
    Zeros(const Zeros &) = delete;
    Zeros &operator=(const Zeros &) = delete;
    operator T *() const { return data_; }

private:
    T *data_ = nullptr;
};

inline void finish() { cudaDeviceSynchronize(); }
