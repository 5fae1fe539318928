"""Link programs, shared objects, and relocatable device code."""

from __future__ import annotations

from pathlib import Path

from kbuild.backends import find_builder
from kbuild.nvcc import answers, host, outputs
from kbuild.nvcc.driver import Driver, run_shown
from kbuild.nvcc.linking.calls import check_calls
from kbuild.nvcc.linking.device_code import join_objects, make_link
from kbuild.nvcc.linking.libraries import list_files
from kbuild.nvcc.linking.undefined import read_log
from kbuild.nvcc.tools import provide_libraries
from kbuild.stages.relocatable import find_relocatable


def link(driver: Driver, objects: tuple[Path, ...]) -> None:
    """Link objects, or only their device code, as the phase of the invocation says.

    Raises:
        SourceError: An object calls a kernel.
        ToolError: A linker failed.
    """
    invocation = driver.invocation
    output = outputs.name_linked(invocation)
    paths = () if invocation.is_dry_run else list_files(invocation, objects)
    check_calls(paths, driver.tools.conventions.CONFIGURE_FUNCTION)
    if invocation.phase == "device-link":
        _link_device_code(driver, objects, output)
        return
    if find_relocatable(paths, driver.tools.link_function):
        linked = driver.directory / "a_dlink.o"
        _link_device_code(driver, objects, linked)
        objects = (linked, *objects)
    command = host.describe_link(invocation, objects, output, driver.tools)
    if not invocation.is_dry_run:
        provide_libraries(driver.tools, command)
    run_shown(driver, command, lambda log: read_log(log, paths))


def _link_device_code(driver: Driver, objects: tuple[Path, ...], output: Path) -> None:
    """Write the object that registers the linked device code of objects and archives."""
    invocation, tools = driver.invocation, driver.tools
    link = make_link(invocation, objects, output, tools)
    command = tools.conventions.describe_device_link(link, tools.toolchain)
    if command is not None:
        run_shown(driver, command, find_builder(tools.toolchain.backend).read_log)
        return
    if invocation.is_verbose or invocation.is_dry_run:
        driver.show(answers.describe_device_link(objects, output))
    if not invocation.is_dry_run:
        found = find_relocatable(list_files(invocation, objects), tools.link_function)
        directory = driver.directory / "device_link"
        driver.show(join_objects(found, invocation, tools, output, directory))
