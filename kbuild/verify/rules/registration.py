"""KB401: whether the program registers its kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts, ModuleFacts
from kbuild.verify.rule import NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS, PLACES


@rule("KB401", "not-registered", severity="error", needs=())
def not_registered(facts: ArtifactFacts) -> Iterator[Violation]:
    """The program's initializers register every target, with its own handles and containers.

    Why: Kernels that no constructor registers can be linked and loaded, but every launch fails
        with "invalid device function" or "named symbol not found".

        Of other tools, the damaged record of a fat binary is an error. With a note, it
        is also an error if no initializer leads to the registration.

    Fix: Keep `.init_array` and the target's stub object complete: no `--gc-sections` without
        KEEP for `.init_array` in a linker script, no `-nostartfiles`, no partial extraction.

    Source: rocm-systems#5498, llvm#143964, llvm#212614.
    """
    if not facts.modules and not facts.wrappers:
        raise NotApplicable("the file registers nothing")
    for wrapper in facts.wrappers:
        section = facts.section_of(wrapper.place)
        where = f"{section.name if section else ''}+{wrapper.place.offset:#x}"
        if wrapper.problem:
            yield Violation(
                message=f"the fat binary wrapper at {PLACES}: {wrapper.problem}", where=where
            )
    for module in facts.modules:
        target = module.record.target
        for defect in _registration_defects(module):
            yield Violation(message=f"{target}: {defect}")
    for handle in facts.handles:
        registered = handle.registered.place if handle.registered else None
        if registered and handle.place and registered != handle.place:
            yield Violation(
                message=f"{KERNELS} is registered with an address that is not its handle",
                symbol=handle.kernel,
            )


def _registration_defects(module: ModuleFacts) -> Iterator[str]:
    if module.descriptor_problem:
        yield f"the module descriptor cannot be followed: {module.descriptor_problem}"
    if module.constructor is None:
        yield "the note does not lead to the constructor that registers its kernels"
    elif not module.is_constructor_reached:
        yield "no initializer of the file calls the constructor that registers its kernels"


RULES: Final[tuple[Rule, ...]] = (not_registered,)
