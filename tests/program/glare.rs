//! A lamp that is mirrored in the bare table is no tile while a game is watched.

#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::Path;

use castellan::observation::{CellState, Observation};
use castellan::rules::{Cell, Game};
use castellan::table::{self, Instruments};
use castellan::vision::Reader;
use image::{Rgb, RgbImage};

/// A still of the house game with a gleam on the table: it grows towards its middle, and is
/// rough like the table.
fn gleaming(still: u32) -> RgbImage {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("datasets/house-game/{still:04}.jpg"));
    let mut picture = image::open(path).unwrap().into_rgb8();
    let (x0, y0, radius) = (700.0_f32, 400.0_f32, 190.0_f32);
    for (x, y, Rgb(pixel)) in picture.enumerate_pixels_mut() {
        let off = (x as f32 - x0).hypot(y as f32 - y0) / radius;
        let grain =
            (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)).wrapping_mul(2_246_822_519) >> 24;
        let share = (1.0 - off * off).max(0.0) * (0.75 + 0.25 * grain as f32 / 255.0);
        for (value, lamp) in pixel.iter_mut().zip([255.0, 246.0, 226.0]) {
            *value = (f32::from(*value) + share * (lamp - f32::from(*value))).round() as u8;
        }
    }
    picture
}

fn reader() -> Reader {
    let colours = vec![table::colour("blue"), table::colour("yellow")];
    let Instruments { reader, .. } =
        table::instruments((Game::Castle, "house"), Some("house"), colours, None).unwrap();
    reader
}

/// The cells that are not empty.
fn held(seen: &Observation) -> Vec<(Cell, CellState)> {
    let held = seen.cells.iter().filter(|c| c.state != CellState::Empty);
    held.map(|c| (Cell::new(c.col, c.row), c.state)).collect()
}

#[test]
fn a_gleam_on_the_bare_table_is_no_tile_while_a_game_is_watched() {
    let (bare, laid) = (gleaming(1), gleaming(2));
    // By itself the picture of the bare table does not tell: this is what is to be known.
    assert!(!held(&reader().read(&bare).unwrap()).is_empty(), "the gleam is no trouble; make it stronger");
    let mut reader = reader();
    reader.expect_laid(Vec::new());
    assert_eq!(held(&reader.read(&bare).unwrap()), []);
    // A tile that comes to lie is still seen, and the gleam is no other.
    reader.expect_laid(Vec::new());
    assert_eq!(held(&reader.read(&laid).unwrap()), [(Cell::new(1, 1), CellState::Tile)]);
}

#[test]
fn a_tile_that_lies_there_when_the_game_is_begun_is_seen() {
    let mut reader = reader();
    reader.expect_laid(Vec::new());
    assert_eq!(held(&reader.read(&gleaming(2)).unwrap()), [(Cell::new(1, 1), CellState::Tile)]);
}
