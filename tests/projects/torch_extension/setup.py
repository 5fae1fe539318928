from setuptools import setup

from kbuild.torch import BuildExtension, CUDAExtension

setup(
    name="torch_extension_test",
    version="1.0",
    ext_modules=[
        CUDAExtension(
            "torch_extension_test",
            ["ops.cpp", "ops_cuda.cu"],
            define_macros=[("EXTENSION_FACTOR", "2"), ("TEXT", '"a b"')],
            extra_compile_args={"cxx": ["-O1"], "nvcc": ["-O1", "-DEXTENSION_OFFSET=1"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
