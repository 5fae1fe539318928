"""The ``kbuild`` command."""

import sys

# Without this, the first import of a module for Unix would end with a traceback.
if sys.platform != "linux":
    sys.stderr.write(
        f"kbuild: error: kbuild does not run on {sys.platform}; it needs Linux with glibc, for "
        "example in WSL 2 on Windows, or in a container on macOS\n"
    )
    raise SystemExit(3)
