"""Reject options for device code that kbuild sets itself."""

from __future__ import annotations

from typing import Final

from kbuild.backends import select_values
from kbuild.backends.interface.toolchain import Traits
from kbuild.errors import ConfigurationError
from kbuild.stages.calls.arguments import name_keyword
from kbuild.stages.calls.kernels import KernelCall

_VARIABLE: Final = "KBUILD_DEVICE_FLAGS"


def check_device_options(call: KernelCall, traits: Traits) -> None:
    """Check the options that a call adds to those of device code.

    A compiler takes such an option, but the other edges do not know about it: for example, with
    ``-rdc=true`` alone, nothing links the device code.

    Raises:
        ConfigurationError: An option has a keyword. The error has the keyword or variable that
            contains the option.
    """
    keyword = "DEVICE_OPTIONS" if call.is_mixed else "COMPILE_OPTIONS"
    given = {
        keyword: call.settings.compile_options,
        _VARIABLE: call.record.find_all(_VARIABLE),
    }
    for name, options in given.items():
        for option in select_values(options, traits.name):
            word = option.partition("=")[0]
            fix = next((fix for names, fix in traits.managed_options if word in names), None)
            if fix is not None:
                with name_keyword(name):
                    raise ConfigurationError(f"kbuild sets '{option}' itself; {fix}")
