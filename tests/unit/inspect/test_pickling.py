from __future__ import annotations

import pickle
from dataclasses import fields

import pytest

from kbuild.inspect import pickling
from kbuild.model import Kernel, Param, Resources

PARAMS = (Param(index=0, offset=0, size=8, type="float*"), Param(index=1, offset=8, size=4))


def test_kernels_arrive_as_they_were() -> None:
    pickling.register()
    figures = {field.name: number for number, field in enumerate(fields(Resources))}
    kernels = (
        Kernel(name="a", display="a()", linkage="weak", params=PARAMS),
        Kernel(name="b", display="b()", params=PARAMS, resources=Resources(**figures)),  # type: ignore[arg-type]
        Kernel(name="c", display="c()"),
    )
    arrived = pickle.loads(pickle.dumps(kernels))  # noqa: S301 - our own
    assert arrived == kernels
    assert arrived[0].params is arrived[1].params


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    pickling.register()
    monkeypatch.setattr(pickling, "_MOST", 4)
    kernels = tuple(
        Kernel(name=str(n), display=str(n), params=(Param(index=0, offset=n, size=1),))
        for n in range(20)
    )
    assert pickle.loads(pickle.dumps(kernels)) == kernels  # noqa: S301 - our own
    assert len(pickling._rows) <= 4 + 1
