"""Print how to compile with an installed torch, as lines of ``key=value`` for KbuildTorch.cmake."""

from pathlib import Path

import torch
from torch.utils import cpp_extension

root = Path(torch.__file__).parent
print(f"version={torch.__version__}")
print(f"cuda={torch.version.cuda or ''}")
print(f"abi={int(torch.compiled_with_cxx11_abi())}")
# The toolkit's own directories come from kbuild.
for directory in cpp_extension.include_paths():
    print(f"include_directory={directory}")
for name in ("c10", "torch", "torch_cpu", "c10_cuda", "torch_cuda"):
    library = root / "lib" / f"lib{name}.so"
    if library.is_file():
        print(f"library={library}")
print(f"python_library={root / 'lib' / 'libtorch_python.so'}")
for option in cpp_extension.COMMON_NVCC_FLAGS:
    print(f"device_option={option}")
