"""KB701 to KB703: whether a wheel works with all systems and packages that it promises."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.facts.wheel import PlatformFacts, PythonSymbol, WheelFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.glob import matches
from kbuild.verify.policy.model import Policy, Severity
from kbuild.verify.rule import LacksEvidence, NotApplicable, Rule, Violation, rule
from kbuild.verify.wording import KERNELS, shorten

_TORCH: Final = re.compile(r"\s*torch(?![\w.-])\s*(?:\[[^]]*\])?\s*\(?(?P<versions>[^;)]*)")
_LINUX: Final = re.compile(r"linux|^any$")
_UPPER_BOUND: Final = re.compile(r"==|~=|<")
# Itanium C++ ABI, "Mangling": entities of the namespaces at, c10, caffe2, and torch, and data such
# as type information of their classes. The headers of the stable ABI define what they declare.
_LIBTORCH: Final = re.compile(
    r"_Z(?:T[A-Z]|G[A-Z])?N[rVK]*[RO]?(?:2at|3c10|6caffe2|5torch(?!6stable|10headeronly))"
    r"|(?:_Z\d+)?THP[A-Z]"
)
# The C functions on which the stable ABI stands.
_STABLE: Final = re.compile(r"aoti_torch_|torch_(?:library_|call_|get_|set_|parallel_|new_|dtype)")


def read_facts(facts: ArtifactFacts) -> WheelFacts:
    """Return the facts of a wheel. The rule needs them, so the engine checked that they exist."""
    if facts.wheel is None:
        raise NotApplicable("not a wheel")
    return facts.wheel


@rule("KB701", "platform-tag", severity="error", needs=("wheel",))
def platform_tag(facts: ArtifactFacts, policy: Policy) -> Iterator[Violation]:
    """The libraries of a wheel load on every system that its platform tag promises.

    Why: Installers choose a wheel by its tag. On an older system than the libraries were built
        for, `import` fails ("version `GLIBC_2.34' not found"), and it also fails if a library
        is neither in the wheel nor on the system.

        Libraries that are not on the system are a warning, or an info if the wheel requires
        other distributions, which can contain them. They are an error if the policy lists the
        allowed ones in `external_libraries`. Processors and symbols that systems do not
        promise, and wheels that auditwheel rejects, are a warning.

    Fix: Build in the manylinux image of the tag, and run `auditwheel repair`, with `--exclude`
        for the libraries of other distributions. Or promise less with the tag.

    Source: PEP 513, PEP 600, PEP 656; judged by the library auditwheel.
    """
    wheel = read_facts(facts)
    platform = wheel.platform
    if not any(_LINUX.search(tag) for tag in wheel.platforms):
        raise NotApplicable("not a wheel for Linux")
    if platform is None:
        # A library outside of platlib, for example, which installers can put elsewhere.
        yield Violation(message=wheel.platform_problem or "not judged", severity="warning")
        raise LacksEvidence("unknown what the libraries need")
    yield from _judge_external(wheel, platform, policy)
    if platform.needs_newer_processor:
        message = "a library requires instructions that not all processors of its platform have"
        yield Violation(message=message, severity="warning")
    if platform.forbidden:
        message = f"not all systems of the tag have {shorten(platform.forbidden)}"
        yield Violation(message=message, severity="warning")
    if platform.promised is None:
        raise LacksEvidence(f"{shorten(wheel.platforms)} promises no release of the C library")
    if platform.missing is None:
        raise LacksEvidence(f"auditwheel does not know {platform.promised}")
    for need in platform.missing:
        yield Violation(
            message=f"{platform.promised} does not have {shorten(need.versions)} of "
            f"{need.library}; the oldest tag with all versions is {platform.sufficient}"
        )


def _judge_external(
    wheel: WheelFacts, platform: PlatformFacts, policy: Policy
) -> Iterator[Violation]:
    allowed = policy.external_libraries
    severity: Severity = "info" if wheel.requirements else "warning"
    names = platform.external
    if allowed is not None:
        severity = "error"
        names = tuple(name for name in names if not matches(allowed, name))
    if names:
        source = " or a required distribution" if wheel.requirements else ""
        yield Violation(
            message=f"{shorten(names)} must come from the system{source}",
            severity=severity,
        )


@rule("KB702", "python-stable-abi", severity="error", needs=("wheel",))
def python_stable_abi(facts: ArtifactFacts) -> Iterator[Violation]:
    """Modules for Python's stable ABI need nothing that other versions of Python do not have.

    Why: A wheel with the tag `abi3` is installed for each newer version of Python. A symbol
        outside of the stable ABI, or one that is newer than the tag, makes `import` fail with
        "undefined symbol" for some of them, or lets the module read structures that changed.

    Fix: Compile with `-DPy_LIMITED_API=0x030A0000` for the version in the tag (CMake:
        `Python_add_library(... USE_SABI 3.10)`), or build one wheel per version.

    Source: PEP 384; judged by the lists of the library abi3info, which abi3audit uses.
    """
    python = read_facts(facts).python
    if not python.modules:
        raise NotApplicable("no module promises the stable ABI")
    by_module: dict[str, list[PythonSymbol]] = {}
    for one in python.symbols:
        by_module.setdefault(one.module, []).append(one)
    for module, symbols in by_module.items():
        foreign = [one.name for one in symbols if one.added is None]
        newer = [one for one in symbols if one.added is not None]
        if foreign:
            yield Violation(message=f"{module} needs {shorten(foreign)}, not in the stable ABI")
        if newer and python.promised:
            names = shorten(f"{one.name} ({_format(one.added)})" for one in newer)
            yield Violation(
                message=f"{module} needs {names}, but the tag promises {_format(python.promised)}"
            )
    if python.promised is None:
        raise LacksEvidence("the tags name no version of Python")


def _format(version: tuple[int, int] | None) -> str:
    return ".".join(map(str, version or ()))


@rule("KB703", "torch-stable-abi", severity="warning", needs=("wheel",))
def torch_stable_abi(facts: ArtifactFacts, files: FileSet, policy: Policy) -> Iterator[Violation]:
    """A wheel that works with several versions of torch needs only the stable ABI of libtorch.

    Why: The C++ interface of libtorch changes with each minor version. A module that needs it
        works with the version that it was built for, and with another one `import` fails with
        "undefined symbol", or it crashes. If the metadata allows other versions, installers
        choose them.

        It is an error if the policy sets `stable_torch_abi = true`.

    Fix: Use the headers of `torch/csrc/stable`. Or require the version that the wheel is built
        for: `torch ==2.9.*`.

    Source: PyTorch documentation, "LibTorch Stable ABI"; vllm#13608 (one wheel per version of
        torch).
    """
    wheel = read_facts(facts)
    needed = _list_needed(files)
    bound = [r for r in wheel.requirements if _is_bound(r)]
    if not any(_LIBTORCH.match(name) or _STABLE.match(name) for _, name in needed):
        raise NotApplicable("no library needs a symbol of libtorch")
    unstable = [(module, name) for module, name in needed if _LIBTORCH.match(name)]
    if unstable and bound and not policy.stable_torch_abi:
        raise NotApplicable(f"the wheel requires {shorten(bound)}")
    modules = shorten(module for module, _ in unstable)
    for _, name in unstable:
        yield Violation(
            message="not in the stable ABI of libtorch"
            + ("" if bound else ", and the wheel allows other versions of torch")
            + f": {KERNELS}, which {modules} needs",
            symbol=name,
            severity="error" if policy.stable_torch_abi else None,
        )


def _list_needed(files: FileSet) -> tuple[tuple[str, str], ...]:
    """Return the files of a wheel with the symbols that no file of the wheel defines."""
    defined = {s.name for f in files.artifact for s in f.symbols if s.dynamic and s.place}
    return tuple(
        (f.path.partition("!")[2], s.name)
        for f in files.artifact
        for s in f.symbols
        if s.dynamic and s.place is None and s.name not in defined
    )


def _is_bound(requirement: str) -> bool:
    """Return whether a requirement names torch, with an upper bound for its version."""
    match = _TORCH.match(requirement)
    return bool(match and _UPPER_BOUND.search(match["versions"]))


RULES: Final[tuple[Rule, ...]] = (platform_tag, python_stable_abi, torch_stable_abi)
