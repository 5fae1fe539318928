"""KB305 to KB308: debug stubs, the host functions whose address a handle can contain.

Each defect raises one rule:

* KB305 reports a stub that the file does not define under its name. KB308 then does not
  compare the content of the handle with it.
* If the kernel table has no stub but the handle contains an address, launches go through
  that address, and KB308 reports it. If the handle is null, KB306 reports the stub.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.demangle.stub_names import PREFIX, name_stub
from kbuild.errors import SourceError
from kbuild.facts import ArtifactFacts, HandleFacts, Symbol
from kbuild.verify.policy.model import Severity
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS, plural


@rule("KB305", "missing-debug-stub", severity="error", needs=("note",))
def missing_debug_stub(facts: ArtifactFacts) -> Iterator[Violation]:
    """In a build with debug stubs, every kernel has its stub, a function with its own name.

    Why: The stub puts a launch on the call stack. Without the stub or its name, `bt` shows no
        kernel, and `break __device_stub__scale` finds nothing.

        Only a note says which stubs must exist, so files of other tools are not judged.

    Fix: Rebuild the target with DEBUG_STUBS and link its complete stub unit. Look for a version
        script, `objcopy`, or `--gc-sections` that removes the function or its name.

    Source: `kbuild/module.h`, `struct kbuild_kernel`; clang's names for HIP, `CGCUDANV.cpp`.
    """
    with_stub = _require_stubs(facts)
    unjudged = []
    for handle in with_stub:
        if _is_missing(facts, handle):
            yield Violation(
                message=f"the file does not define the debug stub {KERNELS}",
                symbol=handle.row.stub,
            )
        elif handle.stub is None:
            unjudged.append(handle)
        elif handle.stub.type != "function":
            yield Violation(
                message=f"the debug stub {KERNELS} has type {handle.stub.type!r} instead of "
                "'function'",
                symbol=handle.row.stub,
            )
    if unjudged:
        raise LacksEvidence(f"stripped: {plural(len(unjudged), 'handle')} without a name")


def _require_stubs(facts: ArtifactFacts) -> tuple[HandleFacts, ...]:
    """Return the handles that have a stub.

    Raises:
        NotApplicable: No handle has one.
    """
    with_stub = tuple(handle for handle in facts.handles if handle.row.stub)
    if not with_stub:
        raise NotApplicable("built without debug stubs")
    return with_stub


def _is_missing(facts: ArtifactFacts, handle: HandleFacts) -> bool:
    """Return whether it is certain that the file does not define the handle's stub."""
    if handle.row.stub is None or handle.stub is not None:
        return False
    content = handle.content
    is_elsewhere = content is not None and content.place is None and content.symbol is not None
    return facts.has_symbol_table or is_elsewhere


@rule("KB306", "unexpected-debug-stub", severity="warning", needs=("note",))
def unexpected_debug_stub(facts: ArtifactFacts) -> Iterator[Violation]:
    """A build without debug stubs defines none.

    Why: The handle is null, so the function is never called. Breakpoints on it do not stop, and
        a search for the kernel in the symbol table finds host code. The function comes from
        another build of the target, or from device code that was compiled as host code.

    Fix: Remove the outdated object from the link, or build the target with DEBUG_STUBS.

    Source: `kbuild/module.h`, `struct kbuild_kernel`; clang's names for HIP, `CGCUDANV.cpp`.
    """
    without = [handle for handle in facts.handles if not handle.row.stub]
    if not without:
        raise NotApplicable("built with debug stubs" if facts.handles else "the file has no handle")
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
                message=f"the file was built without debug stubs, but defines {KERNELS}",
                symbol=name,
            )
    # A stub is as visible as its handle, so it has a name if the handle has one.
    unjudged = [h for h in without if h.symbol is None and not facts.has_symbol_table]
    if unjudged:
        raise LacksEvidence(f"stripped: {plural(len(unjudged), 'handle')} without a name")


def _stub_name(kernel: str) -> str | None:
    try:
        return name_stub(kernel)
    except SourceError:
        return None


@rule("KB307", "visibility-asymmetry", severity="error", needs=())
def visibility_asymmetry(facts: ArtifactFacts) -> Iterator[Violation]:
    """A handle and its stub have the same binding and visibility (an info for other tools' files).

    Why: Otherwise, other files can refer to only one of them. Another library launches the
        kernel, but a debugger or a tool that looks for the stub by name does not find it. Of two
        weak copies, the linker can keep the handle of one and the stub of the other.

        Instances of templates are not judged: each source has its own stub for an instance, whose
        handle other files can define, too.

    Fix: Set the target's VISIBILITY instead of `-fvisibility`. In version scripts, name stubs
        (`*__device_stub__*`) together with their kernels.

    Source: rocSOLVER#512, torchcomms#4082; measured: `-fvisibility=hidden` hides clang's HIP
        stub but not its handle.
    """
    # If the identity is a function, no code refers to its stub by name.
    foreign = [one for one in facts.host_kernels if one.stub and one.kind == "variable"]
    for one in foreign:
        yield from _asymmetry(one.symbol, one.stub, "info")
    if foreign and not facts.modules:
        return
    unjudged = []
    for handle in _require_stubs(facts):
        if handle.symbol is None or handle.stub is None:
            unjudged.append(handle)
        if handle.row.linkage != "weak":
            yield from _asymmetry(handle.symbol, handle.stub, None)
    if unjudged and not facts.has_symbol_table:
        raise LacksEvidence(f"stripped: {plural(len(unjudged), 'handle')} with a missing name")


def _asymmetry(
    symbol: Symbol | None, stub: Symbol | None, severity: Severity | None
) -> Iterator[Violation]:
    if symbol is None or stub is None:
        return
    # Compilers also write a visibility for local symbols, for which it has no meaning.
    is_equal = symbol.binding == stub.binding == "local" or symbol.visibility == stub.visibility
    if symbol.binding != stub.binding or not is_equal:
        yield Violation(
            message=f"the debug stub {KERNELS} is {stub.binding} and {stub.visibility}, but its "
            f"handle is {symbol.binding} and {symbol.visibility}",
            symbol=stub.name,
            severity=severity,
        )


@rule("KB308", "stub-slot", severity="error", needs=("note",))
def stub_slot(facts: ArtifactFacts) -> Iterator[Violation]:
    """A handle contains the address of its own debug stub, or null in a build without stubs.

    Why: A launch reads the handle. If it is null, the launch goes directly to the runtime.
        Otherwise, the launch calls the address as the stub. A wrong address launches another
        kernel or crashes, and if another file interposes the stub, that file's stub is called.

        Only a note says what a handle contains, so files of other tools are not judged.

    Fix: Rebuild the stub unit and link it unchanged. Do not patch or initialize handles.

    Source: `kbuild/module.h`, `struct kbuild_kernel`; `kbuild/kbuild.hpp`, `kbuild::launch`.
    """
    unjudged = []
    for handle in facts.handles:
        if handle.content is None or handle.is_function or _is_missing(facts, handle):
            continue
        if handle.row.stub and handle.stub is None and not handle.content.is_null:
            unjudged.append(handle)
            continue
        yield from _slot_violations(handle)
    if unjudged:
        raise LacksEvidence(f"{plural(len(unjudged), 'handle')} whose stub has no name in the file")
    if not facts.handles:
        raise NotApplicable("the file has no handle")


def _slot_violations(handle: HandleFacts) -> Iterator[Violation]:
    content, stub = handle.content, handle.row.stub
    if content is None:
        return
    defect = None
    if stub is None and not content.is_null:
        defect = "is not null, but the target was built without debug stubs"
    elif stub is not None and content.is_null:
        defect = "is null instead of the address of its debug stub"
    elif stub is not None and content.place != (handle.stub.place if handle.stub else None):
        defect = "is not the address of its debug stub"
    if defect:
        message = f"the content of the handle of {KERNELS} {defect}"
        yield Violation(message=message, symbol=handle.kernel)
    elif content.interposable:
        yield Violation(
            message=f"another file can interpose the debug stub of {KERNELS}",
            symbol=handle.kernel,
            severity="warning",
        )


RULES: Final[tuple[Rule, ...]] = (
    missing_debug_stub,
    unexpected_debug_stub,
    visibility_asymmetry,
    stub_slot,
)
