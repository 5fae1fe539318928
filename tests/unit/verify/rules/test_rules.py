"""Every rule on one artifact that violates it, and on one that does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kbuild.facts import (
    ArtifactFacts,
    FileKind,
    HandleFacts,
    Place,
    Pointer,
    Reference,
    ReferenceKind,
)
from kbuild.formats.elf.constants import SHF_MERGE
from kbuild.model import (
    ContainerRecord,
    ImageRecord,
    Kernel,
    KernelRecord,
    Problem,
    VariableRecord,
)
from kbuild.verify import Policy, select_rules, verify
from kbuild.verify.catalog import RULES
from kbuild.verify.policy.baseline import make_baseline
from kbuild.verify.rule import Rule
from support.facts.build_facts import (
    AXPY,
    KERNELS,
    SCALE,
    change_handle,
    change_image,
    change_module,
    change_record,
    change_symbol,
    export,
    foreign_facts,
    gpu_image,
    host_facts,
    make_symbol,
    sound_facts,
)
from support.facts.foreign_facts import (
    FOREIGN,
    FOREIGN_BAD,
    FOREIGN_CLEAN,
    symbolic,
    visible,
    with_variable,
)
from support.facts.policy_cases import BAD_BY_POLICY, FOR_ROCM_5
from support.facts.wheel_facts import as_wheel, needing

SOUND = sound_facts()
SOUND_WITH_STUBS = sound_facts(has_stubs=True)
EXPORTED = export(SOUND)
EXPORTED_WITH_STUBS = export(SOUND_WITH_STUBS)
OBJECT = replace(EXPORTED, kind="object", dynamic=None)
HOSTS = (
    host_facts("object", ("call", "printf"), ("absolute-32", "stdout")),
    host_facts("executable", ("call-slot", "printf"), ("copy", "stdout")),
    foreign_facts(),
    replace(foreign_facts(gpu_image("gfx90a", compression="zstd")), path="amd.fatbin"),
)
# This policy gives every policy rule something to judge.
CLEAN_POLICY = Policy(
    required_architectures=(),
    allowed_architectures=("sm_80", "sm_90", "compute_90", "gfx90a"),
    minimum_driver="12.4",
    minimum_runtime="6.2",
    max_registers=64,
    max_spill_bytes=0,
    max_local_bytes=0,
    max_shared_bytes=1024,
    max_kernel_bytes=512,
    max_architecture_bytes=2000,
    max_artifact_bytes=2000,
    wheel_policy="pypi",
)
# The files of several calls. Every rule judges at least one of them and finds nothing.
CLEAN = (
    (SOUND, SOUND_WITH_STUBS, *HOSTS),
    (EXPORTED, *HOSTS),
    (EXPORTED_WITH_STUBS, *HOSTS),
    (OBJECT, *HOSTS),
    *FOREIGN_CLEAN,
    (
        as_wheel(),
        needing("_ZN5torch6stable1fEv", "aoti_torch_get_dim", "_ZN2at1fEv"),
        needing(file="k/libat.so", defined=("_ZN2at1fEv",)),
        HOSTS[2],
    ),
    (FOR_ROCM_5,),
)
SCALE_STUB = "_ZN2ns20__device_stub__scaleEPffi"


def _widen(kernel: Kernel) -> Kernel:
    return replace(
        kernel, params=(*kernel.params[:-1], replace(kernel.params[-1], offset=16, size=8))
    )


def _merged(facts: ArtifactFacts) -> ArtifactFacts:
    sections = list(facts.sections)
    sections[1] = replace(sections[1], flags=sections[1].flags | SHF_MERGE)
    return replace(facts, sections=tuple(sections))


def _dynamic(facts: ArtifactFacts, **changes: Any) -> ArtifactFacts:
    assert facts.dynamic is not None
    return replace(facts, dynamic=replace(facts.dynamic, **changes))


def _aligned(facts: ArtifactFacts, section: int, **changes: Any) -> ArtifactFacts:
    sections = list(facts.sections)
    sections[section] = replace(sections[section], **changes)
    return replace(facts, sections=tuple(sections))


def _interposable(pointer: Pointer | None) -> Pointer:
    assert pointer is not None
    return replace(pointer, symbol="stub", interposable=True)


def _moved_container(facts: ArtifactFacts) -> ArtifactFacts:
    place = Place(section=3, offset=4)
    return replace(facts, containers=(replace(facts.containers[0], place=place),))


def _change_stub(facts: ArtifactFacts, **changes: Any) -> ArtifactFacts:
    def change(handle: HandleFacts) -> HandleFacts:
        assert handle.stub is not None
        return replace(handle, stub=replace(handle.stub, **changes))

    return change_handle(facts, change)


def _taking_address(kind: FileKind) -> ArtifactFacts:
    """Return a host file that uses a kernel correctly."""
    undefined = make_symbol(SCALE, None, type="none", visibility="default", dynamic=True)
    return replace(host_facts(kind), symbols=(undefined,))


def _own_reference(kind: ReferenceKind, offset: int) -> Reference:
    """Return a reference to the first handle (offset 0) or its stub in the defining file."""
    name, section = (SCALE_STUB, 2) if offset else (SCALE, 1)
    target = Place(section=section, offset=offset)
    return Reference(kind=kind, symbol=name, place=Place(section=2, offset=16), target=target)


def _row_in_container(number: int) -> ArtifactFacts:
    def change(row: KernelRecord) -> KernelRecord:
        return replace(row, container=number)

    return change_record(
        SOUND, lambda r: replace(r, kernels=(change(r.kernels[0]), *r.kernels[1:]))
    )


# Rule id, defect, and the facts of one file or of several.
BAD: tuple[tuple[str, str, ArtifactFacts | tuple[ArtifactFacts, ...]], ...] = (
    ("KB101", "image absent", replace(SOUND, images=SOUND.images[:1])),
    ("KB101", "no image at all", replace(SOUND, images=())),
    (
        "KB103",
        "kernel absent",
        change_record(
            change_image(SOUND, lambda i: replace(i, kernels=KERNELS[:1])),
            lambda r: replace(
                r,
                containers=(
                    replace(
                        r.containers[0],
                        images=(
                            r.containers[0].images[0],
                            replace(r.containers[0].images[1], kernels=(SCALE,)),
                        ),
                    ),
                ),
            ),
        ),
    ),
    (
        "KB108",
        "image differs from the table",
        change_image(SOUND, lambda i: replace(i, kernels=(_widen(KERNELS[0]), KERNELS[1]))),
    ),
    (
        "KB108",
        "name differs from all",
        change_record(
            replace(
                SOUND,
                images=tuple(
                    replace(i, kernels=(_widen(KERNELS[0]), KERNELS[1])) for i in SOUND.images
                ),
            ),
            lambda r: replace(
                r,
                kernels=(
                    replace(r.kernels[0], params=_widen(KERNELS[0]).params),
                    *r.kernels[1:],
                ),
            ),
        ),
    ),
    (
        "KB109",
        "unreadable image",
        change_image(SOUND, lambda i: replace(i, problem="cut off", kernels=(), sha256="x")),
    ),
    (
        "KB109",
        "unreadable container",
        replace(
            SOUND,
            images=SOUND.images[:1],
            problems=(Problem(where="container 0, byte 0x40", message="bad magic"),),
            containers=(replace(SOUND.containers[0], is_damaged=True),),
        ),
    ),
    (
        "KB301",
        "no symbol",
        change_handle(SOUND, lambda h: replace(h, symbol=None, place=None, content=None)),
    ),
    (
        "KB301",
        "defined elsewhere",
        replace(
            change_handle(
                SOUND,
                lambda h: replace(
                    h, symbol=None, place=None, content=None, registered=Pointer(symbol=SCALE)
                ),
            ),
            has_symbol_table=False,
        ),
    ),
    ("KB302", "function", change_symbol(SOUND, lambda s: replace(s, type="function"))),
    (
        "KB302",
        "function in the code",
        change_handle(
            SOUND,
            lambda h: replace(
                h,
                symbol=make_symbol(SCALE, Place(section=2, offset=8), type="function", size=1),
                place=Place(section=2, offset=8),
                registered=Pointer(place=Place(section=2, offset=8)),
                content=Pointer(place=Place(section=2, offset=32)),
            ),
        ),
    ),
    ("KB303", "no type", change_symbol(SOUND, lambda s: replace(s, type="none"))),
    ("KB303", "size", change_symbol(SOUND, lambda s: replace(s, size=32))),
    ("KB303", "writable", change_handle(SOUND, lambda h: replace(h, is_read_only=False))),
    ("KB303", "mergeable", _merged(SOUND)),
    (
        "KB303",
        "misaligned",
        change_handle(
            SOUND,
            lambda h: replace(
                h,
                place=Place(section=1, offset=36),
                registered=Pointer(place=Place(section=1, offset=36)),
            ),
        ),
    ),
    (
        "KB303",
        "section",
        change_handle(
            SOUND,
            lambda h: replace(
                h,
                place=Place(section=4, offset=0),
                registered=Pointer(place=Place(section=4, offset=0)),
            ),
        ),
    ),
    (
        "KB304",
        "shared",
        change_handle(
            SOUND,
            lambda h: replace(
                h, place=SOUND.handles[1].place, registered=SOUND.handles[1].registered
            ),
        ),
    ),
    ("KB305", "absent", change_handle(SOUND_WITH_STUBS, lambda h: replace(h, stub=None))),
    (
        "KB305",
        "absent, and the handle null",
        change_handle(SOUND_WITH_STUBS, lambda h: replace(h, stub=None, content=Pointer())),
    ),
    (
        "KB305",
        "another file's",
        replace(
            change_handle(
                EXPORTED_WITH_STUBS,
                lambda h: replace(h, stub=None, content=Pointer(symbol=SCALE_STUB)),
            ),
            has_symbol_table=False,
        ),
    ),
    ("KB305", "data", _change_stub(SOUND_WITH_STUBS, type="object")),
    (
        "KB306",
        "defined",
        replace(
            SOUND,
            symbols=(make_symbol(SCALE_STUB, Place(section=2, offset=0), type="function"),),
        ),
    ),
    ("KB307", "hidden stub", _change_stub(EXPORTED_WITH_STUBS, visibility="hidden")),
    ("KB307", "weak stub", _change_stub(EXPORTED_WITH_STUBS, binding="weak")),
    (
        "KB308",
        "not null",
        change_handle(
            SOUND, lambda h: replace(h, content=Pointer(place=Place(section=2, offset=0)))
        ),
    ),
    (
        "KB308",
        "null",
        change_handle(SOUND_WITH_STUBS, lambda h: replace(h, content=Pointer())),
    ),
    (
        "KB308",
        "another stub",
        change_handle(
            SOUND_WITH_STUBS, lambda h: replace(h, content=SOUND_WITH_STUBS.handles[1].content)
        ),
    ),
    (
        "KB308",
        "interposable",
        change_handle(
            SOUND_WITH_STUBS,
            lambda h: replace(h, content=_interposable(h.content)),
        ),
    ),
    (
        "KB308",
        "an unexpected stub",
        change_handle(
            replace(
                SOUND,
                symbols=(make_symbol(SCALE_STUB, Place(section=2, offset=0), type="function"),),
            ),
            lambda h: replace(h, content=Pointer(place=Place(section=2, offset=0))),
        ),
    ),
    ("KB309", "in an object", (OBJECT, host_facts("object", ("call", SCALE)))),
    (
        "KB309",
        "hidden, of another object",
        (
            replace(SOUND, kind="object"),
            host_facts("object", ("call", SCALE)),
        ),
    ),
    ("KB309", "through a slot", (host_facts("executable", ("call-slot", SCALE)), EXPORTED)),
    ("KB309", "its own", replace(OBJECT, references=(_own_reference("call", 0),))),
    ("KB309", "its own slot", replace(EXPORTED, references=(_own_reference("call-slot", 0),))),
    (
        "KB401",
        "not reached",
        change_module(SOUND, lambda m: replace(m, is_constructor_reached=False)),
    ),
    ("KB401", "no constructor", change_module(SOUND, lambda m: replace(m, constructor=None))),
    (
        "KB401",
        "no descriptor",
        change_module(SOUND, lambda m: replace(m, descriptor_problem="ABI 9", containers=(None,))),
    ),
    (
        "KB401",
        "other address",
        change_handle(
            SOUND, lambda h: replace(h, registered=Pointer(place=Place(section=1, offset=512)))
        ),
    ),
    ("KB501", "copied", (host_facts("executable", ("copy", SCALE)), EXPORTED)),
    (
        "KB501",
        "copied and protected",
        (
            host_facts("executable", ("copy", SCALE)),
            change_symbol(EXPORTED, lambda s: replace(s, visibility="protected")),
        ),
    ),
    ("KB502", "symbolic", _dynamic(EXPORTED, is_symbolic=True)),
    (
        "KB502",
        "bound without the flag",
        change_handle(EXPORTED, lambda h: replace(h, registered=Pointer(place=h.place))),
    ),
    ("KB503", "flag", _dynamic(EXPORTED, has_text_relocations=True)),
    (
        "KB503",
        "flag of a program",
        (
            _dynamic(_taking_address("executable"), has_text_relocations=True),
            EXPORTED,
        ),
    ),
    ("KB503", "handle", replace(OBJECT, references=(_own_reference("absolute-32", 0),))),
    (
        "KB503",
        "stub",
        replace(
            EXPORTED_WITH_STUBS,
            kind="object",
            dynamic=None,
            references=(_own_reference("absolute-32", 128),),
        ),
    ),
    ("KB503", "host object", (EXPORTED, host_facts("object", ("absolute-32", SCALE)))),
    ("KB505", "fat binary", _aligned(SOUND, 3, alignment=4)),
    ("KB505", "address", _aligned(SOUND, 3, address=0x3004)),
    ("KB505", "note", _aligned(SOUND, 5, alignment=0)),
    ("KB505", "container", _moved_container(SOUND)),
    ("KB601", "hash", change_image(SOUND, lambda i: replace(i, sha256="other", kernels=()))),
    ("KB601", "label", change_image(SOUND, lambda i: replace(i, arch="sm_91"))),
    ("KB601", "kind", change_image(SOUND, lambda i: replace(i, kind="other"))),
    (
        "KB601",
        "extra image",
        replace(
            SOUND, images=(*SOUND.images, replace(SOUND.images[0], arch="sm_70", sha256="new"))
        ),
    ),
    (
        "KB601",
        "kernels",
        change_record(
            SOUND,
            lambda r: replace(
                r,
                containers=(
                    replace(
                        r.containers[0],
                        images=tuple(replace(i, kernels=(SCALE,)) for i in r.containers[0].images),
                    ),
                ),
            ),
        ),
    ),
    ("KB601", "row without container", _row_in_container(7)),
    (
        "KB601",
        "unreadable note",
        replace(
            SOUND,
            modules=(),
            handles=(),
            note_problems=(Problem(where=".note.kbuild, byte 0x0", message="cut off"),),
        ),
    ),
    ("KB703", "unstable", (needing("_ZN2at1fEv"), as_wheel())),
    *FOREIGN_BAD,
)


@pytest.mark.parametrize(
    ("rule", "facts"), [(r, f) for r, _, f in BAD], ids=[f"{r} {w}" for r, w, _ in BAD]
)
def test_bad_facts_raise_only_their_rule(
    rule: str, facts: ArtifactFacts | tuple[ArtifactFacts, ...]
) -> None:
    report = verify((facts,) if isinstance(facts, ArtifactFacts) else facts)
    assert not report.rules_errored
    assert {finding.rule for finding in report.findings} == {rule}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_sound_facts_raise_nothing(rule: Rule) -> None:
    reports = [
        verify(files, replace(CLEAN_POLICY, baseline=make_baseline(files)), rules=(rule,))
        for files in CLEAN
    ]
    assert [report.findings for report in reports] == [()] * len(CLEAN)
    assert {ran for report in reports for ran in report.rules_run} == {rule.id}
    assert [report.rules_errored for report in reports] == [()] * len(CLEAN)


def test_every_rule_has_a_bad_artifact() -> None:
    bad = {rule for rule, _, _ in BAD} | {rule for rule, *_ in BAD_BY_POLICY}
    # For waivers, see test_waivers.py.
    assert bad == {rule.id for rule in RULES} - {"KB001", "KB002"}


def test_missing_architecture_names_source_and_kernels() -> None:
    report = verify((replace(SOUND, images=SOUND.images[:1]),))
    (finding,) = report.findings
    assert finding.arch == "sm_90"
    assert finding.message == (
        "no image for sm_90, only for sm_80, in demo.cu: ns::scale(float*, float, int), "
        "axpy(float, float*) cannot run on such a device"
    )


def test_policy_architecture_is_expected_of_files_without_note() -> None:
    foreign = replace(SOUND, modules=(), handles=())
    report = verify((foreign,), Policy(required_architectures=("sm_100",)))
    assert [(f.rule, f.arch) for f in report.findings] == [("KB101", "sm_100")]


def test_images_of_foreign_container_are_compared_with_each_other() -> None:
    foreign = replace(SOUND, modules=(), handles=())
    short = change_image(foreign, lambda i: replace(i, kernels=KERNELS[:1]))
    (finding,) = verify((short,)).findings
    assert (finding.rule, finding.severity, finding.symbol) == ("KB103", "info", AXPY)
    # The policy requires an image with every kernel for this architecture.
    assert finding.arch is not None
    policy = Policy(required_architectures=(finding.arch,))
    (finding,) = verify((short,), policy, select_rules(["KB103"])).findings
    assert (finding.severity, finding.symbol) == ("error", AXPY)
    wide = change_image(foreign, lambda i: replace(i, kernels=(_widen(KERNELS[0]), KERNELS[1])))
    (finding,) = verify((wide,)).findings
    assert (finding.rule, finding.arch) == ("KB108", "sm_90")
    assert "in the sm_80 image" in finding.message


def _add_prelinked(facts: ArtifactFacts, *architectures: str) -> ArtifactFacts:
    """The artifact as the outcome of a device link, with two sources that drivers can link."""
    containers = tuple(
        ContainerRecord(
            source=name,
            images=tuple(
                ImageRecord(arch=arch, kind="ptx", sha256=f"{name} {arch}", size=10, kernels=())
                for arch in architectures
            ),
            is_prelinked=True,
        )
        for name in ("a.cu", "b.cu")
    )
    images = tuple(
        replace(
            facts.images[0],
            arch=image.arch,
            kind=image.kind,
            sha256=image.sha256,
            size=image.size,
            container=number,
            kernels=(),
        )
        for number, container in enumerate(containers, start=1)
        for image in container.images
    )
    linked = change_record(facts, lambda r: replace(r, containers=(*r.containers, *containers)))
    return replace(
        change_module(linked, lambda m: replace(m, containers=(0, 1, 2))),
        containers=facts.containers * 3,
        images=(*facts.images, *images),
    )


def test_what_drivers_link_of_all_sources_is_an_architecture_of_the_target() -> None:
    facts = _add_prelinked(SOUND, "compute_90")

    assert verify((facts,), Policy(required_architectures=("compute_90", "sm_80"))).findings == ()
    (finding,) = verify((facts,), Policy(required_architectures=("compute_100",))).findings
    assert (finding.rule, finding.arch) == ("KB101", "compute_100")


def test_source_that_drivers_cannot_link_is_named() -> None:
    facts = _add_prelinked(SOUND, "compute_90")
    incomplete = replace(facts, images=facts.images[:-1])

    found = verify((incomplete,), Policy(required_architectures=("compute_90",))).findings

    assert {(f.rule, f.arch) for f in found} == {("KB101", "compute_90")}
    assert any(
        f.message.startswith("no image for compute_90") and "in b.cu" in f.message for f in found
    )


def test_stripped_hidden_handle_lacks_evidence() -> None:
    facts = replace(change_handle(SOUND, lambda h: replace(h, symbol=None)), has_symbol_table=False)
    report = verify((facts,))
    assert report.findings == ()
    stripped = {n.rule for n in report.rules_skipped if n.reason.startswith("stripped")}
    assert stripped == {"KB301", "KB302", "KB303", "KB306"}


def test_handles_of_mixed_sources_are_defined_by_other_objects() -> None:
    stub_unit = change_module(
        change_handle(OBJECT, lambda h: replace(h, symbol=None, place=None, content=None)),
        lambda m: replace(m, record=replace(m.record, has_host_texts=True)),
    )

    report = verify((stub_unit,))

    assert "KB301" not in {finding.rule for finding in report.findings}
    reasons = {skipped.rule: skipped.reason for skipped in report.rules_skipped}
    assert reasons["KB301"] == "the objects of mixed sources define the handles"


def test_local_pointer_that_clang_types_as_function_is_a_handle() -> None:
    facts = change_handle(
        change_symbol(SOUND, lambda s: replace(s, type="function", binding="local")),
        lambda h: replace(h, row=replace(h.row, linkage="internal")),
    )
    external = change_handle(facts, lambda h: replace(h, row=replace(h.row, linkage="external")))

    assert "KB302" not in {finding.rule for finding in verify((facts,)).findings}
    assert "KB302" in {finding.rule for finding in verify((external,)).findings}


def test_unreadable_descriptor_is_not_repeated_by_other_rules() -> None:
    facts = change_module(
        SOUND, lambda m: replace(m, descriptor_problem="ABI 9", containers=(None,))
    )
    handles = tuple(
        replace(h, symbol=None, place=None, registered=None, content=None) for h in facts.handles
    )
    report = verify((replace(facts, handles=handles, has_symbol_table=False),))
    assert {finding.rule for finding in report.findings} == {"KB401"}


def test_interposable_stub_is_a_warning() -> None:
    facts = change_handle(
        SOUND_WITH_STUBS,
        lambda h: replace(h, content=_interposable(h.content)),
    )
    report = verify((facts,))
    assert [finding.severity for finding in report.findings] == ["warning"]
    assert report.ok


def test_stripped_stubs_lack_evidence() -> None:
    facts = replace(
        change_handle(SOUND_WITH_STUBS, lambda h: replace(h, symbol=None, stub=None)),
        has_symbol_table=False,
    )
    report = verify((facts,), rules=select_rules(["KB305", "KB307", "KB308"]))
    assert report.findings == ()
    assert [note.rule for note in report.rules_skipped] == ["KB305", "KB307", "KB308"]


def test_visibility_of_local_symbols_has_no_meaning() -> None:
    facts = _change_stub(EXPORTED_WITH_STUBS, binding="local", visibility="default")

    def hide(handle: HandleFacts) -> HandleFacts:
        assert handle.symbol is not None
        return replace(handle, symbol=replace(handle.symbol, binding="local", visibility="hidden"))

    report = verify((change_handle(facts, hide),), rules=select_rules(["KB307"]))
    assert report.findings == ()


def test_kernel_called_names_caller_and_library() -> None:
    (finding,) = verify((host_facts("object", ("call", SCALE)), EXPORTED)).findings
    assert (finding.path, finding.symbol) == ("host.object", SCALE)
    assert finding.message == (
        "main calls ns::scale(float*, float, int) of libexported.so, which is data"
    )


@pytest.mark.parametrize("kind", ["call", "call-slot", "copy", "absolute-32"])
def test_names_of_hidden_handles_reach_no_other_linked_file(kind: ReferenceKind) -> None:
    for host in (host_facts("executable", (kind, SCALE)), host_facts("object", (kind, SCALE))):
        assert verify((host, SOUND)).findings == ()


def test_names_of_static_kernels_reach_no_other_object() -> None:
    static = change_symbol(OBJECT, lambda s: replace(s, binding="local"))
    assert verify((host_facts("object", ("call", SCALE)), static)).findings == ()


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        (SOUND, "linking left no relocation"),
        (_dynamic(EXPORTED, is_symbolic=True), "linking left no relocation"),
        (replace(EXPORTED, kind="executable"), "linking left no relocation"),
        (replace(EXPORTED, kind="executable", dynamic=None), "statically linked"),
    ],
)
def test_calls_inside_linked_files_lack_evidence(facts: ArtifactFacts, reason: str) -> None:
    (note,) = verify((facts,), rules=select_rules(["KB309"])).rules_skipped
    assert note.reason.startswith(reason)


def _severity_of_copy(library: ArtifactFacts) -> str:
    program = host_facts("executable", ("copy", SCALE))
    (finding,) = verify((program, library), rules=select_rules(["KB501"])).findings
    assert (finding.path, finding.symbol) == (program.path, SCALE)
    return finding.severity


def test_copied_handle_is_an_error_where_the_library_binds_to_its_own() -> None:
    def bind(handle: HandleFacts) -> HandleFacts:
        return replace(handle, registered=Pointer(place=handle.place))

    assert _severity_of_copy(EXPORTED) == "warning"
    assert _severity_of_copy(OBJECT) == "warning"
    assert _severity_of_copy(_dynamic(EXPORTED, is_symbolic=True)) == "error"
    assert _severity_of_copy(change_handle(EXPORTED, bind)) == "error"
    protected = change_symbol(EXPORTED, lambda s: replace(s, visibility="protected"))
    assert _severity_of_copy(protected) == "error"


def test_variable_that_is_local_to_a_mixed_source_is_not_bound_by_an_option() -> None:
    facts = with_variable(SOUND)
    (shadow,) = facts.shadows
    own = replace(shadow, registered=Pointer(place=shadow.symbol.place))
    row = VariableRecord(
        shadow=shadow.symbol.name,
        device_name=shadow.symbol.name,
        display=shadow.symbol.name,
        kind="device",
        size=4,
        container=0,
    )
    bound = change_module(
        replace(facts, shadows=(own,)),
        lambda m: replace(m, record=replace(m.record, variables=(row,))),
    )
    mixed = change_module(
        bound, lambda m: replace(m, record=replace(m.record, has_host_texts=True))
    )
    rules = select_rules(["KB502"])

    assert verify((mixed,), rules=rules).findings == ()
    for faulty in (bound, symbolic(mixed)):
        (finding,) = verify((faulty,), rules=rules).findings
        assert finding.symbol == shadow.symbol.name
    assert _severity_of_copied_variable(mixed) == "error"


def _severity_of_copied_variable(library: ArtifactFacts) -> str:
    program = host_facts("executable", ("copy", "weights"))
    (finding,) = verify((program, library), rules=select_rules(["KB501"])).findings
    assert (finding.path, finding.symbol) == (program.path, "weights")
    return finding.severity


@pytest.mark.parametrize("base", [SOUND, FOREIGN], ids=["kbuild", "other tool"])
def test_copied_variable_is_an_error_where_the_library_binds_to_its_own(
    base: ArtifactFacts,
) -> None:
    assert _severity_of_copied_variable(with_variable(base)) == "warning"
    assert _severity_of_copied_variable(symbolic(with_variable(base))) == "error"
    assert _severity_of_copied_variable(with_variable(base, visibility="protected")) == "error"
    hidden = with_variable(base, visibility="hidden")
    program = host_facts("executable", ("copy", "weights"))
    assert verify((program, hidden), rules=select_rules(["KB501"])).findings == ()


def test_copied_handle_of_another_tool() -> None:
    program, library = host_facts("executable", ("copy", SCALE)), visible(FOREIGN, "libf.so")
    for facts, severity in ((library, "warning"), (symbolic(library), "error")):
        (finding,) = verify((program, facts), rules=select_rules(["KB501"])).findings
        assert finding.severity == severity


@pytest.mark.parametrize(
    ("name", "own", "foreign"),
    [
        ("write", "error", "error"),
        ("cudaMalloc", "error", "warning"),
        ("gamma", "error", "warning"),
        ("__cxa_begin_catch", "error", "error"),
        ("scale", None, None),
        ("_ZNSt8ios_base4InitC1Ev", None, None),
    ],
)
def test_name_of_a_system_symbol(name: str, own: str | None, foreign: str | None) -> None:
    def severity_in(base: ArtifactFacts, visibility: str = "default") -> str | None:
        facts = with_variable(base, name=name, visibility=visibility)
        found = verify((facts,), rules=select_rules(["KB310"])).findings
        return found[0].severity if found else None

    assert severity_in(SOUND) == own
    assert severity_in(FOREIGN) == foreign
    assert severity_in(SOUND, "hidden") is None


def test_kernel_with_the_name_of_a_system_symbol() -> None:
    def rename(handle: HandleFacts) -> HandleFacts:
        assert handle.symbol is not None
        return replace(handle, symbol=replace(handle.symbol, name="write"))

    named = change_handle(EXPORTED, rename)
    exported = replace(named, symbols=tuple(h.symbol for h in named.handles if h.symbol))
    exported = replace(exported, symbols=tuple(replace(s, dynamic=True) for s in exported.symbols))
    for facts in (exported, replace(exported, kind="object", dynamic=None)):
        (finding,) = verify((facts,), rules=select_rules(["KB310"])).findings
        assert (finding.symbol, finding.severity) == ("write", "error")
        assert "uses write from it instead of from libc.so.6" in finding.message


def test_four_byte_address_is_an_info_unless_meant_for_a_shared_object() -> None:
    own = (_own_reference("absolute-32", 0),)
    host = host_facts("object", ("absolute-32", SCALE))
    hidden = replace(SOUND, kind="object", dynamic=None, references=own)
    for files, severity in (
        ((replace(OBJECT, references=own),), "error"),
        ((hidden,), "info"),
        ((host, EXPORTED), "info"),
    ):
        report = verify(files, rules=select_rules(["KB503"]))
        assert [finding.severity for finding in report.findings] == [severity]
