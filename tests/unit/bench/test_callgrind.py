"""Reading callgrind profiles as Valgrind 3.19 writes them."""

from __future__ import annotations

import pytest

from kbuild.bench.callgrind import Function, functions_below, parse, sum_calls
from kbuild.errors import InputError

# Part of a real file: two launches through push and pop after a warm-up launch.
PROFILE = """\
# callgrind format
version: 1
creator: callgrind-3.19.0
cmd:  ./counted 1 2
part: 1

desc: Trigger: Program termination

positions: line
events: Ir
summary: 76

ob=(10) /build/receiver.so
fl=(169) ???
fn=(1824) entry
0 4

ob=(8) /usr/lib/libruntime.so.1
fl=(161) ???
fn=(1804) push
0 10
cob=(1) /usr/lib/ld-linux-x86-64.so.2
cfi=(180) ./elf/tls_get_addr.S
cfn=(1810) __tls_get_addr
calls=3 30
0 6
+3 4

fn=(1818) pop
0 2
cob=(10)
cfi=(169)
cfn=(1824)
calls=3 0
* 4
* 8

ob=(1)
fl=(180)
fn=(1810)
30 4
+1 2

ob=(11) /build/counted
fl=(170) ???
fn=(1826) count_launches
0 6
cfn=(1798) launch()
calls=1 0
0 31
0 3
cfn=(1798)
calls=1 0
0 31
0 5

fn=(1798)
0 20
cob=(8)
cfi=(161)
cfn=(1804)
calls=3 0
0 20
cfn=(1830) first_time
calls=1 0
0
cob=(8)
cfn=(1818)
calls=3 0
0 14
-2 8

totals: 76
"""
LAUNCH = Function("/build/counted", "launch()")
PUSH = Function("/usr/lib/libruntime.so.1", "push")
POP = Function("/usr/lib/libruntime.so.1", "pop")
TLS = Function("/usr/lib/ld-linux-x86-64.so.2", "__tls_get_addr")


def test_own_costs_exclude_calls() -> None:
    own = dict(parse(PROFILE).own)

    assert own[LAUNCH] == 28
    assert own[PUSH] == 14
    assert own[TLS] == 6
    assert own[Function("/build/counted", "count_launches")] == 14


def test_calls_are_summed_by_name() -> None:
    profile = parse(PROFILE)

    assert sum_calls(profile, caller="count_launches") == 62
    assert sum_calls(profile, callee="entry") == 4
    assert sum_calls(profile, caller="launch()", callee="pop") == 14
    assert sum_calls(profile, callee="nowhere") == 0


def test_callee_without_an_object_file_is_in_that_of_the_caller() -> None:
    calls = {call.callee.name: call.callee for call in parse(PROFILE).calls}

    assert calls["launch()"] == LAUNCH
    # `cob=` applies to one call.
    assert calls["first_time"].object_file == "/build/counted"


def test_functions_below_exclude_the_entry_and_the_warm_up() -> None:
    below = functions_below(parse(PROFILE), "count_launches", stop=frozenset({"entry"}))

    assert set(below) == {PUSH, POP, TLS}


def test_several_positions_and_events_are_read() -> None:
    text = (
        "positions: instr line\nevents: Dr Ir\nfn=f\n0x10 3 7 40\n+4 * 7\njump=2 0x10 3\n0x10 3\n"
    )

    with pytest.raises(InputError, match="invalid line"):
        parse(text.replace("40", "forty"))
    assert dict(parse(text).own) == {Function("", "f"): 40}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no 'events:' line"),
        ("not a profile\n", "no 'events:' line"),
        ("events: Dr\n", "no event 'Ir'"),
        ("events: Ir\nfn=(7)\n0 1\n", r"uses name \(7\) before"),
    ],
)
def test_text_that_is_not_a_profile_is_an_error(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        parse(text)
