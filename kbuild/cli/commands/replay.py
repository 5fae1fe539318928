"""``kbuild replay``: replay a recorded launch."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from kbuild.backends import open_device
from kbuild.cli.arguments import add_output_arguments, parse_artifact_path
from kbuild.cli.output import SKIPPED, write_output
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.files import write_file
from kbuild.report import replay as report_replay
from kbuild.runtime.launch_records.file import read_launch_record
from kbuild.runtime.launch_records.replay import Replay, replay_launch

HELP: Final = "Replay a recorded launch without the program that made it."
EPILOG: Final = """\
Programs write launch records if they run with KBUILD_CAPTURE=DIR. Python code can write them too.
See docs/how-to/launch-records.md. The kernel runs in this process, so you can run this command
under a debugger or a checker, for example `compute-sanitizer kbuild replay FILE`.
Exit codes: 0 if the launch succeeds, 1 if it fails, 77 if there is no device."""

_RENDERERS: Final = {"text": report_replay.render_text, "json": report_replay.render_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "path", type=parse_artifact_path, metavar="FILE", help="replay this launch record"
    )
    parser.add_argument(
        "--allow-missing",
        action="store_true",
        help="pass null pointers and zeros for memory that was not captured",
    )
    parser.add_argument(
        "--buffers",
        type=Path,
        metavar="DIR",
        help="write the buffers after the launch to DIR/0.bin, DIR/1.bin, ...",
    )
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Make the launch, and report its outcome."""
    record = read_launch_record(arguments.path)
    try:
        open_device(record.backend)
    except LaunchError as error:
        sys.stderr.write(f"{arguments.path}: skipped: {error}\n")
        return SKIPPED
    render = _RENDERERS[arguments.format]
    if arguments.format == "text" and arguments.output is None:
        # The launch might end this process, so the record is printed first.
        write_output(report_replay.render_record(record), arguments)
        render = report_replay.render_outcome
    replay = replay_launch(record, allow_missing=arguments.allow_missing)
    if arguments.buffers is not None:
        _write_buffers(replay, arguments.buffers)
    write_output(render(replay), arguments)
    return 0 if replay.outcome.code == 0 else 1


def _write_buffers(replay: Replay, directory: Path) -> None:
    try:
        for index, buffer in enumerate(replay.buffers):
            if buffer.after is not None:
                write_file(directory / f"{index}.bin", buffer.after)
    except OSError as error:
        raise ConfigurationError(f"{directory}: {error.strerror}") from error
