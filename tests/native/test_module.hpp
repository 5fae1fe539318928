// Creates the descriptor that a stub unit contains, at run time and from a container file.
#ifndef KBUILD_TESTS_TEST_MODULE_HPP
#define KBUILD_TESTS_TEST_MODULE_HPP

#include <kbuild/cpu_runtime.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

inline std::string read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class TestModule {
public:
    explicit TestModule(std::string bytes) : bytes_(std::move(bytes)) {
        add("saxpy", {{0, 4}, {4, 4}, {8, 8}, {16, 8}});
        add("wait_in_many_ways", {{0, 8}, {8, 4}});
        add("histogram", {{0, 8}, {8, 4}, {16, 8}});
        add("_ZN2ns5applyIfEEv6AffinePT_", {{0, 16}, {16, 8}});
        for (const char* name : {"store_indices", "block_sum", "reverse", "spin"})
            add(name, {{0, 8}, {8, 8}});
        for (const char* name :
             {"early_exit", "staggered_exit", "count_votes", "count_launches", "divide"})
            add(name, {{0, 8}});
        for (const char* name : {"nothing", "wait_for_each_other", "name_wrong_lane",
                                 "exit_before_grid_barrier", "exit_after_others_wait"})
            add(name, {});
        for (const char* name : {"exchange", "converge", "meet", "spin_forever", "wait_for_host"})
            add(name, {{0, 8}});
        add("lock", {{0, 8}, {8, 8}});
        add("cooperate", {{0, 8}, {8, 4}});
        add("wait_by_clock", {{0, 8}, {8, 4}});
        add("fail", {{0, 8}, {8, 4}});
        add("absent", {});  // the image does not contain this kernel
        container_ = {bytes_.data(), bytes_.size(), nullptr};
    }
    TestModule(const TestModule&) = delete;
    TestModule& operator=(const TestModule&) = delete;

    void add(const char* name, std::vector<kbuild_param> params) {
        params_[name] = std::move(params);
        handles_[name] = nullptr;
    }

    // Returns the kernel's handle: the address of a variable in this object.
    const void* handle(const char* name) const { return &handles_.at(name); }

    // Uses another module's handle, like a second definition of the same kernel.
    void share(const char* name, const void* handle) { shared_[name] = handle; }

    const kbuild_module* descriptor() {
        rows_.clear();
        for (const auto& [name, params] : params_) {
            const auto shared = shared_.find(name);
            rows_.push_back({shared == shared_.end() ? handle(name.c_str()) : shared->second,
                             name.c_str(), params.data(), static_cast<uint32_t>(params.size()), 0});
        }
        module_ = {
            KBUILD_MODULE_ABI, sizeof module_, "test",      "cpu", "{}",    2,
            rows_.data(),      rows_.size(),   &container_, 1,     nullptr, variables_.data(),
            variables_.size()};
        return &module_;
    }

private:
    std::string bytes_;
    std::map<std::string, std::vector<kbuild_param>> params_;
    std::map<std::string, void*> handles_;
    std::map<std::string, const void*> shared_;
    std::vector<kbuild_kernel> rows_;
    std::vector<kbuild_variable> variables_;
    kbuild_container container_;
    kbuild_module module_;
};

inline kbuild_launch_config make_config(kbuild_dim3 grid, kbuild_dim3 block,
                                        size_t shared_bytes = 0) {
    kbuild_launch_config config = {};
    config.grid = grid;
    config.block = block;
    config.shared_bytes = shared_bytes;
    return config;
}

template <class... A>
int launch(const void* handle, const kbuild_launch_config& config, A... args) {
    void* addresses[] = {&args..., nullptr};
    return kbuild_cpu_launch(handle, &config, addresses);
}

#endif
