"""Launch configurations as ``struct kbuild_launch_config``."""

from __future__ import annotations

from kbuild.backends.interface.launch_config import LaunchConfig, read_extent
from kbuild.backends.module import abi


def encode_config(config: LaunchConfig) -> abi.LaunchConfig:
    """Return the configuration as ``struct kbuild_launch_config``, with a null stream."""
    return abi.LaunchConfig(
        grid=abi.Dim3(*read_extent("grid", config.grid)),
        block=abi.Dim3(*read_extent("block", config.block)),
        shared_bytes=config.shared_bytes,
        cluster=abi.Dim3(*read_extent("cluster", config.cluster)) if config.cluster else abi.Dim3(),
        cooperative=config.cooperative,
        programmatic_dependent_launch=config.programmatic_dependent_launch,
        priority=config.priority,
    )
