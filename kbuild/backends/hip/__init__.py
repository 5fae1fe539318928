"""The HIP backend: clang, the offload bundler, and the HIP runtime."""
