from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.verify.policy.file import find_policy, load_policy
from kbuild.verify.policy.model import Policy, SeverityChange

BODY = 'required_architectures = ["sm_80"]\n'
EXPECTED = Policy(required_architectures=("sm_80",))


def _write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("kbuild.toml", "[verify]\n"),
        ("pyproject.toml", "[tool.kbuild.verify]\n"),
        ("policy.toml", "[verify]\n"),
        ("policy.toml", ""),
    ],
)
def test_policy_is_read_from_each_place(tmp_path: Path, name: str, header: str) -> None:
    assert load_policy(_write(tmp_path / name, header + BODY)) == EXPECTED


def test_project_policy_is_found(tmp_path: Path) -> None:
    assert find_policy(tmp_path) is None
    _write(tmp_path / "pyproject.toml", f"[tool.kbuild.verify]\n{BODY}")
    assert find_policy(tmp_path) == EXPECTED
    _write(tmp_path / "kbuild.toml", "[target.x]\n")
    assert find_policy(tmp_path) == EXPECTED
    _write(tmp_path / "kbuild.toml", "[verify]\n")
    assert find_policy(tmp_path) == Policy()


def test_severities(tmp_path: Path) -> None:
    text = """
        [verify.severities]
        KB101 = "error"
        KB103 = { severity = "info", reason = "known" }
    """
    policy = load_policy(_write(tmp_path / "policy.toml", text))
    assert policy.severities == (
        SeverityChange(rule="KB101", severity="error"),
        SeverityChange(rule="KB103", severity="info", reason="known"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('required_architecture = ["sm_80"]', "did you mean 'required_architectures'"),
        (
            "zzz = 1",
            "expected one of allowed_architectures, baseline, exported, external_libraries, for, ",
        ),
        ('required_architectures = "sm_80"', "expected a list, found 'sm_80'"),
        ("required_architectures = [80]", r"\[0\]: expected a string that is not blank, found 80"),
        ("severities = 1", "expected a table"),
        ("[severities]\nKB101 = 1", "unsupported value 1; expected one of 'info'"),
        ('[severities]\nKB101 = "fatal"', "KB101.severity: unsupported value 'fatal'"),
        ('[severities]\nKB101 = { severity = "info", why = "x" }', "unknown key 'why'"),
        (
            '[severities]\nKB101 = { severity = "info", reason = " " }',
            "reason: expected a string that",
        ),
        ("[severities]\nKB101 = { severity = [] }", "unsupported value an empty list"),
        ("verify = 3", "expected a table"),
        ("x = ", "not TOML"),
    ],
)
def test_invalid_policy_is_rejected(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load_policy(_write(tmp_path / "policy.toml", text))


def test_missing_policy_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        load_policy(tmp_path / "absent.toml")
    with pytest.raises(ConfigurationError, match=r"no \[tool.kbuild.verify\] table"):
        load_policy(_write(tmp_path / "pyproject.toml", "[project]\n"))
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="not TOML"):
        load_policy(tmp_path / "binary.toml")


def test_architectures_can_have_the_spelling_of_cmake(tmp_path: Path) -> None:
    text = """
        required_architectures = ["80-real", "90", "sm_120a", "gfx90a:xnack-:sramecc+", "new"]
        allowed_architectures = []
        [[for]]
        architectures = ["90-virtual", "sm_*"]
        max_registers = 64
        [[for]]
        kernels = "old_*"
        allowed_architectures = ["100-virtual"]
        [[waivers]]
        rule = "KB108"
        reason = "..."
        expires = 2999-01-01
        arch = "80-real"
    """
    policy = load_policy(_write(tmp_path / "policy.toml", text))

    assert policy.required_architectures == (
        *("sm_80", "sm_90", "compute_90", "sm_120a"),
        *("gfx90a:sramecc+:xnack-", "new"),
    )
    assert policy.allowed_architectures == ()
    assert policy.parts[0].architectures == ("compute_90", "sm_*")
    assert policy.parts[1].allowed_architectures == ("compute_100",)
    assert policy.parts[1].required_architectures is None
    assert policy.waivers[0].arch == ("sm_80",)
