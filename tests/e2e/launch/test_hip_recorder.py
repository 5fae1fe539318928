"""The recorder rejects artifacts that are damaged in one place.

Without these tests, those of `test_hip` could pass because the recorder checks nothing.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kbuild import resources
from support.commands import PROJECTS, run, succeed
from support.tools.recorded_hip import Recording, record
from support.tools.toolchains import needs_hipcc

PROJECT = PROJECTS / "hip_launch"
INCLUDE = resources.native_directory() / "include"
LIBRARY = "-lamdhip64"
SCALE, OVER = "_ZN2ns5scaleEPffi", "_Z4overPii"
BEGIN = "    kbuild_register_module(&kbuild_module_data, kbuild_unregister);\n"
FIRST_ROW = '{ &kbuild_handle_1, "c_fill"'
SECOND_ROW = '{ &kbuild_handle_2, "c_nothing"'
FUNCTION = '__hipRegisterFunction({}, &kbuild_handle_1, (char *)"c_fill", "c_fill", ~0u, {});\n'
LEAVE = "void **const gone = kbuild_registered_containers[0];\nkbuild_unregister();\n"
UNPLACED = "{KBUILD_VENDOR_WRAPPER_MAGIC, 1, kbuild_fat_binary, 0};\n"
POP = "kbuild_run_stub(&kbuild_stub_data_4, arguments, __builtin_return_address(0));"
BARE = """(void)arguments;
    static struct kbuild_stub bare = { &kbuild_kernels[0], "", 0, 0, 0, {} };
    kbuild_run_stub(&bare, 0, 0);"""
WRAPPER = "KBUILD_DEFINE_WRAPPER(kbuild_wrapper_0, kbuild_fat_binary + 0)\n"

REDEFINE_MAGIC = (
    "#undef KBUILD_VENDOR_WRAPPER_MAGIC\n#define KBUILD_VENDOR_WRAPPER_MAGIC 0x466243b1u\n"
)

# The replaced text in the generated stub unit, the new text, and the recorder's message.
SPOILED = {
    "wrong wrapper magic": (
        WRAPPER,
        f"{REDEFINE_MAGIC}{WRAPPER}",
        "a wrapper with another magic",
    ),
    "wrong wrapper version": (
        WRAPPER,
        f"#undef KBUILD_WRAPPER_VERSION\n#define KBUILD_WRAPPER_VERSION 2u\n{WRAPPER}",
        "a wrapper of another version",
    ),
    "wrapper in another section": (
        WRAPPER,
        f"static struct kbuild_wrapper kbuild_wrapper_0 = {UNPLACED}",
        "a wrapper outside of .hipFatBinSegment",
    ),
    "wrapper of something else": (
        "kbuild_fat_binary + 0)\n",
        "kbuild_fat_binary + 4096)\n",
        "no bundle's magic",
    ),
    "container not on a page": (
        '"kbuild_fat_binary:\\n"',
        '".skip 64\\nkbuild_fat_binary:\\n"',
        "a bundle that does not start a page",
    ),
    "container in another section": (
        ".pushsection .hip_fatbin,",
        ".pushsection .other_fatbin,",
        "a bundle outside of .hip_fatbin",
    ),
    "another kernel's handle": (
        FIRST_ROW,
        FIRST_ROW.replace("handle_1", "handle_2"),
        "c_fill: its address is that of another symbol",
    ),
    "no handle": (
        FIRST_ROW,
        FIRST_ROW.replace("&kbuild_handle_1", "0"),
        "c_fill: registered with a null address",
    ),
    "a kernel that no image has": (
        FIRST_ROW,
        FIRST_ROW.replace("c_fill", "c_full"),
        "c_full: its address is that of another symbol",
    ),
    "a kernel twice": (SECOND_ROW, FIRST_ROW, "c_fill: its address is registered already"),
    "variable of another size": (
        '"weights", 16,',
        '"weights", 12,',
        "weights: of another size than in the image",
    ),
    "managed variable of another size": (
        '"sums", 16,',
        '"sums", 8,',
        "sums: no managed variable of this size",
    ),
    "kernels before their container": (
        BEGIN,
        FUNCTION.format(0, "0, 0, 0, 0, 0") + BEGIN,
        "__hipRegisterFunction with what __hipRegisterFatBinary did not return",
    ),
    "kernels after their container": (
        BEGIN,
        BEGIN + LEAVE + FUNCTION.format("gone", "0, 0, 0, 0, 0"),
        "__hipRegisterFunction after the container was unregistered",
    ),
    "a kernel with a block size": (
        BEGIN,
        BEGIN + FUNCTION.format("kbuild_registered_containers[0]", "0, 0, &kbuild_runtime, 0, 0"),
        "c_fill: registered with more than a name",
    ),
    "unregistered twice": (
        BEGIN,
        f"{BEGIN}    __hipUnregisterFatBinary(kbuild_registered_containers[0]);\n",
        "__hipUnregisterFatBinary after the container was unregistered",
    ),
    "unregistered something else": (
        BEGIN,
        f"{BEGIN}    __hipUnregisterFatBinary((void **)&kbuild_module_data);\n",
        "__hipUnregisterFatBinary with what __hipRegisterFatBinary did not return",
    ),
}
# The same for a stub unit with debug stubs.
SPOILED_STUBS = {
    "the stub instead of the handle": (
        '{ &kbuild_handle_0, "_ZN2ns5scaleEPffi"',
        '{ reinterpret_cast<void *>(kbuild_stub_0), "_ZN2ns5scaleEPffi"',
        f"{SCALE}: its address is that of another symbol",
    ),
    "a configuration popped twice": (
        POP,
        f"{POP}\n    {POP}",
        "a configuration is popped that was not pushed",
    ),
    "no arguments": (
        POP.replace("data_4", "data_0"),
        BARE,
        f"{SCALE}: launched without its arguments",
    ),
}

pytestmark = needs_hipcc()


@pytest.fixture(scope="module")
def typed_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("typed_host") / "host.o"
    source = PROJECT / "typed_host.cpp"
    words = ("-std=c++17", f"-I{INCLUDE}", "-DKBUILD_BACKEND_HIP=1", "-c", source)
    succeed(run("g++", *words, "-o", output))
    return output


def damage(unit: Path, directory: Path, before: str, after: str) -> Path:
    """Return a copy of a stub unit with one text replaced."""
    text = unit.read_text()
    assert text.count(before) == 1, before
    copy = directory / "stub.cpp"
    copy.write_text(text.replace(before, after))
    return copy


def link_plainly(unit: Path) -> Path:
    """Link a program that only registers its kernels."""
    main, program = unit.with_name("main.c"), unit.with_name("host")
    main.write_text("int main(void) { return 0; }\n")
    words = ("gcc", "-x", "c", f"-I{INCLUDE}", unit, main)
    succeed(run(*words, LIBRARY, "-o", program))
    return program


def link_typed_host(unit: Path, host: Path) -> Path:
    program = unit.with_name("host")
    words = ("g++", "-std=c++17", f"-I{INCLUDE}", f"-I{PROJECT}", unit, host)
    succeed(run(*words, LIBRARY, "-o", program))
    return program


def find_unit(built: Path, target: str) -> Path:
    (unit,) = built.rglob(f"{target}_stub.cpp")
    return unit


def expect_violation(recording: Recording, message: str) -> None:
    assert recording.returncode == -6, recording.output
    assert f"VIOLATION: {message}\n" in recording.output


@pytest.mark.parametrize("what", SPOILED)
def test_damaged_registration_is_rejected(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path, what: str
) -> None:
    before, after, message = SPOILED[what]
    unit = damage(find_unit(hip_launch, "plain_kernels"), tmp_path, before, after)

    expect_violation(record(hip_recorder, link_plainly(unit)), message)


@pytest.mark.slow
@pytest.mark.parametrize("what", SPOILED_STUBS)
def test_damaged_stub_is_rejected(
    hip_launch: Path, hip_recorder: Path, typed_host: Path, tmp_path: Path, what: str
) -> None:
    before, after, message = SPOILED_STUBS[what]
    unit = damage(find_unit(hip_launch, "stub_kernels"), tmp_path, before, after)

    expect_violation(record(hip_recorder, link_typed_host(unit, typed_host)), message)


def test_undamaged_stub_units_are_accepted(
    hip_launch: Path, hip_recorder: Path, typed_host: Path, tmp_path: Path
) -> None:
    plain = damage(find_unit(hip_launch, "plain_kernels"), tmp_path, WRAPPER, WRAPPER)
    recordings = [record(hip_recorder, link_plainly(plain))]
    stubs = damage(find_unit(hip_launch, "stub_kernels"), tmp_path, WRAPPER, WRAPPER)
    recordings.append(record(hip_recorder, link_typed_host(stubs, typed_host)))

    for recording in recordings:
        assert recording.returncode == 0, recording.output


# Changes of the linked program: (bytes to find, their replacement, the message).
PATCHES = {
    "wrapper magic": (b"FPIH\x01\0\0\0", b"GPIH\x01\0\0\0", "a wrapper with another magic"),
    "bundle magic": (b"__CLANG_OFFLOAD_BUNDLE__", b"__CLANG_OFFLOAD_BUNDLF__", "no bundle's magic"),
    "entry": (
        b"hipv4-amdgcn",
        b"hipv4-amdgcm",
        "hipv4-amdgcm-amd-amdhsa--gfx90a: an entry that is",
    ),
    "host's entry": (b"host-x86_64", b"hosu-x86_64", "hosu-x86_64-unknown-linux"),
    "kernel descriptor": (
        f"{OVER}.kd\0".encode(),
        f"{OVER}.kc\0".encode(),
        f"{OVER}: no kernel descriptor in the image for gfx90a",
    ),
}


@pytest.mark.parametrize("what", PATCHES)
def test_patched_program_is_rejected(
    hip_launch: Path, hip_recorder: Path, tmp_path: Path, what: str
) -> None:
    before, after, message = PATCHES[what]
    program = tmp_path / "host"
    shutil.copy(hip_launch / "object_host", program)
    content = program.read_bytes()
    assert before in content
    program.write_bytes(content.replace(before, after))

    recording = record(hip_recorder, program)

    assert recording.returncode == -6, recording.output
    assert f"VIOLATION: {message}" in recording.output


@pytest.mark.parametrize(
    "handle", ["reinterpret_cast<void *>(kbuild_stub_0)", "&kbuild_module_data"]
)
def test_launch_with_an_address_that_is_not_a_handle_fails(
    hip_launch: Path, hip_recorder: Path, typed_host: Path, tmp_path: Path, handle: str
) -> None:
    launch = "static struct kbuild_stub kbuild_stub_data_0 = { &kbuild_kernels[0],"
    row = f'static const struct kbuild_kernel other = {{ {handle}, "", 0, 0, 0 }};\n'
    unit = find_unit(hip_launch, "stub_kernels")
    unit = damage(unit, tmp_path, launch, row + launch.replace("&kbuild_kernels[0]", "&other"))

    recording = record(hip_recorder, link_typed_host(unit, typed_host))

    assert recording.returncode == 3
    assert "\nscale: an error, says the recorder" in recording.output
    assert recording.launches[-1]["error"] == 98  # hipErrorInvalidDeviceFunction
    assert "kernel" not in recording.launches[-1]


def test_launch_of_the_wrong_kernel_is_detected(
    hip_launch: Path, hip_recorder: Path, typed_host: Path, tmp_path: Path
) -> None:
    launch = "struct kbuild_stub kbuild_stub_data_1 = { &kbuild_kernels[1],"
    unit = find_unit(hip_launch, "stub_kernels")
    unit = damage(unit, tmp_path, launch, launch.replace("kernels[1]", "kernels[0]"))

    recording = record(hip_recorder, link_typed_host(unit, typed_host))

    # over(int*, int) has one argument fewer than scale, whose third is then read.
    assert f"{SCALE}: launched without its arguments" in recording.output
    assert recording.returncode == -6
