"""Replace calls of the host API in device code by calls that do not compile.

Device code can call a part of the API. It cannot wait, because a GPU's kernels cannot, either.
Headers contain functions that nobody calls, so this module raises no error itself: the compiler
reports a call only if it compiles the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.mentions import list_words
from kbuild.cxx.declarations import Declaration
from kbuild.cxx.model import Edit, Span
from kbuild.cxx.unit import Unit

# What device code can call.
# Source: cuda_device_runtime_api.h of CUDA 13.0, and CUDART_DEVICE in cuda_runtime.h.
_AVAILABLE: Final = frozenset(
    f"cuda{name}"
    for name in (
        *("DeviceGetAttribute", "DeviceGetCacheConfig", "DeviceGetLimit"),
        *("DeviceGetSharedMemConfig", "GetDevice", "GetDeviceCount", "RuntimeGetVersion"),
        *("GetErrorName", "GetErrorString", "GetLastError", "PeekAtLastError"),
        *("EventCreateWithFlags", "EventDestroy", "EventRecord", "EventRecordWithFlags"),
        *("StreamCreateWithFlags", "StreamDestroy", "StreamWaitEvent"),
        *("Free", "Malloc", "Memcpy2DAsync", "Memcpy3DAsync", "MemcpyAsync"),
        *("Memset2DAsync", "Memset3DAsync", "MemsetAsync"),
        *("FuncGetAttributes", "OccupancyMaxActiveBlocksPerMultiprocessor"),
        *("OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "OccupancyMaxPotentialBlockSize"),
        *("OccupancyMaxPotentialBlockSizeVariableSMem", "OccupancyMaxPotentialBlockSizeWithFlags"),
        "OccupancyMaxPotentialBlockSizeVariableSMemWithFlags",
    )
)
_DECLARED: Final = ["static", "inline", "cudaError_t"]
_NAME: Final = re.compile(r"\bcuda[A-Z]\w+\s*\(")
_WAITS: Final = "Synchronize"
_NO_WAIT: Final = (
    ", which CUDA 12 removed from device code; launch what comes after the kernels with "
    "cudaStreamTailLaunch"
)
_HOST_ONLY: Final = ", which is for host code"


def reject_host_calls(code: Unit, declarations: tuple[Declaration, ...]) -> Iterator[Edit]:
    """Yield the edits for all calls of the host API in functions that only device code can call."""
    text = code.text
    bodies = [body for body in q.list_device_bodies(declarations) if _NAME.search(text, *body)]
    if not bodies:
        return
    names = {
        code.get(index + 1)
        for index in code.find(_DECLARED[-1:])
        if code.words[index - 2 : index + 1] == _DECLARED and code.get(index + 2) == "("
    } - _AVAILABLE
    seen = 0
    for body in sorted(bodies):
        if body[0] >= seen:
            yield from _replace_calls(code, names, body)
        seen = max(seen, body[1])


def _replace_calls(code: Unit, names: set[str], body: Span) -> Iterator[Edit]:
    for word in list_words(code, names, body):
        index = code.find_index(word.start)
        close = code.partners.get(index + 1) if code.get(index + 1) == "(" else None
        if close is None:
            continue
        end = code.get_end(close)
        start = code.starts[index - 1] if code.get(index - 1) == "::" else word.start
        reason = _NO_WAIT if word.text.endswith(_WAITS) else _HOST_ONLY
        # A declaration with the same name would share the message.
        name = f"host_call_{word.start}"
        message = f"kbuild: device code cannot call {word.text}{reason}"
        yield Edit(
            start=start,
            end=start,
            text=(
                f'__extension__({{ extern __attribute__((error("{message}"))) void {name}(); '
                f"{name}(); "
            ),
        )
        yield Edit(start=end, end=end, text="; })")
