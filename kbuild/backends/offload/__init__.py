"""Offload binaries that LLVM's drivers embed. kbuild reads them and does not build them."""
