// Captures: streams whose operations become nodes of a graph.
#ifndef KBUILD_CPU_STREAMS_CAPTURE_HPP
#define KBUILD_CPU_STREAMS_CAPTURE_HPP

#include "streams/graph.hpp"

#include <memory>
#include <pthread.h>
#include <vector>

namespace kbuild::cpu {

// The vendor's numbers.
enum class CaptureMode { global = 0, thread_local_ = 1, relaxed = 2 };

struct Capture {
    std::shared_ptr<Graph> graph;
    CaptureMode mode;
    unsigned long long id;
    pthread_t thread;
    void* origin;             // the stream
    std::vector<Node*> left;  // the last nodes of streams that were destroyed
    bool is_invalid = false;
};

// What the next operation of a stream or the wait for an event depends on.
struct CapturePoint {
    std::shared_ptr<Capture> capture;
    std::vector<Node*> dependencies;
};

}  // namespace kbuild::cpu

#endif
