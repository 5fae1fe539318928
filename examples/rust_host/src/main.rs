//! A Rust host program. It launches the kernels of vector.cu through the module that kbuild generates.

mod kernels {
    include!(concat!(env!("OUT_DIR"), "/vector_kernels.rs"));
}

use kernels::{DeviceBuffer, Kernels, LaunchConfig};

/// The structure that the kernel takes by value.
#[repr(C)]
struct Range {
    first: i32,
    last: i32,
}

const COUNT: usize = 256;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // SAFETY: Below, all grids cover at most COUNT elements, and all buffers have COUNT elements.
    let kernels = unsafe { Kernels::assume_correct() };
    let config = LaunchConfig::new(2, 128);

    let mut filled = match DeviceBuffer::from_slice(&[0i32; COUNT]) {
        Ok(buffer) => buffer,
        Err(error) => {
            println!("rust_host: skipped: {error}");
            std::process::exit(77);
        }
    };
    kernels.cfill(&config, &mut filled, 7)?;
    assert!(filled.to_vec()?.iter().all(|&value| value == 7));

    let mut values = DeviceBuffer::from_slice(&[2f32; COUNT])?;
    // SAFETY: Every structure of integers is a sequence of bytes. The compiler checks its size.
    let range: [u8; 8] = unsafe { std::mem::transmute(Range { first: 100, last: 200 }) };
    kernels.vectors_scale(&config, &mut values, 3.0, range)?;
    for (i, value) in values.to_vec()?.into_iter().enumerate() {
        assert_eq!(value, if (100..200).contains(&i) { 6.0 } else { 2.0 }, "element {i}");
    }

    let host: Vec<f64> = (0..COUNT).map(|i| i as f64).collect();
    let a = DeviceBuffer::from_slice(&host)?;
    let b = DeviceBuffer::from_slice(&host)?;
    let mut sum = DeviceBuffer::from_slice(&[0f64; COUNT])?;
    kernels.vectors_add_double(&config, &a, &b, &mut sum, COUNT as i32)?;
    for (i, value) in sum.to_vec()?.into_iter().enumerate() {
        assert_eq!(value, 2.0 * i as f64, "element {i}");
    }

    let error = kernels.cfill(&LaunchConfig::new(1, 4096), &mut filled, 7);
    assert!(error.is_err(), "a block that is too large was launched");
    println!("rust_host: all kernels are correct");
    Ok(())
}
