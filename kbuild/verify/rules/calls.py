"""KB309: kernels that are called instead of launched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, Reference
from kbuild.verify.file_set import FileSet, Identity, identities_of
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS, PLACES


@rule("KB309", "kernel-called", severity="error", needs=(), is_joint=True)
def kernel_called(facts: ArtifactFacts, files: FileSet) -> Iterator[Violation]:
    """No code calls a kernel's handle: kernels are launched.

    Why: A handle is data. A call jumps into memory that is not executable, and the program
        ends with SIGSEGV at an address that no symbol names. An instance of a template contains
        code instead, which reports the call and launches nothing.

        Only handles that a note describes are known to be data. The kernels of nvcc are
        functions.

    Fix: Launch the kernel with `kbuild::launch(kernel, config, ...)`, `kbuild_launch`, or the
        runtime's own launch function. In a file that nvcc compiles for the host,
        `kernel<<<...>>>` is such a call. `KBUILD_KERNEL` on the declaration makes it a compile
        error.

    Source: reproduced with gcc 12 and clang 14.
    """
    if not files.has_handles:
        raise NotApplicable("no handle in the files of this call")
    for reference in facts.references:
        if reference.kind in ("call", "call-slot"):
            kernel = files.find_kernel(reference, facts)
            if kernel is not None and not kernel.is_stub:
                where = "" if kernel.file is facts else f" of {kernel.file.path}"
                what = "only reports the call" if kernel.handle.has_code else "is data"
                yield Violation(
                    message=f"{PLACES} calls {KERNELS}{where}, which {what}",
                    symbol=kernel.handle.kernel,
                    where=_caller(facts, reference) or "the code",
                )
    reason = _explain_missing_evidence(facts)
    if reason:
        raise LacksEvidence(reason)


def _caller(facts: ArtifactFacts, reference: Reference) -> str | None:
    """Return the function that contains the call, or None if no symbol covers it."""
    if reference.kind != "call":
        return None
    place = reference.place
    for symbol in facts.symbols:
        start = symbol.place
        if symbol.type != "function" or start is None or start.section != place.section:
            continue
        if start.offset <= place.offset < start.offset + symbol.size:
            return symbol.name
    return None


def _explain_missing_evidence(facts: ArtifactFacts) -> str | None:
    """Return why calls in this file might have left no trace, or None if they would be visible.

    The linker resolves a call to a symbol of the same file for good, unless another file can
    interpose that symbol.
    """
    if facts.kind == "object":
        return None
    if facts.dynamic is None:
        return "statically linked: no relocation shows what it calls"
    if any(not _leaves_trace_when_called(facts, kernel) for kernel in identities_of(facts)):
        return "linking left no relocation for calls to the file's own kernels"
    return None


def _leaves_trace_when_called(facts: ArtifactFacts, kernel: Identity) -> bool:
    is_interposable = (
        facts.kind == "shared-object"
        and kernel.is_exported
        and kernel.symbol is not None
        and kernel.symbol.visibility == "default"
        and not (facts.dynamic and facts.dynamic.is_symbolic)
    )
    # Only its own stub unit can refer to a static kernel's handle, and that calls nothing.
    is_static = kernel.handle.row.linkage == "internal"
    return kernel.is_stub or is_static or is_interposable


RULES: Final[tuple[Rule, ...]] = (kernel_called,)
