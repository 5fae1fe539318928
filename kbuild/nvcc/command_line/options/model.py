"""An option of nvcc, and what becomes of it."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from kbuild.values import dataclass

# How the value of an option is written. `boolean` is `true` or `false`. `optional` is one value, or
# none before another option and at the end.
Kind: TypeAlias = Literal["none", "optional", "boolean", "number", "one", "list"]
# What nvcc does to quotes and backslashes when it splits a list at commas. It splits nowhere within
# double quotes. `names` loses the quotes, and its backslashes are ordinary characters. `escapes`
# keeps the quotes, and a backslash protects the next character. `verbatim` keeps both.
Quoting: TypeAlias = Literal["names", "escapes", "verbatim"]
# What `kbuild-nvcc` does with an option: what nvcc does, nothing because that makes no difference,
# nothing but a warning, or an error.
Effect: TypeAlias = Literal["same", "none", "warning", "error"]
# The compilers that receive an option which kbuild does not interpret.
Receiver: TypeAlias = Literal["device", "host", "both"]

_BOOLEANS: Final = ("true", "false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What becomes of an option.

    Attributes:
        effect: The effect.
        note: Why an option has no effect, what to do instead of one that is an error, or what is
            worth knowing about one with an effect.
    """

    effect: Effect = "same"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of nvcc 13.

    Attributes:
        name: The name with two hyphens.
        short: The names with one hyphen.
        meaning: What the option requests.
        kind: How its value is written.
        quoting: How a list is split.
        choices: The values that nvcc accepts; empty if it does not check them.
        is_joined: Whether a value can follow the short name directly, as in ``-O3``.
        receiver: Who gets the option as it is; None if kbuild interprets it.
        outcome: What becomes of the option.
        on_cpu: What becomes of it on the CPU, if that differs.
    """

    name: str
    short: tuple[str, ...]
    meaning: str
    kind: Kind
    quoting: Quoting
    choices: tuple[str, ...]
    is_joined: bool
    receiver: Receiver | None
    outcome: Outcome
    on_cpu: Outcome | None

    @property
    def names(self) -> tuple[str, ...]:
        """All names, the short ones first."""
        return (*self.short, self.name)


def ignored(reason: str) -> Outcome:
    """Describe that an option has no effect."""
    return Outcome(effect="none", note=reason)


def warned(loss: str) -> Outcome:
    """Describe that an option has no effect, which the user should know."""
    return Outcome(effect="warning", note=loss)


def rejected(alternative: str) -> Outcome:
    """Describe that an option is an error."""
    return Outcome(effect="error", note=alternative)


def row(  # noqa: PLR0913 - the columns of the table
    names: str,
    meaning: str,
    outcome: Outcome | str = "",
    *,
    kind: Kind = "none",
    quoting: Quoting = "names",
    choices: str = "",
    is_joined: bool = False,
    receiver: Receiver | None = None,
    on_cpu: Outcome | None = None,
) -> Option:
    """Describe an option in a row of the table.

    Args:
        names: The name with two hyphens and the short ones, separated by spaces.
        meaning: What the option requests.
        outcome: What becomes of it. A text is a note about an option with nvcc's effect.
        kind: How its value is written.
        quoting: How a list is split.
        choices: The values that nvcc accepts, separated by spaces.
        is_joined: Whether a value can follow the short name directly.
        receiver: Who gets the option as it is.
        on_cpu: What becomes of it on the CPU, if that differs.
    """
    name, *short = names.split()
    return Option(
        name=name,
        short=tuple(short),
        meaning=meaning,
        kind=kind,
        quoting=quoting,
        choices=_BOOLEANS if kind == "boolean" else tuple(choices.split()),
        is_joined=is_joined,
        receiver=receiver,
        outcome=Outcome(note=outcome) if isinstance(outcome, str) else outcome,
        on_cpu=on_cpu,
    )
