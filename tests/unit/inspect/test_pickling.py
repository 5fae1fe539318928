from __future__ import annotations

import pickle
from dataclasses import fields

import pytest

from kbuild.inspect import pickling
from kbuild.model import Kernel, Param, Resources

PARAMS = (Param(index=0, offset=0, size=8, type="float*"), Param(index=1, offset=8, size=4))


def test_kernels_and_shared_parameters_survive_pickling() -> None:
    pickling.register()
    figures = {field.name: number for number, field in enumerate(fields(Resources))}
    kernels = (
        Kernel(name="a", display="a()", linkage="weak", params=PARAMS),
        Kernel(name="b", display="b()", params=PARAMS, resources=Resources(**figures)),  # type: ignore[arg-type]
        Kernel(name="c", display="c()"),
    )
    restored = pickle.loads(pickle.dumps(kernels))  # noqa: S301 - our own
    assert restored == kernels
    assert restored[0].params is restored[1].params


def test_remembered_parameters_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    pickling.register()
    monkeypatch.setattr(pickling, "_MAX_REMEMBERED", 4)
    kernels = tuple(
        Kernel(name=str(n), display=str(n), params=(Param(index=0, offset=n, size=1),))
        for n in range(20)
    )
    assert pickle.loads(pickle.dumps(kernels)) == kernels  # noqa: S301 - our own
    assert len(pickling._rows) <= 4 + 1
