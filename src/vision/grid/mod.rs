//! Finds the grid that tiles lie on where no wall says where it is.

pub mod borders;
pub mod found_tile;
pub mod growing;
pub mod kept;
pub mod lattice;
pub mod seeds;
