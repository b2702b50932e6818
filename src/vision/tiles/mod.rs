//! Names the tiles: from crops and references to a tile and a rotation for each cell.
//!
//! A crop is compared with the deck's references ([`recogniser`]); the likeliest are laid
//! over it (`overlay`) and fitted to it ([`align`], [`refine`]), the references as blurred as
//! the photo is (`blur`, `references`). The cells then claim the deck's tiles together
//! ([`assignment`]). Tiles that are sure tell of the light ([`colour_model`]), by which
//! doubtful ones are ranked anew.

pub mod align;
pub mod assignment;
pub(crate) mod blur;
pub mod colour_model;
pub(crate) mod overlay;
pub mod recogniser;
pub(crate) mod references;
pub mod refine;
