"""Names that the C++ runtime library rejects because of their length."""

from __future__ import annotations

from kbuild.demangle.names import demangle
from support.tools.toolchains import require_programs


def test_long_name_is_demangled() -> None:
    require_programs("c++filt")
    numbers = range(500)
    arguments = "".join(f"Li{number}E" for number in numbers)
    listed = ", ".join(map(str, numbers))

    assert demangle(f"_Z3addI1AJ{arguments}EEvT_") == f"void add<A, {listed}>(A)"


def test_name_that_nobody_reads_stays_mangled() -> None:
    deep = f"_Z1fI{'1AI' * 20_000}i{'E' * 20_001}vT_"

    assert demangle(deep) == deep
