"""The HIP backend: clang, the offload bundler, and the HIP runtime."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the type checker compares each module with its protocol
    from kbuild.backends.hip import build, code, devices, mixed, read, repacking
    from kbuild.backends.interface.build import Builder
    from kbuild.backends.interface.code import CodeReader
    from kbuild.backends.interface.devices import Devices
    from kbuild.backends.interface.mixed import MixedPasses
    from kbuild.backends.interface.read import ImageReader
    from kbuild.backends.interface.repacking import ImageRepacker

    _BUILD: Builder = build
    _READ: ImageReader = read
    _CODE: CodeReader = code
    _DEVICES: Devices = devices
    _MIXED: MixedPasses = mixed
    _REPACKING: ImageRepacker = repacking
