"""The reports of `kbuild verify` in all formats."""
