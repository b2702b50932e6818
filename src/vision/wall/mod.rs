//! Finds a surveyed wall in a frame and follows it, and knows the table that it stands on.

pub(crate) mod features;
pub(crate) mod outline;
pub mod registration;
pub(crate) mod scale;
pub(crate) mod surveyed;
pub(crate) mod table_colour;
