//! Finds a surveyed wall in a frame and follows it, and knows the table that it stands on.
//!
//! A first pose comes of the wall's local features (`features`) or of its outline and colour
//! (`outline`); patches of its picture refine it ([`registration`]). Wall tiles that were taken
//! from it are read where they lie face up beside it ([`taken`]).

pub(crate) mod features;
pub(crate) mod outline;
pub mod registration;
pub(crate) mod scale;
pub(crate) mod surveyed;
pub(crate) mod table_colour;
pub mod taken;
