//! The window as Slint makes it from `ui/`.

pub use castellan_ui::*;
