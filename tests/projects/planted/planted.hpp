// Kernels with one mistake each, and the same kernels without it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

struct Case {
    const char *rule;  // what checks report
    void (*run_buggy)();
    void (*run_correct)();
};

inline std::map<std::string, Case> &cases() {
    static std::map<std::string, Case> all;
    return all;
}

struct Registration {
    Registration(const char *name, Case entry) { cases()[name] = entry; }
};

// Defines a case, whose body launches a kernel. `is_correct` is true for the one without the mistake.
#define PLANTED(name, rule) \
    template <bool is_correct> \
    static void name(); \
    static const Registration registration_of_##name(#name, {rule, name<false>, name<true>}); \
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
