"""Device variables on the CPU backend. Host code names, reads, and writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import (
    PROJECTS,
    build,
    configure,
    ctest,
    run,
    run_kbuild,
    succeed,
)

PROJECT = PROJECTS / "variables"
CLASH = "host code cannot name device variables that several sources define"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("variables")
    succeed(configure(PROJECT, directory, "ARCHITECTURES=x86-64"))
    (directory / "output.txt").write_text(succeed(build(directory, "ambiguous_host")))
    return directory


@pytest.mark.slow
@pytest.mark.parametrize("host", ["shared_host", "static_host", "fixed_host", "ambiguous_host"])
def test_hosts_access_device_variables(built: Path, host: str) -> None:
    succeed(build(built))

    output = succeed(ctest(built))

    assert f"{host} ." in output
    assert "100% tests passed" in output


def test_variable_of_two_targets_is_an_error(built: Path) -> None:
    output = succeed(run(built / "ambiguous_host"))

    assert "device variable weights is defined by several kernel targets" in output
    assert "shared_kernels" in output
    assert "other_kernels" in output


def test_table_lists_what_hosts_can_name(built: Path) -> None:
    result = run_kbuild("inspect", "--format", "json", built / "libshared_kernels.so")

    (artifact,) = json.loads(succeed(result))["artifacts"]
    found = {v["display"]: (v["kind"], v["size"], v["container"]) for v in artifact["variables"]}
    assert found == {
        "weights": ("device", 16, 0),
        "factor": ("device", 4, 0),
        "calls": ("managed", 4, 0),
        "sums": ("managed", 16, 0),
        "ns::offset": ("device", 4, 0),
        "plain_c": ("device", 4, 0),
    }
    assert "ns::offset" in succeed(run_kbuild("inspect", built / "libshared_kernels.so"))


def test_name_that_two_sources_define_is_explained(built: Path) -> None:
    output = (built / "output.txt").read_text()

    assert f"{CLASH}, because each source uses its own: table (weights.cu, table.cu)" in output
