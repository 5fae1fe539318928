#!/bin/sh
# Builds the programs of this directory with NVIDIA's libraries, and writes what they print to a directory.
#
#     tests/gpu/mathlibs/record.sh DIRECTORY
#
# Needs nvcc, a GPU, and cuBLAS, cuRAND, cuFFT, cuSOLVER, and cuSPARSE: those of the toolkit, or NVIDIA's wheels for python3.
set -eu
output=$1
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wheels=$(python3 -c 'import site; print(*(p + "/nvidia/cu13" for p in site.getsitepackages()), sep="\n")' |
    while read -r path; do [ -e "$path/lib/libcublas.so.13" ] && echo "$path"; done | head -n 1)

build() {
    name=$1
    library=$2
    shift 2
    if [ -n "$wheels" ]; then
        file=$(find "$wheels/lib" -name "lib$library.so.*" | sort | head -n 1)
        nvcc -std=c++17 -w -I"$wheels/include" "$@" -o "$work/$name" "$file" \
            $(if [ "$library" = cublas ]; then echo "$wheels/lib/libcublasLt.so.13"; fi) \
            -Xlinker -rpath="$wheels/lib"
    else
        nvcc -std=c++17 -w "$@" -o "$work/$name" -l"$library" \
            $(if [ "$library" = cublas ]; then echo -lcublasLt; fi)
    fi
}

record() {
    name=$1
    shift
    if build "$name" "$@"; then
        "$work/$name" > "$output/$name.txt" || echo "$name: exit status $?"
        wc -l "$output/$name.txt"
    else
        echo "$name: does not build"
    fi
}

(cd "$here/../.." && PYTHONPATH=..:. python3 -m support.mathlibs.cases) > "$work/blas.cpp" ||
    cp "$here/blas.cpp" "$work/blas.cpp"
record blas cublas "$work/blas.cpp"
record products cublas "$here/products.cpp"
record random curand "$here/random.cpp"
record transforms cufft "$here/transforms.cpp"
record solvers cusolver "$here/solvers.cpp"
record sparse cusparse "$here/sparse.cpp"
