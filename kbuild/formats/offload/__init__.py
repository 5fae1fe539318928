"""Clang's offload bundles and LLVM's offload binaries."""
