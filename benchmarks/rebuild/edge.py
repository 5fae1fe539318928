"""Split the time of one compile edge into compiler runs and kbuild itself."""

from __future__ import annotations

import statistics
import sys

from benchmarks.measure import interleave, time_command
from benchmarks.rebuild.projects import Project
from kbuild.backends import find_builder
from kbuild.stages.edges import CompileEdge, make_unit, read_edge
from kbuild.stages.target import read_flags

SPLIT_HEADER = f"{'one compile edge':<28}{'ms':>12}{'share':>9}"


def show_split(project: Project, repetitions: int) -> None:
    """Print the median of each part of an edge of ``project``, which must be built."""
    directory = project.build / "kbuild" / "benchmark"
    edge = read_edge(next(iter(sorted(directory.glob("*.edge")))))
    commands = describe_commands(edge)

    def run_edge() -> float:
        edge.stamp.unlink(missing_ok=True)
        launcher = project.build / "kbuild" / "run-kbuild"
        flags = directory / "flags.CXX.txt"
        return time_command([launcher, "compile", edge.handoff, "--flags", flags])

    sides = {name: lambda argv=argv: time_command(argv) for name, argv in commands.items()}
    sides["python -c pass"] = lambda: time_command([sys.executable, "-c", "pass"])
    taken = interleave({"whole": run_edge, **sides}, repetitions)
    whole = taken.pop("whole")
    print(SPLIT_HEADER)
    for name, seconds in taken.items():
        show_part(name, seconds, whole)
    tool_times = [sum(one) for one in zip(*(taken[name] for name in commands), strict=True)]
    ours = tuple(a - b for a, b in zip(whole, tool_times, strict=True))
    show_part("kbuild, python included", ours, whole)
    show_part("whole", whole, whole)


def describe_commands(edge: CompileEdge) -> dict[str, list[str]]:
    """Return the commands that the edge runs, in order, by purpose."""
    backend = find_builder(edge.toolchain.backend)
    unit = make_unit(edge, read_flags(edge.output.parent / "flags.CXX.txt"))
    front_end = backend.compile_command(unit, edge.toolchain)
    completion = backend.complete(unit, front_end.outputs[0].read_bytes(), "", edge.toolchain)
    (link,) = completion.commands
    return {"front end": list(front_end.argv), "adapter and link": list(link.argv)}


def show_part(name: str, seconds: tuple[float, ...], whole: tuple[float, ...]) -> None:
    shares = [part / total for part, total in zip(seconds, whole, strict=True)]
    median = statistics.median(seconds) * 1e3
    print(f"{name:<28}{median:>12.4g}{statistics.median(shares):>9.0%}")
