"""Check the calls that create no edges: verification, and tests of CTest."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.stages.calls.arguments import (
    Signature,
    check_keywords,
    name_keyword,
    split_arguments,
    suggest_keyword,
)
from kbuild.stages.calls.record import CallRecord
from kbuild.stages.settings import check_file

_SIGNATURES: Final = {
    "kbuild_verify": Signature(single={"POLICY": "policy"}, lists={}),
    "kbuild_add_verify_test": Signature(single={"POLICY": "policy"}, lists={}),
    "kbuild_add_smoke_test": Signature(
        single={"CASES": "cases", "SCHEDULES": "schedules"}, lists={}
    ),
}
_MOST_SCHEDULES: Final = 1000
_TAKES_TARGETS: Final = ("kbuild_verify",)


def check_call(record: CallRecord) -> None:
    """Check the targets and the keywords of a call.

    Raises:
        ConfigurationError: The call is wrong.
    """
    signature = _SIGNATURES[record.function]
    arguments = split_arguments(signature, record.arguments)
    if not arguments.others:
        raise ConfigurationError("name at least one target")
    count = len(arguments.others) if record.function in _TAKES_TARGETS else 1
    targets = arguments.others[:count]
    check_keywords(signature, arguments.others[count:])
    for target in targets:
        if target not in record.known:
            similar = suggest_keyword(signature, target)
            suggestion = f"; did you mean {similar!r}?" if similar else ""
            raise ConfigurationError(f"target {target} does not exist{suggestion}")
    for keyword, (value,) in arguments.values.items():
        with name_keyword(keyword):
            if keyword == "SCHEDULES":
                _check_schedules(value)
            else:
                check_file(Path(record.find("CMAKE_CURRENT_SOURCE_DIR"), value))


def _check_schedules(value: str) -> None:
    if not (value.isdecimal() and 1 <= int(value) <= _MOST_SCHEDULES):
        raise ConfigurationError(f"expected a number from 1 to {_MOST_SCHEDULES}, not '{value}'")
