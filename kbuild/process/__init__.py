"""Run external programs. Only this package imports subprocess."""

from kbuild.process.builds import (
    BuildCall,
    BuildEnd,
    Failure,
    leave_failure,
    leave_reuse,
    stream_build,
)
from kbuild.process.commands import (
    find_build_program,
    find_program,
    make_error,
    python_argv,
    run,
    run_checked,
    stream,
)
from kbuild.process.environment import (
    CHECK_VARIABLE,
    VERBOSE_VARIABLE,
    export_variables,
    find_step_summary,
    select_environment,
    wants_commands,
)
from kbuild.process.foreground import end_by_signal, run_in_foreground
from kbuild.process.isolation import IsolatedResult, run_isolated
from kbuild.process.server import Server

__all__ = [
    "CHECK_VARIABLE",
    "VERBOSE_VARIABLE",
    "BuildCall",
    "BuildEnd",
    "Failure",
    "IsolatedResult",
    "Server",
    "end_by_signal",
    "export_variables",
    "find_build_program",
    "find_program",
    "find_step_summary",
    "leave_failure",
    "leave_reuse",
    "make_error",
    "python_argv",
    "run",
    "run_checked",
    "run_in_foreground",
    "run_isolated",
    "select_environment",
    "stream",
    "stream_build",
    "wants_commands",
]
