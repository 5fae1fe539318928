"""Whether two builds of one source tree are the same, byte for byte, and if not, where."""
