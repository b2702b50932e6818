//! The sizes of what the recogniser sees.

/// The side of a crop in pixels: the cell is the middle [`CELL_PX`], with a
/// margin of an eighth of its side all round.
pub const CROP_PX: u32 = 80;
/// The side of the cell in a crop, and of an upright reference picture.
pub const CELL_PX: u32 = 64;
/// What is round the cell in a crop, pixels.
pub const MARGIN_PX: u32 = (CROP_PX - CELL_PX) / 2;
