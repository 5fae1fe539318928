"""Coverage-guided fuzzing of inspection, its reports, and the rules.

    pip install atheris
    python fuzz/fuzz_inspect.py [libFuzzer options] [DIRECTORY of found inputs] fuzz/corpus

libFuzzer reads all directories, and writes interesting inputs to the first one. For a long run,
put an empty directory before the seeds:

    mkdir -p /tmp/found && python fuzz/fuzz_inspect.py -max_total_time=3600 /tmp/found fuzz/corpus

A reader must raise only `InputError`, and no rule may raise an error. An input that needs more
than ten seconds (`-timeout`) or 1 GiB (`-rss_limit_mb`) is also a finding. The fuzzer writes the
input to the current directory as ``crash-*``, ``timeout-*``, or ``oom-*``. To reproduce it:

    python fuzz/fuzz_inspect.py crash-...
"""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path
from typing import Final

import atheris

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

with atheris.instrument_imports(include=["kbuild", "elftools"]):
    from kbuild.errors import InputError
    from kbuild.facts import ArtifactFacts
    from kbuild.formats.amd.code_object.reader import read_code_object
    from kbuild.formats.offload import binary as offload_binary
    from kbuild.formats.offload import bundle as offload_bundle
    from kbuild.inspect.options import ReadOptions
    from kbuild.inspect.paths import inspect_content
    from kbuild.report.inspect import json as artifacts_json
    from kbuild.report.inspect import text as artifacts_text
    from kbuild.report.verify import json, text
    from kbuild.verify import verify

_MIB: Final = 1 << 20
_FULL: Final = ReadOptions(image_limit=_MIB, archive_limit=2 * _MIB, jobs=1)
_SUMMARY: Final = ReadOptions(image_limit=_MIB, archive_limit=2 * _MIB, jobs=1, summary=True)
_ADDRESS_SPACE: Final = 8 << 30
_LIMITS: Final = ("-timeout=10", "-rss_limit_mb=1024", "-max_len=20000")


def check(data: bytes) -> None:
    """Do everything that `kbuild inspect` and `kbuild verify` do with a file."""
    for options in (_SUMMARY, _FULL):
        facts = _inspect(data, options)
        if facts is None:
            continue
        artifacts_json.render_artifacts(facts)
        artifacts_text.render_artifacts(facts)
        if options is _FULL:
            report = verify(facts)
            if report.rules_errored:
                raise AssertionError(report.rules_errored)
            json.render(report)
            text.render(report)
    _read_formats(data)


def _read_formats(data: bytes) -> None:
    """Call the readers that inspection calls only for some kinds of artifacts."""
    offload_binary.read(data)
    bundles, _ = offload_bundle.read_bundles(data)
    for bundle in bundles:
        with contextlib.suppress(InputError):
            offload_bundle.load(bundle, data, limit=_MIB)
    with contextlib.suppress(InputError):
        read_code_object(data)


def _inspect(data: bytes, options: ReadOptions) -> tuple[ArtifactFacts, ...] | None:
    try:
        return inspect_content("fuzzed", data, options)
    except InputError as error:
        # An `InputError` that running out of memory caused is a finding.
        if isinstance(error.__cause__, MemoryError):
            raise error.__cause__ from error
        return None


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    given = {argument.partition("=")[0] for argument in sys.argv}
    limits = [limit for limit in _LIMITS if limit.partition("=")[0] not in given]
    atheris.Setup([sys.argv[0], *limits, *sys.argv[1:]], check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
