//! The table window: Slint glue, one adapter a view.
