#include "streams/transfers.hpp"

#include "api/errors.hpp"
#include "memory/copies.hpp"
#include "streams/stream_table.hpp"

namespace kbuild::cpu {
namespace {

// As with CUDA, only small sources are copied before the call returns.
constexpr std::size_t most_staged_bytes = 64 << 10;

void submit(Operation operation, void* stream, bool is_awaited) {
    if (is_awaited)
        Streams::instance().execute(stream, std::move(operation));
    else
        Streams::instance().enqueue(stream, std::move(operation));
}

}  // namespace

void submit_checked_copy(const kbuild_cpu_area_copy& copy, void* stream, bool is_awaited) {
    CopyCall call = {copy, nullptr};
    if (!is_awaited && !Streams::instance().is_capturing(stream)) {
        const auto pageable = find_pageable(copy);
        const auto bytes = copy.width * copy.height * copy.depth;
        if (pageable == HostMemory::source && bytes <= most_staged_bytes) {
            call.staged.reset(new char[bytes], [](char* start) { delete[] start; });
            stage(call.area, call.staged.get());
        } else if (pageable != HostMemory::none) {
            is_awaited = true;
        }
    }
    submit(std::move(call), stream, is_awaited);
}

void submit_copy(const kbuild_cpu_area_copy& copy, void* stream, bool is_awaited) {
    check_copy(copy);
    submit_checked_copy(copy, stream, is_awaited);
}

void submit_fill(const kbuild_cpu_area_fill& fill, unsigned element_bytes, void* stream,
                 bool is_awaited) {
    require(element_bytes == 1 || element_bytes == 2 || element_bytes == 4,
            "the size of an element must be 1, 2, or 4 bytes");
    check_fill(fill);
    submit(FillCall{fill, element_bytes}, stream, is_awaited);
}

}  // namespace kbuild::cpu
