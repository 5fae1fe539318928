"""What the program of cuFFT prints, computed by NumPy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from support.mathlibs.results import Results

Array = np.ndarray[Any, Any]
_SHAPES: Final = {"2d": (6, 9), "3d": (3, 4, 5)}
_ITEMS: Final = 3
# Of the plan with a layout: sizes, and (embedding, stride, distance) of both sides.
_MANY: Final = ((4, 6), ((5, 8), 2, 90), ((4, 7), 1, 31))


def fill(seed: int, count: int) -> Array:
    """Return the numbers that the program transforms."""
    return np.array([((seed * 7919 + i * 104729) % 997 / 997.0 - 0.5) * 2 for i in range(count)])


def compute_spectra(ours: Results) -> Results:
    """Return the expected result for each one that the program has printed."""
    return {key: _compute(key[0], int(key[1]), len(array)) for key, array in ours.items()
            if key[0] != "errors"}  # fmt: skip


def _compute(name: str, number: int, count: int) -> Array:
    kind, shape, *size = name.split("_")
    is_inverse = kind in {"C2R", "Z2D"} or (kind in {"C2C", "Z2Z"} and number % 2 == 0)
    source, target = fill(1, count), fill(2, count)
    if kind in {"C2C", "R2C", "C2R"}:
        source, target = (a.astype(np.float32).astype(float) for a in (source, target))
    has_real_source, has_real_target = kind in {"R2C", "D2Z"}, kind in {"C2R", "Z2D"}
    sizes = _MANY[0] if shape == "many" else _SHAPES.get(shape) or (int(size[0]),)
    halved = (*sizes[:-1], sizes[-1] // 2 + 1)
    source_sizes = halved if has_real_target else sizes
    target_sizes = halved if has_real_source else sizes
    items = _ITEMS if shape == "1d" else 2 if shape == "many" else 1
    for item in range(items):
        layouts = _MANY[1:] if shape == "many" else (None, None)
        places = [
            _list_places(own, item, layout)
            for own, layout in zip((source_sizes, target_sizes), layouts, strict=True)
        ]
        values = _view(source, is_real=has_real_source)[places[0]].reshape(source_sizes)
        spectrum = _transform(values, sizes, kind, is_inverse=is_inverse)
        _view(target, is_real=has_real_target)[places[1]] = spectrum.ravel()
    return target


def _view(memory: Array, *, is_real: bool) -> Array:
    return memory if is_real else memory.view(complex)


def _list_places(
    sizes: tuple[int, ...], item: int, layout: tuple[tuple[int, ...], int, int] | None
) -> Array:
    embedding, stride, distance = layout or (sizes, 1, int(np.prod(sizes)))
    index = np.indices(sizes).reshape(len(sizes), -1)
    places: Array = item * distance + stride * np.ravel_multi_index(tuple(index), embedding)
    return places


def _transform(values: Array, sizes: tuple[int, ...], kind: str, *, is_inverse: bool) -> Array:
    if kind in {"C2R", "Z2D"}:
        full = np.zeros(sizes, complex)
        for index in np.ndindex(sizes):
            mirrored = tuple(-i % n for i, n in zip(index, sizes, strict=True))
            is_stored = index[-1] < values.shape[-1]
            full[index] = values[index] if is_stored else values[mirrored].conj()
        return np.real(np.fft.ifftn(full)) * np.prod(sizes)
    if is_inverse:
        return np.fft.ifftn(values) * np.prod(sizes)
    spectrum = np.fft.fftn(values)
    return spectrum[..., : sizes[-1] // 2 + 1] if kind in {"R2C", "D2Z"} else spectrum
