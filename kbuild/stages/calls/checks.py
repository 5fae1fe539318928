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
    "kbuild_add_smoke_test": Signature(single={"CASES": "cases"}, lists={}),
}
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
    for keyword, (file,) in arguments.values.items():
        with name_keyword(keyword):
            check_file(Path(record.find("CMAKE_CURRENT_SOURCE_DIR"), file))
