"""The steps of the pack edge, which `kbuild.stages.pack` runs in order."""
