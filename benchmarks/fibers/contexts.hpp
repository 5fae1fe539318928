// What Boost.Context does in place of the kernels.
#ifndef CONTEXTS_HPP
#define CONTEXTS_HPP

#include <functional>

namespace contexts {

// Returns a function that continues each of `count` contexts `rounds` times, in turn. The switches are
// those of the library's class `fiber`, or of the function in assembly that the class calls.
std::function<void(int rounds)> make_ring_of_fibers(int count);
std::function<void(int rounds)> make_ring_of_fcontexts(int count);

// Returns a function that starts `count` fibers with stacks from a pool. Each one waits once, and ends.
std::function<void()> make_starts(int count);

} // namespace contexts

#endif
