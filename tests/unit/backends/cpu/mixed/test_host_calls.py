"""Tests for calls of the host API in device code."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.host_calls import reject_host_calls
from kbuild.cxx.unit import Unit

API = (
    "static inline cudaError_t cudaDeviceSynchronize(void) {}\n"
    "static inline cudaError_t cudaMalloc(void** p, size_t n) {}\n"
    "static inline cudaError_t cudaMemcpy(void* a, const void* b) {}\n"
)
KERNEL = "__kbuild_global__ void k(int* p) {{ {} }}"


def edit_text(text: str) -> str:
    """Return the edited text behind the API."""
    text = API + text
    code = Unit(text)
    edits = sorted(reject_host_calls(code, q.find_declarations(code)), key=lambda edit: edit.start)
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text.removeprefix(API)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("cudaDeviceSynchronize()", "CUDA 12 removed from device code; launch what comes after"),
        ("::cudaMemcpy (p, f(p, 1))", "for host code"),
    ],
)
def test_calls_that_device_code_cannot_make_become_errors(call: str, reason: str) -> None:
    edited = edit_text(KERNEL.format(f"if ({call} != 0) return;"))

    name = call.strip(":").split("(")[0].strip()
    assert f'error("kbuild: device code cannot call {name}, which' in edited
    assert reason in edited
    assert f"(); {call}; }}) != 0) return;" in edited


@pytest.mark.parametrize(
    "text",
    [
        KERNEL.format("cudaMalloc(&p, 4); cudaError_t (*f)(void) = cudaDeviceSynchronize;"),
        KERNEL.format('cudaUnknown(); printf("cudaDeviceSynchronize()");'),
        "void host() { cudaDeviceSynchronize(); }",
        "__kbuild_host__ __kbuild_device__ void both() { cudaDeviceSynchronize(); }",
    ],
)
def test_other_calls_stay(text: str) -> None:
    assert edit_text(text) == text


def test_each_call_has_its_own_message() -> None:
    edited = edit_text(KERNEL.format("cudaDeviceSynchronize(); cudaDeviceSynchronize();"))

    names = {part.split("(")[0] for part in edited.split("void host_call_")[1:]}
    assert len(names) == 2
