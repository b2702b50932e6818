//! Names the tiles: from crops and references to a tile and a rotation for each cell.

pub mod align;
pub mod assignment;
pub(crate) mod blur;
pub mod colour_model;
pub(crate) mod overlay;
pub mod recogniser;
pub(crate) mod references;
pub mod refine;
