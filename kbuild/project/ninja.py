"""Run ninja."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.errors import BuildError
from kbuild.model import Command
from kbuild.project.build_output import STATUS_MARK, BuildOutput
from kbuild.project.jobserver import find_jobserver
from kbuild.project.tools import run_tool

# The first ninja version that predicts the remaining time.
_PREDICTING_VERSION: Final = (1, 12)
# ccache adds what each of its calls counted to the file that this variable names.
_CACHE_LOG: Final = "CCACHE_STATSLOG"
_CACHE_HITS: Final = ("direct_cache_hit", "preprocessed_cache_hit")


@dataclass(frozen=True, slots=True, kw_only=True)
class NinjaRun:
    """A call of ninja in ``directory``.

    Without ``targets``, ninja builds everything. All processes of the build inherit the file
    descriptor ``lock``.
    """

    ninja: Path
    directory: Path
    targets: tuple[str, ...] = ()
    jobs: int | None = None
    lock: int | None = None


def run_ninja(run: NinjaRun, output: BuildOutput) -> None:
    """Build. Errors are those of `run_tool`, but an unexplained one names the edge that failed."""
    version_text = process.run_checked(Command(argv=(str(run.ninja), "--version"))).stdout
    version = tuple(int(number) for number in re.findall(r"\d+", version_text)[:2])
    server = find_jobserver()
    jobs = run.jobs
    if server and not jobs and not server.serves(version_text, version):
        jobs = server.jobs
    parallel = ("-j", str(jobs)) if jobs else ()
    prediction = "%E" if version >= _PREDICTING_VERSION else "?"
    verbose = ((process.VERBOSE_VARIABLE, "1"),) if output.is_verbose else ()
    inherited = (*(() if run.lock is None else (run.lock,)), *(server.pipe if server else ()))
    with tempfile.NamedTemporaryFile(prefix="kbuild-ccache-") as log:
        own = (
            ()
            if _CACHE_LOG in process.select_environment((_CACHE_LOG,))
            else ((_CACHE_LOG, log.name),)
        )
        command = Command(
            argv=(str(run.ninja), *parallel, *run.targets),
            env=(("NINJA_STATUS", f"{STATUS_MARK}%f/%t {prediction} "), *verbose, *own),
        )
        try:
            reused = run_tool(command, run.directory, output.read_line, inherited=inherited)
        except BuildError as error:
            if not error.is_reported and output.failed:
                raise BuildError(f"this step failed: {output.failed}", error.exit_code) from error
            raise
        finally:
            output.finish_message()
        cached = log.read().decode(errors="replace").splitlines()
    output.finish_build(reused, sum(line in _CACHE_HITS for line in cached))
