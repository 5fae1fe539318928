"""The host side of an ELF file: handles, stubs, registrations, and runtimes."""
