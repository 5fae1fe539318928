"""The architectures of ``-arch``, ``-code``, and ``-gencode``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.errors import ConfigurationError
from kbuild.nvcc.command_line.given import GivenOption, GivenOptions
from kbuild.values import dataclass

_GROUPS: Final = ("native", "all", "all-major")
_CODE: Final = re.compile(r"(?P<kind>sm|compute)_(?P<number>\d+)(?P<scope>[af]?)")
_LINK_TIME: Final = re.compile(r"\blto_(?=\d)")
_GENCODE_EXAMPLE: Final = "expected a value such as 'arch=compute_90,code=sm_90'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image that a command line requests.

    Attributes:
        arch: The virtual architecture that it is compiled from; a group such as ``native`` stands
            for itself.
        code: The image, such as ``sm_90`` or ``compute_90``; None for all images of an
            architecture or a group.
    """

    arch: str
    code: str | None = None

    @property
    def name(self) -> str:
        """The architecture to compile for, in CMake's spelling.

        kbuild compiles each image for its own architecture.
        """
        if self.arch in _GROUPS:
            return self.arch
        code = _CODE.fullmatch(self.code or self.arch)
        assert code is not None  # noqa: S101 - `read_images` checks it
        if self.code is None:
            # sm_90 is short for compute_90 with both images.
            suffix = "" if code["kind"] == "sm" else "-virtual"
            return f"{code['number']}{code['scope']}{suffix}"
        # Code from the architecture of a family has the same restriction.
        scope = code["scope"] or self.arch[len(self.arch.rstrip("af")) :]
        return f"{code['number']}{scope}-{'real' if code['kind'] == 'sm' else 'virtual'}"


def read_images(options: GivenOptions) -> tuple[Image, ...]:
    """Return the images that the options request, those of ``-arch`` first.

    Raises:
        ConfigurationError: An architecture is unknown, or an image does not fit its architecture.
    """
    images = tuple(
        image
        for one in options
        if one.option.name == "--generate-code"
        for image in _read_gencode(one)
    )
    arch, codes = options.find("--gpu-architecture"), options.list_values("--gpu-code")
    if arch is None:
        if codes:
            raise ConfigurationError(
                f"nvcc option '-code={','.join(codes)}' without '-arch'; use "
                "'-gencode=arch=...,code=...'"
            )
        return tuple(dict.fromkeys(images))
    return tuple(dict.fromkeys((*_read_arch(arch.value, codes), *images)))


def requests_link_time_code(options: GivenOptions) -> bool:
    """Return whether an architecture is one of code for link-time optimization."""
    names = ("--gpu-architecture", "--gpu-code", "--generate-code")
    return any(one.option.name in names and _LINK_TIME.search(one.value) for one in options)


def _read_arch(arch: str, codes: tuple[str, ...]) -> Iterator[Image]:
    if arch in _GROUPS:
        if codes:
            raise ConfigurationError(
                f"nvcc option '-code={','.join(codes)}' with '-arch={arch}', which selects the "
                "images itself; remove -code"
            )
        yield Image(arch=arch)
        return
    if _LINK_TIME.match(arch) and not codes:
        arch, codes = _LINK_TIME.sub("compute_", arch), (arch,)
    target = _check_name(arch)
    if not codes:
        yield Image(arch=arch)
    elif target["kind"] == "sm":
        virtual = arch.replace("sm_", "compute_")
        raise ConfigurationError(
            f"nvcc option '-arch={arch}' with '-code={','.join(codes)}': with -code, -arch is a "
            f"virtual architecture; write '-arch={virtual}'"
        )
    for code in codes:
        yield _check_image(arch, code)


def _read_gencode(given: GivenOption) -> Iterator[Image]:
    """Yield the images in a value such as ``arch=compute_90,code=[sm_90,compute_90]``."""
    values: dict[str, list[str]] = {}
    key = ""
    for piece in re.sub(r"[\s\"'\[\]]", "", given.value).split(","):
        name, separator, value = piece.partition("=")
        if separator:
            if name in values:
                raise ConfigurationError(
                    f"nvcc option '{given.text}': '{name}' occurs twice; {_GENCODE_EXAMPLE}"
                )
            key = name
        values.setdefault(key, []).append(value if separator else piece)
    if values.keys() != {"arch", "code"} or len(values["arch"]) != 1 or not all(values["code"]):
        raise ConfigurationError(f"nvcc option '{given.text}': {_GENCODE_EXAMPLE}")
    (arch,) = values["arch"]
    if _check_name(arch)["kind"] != "compute":
        raise ConfigurationError(
            f"nvcc option '{given.text}': 'arch' is a virtual architecture; write "
            f"'arch={arch.replace('sm_', 'compute_')}'"
        )
    for code in values["code"]:
        yield _check_image(arch, code)


def _check_name(name: str) -> re.Match[str]:
    match = _CODE.fullmatch(name)
    if match is None:
        raise ConfigurationError(
            f"nvcc architecture '{name}' is unknown; expected a name such as 'sm_90'"
        )
    return match


def _check_image(arch: str, code: str) -> Image:
    """Check that the image can be compiled from the architecture, as nvcc does.

    Beside code for link-time optimization, kbuild also writes machine code.
    """
    code = _LINK_TIME.sub("sm_", code)
    target, image = _check_name(arch), _check_name(code)
    numbers = int(target["number"]), int(image["number"])
    fits = {
        "": numbers[0] <= numbers[1],
        "a": numbers[0] == numbers[1] and image["scope"] == "a",
        "f": numbers[0] <= numbers[1] and numbers[0] // 10 == numbers[1] // 10,
    }[target["scope"]]
    if (image["kind"] == "compute" and arch != code) or not fits:
        virtual = code.replace("sm_", "compute_")
        raise ConfigurationError(
            f"nvcc code '{code}' cannot be compiled from architecture '{arch}'; write "
            f"'arch={virtual},code={code}'"
        )
    return Image(arch=arch, code=code)


def check_ages(requested: tuple[str, ...], known: tuple[str, ...]) -> None:
    """Check that no architecture is older than all that the toolkit knows.

    Args:
        requested: The architectures, in CMake's spelling.
        known: Those of the toolkit, such as ``sm_90``.

    Raises:
        ConfigurationError: An architecture is older.
    """
    oldest = min(
        (int(code["number"]) for name in known if (code := _CODE.fullmatch(name))), default=0
    )
    for name in requested:
        number = re.match(r"\d+", name)
        if number and int(number[0]) < oldest:
            raise ConfigurationError(
                f"architecture 'sm_{number[0]}' is older than the first one of this toolkit, "
                f"sm_{oldest}; request sm_{oldest} or a newer one in the build file, or set "
                f"NVCC_APPEND_FLAGS=-arch=sm_{oldest} if it uses -arch"
            )
