"""What a preprocessed CUDA source declares and launches, as kbuild and as libclang read it."""
