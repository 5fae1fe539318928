"""Read which kernels of an artifact hosts in other languages can launch."""

from __future__ import annotations

from pathlib import Path

from kbuild.errors import ConfigurationError, InputError, did_you_mean
from kbuild.facts import ArtifactFacts, ModuleFacts
from kbuild.inspect import inspect_path
from kbuild.model import TargetRecord
from kbuild.stages.bindings.model import Bindings, describe_bindings


def read_bindings(path: Path, target: str | None = None) -> tuple[TargetRecord, Bindings]:
    """Return the kernel table of a target in an artifact, and the kernels that hosts can name.

    Args:
        path: An object, an archive, or a shared object.
        target: The name of the target. It can be None if the artifact has only one.

    Raises:
        ConfigurationError: The artifact has no such target, or ``target`` is None and it has
            several.
        InputError: The file cannot be read or linked, or kbuild did not build it.
    """
    found = {
        module.record.target: (facts, module)
        for facts in inspect_path(path)
        for module in facts.modules
    }
    if not found:
        raise InputError(f"{path}: no kernel target of kbuild; name an artifact that kbuild built")
    facts, module = _choose(path, found, target)
    if facts.kind not in ("object", "shared-object"):
        raise InputError(
            f"{path}: cannot be linked; name an object, an archive, or a shared object"
        )
    exported = _list_exported(facts) if facts.kind == "shared-object" else None
    return module.record, describe_bindings(module.record, exported)


def _choose(
    path: Path, found: dict[str, tuple[ArtifactFacts, ModuleFacts]], target: str | None
) -> tuple[ArtifactFacts, ModuleFacts]:
    if target is None:
        if len(found) > 1:
            raise ConfigurationError(
                f"{path}: has {len(found)} kernel targets ({', '.join(found)}); "
                "select one with --target"
            )
        return next(iter(found.values()))
    if target not in found:
        raise ConfigurationError(
            f"{path}: no kernel target {target!r}{did_you_mean(target, found)}"
        )
    return found[target]


def _list_exported(facts: ArtifactFacts) -> tuple[str, ...]:
    """Return the symbols of the handles that other files can refer to."""
    symbols = (handle.symbol for handle in facts.handles)
    return tuple(
        symbol.name
        for symbol in symbols
        if symbol and symbol.binding != "local" and symbol.visibility in ("default", "protected")
    )
