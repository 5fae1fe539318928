"""The image of a kernel that a device runs, and the kernel's resources in it."""

from __future__ import annotations

from kbuild.backends import name_images
from kbuild.backends.interface.devices import ExecutionDevice
from kbuild.model import KernelRecord, Resources
from kbuild.runtime.compiling.large_blocks import explain_failed_launch
from kbuild.runtime.compiling.model import CompiledImage, Variant
from kbuild.runtime.fat_binary import find_reader


class KernelImages:
    """Reads the images of one kernel.

    Args:
        backend: The backend of the kernel.
        record: The kernel.
    """

    def __init__(self, backend: str, record: KernelRecord) -> None:
        self._backend = backend
        self._name = record.device_name
        # Of images other than the first one of a variant, by digest.
        self._resources: dict[str, Resources | None] = {}

    def find(
        self, variant: Variant, device: ExecutionDevice | None
    ) -> tuple[CompiledImage | None, Resources]:
        """Return the image of a variant that a device runs, and the resources of the kernel.

        Without a device, and for one that cannot tell, this is the first image.  The image is None
        if the variant was dropped from the cache.

        Raises:
            InputError: An image is malformed.
        """
        if device is not None and len(variant.images) > 1:
            for image in device.rank_images(variant.images):
                resources = self._read(variant, image)
                if resources is not None:
                    return image, resources
        return next(iter(variant.images), None), variant.resources

    def find_resources(self, variant: Variant, arch: str) -> Resources | None:
        """Return the resources in the image for an architecture; None if there is no such image.

        Args:
            variant: The variant.
            arch: The architecture, as in the image or in ARCHITECTURES.

        Raises:
            InputError: An image is malformed.
        """
        names = name_images((arch,))
        wanted = [image for name in names for image in variant.images if image.arch == name]
        found = (self._read(variant, image) for image in wanted)
        return next((resources for resources in found if resources is not None), None)

    def explain_failed_launch(
        self, threads: int, variant: Variant, device: ExecutionDevice, *, is_portable: bool
    ) -> str | None:
        """Say how a block that was too large can be launched; None if that was not the reason."""
        image, resources = self.find(variant, device)
        arch = image.arch if image else ""
        return explain_failed_launch(
            self._backend, arch, threads, resources, is_portable=is_portable
        )

    def _read(self, variant: Variant, image: CompiledImage) -> Resources | None:
        """Return the resources of the kernel in an image; None if the image does not have it."""
        if image is variant.images[0]:
            return variant.resources
        if image.sha256 not in self._resources:
            content = find_reader(self._backend).read_image(image.data, image.kind)
            self._resources[image.sha256] = next(
                (k.resources for k in content.kernels if k.name == self._name), None
            )
        return self._resources[image.sha256]
