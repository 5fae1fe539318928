"""Disassemble one kernel of an image, with the tools of ``kbuild diff``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.backends import find_backend
from kbuild.backends.interface.code import MARK
from kbuild.errors import ConfigurationError, ToolchainError, ToolError
from kbuild.process import find_program
from kbuild.runtime.compiling.model import CompiledImage
from kbuild.toolchain.find import gather_hints

_SECONDS: Final = 300.0


def disassemble_image(backend: str, image: CompiledImage, kernel: str) -> str:
    """Return the code of a kernel, one instruction or label per line.

    Args:
        backend: The backend of the image.
        image: An image.
        kernel: The symbol of the kernel.

    Raises:
        ConfigurationError: There is no disassembler for the backend.
        InputError: The image is malformed.
        ToolchainError: The disassembler is not installed.
        ToolError: The disassembler fails, or does not show the kernel.
    """
    reader = find_backend(backend).code
    if reader is None:
        raise ConfigurationError(f"backend {backend!r} cannot disassemble kernels")
    names = frozenset((kernel,))
    listing = reader.read_text(image.data, names)
    if listing is None:
        tools = reader.disassemblers(gather_hints(), image.data)
        tool = next(filter(None, map(find_program, tools)), None)
        if tool is None:
            wanted = " or ".join(dict.fromkeys(Path(name).name for name in tools))
            raise ToolchainError(f"no disassembler {wanted} found; install it, or add it to PATH")
        with tempfile.TemporaryDirectory(prefix="kbuild-disassemble-") as directory:
            file = Path(directory) / "image"
            file.write_bytes(image.data)
            command = reader.disassembly_command(tool, file, image.data, names)
            output = process.run_checked(command, timeout=_SECONDS).stdout
        listing = reader.read_disassembly(output, image.data, names)
    if kernel not in listing:
        raise ToolError(f"the disassembler does not show kernel {kernel}")
    return "\n".join(line.replace(MARK, "") for line in listing[kernel])
