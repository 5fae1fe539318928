"""``kbuild verify``: check artifacts against the rules and a policy."""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import (
    add_artifact_arguments,
    add_color_argument,
    add_jobs_argument,
    add_output_arguments,
    add_repeatable_argument,
    add_schema_argument,
)
from kbuild.cli.output import append_text, has_colors, is_same_file, stream_output
from kbuild.cli.progress import show_activity
from kbuild.cli.reading import read_artifacts
from kbuild.cli.wheels import read_wheels
from kbuild.errors import ConfigurationError, InputError
from kbuild.facts import ArtifactFacts
from kbuild.files import begin_stamp, write_file, write_stamp
from kbuild.inspect import ReadOptions, find_artifacts, inspect_files
from kbuild.inspect.closure import find_closure
from kbuild.process import find_step_summary
from kbuild.report.layout import make_one_line, plural
from kbuild.report.verify import comment, github, json, junit, markdown, sarif, text
from kbuild.stages.depfiles import format_depfile
from kbuild.toolchain.find import read_library_path
from kbuild.values import replace
from kbuild.verify import Policy, load_policy, select_rules, verify
from kbuild.verify.policy.baseline import make_baseline, read_baseline, write_baseline
from kbuild.verify.policy.file import find_policy
from kbuild.verify.policy.indexes import INDEXES
from kbuild.verify.policy.schema import make_schema
from kbuild.verify.report import Report

HELP: Final = "Check the images, handles, registration, and provenance of artifacts."
EPILOG: Final = """\
The default policy is the [verify] table of kbuild.toml, or [tool.kbuild.verify] of pyproject.toml,
in the working directory.
--format github writes annotations, and a summary to the file that GITHUB_STEP_SUMMARY names.
--write-baseline FILE records the registers, spills, local and shared memory, and code size of each
kernel and architecture. Commit the file, and use --baseline FILE, or `baseline = "FILE"` in the
policy, to report what got worse.
--reproducible BUILD_A BUILD_B compares two builds byte for byte, and lists the sections and kernels
that differ. The exit code is 1 if they differ (see docs/how-to/reproducible-builds.md).
--import runs the code of the artifact, with the packages of this Python environment.
Exit code 1 means that a rule reported an error. `kbuild explain ID` explains a rule."""

_FOR_CI: Final = {"sarif": sarif.render, "junit": junit.render, "github": github.render}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_artifact_arguments(parser)
    add_policy_argument(parser)
    add_schema_argument(parser, "--policy-schema", make_schema, "policies")
    _add_baseline_arguments(parser)
    add_jobs_argument(parser)
    parser.add_argument("--stamp", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--today", type=_day, metavar="DATE", help=argparse.SUPPRESS)
    for option, what in (("--select", "run only"), ("--ignore", "do not run")):
        help_text = f"{what} the rules whose ids start with one of IDS, comma-separated"
        add_repeatable_argument(parser, option, "IDS", help_text)
    parser.add_argument(
        "--require-device-code",
        action="store_true",
        help="report an artifact without device code, unless the policy says "
        "require_device_code = false",
    )
    parser.add_argument(
        "--closure",
        action="store_true",
        help="also check the libraries that the dynamic linker loads for the files, as far as they "
        "do not fit together",
    )
    parser.add_argument(
        "--wheel-policy",
        choices=tuple(INDEXES),
        help="also check what a package index expects of wheels: platform tag, stable ABIs, size, "
        "bill of materials, RECORD (needs the extra 'publish')",
    )
    parser.add_argument(
        "--reproducible",
        action="store_true",
        help="run no rules, but compare two builds byte for byte",
    )
    parser.add_argument(
        "--import",
        dest="tries_import",
        action="store_true",
        help="run no rules, but import the Python modules of wheels and load shared objects, with "
        "and without a stand-in for the driver",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print no report if there are no findings"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="in text, show full names, the fixes of infos, and why rules did not judge files; "
        "in JSON, list all instances of each finding",
    )
    add_color_argument(parser)
    add_output_arguments(parser, ("text", "json", *_FOR_CI))


def _add_baseline_arguments(parser: argparse.ArgumentParser) -> None:
    baselines = parser.add_mutually_exclusive_group()
    add_baseline_argument(baselines)
    baselines.add_argument(
        "--write-baseline",
        type=Path,
        metavar="FILE",
        help="write the current figures to FILE, and run no rules",
    )
    parser.add_argument(
        "--comment",
        type=Path,
        metavar="FILE",
        help="also write what changed since the baseline to FILE, as Markdown with narrow tables "
        "for a pull request",
    )


def add_policy_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--policy``."""
    parser.add_argument("--policy", type=Path, metavar="FILE", help="read the policy from FILE")


def add_baseline_argument(parser: argparse._ActionsContainer) -> None:
    """Add ``--baseline``."""
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="report figures that are worse than those in FILE",
    )


def run(arguments: argparse.Namespace) -> int:
    """Check all paths together. Return 1 if a rule reports an error finding or fails, else 0."""
    if arguments.reproducible:
        from kbuild.cli import reproducible  # noqa: PLC0415 - only this option needs it

        return reproducible.run(arguments)
    if arguments.tries_import:
        from kbuild.cli import importing  # noqa: PLC0415 - only this option needs it

        return importing.run(arguments)
    started = begin_stamp(arguments.stamp) if arguments.stamp else 0
    rules = select_rules(_split(arguments.select), _split(arguments.ignore))
    policy = read_policy(arguments, is_recording=bool(arguments.write_baseline))
    paths = drop_repeated(arguments.paths)
    # In a build edge, the build tool decides how many jobs run.
    options = ReadOptions(jobs=1 if arguments.stamp else arguments.jobs)
    artifacts = read_artifacts(paths, options)
    if arguments.write_baseline:
        return _write_baseline(arguments.write_baseline, artifacts, arguments)
    if arguments.comment:
        _write_comment(arguments.comment, policy, artifacts)
    policy = _complete_policy(policy, arguments, artifacts)
    if not (arguments.require_device_code or arguments.stamp or arguments.quiet):
        _mention_missing_code(artifacts)
    artifacts += read_wheels(paths, artifacts, policy)
    context = _read_closure(arguments.paths) if arguments.closure else ()
    with show_activity(lambda: f"checking {plural(len(artifacts), 'artifact')}"):
        report = verify(artifacts, policy, rules, arguments.today, context=context)
    if report.findings or not report.ok or not arguments.quiet:
        stream_output(_render(report, arguments), arguments)
        if arguments.format == "github" and (summary := find_step_summary()):
            append_text(markdown.render(report), summary)
    if report.ok and arguments.stamp:
        _write_stamp(arguments, policy, started)
    return 0 if report.ok else 1


def _complete_policy(
    policy: Policy | None, arguments: argparse.Namespace, artifacts: Sequence[ArtifactFacts]
) -> Policy:
    """Return the policy with the requirements of the command line."""
    policy = policy or Policy()
    if arguments.wheel_policy:
        if not any(".whl!" in facts.path for facts in artifacts):
            raise ConfigurationError("--wheel-policy: none of the paths is a wheel")
        policy = replace(policy, wheel_policy=arguments.wheel_policy)
    if arguments.require_device_code and policy.require_device_code is None:
        policy = replace(policy, require_device_code=True)
    return policy


def _mention_missing_code(artifacts: Sequence[ArtifactFacts]) -> None:
    """Print a note if there is nothing to verify: the artifact can be the wrong one."""
    if not any((*facts.images, *facts.modules, *facts.problems) for facts in artifacts):
        note = "no file contains device code; --require-device-code makes that an error"
        print(f"kbuild: note: {note}", file=sys.stderr)


def _render(report: Report, arguments: argparse.Namespace) -> Iterable[str]:
    if arguments.format == "text":
        colors = has_colors(arguments)
        return (text.render(report, is_verbose=arguments.verbose, has_colors=colors),)
    if arguments.format == "json":
        return json.iterate(report, is_complete=arguments.verbose)
    return (_FOR_CI[arguments.format](report),)


def drop_repeated(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return each file once, by its first name. Libraries often have links with version names."""
    found: dict[object, Path] = {}
    for path in paths:
        found.setdefault(_identify(path), path)
    return tuple(found.values())


def _identify(path: Path) -> object:
    try:
        status = path.stat()
    except OSError:
        return path  # reading the file reports the error
    return status.st_dev, status.st_ino


def _write_stamp(arguments: argparse.Namespace, policy: Policy | None, started: int) -> None:
    """Write the stamp of the verification edge, and the files that the edge depends on."""
    stamp: Path = arguments.stamp
    requirements = (policy.source, policy.baseline_file) if policy else ()
    # The edge itself lists the artifacts too, but ninja ignores a depfile without files.
    read = (*arguments.paths, *(Path(name) for name in requirements if name))
    files = tuple(path.absolute() for path in read)
    depfile = stamp.with_name(f"{stamp.name}.d")
    write_file(depfile, format_depfile(stamp, files).encode())
    # Only the time of the stamp matters.
    write_stamp(stamp, b"", started)


def _read_closure(paths: Sequence[Path]) -> tuple[ArtifactFacts, ...]:
    """Return the facts of the libraries that the files load, and print notes on missing ones."""
    files = [file for path in paths for file in find_artifacts(path)]
    closure = find_closure(files, read_library_path())
    for file, name in closure.missing:
        note = f"{name}, a dependency of {file}, was not found"
        print(f"kbuild: note: {make_one_line(note)}", file=sys.stderr)
    context: list[ArtifactFacts] = []
    for file, result in inspect_files(closure.libraries):
        if isinstance(result, InputError):
            note = f"{file} was not read: {result}"
            print(f"kbuild: note: {make_one_line(note)}", file=sys.stderr)
        else:
            context.extend(result)
    return tuple(context)


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a date; expected a date like 2026-12-31"
        ) from error


def _write_baseline(
    path: Path, artifacts: tuple[ArtifactFacts, ...], arguments: argparse.Namespace
) -> int:
    if any(is_same_file(path, artifact) for artifact in arguments.paths):
        raise ConfigurationError(
            f"--write-baseline {path}: this is the artifact itself; name another file"
        )
    baseline = make_baseline(artifacts, str(path))
    write_baseline(path, baseline)
    if not arguments.quiet:
        kernels = sum(len(file.kernels) for file in baseline.files)
        files = plural(len(baseline.files), "file")
        print(
            f"{path}: wrote the figures of {plural(kernels, 'kernel')} in {files}", file=sys.stderr
        )
    return 0


def _write_comment(path: Path, policy: Policy | None, artifacts: tuple[ArtifactFacts, ...]) -> None:
    if policy is None or policy.baseline is None:
        raise ConfigurationError("--comment needs a baseline to compare with: --baseline FILE")
    text = comment.render(policy.baseline, make_baseline(artifacts))
    try:
        write_file(path, text.encode())
    except OSError as error:
        raise ConfigurationError(f"--comment {path}: {error.strerror}") from error


def read_policy(arguments: argparse.Namespace, *, is_recording: bool = False) -> Policy | None:
    """Return the policy, with the baseline of the command line if it names one.

    Args:
        arguments: The arguments, with ``policy`` and ``baseline``.
        is_recording: Whether a new baseline replaces the one that the policy names.
    """
    path: Path | None = arguments.policy
    reads_baseline = not (arguments.baseline or is_recording)
    if path:
        policy: Policy | None = load_policy(path, reads_baseline=reads_baseline)
    else:
        policy = find_policy(Path(), reads_baseline=reads_baseline)
    if not arguments.baseline:
        return policy
    baseline = read_baseline(arguments.baseline)
    return replace(policy or Policy(), baseline=baseline, baseline_file=str(arguments.baseline))


def _split(values: list[str]) -> tuple[str, ...]:
    return tuple(item.strip() for value in values for item in value.split(",") if item.strip())
