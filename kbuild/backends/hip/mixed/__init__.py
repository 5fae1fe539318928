"""The ``mixed`` capability: compile sources that also contain host code and launches."""

from kbuild.backends.hip.mixed.passes import (
    PASS_MACROS,
    compile_host_text,
    describe_device_pass,
    describe_diagnosis,
    describe_host_pass,
    describe_preprocessors,
    describe_review,
    list_check_options,
    list_host_options,
    listing_command,
    read_assembly,
    read_device_text,
    read_entries,
    read_host_text,
    read_review,
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
