"""Reads the seeds of the fuzzer, undamaged and damaged, and runs the fuzzer for some seconds."""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect.options import ReadOptions
from kbuild.inspect.paths import inspect_content
from kbuild.report.inspect import json as artifacts_json
from kbuild.report.inspect import text as artifacts_text
from kbuild.verify import verify
from support.commands import ROOT

FUZZ = ROOT / "fuzz"
SEEDS = sorted((FUZZ / "corpus").iterdir())
MIB = 1 << 20
OPTIONS = ReadOptions(image_limit=MIB, archive_limit=2 * MIB, jobs=1)
TRUNCATIONS = 24
FLIPS = 40
SPLICES = 20
SECONDS = 3


def read(name: str, data: bytes) -> tuple[ArtifactFacts, ...]:
    try:
        facts = inspect_content(name, data, OPTIONS)
    except InputError as error:
        if isinstance(error.__cause__, MemoryError):
            raise error.__cause__ from error
        return ()
    json.loads(artifacts_json.render_artifacts(facts))
    artifacts_text.render_artifacts(facts)
    return facts


def damage(data: bytes, other: bytes, chance: random.Random) -> Iterator[bytes]:
    """Yield truncated seeds, seeds with flipped bits, and seeds with pieces of seeds inserted."""
    for number in range(TRUNCATIONS):
        yield data[: len(data) * number // TRUNCATIONS]
    yield data[:-1]
    for _ in range(FLIPS):
        changed = bytearray(data)
        for _ in range(chance.choice((1, 1, 4, 16))):
            changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        yield bytes(changed)
    for _ in range(SPLICES):
        source = chance.choice((data, other))
        start, size = chance.randrange(len(source)), chance.randrange(1, 256)
        place = chance.randrange(len(data))
        piece = source[start : start + size]
        keep = place + len(piece) if chance.random() < 0.5 else place
        yield data[:place] + piece + data[keep:]


def test_corpus_is_small_and_covers_every_kind() -> None:
    assert sum(seed.stat().st_size for seed in SEEDS) < 300_000
    kinds = {kind for seed in SEEDS for kind in seed.name.partition(".")[0].split("+")}
    assert kinds == {"object", "shared-object", "executable", "image", "fat-binary", "none"}


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_seed_has_the_kind_in_its_name(seed: Path) -> None:
    kinds = seed.name.partition(".")[0].split("+")
    found = [str(facts.kind) for facts in read(seed.name, seed.read_bytes())]
    assert (found or ["none"]) == kinds


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_damaged_seeds_do_not_raise(seed: Path) -> None:
    chance = random.Random(seed.name)  # noqa: S311 - the same damage in every run
    other = chance.choice(SEEDS).read_bytes()
    for data in damage(seed.read_bytes(), other, chance):
        facts = read(seed.name, data)
        assert not verify(facts).rules_errored


@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris is not installed (no wheel?)"
)
def test_fuzzer_finds_nothing_in_seconds(tmp_path: Path) -> None:
    found = tmp_path / "found"
    found.mkdir()
    seeds = shutil.copytree(FUZZ / "corpus", tmp_path / "seeds")
    done = subprocess.run(
        [
            *(sys.executable, FUZZ / "fuzz_inspect.py", "-seed=1", f"-max_total_time={SECONDS}"),
            *("-print_final_stats=1", found, seeds),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=20 * SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    (line,) = [x for x in done.stderr.splitlines() if "number_of_executed_units" in x]
    assert int(line.rpartition(":")[2]) > len(SEEDS)
