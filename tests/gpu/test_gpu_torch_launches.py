"""Launches on PyTorch tensors: current streams, gradients, graphs, and custom operators."""

from __future__ import annotations

from typing import Any

import pytest

from kbuild import CompiledKernel, KernelExecutor, LaunchConfig, RtcKernel, query_architecture
from kbuild.errors import ConfigurationError, KbuildError
from kbuild.runtime.arguments.launchers import IS_COMPILED, PythonLauncher

torch: Any = pytest.importorskip("torch", reason="no torch here")


def missing() -> str:
    try:
        query_architecture("cuda")
    except KbuildError as error:
        return str(error)
    return ""


pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(missing()), reason=missing() or "there is a device"),
]
SOURCE = """\
extern "C" __global__ void scale(float* values, float factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}
extern "C" __global__ void fill_later(float* values, const volatile int* gate)
{
    const long long start = clock64();
    while (*gate == 0 && clock64() - start < 20000000000LL) { }
    values[threadIdx.x] = 7;
}
"""
CONFIG = LaunchConfig(grid=4, block=32)


@pytest.fixture(scope="module")
def scale() -> CompiledKernel:
    return RtcKernel(SOURCE, "scale").compiled


@pytest.fixture(params=["compiled", "python"], autouse=True)
def launcher(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(
            "kbuild.runtime.prepared_launches.make_launcher",
            lambda encoder, call, _, find_stream: PythonLauncher(encoder, call, find_stream),
        )
    elif not IS_COMPILED:
        pytest.skip("this kbuild was built without the compiled launcher")


def test_launches_follow_the_current_stream(scale: CompiledKernel) -> None:
    fill = KernelExecutor(RtcKernel(SOURCE, "fill_later").compiled)
    executor = KernelExecutor(scale)
    gate = torch.ones(1, dtype=torch.int32, pin_memory=True)
    values = torch.zeros(32, device="cuda")

    def queue_work() -> None:
        values.zero_()
        fill.run(LaunchConfig(grid=1, block=32), values, gate.data_ptr())
        executor.run(CONFIG, values, 3.0, 32)
        values.add_(1)

    queue_work()  # loads the kernels, which can wait for those that run
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    gate.zero_()
    with torch.cuda.stream(stream):
        queue_work()
        assert not stream.query()
    gate.fill_(1)
    stream.synchronize()
    assert (values == 22).all().item()


def test_tensors_with_gradients_are_passed(scale: CompiledKernel) -> None:
    values = torch.ones(100, device="cuda", requires_grad=True)
    executor = KernelExecutor(scale)
    executor.run(CONFIG, values, 3.0, 100)
    assert executor.run(CONFIG, values, 2.0, 100, profile=True) is not None
    assert (values.detach() == 6).all().item()


def test_graphs_capture_launches(scale: CompiledKernel) -> None:
    values = torch.ones(100, device="cuda")
    executor = KernelExecutor(scale)
    executor.run(CONFIG, values, 1.0, 100)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        executor.run(CONFIG, values, 2.0, 100)
    torch.cuda.synchronize()
    assert (values == 1).all().item()
    graph.replay()
    graph.replay()
    torch.cuda.synchronize()
    assert (values == 4).all().item()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: torch.ones(8), "host memory"),
        (lambda: torch.ones(8, device="cuda", dtype=torch.float64), r"numpy\.float32"),
        (lambda: torch.ones(16, device="cuda")[::2], "contiguous"),
    ],
)
def test_wrong_tensors_are_errors(scale: CompiledKernel, make: Any, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        KernelExecutor(scale).run(CONFIG, make(), 2.0, 8)


def test_operators_launch_kernels(scale: CompiledKernel, request: pytest.FixtureRequest) -> None:
    name = f"kbuild_test::scale_{request.node.callspec.params['launcher']}"

    def scale_tensor(values: torch.Tensor, factor: float) -> None:
        scale[4, 32](values, factor, values.numel())

    scale_tensor.__annotations__ = {"values": torch.Tensor, "factor": float, "return": None}
    operator = torch.library.custom_op(name, scale_tensor, mutates_args={"values"})
    operator.register_fake(lambda values, factor: None)  # noqa: ARG005 - the names are the schema's
    values = torch.ones(100, device="cuda")
    torch.library.opcheck(operator, (values, 2.0))
    values.fill_(1)
    compiled = torch.compile(lambda tensor: operator(tensor, 2.0), backend="aot_eager")
    compiled(values)
    assert (values == 2).all().item()


@pytest.mark.skipif(not missing() and torch.cuda.device_count() < 2, reason="one device")
def test_kernels_run_on_the_current_device(scale: CompiledKernel) -> None:
    for number in (0, 1, 0):
        with torch.cuda.device(number):
            values = torch.ones(100, device="cuda")
            scale[4, 32](values, 2.0, 100)
            assert (values == 2).all().item()
