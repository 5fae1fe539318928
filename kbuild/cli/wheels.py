"""Wheels as wholes: what ``kbuild verify --wheel-policy`` judges beside their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.facts import ArtifactFacts
from kbuild.inspect import find_artifacts
from kbuild.verify import Policy

_SUFFIX: Final = ".whl"


def read_wheels(
    paths: Sequence[Path], artifacts: tuple[ArtifactFacts, ...], policy: Policy | None
) -> tuple[ArtifactFacts, ...]:
    """Return the facts of the wheels at some paths, if the policy judges wheels.

    Args:
        paths: The paths of the call.
        artifacts: The facts of the artifacts at these paths.
        policy: The policy.

    Raises:
        ConfigurationError: The libraries that read wheels are not installed.
    """
    if policy is None or policy.wheel_policy is None:
        return ()
    wheels = [f for path in paths for f in find_artifacts(path) if f.suffix == _SUFFIX]
    if not wheels:
        return ()
    try:
        from kbuild.inspect.wheels import read_wheel  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"a policy for wheels needs {error.name}, which is not installed; "
            "pip install 'kbuild[publish]'"
        ) from error
    return tuple(
        read_wheel(file, tuple(facts for facts in artifacts if facts.path.startswith(f"{file}!")))
        for file in wheels
    )
