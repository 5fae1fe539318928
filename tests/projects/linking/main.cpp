// Launches kernels that are linked into the program or into a library that it links.
#include <kbuild/kbuild.hpp>

#include "twins.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>

extern const bool has_stubs;
const void* first_elsewhere();
const void* add_elsewhere();

namespace {

void expect(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "wrong: %s\n", what);
    std::exit(1);
}

void succeed(const kbuild::error& error) { expect(!error, error.message()); }

template <class Kernel>
const void* address(Kernel* kernel) {
    return reinterpret_cast<const void*>(kernel);
}

}  // namespace

int main() {
    const std::set<const void*> identities = {address(first), address(second),
                                              address(twins::add<int>),
                                              address(twins::add<unsigned>)};
    expect(identities.size() == 4, "two kernels are one");
    expect(address(first) == first_elsewhere(), "first() is another one elsewhere");
    expect(address(twins::add<int>) == add_elsewhere(), "add<int>() is another one elsewhere");
    // The handles of instances are code.
    for (const void* handle : {address(first), address(second)})
        expect((*static_cast<void* const*>(handle) != nullptr) == has_stubs, "a handle's content");

    int ints[3] = {};
    unsigned unsigneds[3] = {1, 1, 1};
    succeed(kbuild::launch(first, {1, 2}, ints, 5));
    succeed(kbuild::launch(second, {1, 1}, ints, 7));
    succeed(kbuild::launch(twins::add<int>, {1, 3}, ints, 10));
    succeed(kbuild::launch(twins::add<unsigned>, {1, 3}, unsigneds, 2u));
    succeed(kbuild::synchronize());
    expect(ints[0] == 17 && ints[1] == 15 && ints[2] == 10, "ints");
    expect(unsigneds[2] == 3, "unsigneds");
    std::puts("all right");
}
