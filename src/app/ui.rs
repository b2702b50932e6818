//! The window as Slint generates it from `ui/`.

slint::include_modules!();
