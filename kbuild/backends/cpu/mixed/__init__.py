"""The ``mixed`` capability: compile sources that also contain host code and launches."""

from kbuild.backends.cpu.mixed.diagnosis.describe import (
    describe_diagnosis,
    describe_review,
    read_review,
)
from kbuild.backends.cpu.mixed.passes import (
    PASS_MACROS,
    compile_host_text,
    describe_device_pass,
    describe_host_pass,
    describe_preprocessors,
    list_check_options,
    list_host_options,
    listing_command,
    read_assembly,
    read_device_text,
    read_entries,
    read_host_text,
    review_object,
)

__all__ = [
    "PASS_MACROS",
    "compile_host_text",
    "describe_device_pass",
    "describe_diagnosis",
    "describe_host_pass",
    "describe_preprocessors",
    "describe_review",
    "list_check_options",
    "list_host_options",
    "listing_command",
    "read_assembly",
    "read_device_text",
    "read_entries",
    "read_host_text",
    "read_review",
    "review_object",
]
