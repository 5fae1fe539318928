"""`kbuild build`: the manifest, the CMake project generated from it, and the build directory."""
