"""KB305 to KB308: debug stubs, the host functions that a handle may hold.

So that one defect raises one rule:

* A stub that the file does not define under its name is KB305's; the handle's content is
  then not compared with it (KB308).
* A stub that the kernel table knows nothing of is KB308's where the handle holds something,
  because launches then go through it, and KB306's where the handle is null.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.demangle.stub_names import PREFIX, name_stub
from kbuild.errors import SourceError
from kbuild.facts import ArtifactFacts, HandleFacts, Symbol
from kbuild.verify.policy.model import Severity
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule


@rule("KB305", "missing-debug-stub", severity="error", needs=("note",))
def missing_debug_stub(facts: ArtifactFacts) -> Iterator[Violation]:
    """In a build with debug stubs every kernel has its stub, a function under its own name.

    Why: The stub is what puts a launch on the call stack: without it, or without its name,
        `bt` shows no kernel and `break __device_stub__scale` finds nothing.

    Fix: Rebuild the target with DEBUG_STUBS and link its stub unit whole; look for a version
        script, `objcopy` or `--gc-sections` that drops the function or its name.

    Source: DESIGN.md, "Kernel identity"; clang's HIP naming, `CGCUDANV.cpp`.
    """
    with_stub = _require_stubs(facts)
    unseen = []
    for handle in with_stub:
        if _is_missing(facts, handle):
            yield Violation(
                message=f"no function {handle.row.stub} is defined, the debug stub of "
                f"{handle.row.display}",
                symbol=handle.row.stub,
            )
        elif handle.stub is None:
            unseen.append(handle)
        elif handle.stub.type != "function":
            yield Violation(
                message=f"{handle.row.stub}, the debug stub of {handle.row.display}, is no "
                f"function but of type {handle.stub.type!r}",
                symbol=handle.row.stub,
            )
    if unseen:
        raise LacksEvidence(f"stripped: {_count(unseen)} without a name")


def _require_stubs(facts: ArtifactFacts) -> tuple[HandleFacts, ...]:
    """The handles that a stub belongs to; NotApplicable when there are none."""
    with_stub = tuple(handle for handle in facts.handles if handle.row.stub)
    if not with_stub:
        raise NotApplicable("built without debug stubs")
    return with_stub


def _is_missing(facts: ArtifactFacts, handle: HandleFacts) -> bool:
    """Whether the file certainly does not define the stub that the row names."""
    if handle.row.stub is None or handle.stub is not None:
        return False
    content = handle.content
    is_elsewhere = content is not None and content.place is None and content.symbol is not None
    return facts.has_symbol_table or is_elsewhere


@rule("KB306", "unexpected-debug-stub", severity="warning", needs=("note",))
def unexpected_debug_stub(facts: ArtifactFacts) -> Iterator[Violation]:
    """A build without debug stubs defines none.

    Why: The function is never called, for the handle is null: breakpoints on it do not stop,
        and whoever looks for the kernel in a symbol table finds host code. It comes from
        another build of the target, or from device code compiled as host code.

    Fix: Remove the stale object from the link, or build the target with DEBUG_STUBS.

    Source: DESIGN.md, "Kernel identity"; clang's HIP naming, `CGCUDANV.cpp`.
    """
    without = [handle for handle in facts.handles if not handle.row.stub]
    if not without:
        raise NotApplicable("built with debug stubs" if facts.handles else "no handle")
    functions = {
        symbol.name
        for symbol in facts.symbols
        if symbol.type == "function" and symbol.place is not None and PREFIX in symbol.name
    }
    for handle in without:
        is_null = handle.content is None or handle.content.is_null
        name = _stub_name(handle.kernel) if functions and is_null else None
        if name in functions:
            yield Violation(
                message=f"{name} is defined, but {handle.row.display} was built without a "
                "debug stub",
                symbol=name,
            )
    # A stub is as visible as its handle: where that has a name left, the stub would too.
    unseen = [h for h in without if h.symbol is None and not facts.has_symbol_table]
    if unseen:
        raise LacksEvidence(f"stripped: {_count(unseen)} without a name")


def _stub_name(kernel: str) -> str | None:
    try:
        return name_stub(kernel)
    except SourceError:
        return None


@rule("KB307", "visibility-asymmetry", severity="error", needs=())
def visibility_asymmetry(facts: ArtifactFacts) -> Iterator[Violation]:
    """A handle and its stub have one binding and one visibility (an info for other tools').

    Why: Whoever can refer to one can then not refer to the other: another library launches
        the kernel, but a debugger or a tool that looks for its stub by name does not find
        it; of two weak copies, the linker may keep the handle of one and the stub of another.

    Fix: Set the target's VISIBILITY instead of `-fvisibility`, and name stubs
        (`*__device_stub__*`) beside their kernels in version scripts.

    Source: rocSOLVER#512, torchcomms#4082; measured: `-fvisibility=hidden` hides clang's HIP
        stub but not its handle.
    """
    # Where the identity is a function, the stub is a part of it that nobody names.
    foreign = [one for one in facts.host_kernels if one.stub and one.kind == "variable"]
    for one in foreign:
        yield from _asymmetry(demangle(one.kernel), one.symbol, one.stub, "info")
    if foreign and not facts.modules:
        return
    unseen = []
    for handle in _require_stubs(facts):
        if handle.symbol is None or handle.stub is None:
            unseen.append(handle)
        yield from _asymmetry(handle.row.display, handle.symbol, handle.stub, None)
    if unseen and not facts.has_symbol_table:
        raise LacksEvidence(f"stripped: {_count(unseen)} of which a name is gone")


def _asymmetry(
    display: str, symbol: Symbol | None, stub: Symbol | None, severity: Severity | None
) -> Iterator[Violation]:
    if symbol is None or stub is None:
        return
    if (symbol.binding, symbol.visibility) != (stub.binding, stub.visibility):
        yield Violation(
            message=f"the handle of {display} is {symbol.binding} and {symbol.visibility}, its "
            f"debug stub {stub.binding} and {stub.visibility}",
            symbol=stub.name,
            severity=severity,
        )


@rule("KB308", "stub-slot", severity="error", needs=("note",))
def stub_slot(facts: ArtifactFacts) -> Iterator[Violation]:
    """A handle holds the address of its own debug stub, or null in a build without stubs.

    Why: Launching reads the handle: null means a direct launch, anything else is called as
        the stub. A wrong address launches another kernel or jumps into nowhere; one that
        another file can interpose calls that file's stub.

    Fix: Rebuild the stub unit and link it unchanged; do not patch or initialise handles.

    Source: DESIGN.md, "Kernel identity".
    """
    unseen = []
    for handle in facts.handles:
        if handle.content is None or handle.is_function or _is_missing(facts, handle):
            continue
        if handle.row.stub and handle.stub is None and not handle.content.is_null:
            unseen.append(handle)
            continue
        yield from _slot_violations(handle)
    if unseen:
        raise LacksEvidence(f"{_count(unseen)} whose stub the file does not name")
    if not facts.handles:
        raise NotApplicable("no handle")


def _slot_violations(handle: HandleFacts) -> Iterator[Violation]:
    content, stub = handle.content, handle.row.stub
    if content is None:
        return
    defect = None
    if stub is None and not content.is_null:
        defect = "is not null, but the target was built without debug stubs"
    elif stub is not None and content.is_null:
        defect = f"is null instead of the address of {stub}"
    elif stub is not None and content.place != (handle.stub.place if handle.stub else None):
        defect = f"is not the address of {stub}"
    if defect:
        message = f"the content of {handle.row.display}'s handle {defect}"
        yield Violation(message=message, symbol=handle.kernel)
    elif content.interposable:
        yield Violation(
            message=f"another file can interpose {content.symbol}, the stub of "
            f"{handle.row.display}",
            symbol=handle.kernel,
            severity="warning",
        )


def _count(handles: list[HandleFacts]) -> str:
    return f"{len(handles)} handle{'' if len(handles) == 1 else 's'}"


RULES: Final[tuple[Rule, ...]] = (
    missing_debug_stub,
    unexpected_debug_stub,
    visibility_asymmetry,
    stub_slot,
)
