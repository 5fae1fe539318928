"""Run an invocation: from sources to objects, images, libraries, and programs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.errors import ConfigurationError, ToolError
from kbuild.nvcc import answers, host, outputs
from kbuild.nvcc.depfile import render_depfile, write_depfile
from kbuild.nvcc.driver import Driver, run_shown
from kbuild.nvcc.invocation import DependencyFile, Input, Invocation
from kbuild.nvcc.objects import compile_object
from kbuild.nvcc.source import SourceBuild, make_flags, plan_source, run_passes
from kbuild.nvcc.tools import Tools, provide_libraries
from kbuild.process import run
from kbuild.values import replace

_SOURCES = ("cu", "c++", "c")
_STANDARD_INPUT: Final = Path("-")


def run_invocation(
    invocation: Invocation,
    tools: Tools,
    read: Callable[[], bytes],
    show: Callable[[str], object],
    write: Callable[[bytes], object],
) -> None:
    """Run an invocation.

    Args:
        invocation: The command line.
        tools: The tools.
        read: Reads the standard input, which is the source ``-``.
        show: Shows a text to the user, beside the output.
        write: Writes to the standard output.

    Raises:
        ConfigurationError: The backend does not support a phase or an option.
        ToolError: A tool failed.
        SourceError: A source contains something that cannot work.
    """
    show("".join(f"kbuild: warning: {note}\n" for note in invocation.notes))
    if invocation.is_verbose or invocation.is_dry_run:
        provide_libraries(tools)  # who reads where the toolkit is can link with another tool
        show("".join(answers.list_variables(tools)))
    with _open_directory(invocation) as directory:
        invocation = _save_standard_input(invocation, read, directory)
        driver = Driver(
            invocation=invocation, tools=tools, directory=directory, show=show, write=write
        )
        if invocation.phase in ("preprocess", "dependencies"):
            for text in _preprocess(driver):
                write(text)
        elif invocation.phase in ("ptx", "cubin", "fatbin"):
            _write_images(driver)
        elif invocation.phase == "host-source":
            _write_host_sources(driver)
        else:
            objects = tuple(_make_objects(driver))
            if invocation.phase == "archive":
                _archive(driver, objects)
            elif invocation.phase != "compile":
                from kbuild.nvcc.linking.link import link  # noqa: PLC0415 - loads readers of objects

                link(driver, objects)


@contextmanager
def _open_directory(invocation: Invocation) -> Iterator[Path]:
    """Provide the directory of intermediate files, which is removed unless it is to be kept."""
    if invocation.kept is not None:
        yield invocation.kept.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="kbuild-nvcc-") as directory:
        yield Path(directory)


def _save_standard_input(
    invocation: Invocation, read: Callable[[], bytes], directory: Path
) -> Invocation:
    """Return the invocation with a file in the place of ``-``, which several tools read."""
    if all(source.path != _STANDARD_INPUT for source in invocation.inputs):
        return invocation
    path = directory / "stdin"
    files.write_file(path, read())
    return replace(
        invocation,
        inputs=tuple(
            replace(source, path=path) if source.path == _STANDARD_INPUT else source
            for source in invocation.inputs
        ),
    )


def _make_objects(driver: Driver) -> Iterator[Path]:
    """Yield the files to link: the objects of the sources, and the other inputs."""
    for index, source in enumerate(driver.invocation.inputs):
        if source.kind not in _SOURCES:
            yield source.path
            continue
        output = driver.directory / f"{index}.o"
        if driver.invocation.phase == "compile":
            output = outputs.name_output(driver.invocation, source)
        _make_object(driver, source, output, driver.directory / str(index))
        yield output


def _make_object(driver: Driver, source: Input, output: Path, directory: Path) -> None:
    invocation = driver.invocation
    if source.kind != "cu":
        _compile_host_source(driver, source, output)
        return
    build = _describe_build(driver, source, directory)
    plan = plan_source(build)
    if invocation.is_verbose or invocation.is_dry_run:
        default = (driver.tools.toolkit.layout.architecture,)
        for arch in invocation.architectures or default:
            driver.show(answers.describe_device_compile(invocation, str(source.path), arch))
    if invocation.is_dry_run:
        return
    files.remove_output(output)
    plan, log = run_passes(build, plan, make_flags(build))
    driver.show(log + compile_object(build, plan, output))
    write_depfile(invocation, output, plan)


def _compile_host_source(driver: Driver, source: Input, output: Path) -> None:
    if not driver.invocation.is_dry_run:
        files.remove_output(output)
    run_shown(driver, host.describe_compile(driver.invocation, source, output, driver.tools))
    if not (driver.invocation.is_dry_run or output.exists()):
        raise ToolError(
            f"{driver.tools.host_compiler} succeeded but did not create an object of "
            f"'{source.path}'; remove options with which it only prints something"
        )


def _archive(driver: Driver, objects: tuple[Path, ...]) -> None:
    output = outputs.name_linked(driver.invocation)
    files.remove_output(output)
    run_shown(driver, host.describe_archive(driver.invocation, objects, output, driver.tools))


def _describe_build(driver: Driver, source: Input, directory: Path) -> SourceBuild:
    directory.mkdir(parents=True, exist_ok=True)
    return SourceBuild(
        invocation=driver.invocation,
        source=source.path,
        tools=driver.tools,
        directory=directory,
    )


def _preprocess(driver: Driver) -> Iterator[bytes]:
    """Yield the preprocessed texts, or the rules of their dependencies, that have no file."""
    invocation = driver.invocation
    for index, source in enumerate(invocation.inputs):
        text = _preprocess_source(driver, source, driver.directory / str(index))
        if invocation.output is None:
            yield text
        else:
            files.write_file(invocation.output, text)


def _preprocess_source(driver: Driver, source: Input, directory: Path) -> bytes:
    invocation = driver.invocation
    requested = invocation.dependencies or DependencyFile()
    if source.kind != "cu":
        system = "-M" if requested.has_system_headers else "-MM"
        words: tuple[str, ...] = (system,)
        if invocation.phase == "preprocess":
            words = ("-E", *host.list_depfile_options(invocation, _name_object(source)))
        command = host.describe_preprocessing(invocation, source, words, driver.tools)
        return run(command).stdout.encode()
    from kbuild.nvcc.preprocess import preprocess  # noqa: PLC0415 - only this phase needs it

    build = _describe_build(driver, source, directory)
    plan, text = preprocess(build)
    if invocation.phase == "preprocess":
        write_depfile(invocation, _name_object(source), plan)
        return text
    return render_depfile(requested, _name_object(source), plan)


def _name_object(source: Input) -> Path:
    return source.path.with_suffix(".o")


def _write_host_sources(driver: Driver) -> None:
    from kbuild.nvcc.host_source import write_host_source  # noqa: PLC0415 - only this phase needs it

    for index, source in enumerate(_check_sources(driver)):
        build = _describe_build(driver, source, driver.directory / str(index))
        driver.show(write_host_source(build, outputs.name_output(driver.invocation, source)))


def _check_sources(driver: Driver) -> tuple[Input, ...]:
    """Return the inputs of a phase that reads CUDA sources only."""
    for source in driver.invocation.inputs:
        if source.kind != "cu":
            raise ConfigurationError(
                f"{source.path}: this phase reads CUDA sources only; write -x cu in front of the "
                "file if it is one"
            )
    return driver.invocation.inputs


def _write_images(driver: Driver) -> None:
    from kbuild.nvcc.images import write_image  # noqa: PLC0415 - only this phase needs it

    for index, source in enumerate(_check_sources(driver)):
        build = _describe_build(driver, source, driver.directory / str(index))
        output = outputs.name_output(driver.invocation, source)
        driver.show(write_image(build, output))
