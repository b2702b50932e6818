//! Draws tiles, walls and whole tables, with the truth beside them.

mod digits;
mod sets;
mod style;
mod tile;
mod wall_art;

pub use sets::{random_deck, random_wall};
pub use style::Style;
pub use tile::draw_tile;
pub use wall_art::{WallPicture, draw_wall, draw_wall_tile};
