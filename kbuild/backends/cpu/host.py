"""The host conventions of the CPU backend. Only kbuild builds its host code, so they are few."""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.interface.host import (
    HostConventions,
    RuntimeLibrary,
    kernels_of_prefixed_stub,
    match_soname,
)

CONVENTIONS: Final = HostConventions(
    link_symbols=re.compile(r"__kbuildRegisterLinkedBinary|__kbuildLinkedObject"),
    runtimes=(
        RuntimeLibrary(
            name="kbuild_cpu",
            file_name=match_soname("kbuild_cpu"),
            texts=(b"the cpu backend does not launch kernels from kernels\0",),
        ),
    ),
    kernels_of_stub=kernels_of_prefixed_stub,
)
