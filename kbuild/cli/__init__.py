"""The ``kbuild`` command."""

import sys

# Without this, the first import of a module for Unix would end with a traceback.
if sys.platform != "linux":
    from kbuild.errors import ToolchainError
    from kbuild.toolchain.platform import check_system

    try:
        check_system()
    except ToolchainError as error:
        sys.stderr.write(f"kbuild: error: {error}\n")
        raise SystemExit(error.exit_code) from None
