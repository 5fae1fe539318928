"""KB309: kernels that are called instead of launched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, Reference
from kbuild.verify.file_set import FileSet, Identity, identities_of
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, set_rule


@set_rule("KB309", "kernel-called", severity="error", needs=())
def kernel_called(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """No code calls a kernel's handle: kernels are launched.

    Why: A handle is data. A call jumps into memory that may not be executed, and the program
        ends with SIGSEGV at a place that no symbol names.

    Fix: Launch the kernel: `kbuild::launch(kernel, config, ...)`, `kbuild_launch` or the
        runtime's own launch function. `kernel<<<...>>>` in files that nvcc compiles for the
        host is such a call; `KBUILD_KERNEL` on the declaration makes it a compile error.

    Source: reproduced with gcc 12 and clang 14.
    """
    if not files.has_handles:
        raise NotApplicable("no handle in the files of this call")
    for reference in facts.references:
        if reference.kind in ("call", "call-slot"):
            kernel = files.meant_by(reference, facts)
            if kernel is not None and not kernel.is_stub:
                yield Violation(
                    message=_describe(facts, reference, kernel), symbol=kernel.handle.kernel
                )
    unseen = _what_is_unseen(facts)
    if unseen:
        raise LacksEvidence(unseen)


def _describe(facts: ArtifactFacts, reference: Reference, kernel: Identity) -> str:
    caller = _caller(facts, reference) if reference.kind == "call" else None
    where = "" if kernel.file is facts else f" of {kernel.file.path}"
    return f"{caller or 'the code'} calls {kernel.handle.row.display}{where}, which is data"


def _caller(facts: ArtifactFacts, reference: Reference) -> str | None:
    """The function that the first call is in."""
    place = reference.place
    for symbol in facts.symbols:
        start = symbol.place
        if symbol.type != "function" or start is None or start.section != place.section:
            continue
        if start.offset <= place.offset < start.offset + symbol.size:
            return symbol.name
    return None


def _what_is_unseen(facts: ArtifactFacts) -> str | None:
    """Why calls in this file may have left no trace.

    The linker resolves a call to what the same file defines for good, unless another file
    may take its place.
    """
    if facts.kind == "object":
        return None
    if facts.dynamic is None:
        return "linked statically: no relocation shows what it calls"
    if any(not _leaves_trace_when_called(facts, kernel) for kernel in identities_of(facts)):
        return "calls of its own kernels left no relocation when it was linked"
    return None


def _leaves_trace_when_called(facts: ArtifactFacts, kernel: Identity) -> bool:
    is_interposable = (
        facts.kind == "shared-object"
        and kernel.is_exported
        and kernel.symbol is not None
        and kernel.symbol.visibility == "default"
        and not (facts.dynamic and facts.dynamic.is_symbolic)
    )
    # A static kernel's handle is for its own stub unit alone, which calls nothing.
    is_static = kernel.handle.row.linkage == "internal"
    return kernel.is_stub or is_static or is_interposable


RULES: Final[tuple[Rule, ...]] = (kernel_called,)
