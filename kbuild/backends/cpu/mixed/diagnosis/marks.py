"""What is marked in a text that is reviewed: functions and variables that it might misuse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kbuild.backends.cpu.mixed.diagnosis.functions import Function
from kbuild.backends.cpu.mixed.diagnosis.review import Reviewer
from kbuild.backends.cpu.mixed.diagnosis.uses import Mistake, Use
from kbuild.backends.cpu.mixed.diagnosis.variables import Part, Variable, VariableReviewer
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What is marked in the text of a pass, and who judges how it is used."""

    part: Part
    reviewer: Reviewer
    functions: tuple[Function, ...]
    variable_reviewer: VariableReviewer
    variables: tuple[Variable, ...]

    @property
    def places(self) -> tuple[tuple[int, str], ...]:
        """The positions of the marks, and what must be in front of each."""
        functions = ((each.start, each.before_mark) for each in self.functions)
        return (*functions, *((each.start, "") for each in self.variables))

    def judge(self, uses: Sequence[Use]) -> Iterator[Mistake]:
        """Yield the uses that are mistakes."""
        count = len(self.functions)
        calls = (use for use in uses if use.number < count)
        others = (replace(use, number=use.number - count) for use in uses if use.number >= count)
        if self.part == "host":
            yield from self.reviewer.judge_device_functions(self.functions, calls)
        else:
            yield from self.reviewer.judge_host_functions(self.functions, calls)
        yield from self.variable_reviewer.judge_variables(self.variables, others)


def find_marks(code: Unit, part: Part) -> Marks:
    """Find what a text might misuse: functions of the host in the device pass, and the reverse."""
    reviewer = Reviewer(code)
    if part == "host":
        functions = reviewer.find_device_functions()
    else:
        functions = reviewer.find_host_functions(is_mixed=part == "device")
    variable_reviewer = VariableReviewer(code, part)
    return Marks(part, reviewer, functions, variable_reviewer, variable_reviewer.find_variables())
