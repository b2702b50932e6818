#![no_main]

#[path = "../pictures.rs"]
mod pictures;

libfuzzer_sys::fuzz_target!(|data: &[u8]| pictures::printing(data));
