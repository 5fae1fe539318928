"""`kbuild verify`: judge artifacts by the rules."""

from __future__ import annotations

import argparse
import datetime as dt
import json as json_text
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild.cli.output import (
    add_output_arguments,
    append_text,
    artifact_path,
    is_same_file,
    write_output,
)
from kbuild.errors import ConfigurationError, InputError
from kbuild.facts import ArtifactFacts
from kbuild.files import begin_stamp, write_file, write_stamp
from kbuild.inspect import ReadOptions, find_artifacts, inspect_files, inspect_path
from kbuild.inspect.closure import find_closure
from kbuild.process import find_step_summary
from kbuild.report.layout import plural
from kbuild.report.verify import github, json, junit, markdown, sarif, text
from kbuild.stages.depfiles import format_depfile
from kbuild.toolchain.find import read_library_path
from kbuild.verify import Policy, load_policy, select_rules, verify
from kbuild.verify.policy.baseline import make_baseline, read_baseline, write_baseline
from kbuild.verify.policy.file import find_policy
from kbuild.verify.policy.schema import make_schema

HELP: Final = "check artifacts: images, handles, registration, provenance"
EPILOG: Final = """\
The policy is --policy FILE, else the [verify] table of kbuild.toml or
[tool.kbuild.verify] of pyproject.toml in the current directory.
--format github writes annotations, and a summary to the file GITHUB_STEP_SUMMARY names.
--write-baseline FILE records registers, spills, local and shared memory and code sizes by
kernel and architecture; commit it, and --baseline FILE, or `baseline = "FILE"` in the policy,
finds what got worse.
--reproducible BUILD_A BUILD_B compares two builds byte for byte, and says which sections and
kernels differ; exit code 1 means that something does (docs/scale.md).
Exit code 1 means that a rule found an error; `kbuild explain ID` says more about a rule."""

_RENDERERS: Final = {
    "text": text.render,
    "json": json.render,
    "sarif": sarif.render,
    "junit": junit.render,
    "github": github.render,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=artifact_path,
        metavar="PATH",
        help="object, archive, shared object, executable, wheel, cubin, PTX, fat binary, or a "
        "directory of them",
    )
    parser.add_argument("--policy", type=Path, metavar="FILE", help="what the project demands")
    parser.add_argument(
        "--policy-schema",
        action=_PrintSchema,
        nargs=0,
        help="print the JSON schema of policies, and do nothing else",
    )
    baselines = parser.add_mutually_exclusive_group()
    baselines.add_argument(
        "--baseline", type=Path, metavar="FILE", help="figures that may not get worse"
    )
    baselines.add_argument(
        "--write-baseline",
        type=Path,
        metavar="FILE",
        help="write today's figures to FILE; judges nothing",
    )
    parser.add_argument("--stamp", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--today", type=_day, metavar="DATE", help=argparse.SUPPRESS)
    for option, what in (("--select", "run only these rules"), ("--ignore", "leave these out")):
        parser.add_argument(
            option,
            action="append",
            default=[],
            metavar="IDS",
            help=f"{what}: ids or their beginnings, comma-separated",
        )
    parser.add_argument(
        "--closure",
        action="store_true",
        help="look at the libraries that the files load too, as the dynamic linker finds them",
    )
    parser.add_argument(
        "--reproducible",
        action="store_true",
        help="judge nothing by rules: PATH PATH are two builds, and every byte has to be the same",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no report without findings")
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Judge all paths together; 1 when a rule found an error or failed itself."""
    if arguments.reproducible:
        from kbuild.cli.commands import reproducible  # noqa: PLC0415 - nothing else needs it

        return reproducible.run(arguments)
    started = begin_stamp(arguments.stamp) if arguments.stamp else 0
    rules = select_rules(_split(arguments.select), _split(arguments.ignore))
    policy = _read_policy(arguments)
    paths = _drop_repeated(arguments.paths)
    # As an edge it is one job of those that the build tool counts.
    options = ReadOptions(jobs=1) if arguments.stamp else ReadOptions()
    artifacts = tuple(facts for path in paths for facts in inspect_path(path, options))
    if arguments.write_baseline:
        return _write_baseline(arguments.write_baseline, artifacts, arguments)
    context = _read_closure(arguments.paths) if arguments.closure else ()
    report = verify(artifacts, policy, rules, arguments.today, context=context)
    if report.findings or not report.ok or not arguments.quiet:
        write_output(_RENDERERS[arguments.format](report), arguments)
        if arguments.format == "github" and (summary := find_step_summary()):
            append_text(markdown.render(report), summary)
    if report.ok and arguments.stamp:
        _write_stamp(arguments, policy, started)
    return 0 if report.ok else 1


def _drop_repeated(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Each file once, by its first name: libraries have links of several versions' names."""
    found: dict[object, Path] = {}
    for path in paths:
        found.setdefault(_identify(path), path)
    return tuple(found.values())


def _identify(path: Path) -> object:
    try:
        status = path.stat()
    except OSError:
        return path  # reading it will explain
    return status.st_dev, status.st_ino


def _write_stamp(arguments: argparse.Namespace, policy: Policy | None, started: int) -> None:
    """Tell the build tool that all is well, and by which files."""
    stamp: Path = arguments.stamp
    demands = (policy.source, policy.baseline_file) if policy else ()
    # The artifacts, which the edge names itself, because ninja takes an empty rule for none.
    read = (*arguments.paths, *(Path(name) for name in demands if name))
    files = tuple(path.absolute() for path in read)
    depfile = stamp.with_name(f"{stamp.name}.d")
    write_file(depfile, format_depfile(stamp, files).encode())
    # The file's time is what matters.
    write_stamp(stamp, b"", started)


def _read_closure(paths: Sequence[Path]) -> tuple[ArtifactFacts, ...]:
    """The libraries that the files load besides each other; what is not found is said."""
    files = [file for path in paths for file in find_artifacts(path)]
    closure = find_closure(files, read_library_path())
    for file, name in closure.missing:
        print(f"kbuild: note: {name}, which {file} needs, was not found", file=sys.stderr)
    context: list[ArtifactFacts] = []
    for file, result in inspect_files(closure.libraries):
        if isinstance(result, InputError):
            print(f"kbuild: note: {file} is left out: {result}", file=sys.stderr)
        else:
            context.extend(result)
    return tuple(context)


class _PrintSchema(argparse.Action):
    """Like ``--help``: needs no other argument."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(json_text.dumps(make_schema(), indent=2))
        parser.exit()


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no date; write it as 2026-12-31") from error


def _write_baseline(
    path: Path, artifacts: tuple[ArtifactFacts, ...], arguments: argparse.Namespace
) -> int:
    if any(is_same_file(path, artifact) for artifact in arguments.paths):
        raise ConfigurationError(f"--write-baseline {path}: that is the artifact itself")
    baseline = make_baseline(artifacts, str(path))
    write_baseline(path, baseline)
    if not arguments.quiet:
        kernels = sum(len(file.kernels) for file in baseline.files)
        files = plural(len(baseline.files), "file")
        print(f"{path}: the figures of {plural(kernels, 'kernel')}, {files}", file=sys.stderr)
    return 0


def _read_policy(arguments: argparse.Namespace) -> Policy | None:
    """The policy with its baseline, or with the one that the command names."""
    path: Path | None = arguments.policy
    is_other = bool(arguments.baseline or arguments.write_baseline)
    if path:
        policy: Policy | None = load_policy(path, reads_baseline=not is_other)
    else:
        policy = find_policy(Path(), reads_baseline=not is_other)
    if not arguments.baseline:
        return policy
    baseline = read_baseline(arguments.baseline)
    return replace(policy or Policy(), baseline=baseline, baseline_file=str(arguments.baseline))


def _split(values: list[str]) -> tuple[str, ...]:
    return tuple(item.strip() for value in values for item in value.split(",") if item.strip())
