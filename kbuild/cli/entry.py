"""Where the command starts: a build with nothing to do ends here, all else goes on."""

from __future__ import annotations

import sys


def main() -> int:
    """`kbuild.cli.main.main` of our arguments."""
    words = sys.argv[1:]
    if words[:1] == ["build"]:
        from kbuild.cli.quick_build import find_nothing_to_do  # noqa: PLC0415 - not everybody's

        try:
            artifacts = find_nothing_to_do(words[1:])
            if artifacts is not None:
                print("ninja: no work to do.", file=sys.stderr)
                print(*artifacts, sep="\n", flush=True)
                return 0
        except (OSError, KeyboardInterrupt) as error:
            from kbuild.cli.main import report_failure  # noqa: PLC0415 - loads slowly

            return report_failure(error)
    from kbuild.cli.main import main as run_command  # noqa: PLC0415 - loads slowly

    return run_command(words)
