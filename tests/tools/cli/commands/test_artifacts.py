"""`kbuild inspect`, `verify`, and `explain`, called like `kbuild.cli.main` calls them."""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from kbuild.cli.commands import explain, inspect, verify
from kbuild.errors import ConfigurationError, InputError
from support.commands import ROOT


@pytest.fixture(scope="module")
def plain_object(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("cli")
    (directory / "f.c").write_text("int f;\n")
    subprocess.run(["gcc", "-c", "f.c"], cwd=directory, check=True)
    return directory / "f.o"


def call(command: ModuleType, *words: object) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    code: int = command.run(parser.parse_args([str(word) for word in words]))
    return code


def test_inspect_writes_json(
    plain_object: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert call(inspect, plain_object, "--format", "json") == 0
    output, errors = capsysbinary.readouterr()
    assert errors == b""
    assert [a["path"] for a in json.loads(output)["artifacts"]] == [str(plain_object)]


def test_inspect_lists_unreadable_files_among_several(plain_object: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.o"
    bad.write_bytes(b"")
    output = tmp_path / "out.json"
    assert call(inspect, plain_object, bad, "--format", "json", "-o", output) == 2
    document = json.loads(output.read_text())
    assert len(document["artifacts"]) == 1
    assert document["errors"] == [{"path": str(bad), "message": f"{bad}: the file is empty"}]


def test_inspect_raises_for_one_unreadable_file(tmp_path: Path) -> None:
    output = tmp_path / "out"
    with pytest.raises(InputError):
        call(inspect, tmp_path / "absent.o", "-o", output)
    assert not output.exists()


def test_inspect_accepts_all_options(
    plain_object: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    words = ("--summary", "--kernel", "f*", "--arch", "sm_*", "--sort", "size", "-j", "2")
    limits = ("--max-image-size", "512M", "--max-archive-size", "1GiB")
    assert call(inspect, plain_object, *words, *limits, "--format", "json") == 0
    (artifact,) = json.loads(capsysbinary.readouterr().out)["artifacts"]
    assert (artifact["sha256"], artifact["images"]) == (None, [])


@pytest.mark.parametrize(
    "words", [("--max-image-size", "much"), ("-j", "0"), ("-j", "-1"), ("--sort", "age")]
)
def test_inspect_rejects_bad_options(
    plain_object: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        call(inspect, plain_object, *words)
    assert words[1] in capsys.readouterr().err


def test_verify_writes_json(plain_object: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert call(verify, plain_object, "--format", "json", "--select", "KB1,KB601") == 0
    report = json.loads(capsysbinary.readouterr().out)
    assert report["ok"] is True
    skipped = {note["rule"] for note in report["rules_skipped"]}
    assert skipped >= {"KB101", "KB103", "KB108", "KB109", "KB601"}


@pytest.mark.parametrize(
    ("style", "start"),
    [
        ("text", "ok: no findings"),
        ("json", '{\n  "schema"'),
        ("sarif", '{\n  "$schema"'),
        ("junit", "<?xml"),
        ("github", "ok: no findings"),
    ],
)
def test_verify_writes_every_format(
    plain_object: Path,
    style: str,
    start: str,
    tmp_path: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert call(verify, plain_object, "--format", style) == 0
    output = capsysbinary.readouterr().out
    assert output.decode().startswith(start)
    assert call(verify, plain_object, "--format", style, "-o", tmp_path / "report") == 0
    assert (tmp_path / "report").read_bytes() == output


def test_verify_appends_to_the_summary_of_github(
    plain_object: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    for words in (("json",), ("github", "--quiet"), ("github",)):
        assert call(verify, plain_object, "--format", *words) == 0
    text = summary.read_text()
    assert text.startswith("before\n### kbuild verify\n")
    assert text.count("kbuild verify") == 1
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "absent" / "summary.md"))
    with pytest.raises(ConfigurationError, match="absent/summary"):
        call(verify, plain_object, "--format", "github")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "")
    assert call(verify, plain_object, "--format", "github") == 0


def test_verify_selects_and_ignores_rules(
    plain_object: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    options = ("--select", "KB303,KB304,KB10", "--select", "KB308", "--ignore", "KB10")
    assert call(verify, plain_object, "--format", "json", *options) == 0
    report = json.loads(capsysbinary.readouterr().out)
    assert [n["rule"] for n in report["rules_skipped"]] == ["KB303", "KB304", "KB308"]


def test_verify_rejects_unknown_rules_and_unreadable_input(
    plain_object: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match="unknown rule 'KB9'"):
        call(verify, plain_object, "--select", "KB9")
    with pytest.raises(ConfigurationError, match="No such file"):
        call(verify, plain_object, "--policy", tmp_path / "absent.toml")
    with pytest.raises(InputError):
        call(verify, plain_object, tmp_path / "absent.o")


def test_verify_uses_the_policy_of_the_project(
    plain_object: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kbuild.toml").write_text("[verify]\nrequired_architecture = []\n")
    with pytest.raises(ConfigurationError, match="did you mean 'required_architectures'"):
        call(verify, plain_object)


def test_explain_accepts_ids_and_prefixes(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert call(explain, "kb10", "KB601") == 0
    output = capsysbinary.readouterr().out.decode()
    assert output.startswith("KB101 missing-architecture (error)\n")
    assert "\nKB601 note-mismatch (error)\n" in output
    with pytest.raises(ConfigurationError, match="unknown rule 'KB999'"):
        call(explain, "KB999")


def test_explain_all_writes_the_reference(tmp_path: Path) -> None:
    reference = ROOT / "docs" / "reference" / "rules.md"
    output = tmp_path / "rules.md"
    assert call(explain, "--all", "--format", "markdown", "-o", output) == 0
    assert output.read_bytes() == reference.read_bytes()
    for words in ((), ("--all", "KB101")):
        with pytest.raises(ConfigurationError, match="--all"):
            call(explain, *words)


def test_unwritable_output_is_rejected(plain_object: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="file/out"):
        call(verify, plain_object, "-o", tmp_path / "file" / "out")
