// Builds the kernels with kbuild, writes their declarations, and tells cargo how to link them.

use std::env;
use std::path::Path;
use std::process::Command;

/// Runs kbuild, and returns its output.
fn kbuild(arguments: &[&str]) -> String {
    let output = Command::new("kbuild").args(arguments).output().expect("kbuild is not in PATH");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("kbuild prints UTF-8")
}

fn main() {
    println!("cargo:rerun-if-changed=vector.cu");
    println!("cargo:rerun-if-changed=kbuild.toml");
    let out = env::var("OUT_DIR").unwrap();
    let build = Path::new(&out).join("kbuild");
    let bindings = Path::new(&out).join("vector_kernels.rs");

    let library = kbuild(&["build", "-o", build.to_str().unwrap(), "vector_kernels"]);
    let library = library.trim();
    kbuild(&["bindings", "--lang", "rust", "-o", bindings.to_str().unwrap(), library]);
    println!("cargo:rustc-link-arg={library}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", Path::new(library).parent().unwrap().display());
}
