"""ELF files: host files, read with pyelftools, and device images, read as raw tables."""
