"""The ``mixed`` capability for CUDA: nvcc's own host front end writes the host text.

nvcc preprocesses a source for the host, and ``cudafe++`` turns it into C++. The functions here run
the same two commands with a few options changed. See `MixedPasses` for the protocol.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kbuild import resources
from kbuild.backends.cuda import architectures
from kbuild.backends.cuda.build import (
    find_keep_directory,
    language_options,
    list_program_options,
    list_read_files,
    name_plainly,
)
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import Entries, FrontEnd, HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ToolError
from kbuild.model import Command
from kbuild.values import replace

if TYPE_CHECKING:
    from kbuild.cxx.model import HostText
    from kbuild.cxx.unit import Unit

# The project's C++ compiler compiles the host text.
compile_host_text: Final = None
read_assembly: Final = None

# nvcc reads the source itself.
describe_device_pass: Final = None
read_device_text: Final = None
review_object: Final = None
describe_diagnosis: Final = None
describe_review: Final = None
read_review: Final = None

list_check_options: Final = None  # see `Traits.can_check`

PASS_MACROS: Final = re.compile(
    r"__CUDA_ARCH__|__CUDA_ARCH_(?:FEAT_\w+|SPECIFIC__|FAMILY_SPECIFIC__)|CUDA_DOUBLE_MATH_FUNCTIONS"
)
_FRONT_END: Final = "cudafe++"
# It makes kernel templates static.
_DROPPED: Final = frozenset(("--static-host-stub",))
_SOURCE_NAME: Final = "--orig_src_path_name"
_RUNTIME: Final = "cuda_runtime.h"
# The directory of nvcc's own program, as it spells it in the paths of the toolkit.
_TOOLKIT: Final = re.compile(r"^#\$ _HERE_=(.+)$", re.MULTILINE)


def listing_command(unit: HostUnit, tc: Toolchain) -> Command:
    """See `MixedPasses`: ``--dryrun`` for all architectures, because macros list them."""
    virtual = dict.fromkeys(architectures.parse(arch).virtual for arch in unit.architectures)
    keep = _find_directory(unit)
    argv = (
        str(tc.compiler),
        *language_options(unit, replace(tc, host_compiler=unit.compiler)),
        *(f"-gencode=arch={name},code={name}" for name in virtual),
        *(("-rdc=true",) if unit.relocatable else ()),
        *("--keep", "--keep-dir", str(keep)),
        *list_program_options(unit.definitions, unit.include_directories, unit.options),
        *(o for o in unit.device_options if o not in architectures.LINK_TIME),
        *("-c", str(unit.source), "-o", str(keep / "host.o")),
        "--dryrun",
    )
    return Command(argv=argv, inputs=list_read_files(unit.source, tc, unit.compiler))


def describe_host_pass(unit: HostUnit, tc: Toolchain, listing: str) -> FrontEnd:
    """See `MixedPasses`: the host's preprocessor, then ``cudafe++``."""
    from kbuild.backends.cuda.steps import Naming, read_steps  # noqa: PLC0415 - not every pass needs it

    keep = _find_directory(unit)
    steps = read_steps(listing, unit, Naming(keep=keep, root=None, is_full=True))
    preprocess = next((s.command for s in steps if _is_host_preprocessor(s.command)), None)
    convert = next((s.command for s in steps if Path(s.command.argv[0]).name == _FRONT_END), None)
    if preprocess is None or convert is None:
        raise ToolError(
            f"{tc.compiler}: --dryrun lists no '{_FRONT_END}' step for {unit.display_source}; "
            "use a toolkit that kbuild supports (CUDA 12.0 or newer)"
        )
    text = keep / "host.cpp"
    preprocessed = unit.output.with_name(unit.output.name + ".host.ii")
    listed = preprocess.argv[-1]
    return FrontEnd(
        commands=(
            replace(
                preprocess,
                argv=(*_add_options(preprocess.argv, unit, listing)[:-1], str(preprocessed)),
                outputs=(preprocessed, unit.depfile),
            ),
            replace(
                convert,
                argv=_change_names(convert.argv, unit, {listed: str(preprocessed)}, text),
                inputs=(preprocessed,),
                outputs=(text,),
            ),
        ),
        text=text,
        temporary=(keep,),
    )


def describe_preprocessors(
    host: HostUnit,
    device: CompileUnit,
    tc: Toolchain,
    listings: tuple[str, str],
) -> tuple[Command, Command]:
    """See `MixedPasses`: the commands that nvcc lists."""
    from kbuild.backends.cuda.steps import Naming, read_steps  # noqa: PLC0415 - not every pass needs it

    naming = Naming(keep=find_keep_directory(device), root=None, is_full=True)
    steps = read_steps(listings[1], device, naming)
    found = next((s.command for s in steps if _is_device_preprocessor(s.command)), None)
    if found is None:
        raise ToolError(
            f"{tc.compiler}: --dryrun lists no preprocessor for device code; use a toolkit that "
            "kbuild supports (CUDA 12.0 or newer)"
        )
    return describe_host_pass(host, tc, listings[0]).commands[0], found


def _find_directory(unit: HostUnit) -> Path:
    return unit.output.with_name(unit.output.name + ".host-keep")


def _is_host_preprocessor(command: Command) -> bool:
    return "-E" in command.argv and not _is_device_preprocessor(command)


def _is_device_preprocessor(command: Command) -> bool:
    defines_architecture = any(word.startswith("-D__CUDA_ARCH__=") for word in command.argv)
    return "-E" in command.argv and defines_architecture


def _add_options(argv: tuple[str, ...], unit: HostUnit, listing: str) -> tuple[str, ...]:
    """Add kbuild's header and the depfile to the preprocessor's command."""
    program, *listed = argv
    place = listed.index(_RUNTIME) + 1 if _RUNTIME in listed else len(listed) - 3
    # Headers of kbuild and the toolkit are system headers: warnings in them are not the project's.
    roots = (str(resources.native_directory()), *_TOOLKIT.findall(listing))
    system = tuple(f"-I{root}/" for root in roots)
    words = [
        f"-isystem{word.removeprefix('-I')}" if word.startswith(system) else word for word in listed
    ]
    return (
        program,
        *words[:place],
        *("-include", "kbuild/chevron.hpp"),
        *words[place:-3],
        *(unit.depfile_option, "-MF", str(unit.depfile), "-MQ", str(unit.stamp)),
        *words[-3:],
    )


def _change_names(
    argv: tuple[str, ...], unit: HostUnit, files: Mapping[str, str], text: Path
) -> tuple[str, ...]:
    """Change the files of ``cudafe++``, and the options that affect names in its output."""
    changed = {_SOURCE_NAME: name_plainly(unit.display_source), "--gen_c_file_name": str(text)}
    words = [files.get(word, word) for word in argv if word not in _DROPPED]
    for option, value in changed.items():
        if option in words[:-1]:
            words[words.index(option) + 1] = value
    return tuple(words)


def read_host_text(code: Unit, unit: HostUnit) -> HostText:
    """See `MixedPasses`: the output of ``cudafe++``."""
    from kbuild.backends.cuda.mixed.host_text import read_text  # noqa: PLC0415 - only host passes

    return read_text(code, unit.display_source, is_gnu=unit.compiler_id == "GNU")


def list_host_options(unit: HostUnit, tc: Toolchain) -> tuple[str, ...]:
    """See `MixedPasses`: those of nvcc's last step, and no LTO, which breaks handles.

    The text includes a header of the toolkit that defines its built-in types.
    """
    notes = ("-Wno-psabi", "-Wno-error=attribute-warning") if unit.compiler_id == "GNU" else ()
    include = tc.compiler.resolve().parent.parent / "include"
    return (f"-isystem{include}", "-DCUDA_DOUBLE_MATH_FUNCTIONS", *notes, "-fno-lto")


def read_entries(
    unit: CompileUnit,
    tc: Toolchain,
) -> Entries:
    """See `MixedPasses`: the registrations in the stub file that nvcc keeps."""
    from kbuild.backends.cuda.mixed.entries import read_stub  # noqa: PLC0415 - only device passes

    keep = find_keep_directory(unit)
    stub = keep / f"{unit.source.stem}.cudafe1.stub.c"
    if not stub.is_file():
        raise ToolError(
            f"{tc.compiler} did not keep '{stub.name}' for {unit.display_source}; "
            "use a toolkit that kbuild supports (CUDA 12.0 or newer)"
        )
    preprocessed = keep / f"{unit.source.stem}.cpp1.ii"
    return read_stub(stub.read_text(), preprocessed, is_relocatable=unit.relocatable)
