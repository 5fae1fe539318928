"""``kbuild replay``: makes a recorded launch again."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from kbuild.backends import open_device
from kbuild.cli.output import add_output_arguments, artifact_path, write_output
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.files import write_file
from kbuild.report import replay as report_replay
from kbuild.runtime.launch_records.file import read_launch_record
from kbuild.runtime.launch_records.replay import Replay, replay_launch

HELP: Final = "Launch a kernel as a launch record has it, without the program that launched it."
EPILOG: Final = """\
Records come from programs that run with KBUILD_CAPTURE=FOLDER, and from Python (see
docs/launch-records.md).  The kernel runs in this process: start it under a debugger or a checker
to see more, as in `compute-sanitizer kbuild replay FILE`.
Exit code 0: it went well; 1: it failed; 77: no device."""

_RENDERERS: Final = {"text": report_replay.render_text, "json": report_replay.render_json}
_SKIPPED: Final = 77


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("path", type=artifact_path, metavar="FILE", help="a launch record")
    parser.add_argument(
        "--allow-missing",
        action="store_true",
        help="pass null pointers and zeros for memory that was not captured",
    )
    parser.add_argument(
        "--buffers",
        type=Path,
        metavar="DIR",
        help="write the buffers as they are after the launch: DIR/0.bin, DIR/1.bin, ...",
    )
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Launch, and say how it ended."""
    record = read_launch_record(arguments.path)
    try:
        open_device(record.backend)
    except LaunchError as error:
        sys.stderr.write(f"{arguments.path}: skipped: {error}\n")
        return _SKIPPED
    render = _RENDERERS[arguments.format]
    if arguments.format == "text" and arguments.output is None:
        # A launch that ends this process is to be known by then.
        write_output(report_replay.render_record(record), arguments)
        render = report_replay.render_outcome
    replay = replay_launch(record, allow_missing=arguments.allow_missing)
    if arguments.buffers is not None:
        _write_buffers(replay, arguments.buffers)
    write_output(render(replay), arguments)
    return 0 if replay.outcome.code == 0 else 1


def _write_buffers(replay: Replay, folder: Path) -> None:
    try:
        for index, buffer in enumerate(replay.buffers):
            if buffer.after is not None:
                write_file(folder / f"{index}.bin", buffer.after)
    except OSError as error:
        raise ConfigurationError(f"{folder}: {error.strerror}") from error
