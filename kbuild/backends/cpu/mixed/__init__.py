"""The ``mixed`` capability on the CPU: the passes of mixed sources. See `MixedPasses`.

Both passes preprocess the source with a prelude that keeps the qualifiers (see
``kbuild_cpu_mixed.h``), and compile the rewritten text as ordinary C++.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from kbuild import resources
from kbuild.backends.cpu import build, machines
from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.annotations import find_thread_words
from kbuild.backends.cpu.mixed.diagnosis import describe
from kbuild.backends.cpu.mixed.inline_ptx.statements import replace_assembly
from kbuild.backends.cpu.mixed.omitted_words import insert_omitted_words
from kbuild.backends.cpu.options import instrumentation
from kbuild.backends.file_names import forget_directory, name_files
from kbuild.backends.host_options import select_preprocessor_options, select_text_options
from kbuild.backends.interface.mixed import Entries, FrontEnd, HostUnit
from kbuild.cxx.kernels import find_kernels
from kbuild.cxx.launches import find_launches
from kbuild.cxx.lines import locate
from kbuild.cxx.model import Edit, HostText
from kbuild.errors import SourceError
from kbuild.model import Command
from kbuild.process import select_environment
from kbuild.values import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kbuild.backends.interface.build import CompileUnit
    from kbuild.backends.interface.toolchain import Toolchain
    from kbuild.cxx.declarations import Declaration
    from kbuild.cxx.unit import Unit

describe_diagnosis: Final = describe.describe_diagnosis
describe_review: Final = describe.describe_review
read_review: Final = describe.read_review

listing_command: Final = None

# The project's C++ compiler compiles the host text.
compile_host_text: Final = None
read_assembly: Final = None

# What launches kernels, or calls the runtime, in a source without host code.
_RUNTIME_CALL: Final = re.compile(rb"<<<|\bcuda[A-Z]\w+\s*\(")
# The parts depend on the words of all options, and so on warnings of the host.
PASS_MACROS: Final = re.compile(
    r"__CUDA_ARCH__|KBUILD_MIXED_DEVICE|KBUILD_CHECKED|KBUILD_CPU_F16C|KBUILD_WITHOUT_\w+"
)
_SPLIT: Final = "KBUILD_CPU_SPLIT"
_CHEVRON: Final = "namespace chevron"
_CLANG_OPTIONS: Final = ("-Wno-unused-private-field", "-Wno-unused-const-variable")


def describe_host_pass(
    unit: HostUnit,
    tc: Toolchain,
    listing: str,  # noqa: ARG001 - the interface's signature
) -> FrontEnd:
    """See `MixedPasses`: the project's compiler preprocesses the source."""
    text = unit.output.with_name(unit.output.name + ".host.ii")
    options = select_text_options(unit.options)
    argv = (
        *(str(unit.compiler), "-E"),
        *_list_preprocessor_options(unit, tc, (*options, *unit.device_options)),
        *(unit.depfile_option, "-MF", str(unit.depfile), "-MQ", str(unit.stamp)),
        *(str(unit.source), "-o", str(text)),
    )
    command = Command(argv=argv, inputs=(unit.source,), outputs=(text, unit.depfile))
    return FrontEnd(commands=(command,), text=text)


def describe_preprocessors(
    host: HostUnit,
    device: CompileUnit,
    tc: Toolchain,
    listings: tuple[str, str],
) -> tuple[Command, Command]:
    """See `MixedPasses`: the commands of the passes."""
    (first,) = describe_host_pass(host, tc, listings[0]).commands
    (second,) = describe_device_pass(device, tc).commands
    return first, second


def _list_preprocessor_options(
    unit: CompileUnit | HostUnit, tc: Toolchain, options: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the options with which both passes preprocess a mixed source."""
    from kbuild.backends.cpu.mixed.parts import list_part_options  # noqa: PLC0415 - not every edge needs it

    return (
        *("-x", "c++", f"-std=gnu++{unit.device_standard}"),
        *(*build.PRELUDE, *build.architecture_macros(), *build.header_options(tc)),
        *(("-D__CUDACC_RDC__",) if unit.relocatable else ()),
        *list_part_options(unit, options),
        *build.definition_options(unit),
        *options,
        *(instrumentation.source_options() if unit.is_checked else ()),
    )


def read_host_text(code: Unit, unit: HostUnit) -> HostText:
    """See `MixedPasses`: kernels without code, and shadows of variables."""
    from kbuild.backends.cpu.mixed.host_text import edit_host_text  # noqa: PLC0415 - each pass needs one

    declarations = q.find_declarations(code)
    edits = (
        *(q.define_host_checks(code) if unit.is_checked else ()),
        q.define_qualifiers("host_text.h"),
        *q.translate_pragmas(code),
        *q.move_alignments(code),
        *insert_omitted_words(code),
        *replace_assembly(code),
        *edit_host_text(code, declarations, is_relocatable=unit.relocatable),
    )
    return _describe(code, edits, declarations)


def list_host_options(
    unit: HostUnit,
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
) -> tuple[str, ...]:
    """See `MixedPasses`: the standard that the text was preprocessed for.

    clang's warnings about unused entities also need the bodies of device functions.
    """
    has_standard = any(option.startswith("-std=") for option in unit.options)
    standard = () if has_standard else (f"-std=gnu++{unit.device_standard}",)
    warnings = _CLANG_OPTIONS if unit.compiler_id.endswith("Clang") else ()
    checked = instrumentation.host_options(unit.compiler_id) if unit.is_checked else ()
    return (*standard, *warnings, *checked)


def list_check_options(compiler_id: str) -> tuple[str, ...]:
    """See `MixedPasses`: the same instrumentation as of host texts.

    Link-time optimization would join what each object defines for itself.
    """
    hooks = resources.native_directory() / "device" / "cpu" / "mixed" / q.HOST_CHECKS
    return (*instrumentation.host_options(compiler_id), "-fno-lto", f"--include={hooks}")


def describe_device_pass(unit: CompileUnit, tc: Toolchain) -> FrontEnd:
    """See `MixedPasses`: the device compiler preprocesses the source for its architecture."""
    text = unit.output.with_name(unit.output.name + ".device.ii")
    argv = (
        *(str(tc.compiler), "-E"),
        *(_list_mixed_options(unit, tc) if unit.is_mixed else _list_kernel_options(unit, tc)),
        *name_files(unit),
        *("-MMD", "-MF", str(unit.depfile), "-MQ", str(unit.stamp)),
        *(str(unit.source), "-o", str(text)),
    )
    command = Command(
        argv=argv,
        inputs=(unit.source,),
        outputs=(text, unit.depfile),
        env=forget_directory(unit),
    )
    return FrontEnd(commands=(command,), text=text)


def _list_mixed_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """Return the options of the host pass, and what tells the device pass from it."""
    options = (*select_preprocessor_options(unit.host_options), *unit.options)
    foreign = machines.target_flags(unit.arch, tc)
    if machines.is_foreign_to_host(unit.arch, tc):
        options = tuple(option for option in options if not option.startswith("-m"))
    return (
        *foreign,
        *build.device_macros(),
        *machines.list_macros(unit.arch),
        *(instrumentation.text_options() if unit.is_checked else ()),
        *_list_preprocessor_options(unit, tc, options),
    )


def _list_kernel_options(unit: CompileUnit, tc: Toolchain) -> Iterator[str]:
    """Yield the options for a source without host code. Most need no headers for launches."""
    from kbuild.backends.cpu.mixed.parts import list_part_options  # noqa: PLC0415 - not every edge needs it

    yield from build.language_options(unit, tc)
    yield "-DKBUILD_MARK_KERNELS"
    if unit.source.is_file() and _RUNTIME_CALL.search(unit.source.read_bytes()):
        yield from ("-include", "cuda_device_runtime_api.h")
    yield from list_part_options(unit, unit.options)
    yield from build.definition_options(unit)
    yield from build.target_options(unit)
    yield from instrumentation.source_options() if unit.is_checked else ()


def read_device_text(code: Unit, unit: CompileUnit) -> HostText:
    """See `MixedPasses`: the whole source, in which a kernel runs the threads of a block.

    The text of a mixed source also gets a table of its device variables.

    Raises:
        SourceError: A launch cannot be read, or needs a header.
    """
    return _read_device_text(
        code,
        unit.own_name,
        is_checked=unit.is_checked,
        is_mixed=unit.is_mixed,
        is_divided=_divides(unit),
        findings=unit.findings,
        failures=unit.failures,
    )


def _divides(unit: CompileUnit) -> bool:
    """Return whether kernels with barriers are divided: not if a debugger should show threads."""
    levels = [option for option in build.target_options(unit) if option.startswith("-O")]
    is_optimized = levels[-1:] not in ([], ["-O0"], ["-Og"])
    return _read_split() != "off" and is_optimized


def _read_split() -> str:
    """Return how the user wants kernels to be divided: not, if it is ``off``."""
    return select_environment((_SPLIT,)).get(_SPLIT, "")


@lru_cache(maxsize=1)
def _read_device_text(  # noqa: PLR0913 - the key of the cache
    code: Unit,
    own_name: str,
    *,
    is_checked: bool,
    is_mixed: bool,
    is_divided: bool,
    failures: tuple[str, ...],
    findings: tuple[tuple[str, int], ...] = (),
) -> HostText:
    from kbuild.backends.cpu.mixed.device_text import edit_device_text, expose_kernels  # noqa: PLC0415 - each pass needs one
    from kbuild.backends.cpu.mixed.diagnosis.declarations import find_mistakes  # noqa: PLC0415 - as above
    from kbuild.backends.cpu.mixed.diagnosis.text import read_lines  # noqa: PLC0415 - as above
    from kbuild.backends.cpu.mixed.host_calls import reject_host_calls  # noqa: PLC0415 - each pass needs one
    from kbuild.backends.cpu.mixed.kernel_text import (  # noqa: PLC0415 - each pass needs one
        Split,
        edit_kernels,
        find_unmarked,
    )
    from kbuild.backends.cpu.mixed.shared_memory import edit_shared_memory  # noqa: PLC0415 - each pass needs one
    from kbuild.backends.cpu.mixed.waits.loops import mark_loops  # noqa: PLC0415 - each pass needs one
    from kbuild.cxx.columns import describe_place  # noqa: PLC0415 - as above

    mistakes = [
        f"{describe_place(code, position, read_lines)}: {text}"
        for position, text in find_mistakes(code)
    ]
    if mistakes:
        raise SourceError("\n".join(mistakes))
    declarations = q.find_declarations(code)
    words = find_thread_words(code)
    meets = (name for name, (is_warp_wide, _) in words.operations.items() if not is_warp_wide)
    assembly = tuple(replace_assembly(code))
    barriers = frozenset(code.find(meets))
    marks = mark_loops(code, declarations, words.yielding, barriers, assembly)
    unmarked = find_unmarked(code, declarations, marks, words, findings)
    for index in (index for dropped in unmarked.values() for index in dropped):
        del marks[index]
    others = (
        *q.translate_pragmas(code),
        *q.move_alignments(code),
        *q.keep_calls(code),
        *insert_omitted_words(code),
        *assembly,
        *reject_host_calls(code, declarations),
        *edit_shared_memory(code),
        *expose_kernels(code, declarations),
    )
    kernels = edit_kernels(
        code,
        declarations,
        split=Split(others, failures, marks) if is_divided else None,
        unmarked=unmarked,
        findings=findings,
        is_checked=is_checked,
    )
    # Marks are behind what starts a region, in which they can name variables.
    loops = {**marks, **kernels.marks}.values()
    edits = (*others, *kernels.edits, *(edit for loop in loops for edit in loop.edits))
    if is_mixed:
        headers = q.define_qualifiers("kernel_text.h", "device_text.h")
        table = edit_device_text(code.text, declarations, own_name)
        found = _describe(code, (headers, *edits, *table), declarations)
    else:
        headers = q.define_qualifiers("kernel_text.h", "kernel_source.h")
        found = _describe(code, (headers, *edits))
    return replace(found, has_guesses=bool(kernels.divided))


def review_object(code: Unit, unit: CompileUnit, data: bytes) -> tuple[tuple[str, int], ...]:
    """See `MixedPasses`: kernels that wait, whose index functions read, or with such parameters."""
    from kbuild.backends.cpu.mixed.waits.foreign import find_foreign, names_pointers  # noqa: PLC0415 - only some edges need it
    from kbuild.backends.cpu.mixed.waits.review import review_object as review  # noqa: PLC0415 - loads parsers

    # A pointer that the host passes to a kernel is in no object.
    is_cautious = _read_split() == "off"
    foreign = None
    if unit.relocatable:
        declarations = q.find_declarations(code)
        foreign = find_foreign(code, declarations)
        is_cautious = is_cautious or names_pointers(code, declarations)
    found = review(data, foreign, has_pointers=is_cautious)
    # The threads of instrumented kernels always store their index.
    return tuple(each for each in found if each.kind != "index" or not unit.is_checked)


def _describe(
    code: Unit, edits: tuple[Edit, ...], declarations: tuple[Declaration, ...] | None = None
) -> HostText:
    """Describe a text. Without host code, its kernels need siblings only if it launches some.

    Args:
        code: The text.
        edits: Its edits.
        declarations: What the user marked; None for a source without host code.
    """
    if declarations is not None and q.compiles_with_clang(code.text):
        q.reject_unnamed_lambdas(code.text, declarations)
    launches = find_launches(code)
    if declarations is None and launches and _CHEVRON not in code.text:
        place = locate(code.text, launches[0].start)
        raise SourceError(
            f"{place}: a header launches a kernel, but the source does "
            "not include <cuda_device_runtime_api.h>; include it before the header"
        )
    kernels = () if declarations is None and not launches else find_kernels(code)
    return HostText(kernels=kernels, launches=launches, edits=edits)


def read_entries(
    unit: CompileUnit,
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
) -> Entries:
    """See `MixedPasses`: what the image, or the object for a device link, contains."""
    from kbuild.backends.cpu.mixed.entries import list_entries  # noqa: PLC0415 - loads parsers

    return list_entries(unit)
