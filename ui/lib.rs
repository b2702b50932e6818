//! The window as Slint makes it from the files beside this one. What it shows is brought by
//! `castellan::app`.

#![allow(
    clippy::all,
    missing_docs,
    missing_debug_implementations,
    reason = "made by slint-build, whose style is not ours"
)]

slint::include_modules!();
