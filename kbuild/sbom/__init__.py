"""A software bill of materials of device code, in CycloneDX.

It names what the notes of artifacts and the directory of a build prove: images, compilers and their
options, sources with digests and licenses, and libraries.
"""
