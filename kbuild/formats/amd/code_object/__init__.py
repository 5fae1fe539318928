"""AMDGPU code objects, the ELF files of AMD device code."""
