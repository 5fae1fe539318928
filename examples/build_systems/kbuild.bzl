"""A Bazel rule for kernels. Not run: it was written without Bazel."""

def _kbuild_kernels_impl(ctx):
    name = ctx.label.name
    library = ctx.actions.declare_file("lib%s.so" % name)
    header = ctx.actions.declare_file("%s_kernels.h" % name)
    manifest = ctx.actions.declare_file("%s.kbuild.toml" % name)
    sources = ", ".join(['"%s"' % source.short_path for source in ctx.files.srcs])
    ctx.actions.write(manifest, '[target.%s]\nkind = "shared"\nsources = [%s]\nbackend = "%s"\n' % (name, sources, ctx.attr.backend))
    ctx.actions.run_shell(
        inputs = ctx.files.srcs + [manifest],
        outputs = [library, header],
        command = """
            set -e
            cp {manifest} kbuild.toml
            kbuild build -o "$PWD/kbuild-out" {name} >/dev/null
            cp kbuild-out/{name}/lib{name}.so {library}
            cp kbuild-out/{name}/include/{name}_kernels.h {header}
        """.format(manifest = manifest.path, name = name, library = library.path, header = header.path),
        use_default_shell_env = True,  # kbuild is in PATH
        mnemonic = "KbuildKernels",
    )
    return [DefaultInfo(files = depset([library, header]))]

kbuild_kernels = rule(
    implementation = _kbuild_kernels_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cu", ".hip"]),
        "backend": attr.string(default = "cpu", values = ["cpu", "cuda", "hip", "auto"]),
    },
)
