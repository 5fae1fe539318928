"""Launches in sources that are not preprocessed."""

from __future__ import annotations

import pytest

from kbuild.stages.sources.launches import find_launch

LAUNCHES = {
    "one line": ("\nvoid f() {\n  k<<<1, 2>>>(x); }", 3),
    "several lines": ("void f() { k<int>\n<<<1,\n2>>>\n(x); }", 2),
    "after a comment": ("/* k<<<1, 1>>>(); */\nvoid f() { ns::k<<<a(b), 2>>>(); }", 2),
    "after a condition": ("#if 1\n#endif\nvoid f() { k<<<1, 2>>>(); }", 3),
}
OTHERS = {
    "comment": "// k<<<1, 2>>>(x);\n/* k<<<1, 2>>>(x); */",
    "string": 'auto s = "k<<<1, 2>>>(x)"; auto r = R"(k<<<1, 2>>>(x))";',
    "condition": "#ifdef __CUDACC__\nvoid f() { k<<<1, 2>>>(x); }\n#endif",
    "operator": "friend S &operator<<<int>(S &, T);",
    "shift": "int x = a << (b < c);",
    "unmatched brackets": "void f() { k<<<1, 2>>>(x);",
}


@pytest.mark.parametrize(("text", "line"), LAUNCHES.values(), ids=LAUNCHES)
def test_a_launch_is_found(text: str, line: int) -> None:
    assert find_launch(text.encode()) == line


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_text_is_not_a_launch(text: str) -> None:
    assert find_launch(text.encode()) is None
