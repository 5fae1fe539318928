"""The JSON schema of policies and the reader accept and reject the same documents."""

from __future__ import annotations

import datetime as dt
import json
import sys
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kbuild.cli.main import main
from kbuild.errors import ConfigurationError
from kbuild.verify.policy.file import read_policy
from kbuild.verify.policy.schema import make_schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = make_schema()
VALIDATOR = jsonschema.Draft202012Validator(
    SCHEMA, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
)

GOOD = (
    "",
    'required_architectures = ["sm_80", "compute_90", "gfx90a", "x86-64-v3"]',
    'minimum_driver = "12.4"\nminimum_runtime = "6.2.1"\nptx = "required"',
    "max_registers = 128\nmax_spill_bytes = 0\nmax_artifact_bytes = 100_000_000",
    'exported = ["public_*"]',
    'exported = "public_*"',
    'baseline = "figures/kbuild.baseline"',
    '[[for]]\nkernels = "ns::*"\narchitectures = ["sm_9*"]\nmax_registers = 255',
    '[[for]]\nfiles = "*.so"\nptx = "forbidden"\nallowed_architectures = []',
    '[[waivers]]\nrule = "KB201"\nreason = "x"\nexpires = 2027-01-31',
    '[[waivers]]\nrule = "KB201"\nkernels = "a"\nfiles = ["b"]\nreason="x"\nexpires="2027-01-31"',
    '[severities]\nKB101 = "error"\nKB103 = { severity = "info", reason = "known" }',
)
BAD = (
    ("required_architecture = []", "did you mean 'required_architectures'"),
    ('required_architectures = "sm_80"', "expected a list, found 'sm_80'"),
    ('required_architectures = [""]', r"\[0\]: expected a string that is not blank, found ''"),
    ("max_registers = -1", "expected an integer of at least 0, found -1"),
    ("max_registers = true", "of at least 0, found true"),
    ("max_registers = 1.5", "of at least 0, found 1.5"),
    ('max_registers = "1"', "of at least 0, found '1'"),
    ('minimum_driver = "550.54.14"', "not the driver's own number"),
    ("minimum_driver = 12.4", "expected a quoted release such as .*, found 12.4"),
    ('ptx = "yes"', "expected one of 'required', 'forbidden', 'optional'"),
    ("exported = []", "expected a pattern or a list of patterns, found an empty list"),
    ('baseline = ["a"]', "expected a string that is not blank, found a list"),
    ('baseline = " "', "expected a string that is not blank, found ' '"),
    ("for = 1", r"expected tables written as \[\[verify.for\]\], found 1"),
    ("[[for]]\nmax_registers = 1", "expected at least one of 'kernels', 'files', 'architectures'"),
    (
        '[[for]]\nkernels = "a"\nmax_artifact_bytes = 1',
        "'max_artifact_bytes' cannot be combined with 'kernels'",
    ),
    (
        '[[for]]\narchitectures = "a"\nrequired_architectures = ["a"]',
        "'required_architectures' cannot be combined with 'architectures'",
    ),
    ('[[for]]\nkernel = "a"', r"for\[0\]: unknown key 'kernel'; did you mean 'kernels'"),
    ('[[waivers]]\nrule = "KB201"\nexpires = 2027-01-31', "missing key 'reason'"),
    (
        '[[waivers]]\nrule = "KB201"\nreason = " "\nexpires = 2027-01-31',
        "reason: expected a string that",
    ),
    ('[[waivers]]\nrule = "KB201"\nreason = "x"', "missing key 'expires'"),
    ('[[waivers]]\nrule = "KB201"\nreason = "x"\nexpires = "2027-02-30"', "expected a date"),
    ('[[waivers]]\nrule = "KB201"\nreason = "x"\nexpires = "20270131"', "expected a date"),
    ('[severities]\nKB101 = "fatal"', "KB101.severity: unsupported value 'fatal'"),
    ("[severities]\nKB101 = 1", "KB101.severity: unsupported value 1"),
)


def to_json(value: Any) -> Any:
    """Return a TOML document as JSON tools see it, with dates as strings."""
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else value


def reader_accepts(document: Any) -> bool:
    try:
        read_policy(document, "policy")
    except ConfigurationError:
        return False
    return True


def test_schema_is_sound() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("text", GOOD)
def test_good_policies(text: str) -> None:
    document = tomllib.loads(text)
    VALIDATOR.validate(to_json(document))
    read_policy(document, "policy")


@pytest.mark.parametrize(("text", "message"), BAD)
def test_bad_policies(text: str, message: str) -> None:
    document = tomllib.loads(text)
    assert not VALIDATOR.is_valid(to_json(document))
    with pytest.raises(ConfigurationError, match=message):
        read_policy(document, "policy")


def test_date_with_a_time_is_rejected() -> None:
    text = '[[waivers]]\nrule = "KB201"\nreason = "x"\nexpires = 2027-01-31T00:00:00'
    assert not reader_accepts(tomllib.loads(text))
    assert not VALIDATOR.is_valid(to_json(tomllib.loads(text)))


def test_every_key_is_described() -> None:
    def properties(schema: Any) -> Any:
        if isinstance(schema, dict):
            yield from schema.get("properties", {}).values()
            for value in schema.values():
                yield from properties(value)
        elif isinstance(schema, list):
            for value in schema:
                yield from properties(value)

    assert all(entry["description"] for entry in properties(SCHEMA))


def test_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["verify", "--policy-schema"])
    assert exit_.value.code == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA


# Almost valid documents: every key with values of every kind.

KEYS = sorted(SCHEMA["properties"])
PART_KEYS = sorted(SCHEMA["properties"]["for"]["items"]["properties"])
WAIVER_KEYS = sorted(SCHEMA["properties"]["waivers"]["items"]["properties"])
WORDS = st.sampled_from(
    (
        *("", " ", "sm_90", "ns::*", "12.4", "13", "1.2.3", "550.54.14", "required", "optional"),
        *("2027-01-31", "2027-13-31", "20270131", "error", "info", "fatal", "KB201"),
    )
)
SCALARS = st.one_of(
    WORDS,
    st.text("abc .-", max_size=4),
    st.integers(-2, 300),
    st.booleans(),
    st.sampled_from((0.0, 64.0, 1.5, -1.0)),
)
VALUES = st.one_of(SCALARS, st.lists(WORDS, max_size=3))
CHANGES = st.one_of(SCALARS, st.dictionaries(st.sampled_from(("severity", "reason", "x")), SCALARS))
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        **{key: VALUES for key in KEYS if key not in ("for", "waivers", "severities")},
        "for": st.lists(
            st.dictionaries(st.sampled_from((*PART_KEYS, "x")), VALUES, max_size=4), max_size=2
        ),
        "waivers": st.lists(
            st.dictionaries(st.sampled_from(WAIVER_KEYS), VALUES, min_size=2), max_size=2
        ),
        "severities": st.dictionaries(WORDS, CHANGES, max_size=2),
        "unknown": VALUES,
    },
)
# A valid value for each key, so that some documents are accepted.
RIGHT: dict[str, Any] = {
    **dict.fromkeys(("kernels", "files", "architectures", "arch", "exported"), "a*"),
    **{
        key: ["sm_90"]
        for key in ("required_architectures", "required_devices", "allowed_architectures")
    },
    **dict.fromkeys(("minimum_driver", "minimum_runtime"), "12.4"),
    **{key: 7 for key in KEYS if key.startswith("max_")},
    "ptx": "required",
    "rule": "KB201",
    "reason": "x",
    "expires": "2027-01-31",
}


def nearly_right(keys: list[str], required: tuple[str, ...] = ()) -> st.SearchStrategy[Any]:
    values = {key: st.one_of(st.just(RIGHT[key]), st.just(RIGHT[key]), VALUES) for key in keys}
    needed = {key: values.pop(key) for key in required}
    return st.fixed_dictionaries(needed, optional=values)


SOUND_DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        **{key: st.just(value) for key, value in RIGHT.items() if key in KEYS},
        "for": st.lists(nearly_right(PART_KEYS), max_size=2),
        "waivers": st.lists(nearly_right(WAIVER_KEYS, ("rule", "reason", "expires")), max_size=2),
    },
)


@settings(max_examples=400, deadline=None)
@given(document=st.one_of(DOCUMENTS, SOUND_DOCUMENTS))
def test_reader_and_schema_agree(document: dict[str, Any]) -> None:
    assert reader_accepts(document) == VALIDATOR.is_valid(document)
