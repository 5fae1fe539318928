# The compiled part of launches from Python; see kbuild/native/python.
from collections.abc import Callable, Sequence

class Launcher:
    def __init__(
        self,
        *,
        parameters: list[tuple[object, ...]],
        devices: Sequence[tuple[int, int]],
        interface: str | None,
        entry: int,
        function: int,
        config: bytes,
        stream: int,
        stream_offset: int,
        is_driver: bool,
        prepare: Callable[[], None] | None,
        keep: Callable[..., None] | None,
        recover: Callable[[int, bool], bool],
        refused: tuple[type[Exception], ...],
        owner: object,
    ) -> None: ...
    def launch(self, *values: object) -> int: ...
