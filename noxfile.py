import nox

nox.options.sessions = ["lint", "types", "tests"]
nox.options.reuse_existing_virtualenvs = True


@nox.session(python=["3.10", "3.11", "3.12", "3.13"])
def tests(session: nox.Session) -> None:
    """Run the default test suite against an installed wheel."""
    session.install(".[test]")
    session.run("pytest", "-n", "2", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and architecture rules."""
    session.install("ruff>=0.9")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly."""
    session.install("-e", ".[dev]")
    session.run("mypy")


@nox.session
def linkcheck(session: nox.Session) -> None:
    """Check the external links of the documentation, which needs a network."""
    session.install(".[docs]")
    session.run("sphinx-build", "-b", "linkcheck", "docs", "build/linkcheck")
