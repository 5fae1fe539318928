"""Test that launches raise the limit of dynamic shared memory, with a runtime that counts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.backends import find_builder
from kbuild.resources import native_directory
from kbuild.toolchain.find import gather_hints
from support.tools.toolchains import require_backend

# cudart, as far as a launch needs it: one kernel with 1,000 bytes of static shared memory, on a
# device whose blocks can have 100,000 bytes. `launch` is the driver's function.
RUNTIME = r"""
#include <kbuild/kbuild.h>
#include <stdio.h>
#include <stdlib.h>
static void *const kernel = 0;
static int limit = 49152 - 1000, queries, failures, sets;
static cudaError_t launch(size_t bytes)
{
    failures += bytes > (size_t)limit;
    return bytes > (size_t)limit ? cudaErrorInvalidValue : cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *f, struct dim3 grid, struct dim3 block, void **args,
                             size_t bytes, cudaStream_t stream)
{
    (void)f, (void)grid, (void)block, (void)args, (void)stream;
    return launch(bytes);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f, void **args)
{
    (void)f, (void)args;
    return launch(config->dynamicSmemBytes);
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *f)
{
    (void)f;
    queries++;
    attributes->sharedSizeBytes = 1000;
    attributes->maxDynamicSharedSizeBytes = limit;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute attribute, int value)
{
    (void)f, (void)attribute;
    sets++;
    limit = value;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) { *device = 0; return cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)attribute, (void)device;
    *value = 100000;
    return cudaSuccess;
}
cudaError_t cudaGetLastError(void) { return cudaSuccess; }
int main(int count, char **words)
{
    struct kbuild_launch_config config = { { 1, 1, 1 }, { 1, 1, 1 }, 0, 0, { 0, 0, 0 }, 0, 0, 0 };
    int i;
    config.cooperative = words[1][0] == 'c';
    for (i = 2; i < count; i++) {
        config.shared_bytes = (size_t)atol(words[i]);
        printf("%d ", kbuild_launch(&kernel, &config, 0));
    }
    printf("limit %d, %d queries, %d failures, %d sets\n", limit, queries, failures, sets);
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_backend("cuda")
    directory = tmp_path_factory.mktemp("limit")
    (directory / "runtime.c").write_text(RUNTIME)
    runtime = find_builder("cuda").find_runtimes(gather_hints())[0]
    include = (native_directory() / "include", *runtime.include_directories)
    words = ["gcc", "-O1", "-Wall", "-Werror", "-DKBUILD_BACKEND_CUDA=1", "runtime.c"]
    words += [f"-I{path}" for path in include]
    subprocess.run([*words, "-o", "program"], check=True, cwd=directory)
    return directory / "program"


@pytest.mark.parametrize("kind", ["plain", "cooperative"])
@pytest.mark.parametrize(
    ("launches", "output"),
    [
        # The limit does not concern launches that need little.
        (("0", "1024"), "0 0 limit 48152, 0 queries, 0 failures, 0 sets"),
        # Raised before the launch: a launch that fails would end the capture of a graph.
        (("60000", "70000"), "0 0 limit 99000, 2 queries, 0 failures, 1 sets"),
        # Static memory counts, too.
        (("49000",), "0 limit 99000, 1 queries, 1 failures, 1 sets"),
        (("99001",), "1 limit 99000, 2 queries, 1 failures, 1 sets"),
    ],
)
def test_launch_raises_the_limit(
    program: Path, kind: str, launches: tuple[str, ...], output: str
) -> None:
    words = (str(program), kind, *launches)
    result = subprocess.run(words, capture_output=True, text=True, check=True)

    assert result.stdout.strip() == output
