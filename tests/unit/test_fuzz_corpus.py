"""Reads the seeds of the fuzzer, undamaged and truncated."""

from __future__ import annotations

import json
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

CORPUS = ROOT / "fuzz" / "corpus"
FOUND = "found-"
ARTIFACTS = sorted(p for p in (CORPUS / "artifact").iterdir() if not p.name.startswith(FOUND))
MIB = 1 << 20
OPTIONS = ReadOptions(image_limit=MIB, archive_limit=2 * MIB, jobs=1)
TRUNCATIONS = 24


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


def test_corpus_is_small_and_covers_every_kind() -> None:
    sizes = [path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()]
    assert sum(sizes) < 300_000
    kinds = {kind for seed in ARTIFACTS for kind in seed.name.partition(".")[0].split("+")}
    assert kinds == {"object", "shared-object", "executable", "image", "fat-binary", "none"}


@pytest.mark.parametrize("seed", ARTIFACTS, ids=lambda seed: seed.name)
def test_seed_has_the_kind_in_its_name(seed: Path) -> None:
    kinds = seed.name.partition(".")[0].split("+")
    found = [str(facts.kind) for facts in read(seed.name, seed.read_bytes())]
    assert (found or ["none"]) == kinds


@pytest.mark.parametrize("seed", ARTIFACTS, ids=lambda seed: seed.name)
def test_truncated_seeds_do_not_raise(seed: Path) -> None:
    data = seed.read_bytes()
    for size in (*(len(data) * n // TRUNCATIONS for n in range(TRUNCATIONS)), len(data) - 1):
        facts = read(seed.name, data[:size])
        assert not verify(facts).rules_errored
