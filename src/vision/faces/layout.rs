//! Where on each tile of a deck its segments are printed.

use image::RgbImage;

use super::network::{Network, PLACES};
use crate::rules::{Deck, FaceMap, Kind};
use crate::vision::base::error::VisionError;

/// The layouts of a deck's tiles as they are printed, in the deck's order; `None` for a tile
/// that has no picture or no face, or whose print does not show what its face says.
/// `references` are the upright tiles by their ids.
///
/// # Errors
/// [`VisionError::Recogniser`] when the network can't be loaded or run.
pub fn layouts(deck: &Deck, references: &[(String, RgbImage)]) -> Result<Vec<Option<FaceMap>>, VisionError> {
    if references.is_empty() {
        return Ok(vec![None; deck.tiles.len()]);
    }
    let pictures: Vec<RgbImage> = references.iter().map(|(_, picture)| picture.clone()).collect();
    let seen = Network::built_in()?.places(&pictures, deck.game)?;
    let of = |tile: &crate::rules::Tile| {
        let at = references.iter().position(|(id, _)| *id == tile.id)?;
        let (places, face) = (seen.get(at)?, tile.face.as_ref()?);
        let step = FaceMap::SIZE / PLACES;
        FaceMap::printed(face, |col, row, kind| {
            let of_place = &places[row / step * PLACES + col / step];
            classes(kind).iter().map(|class| of_place[*class]).sum()
        })
    };
    Ok(deck.tiles.iter().map(of).collect())
}

/// The classes of the network's places that a kind of segment shows: open ground 0, house 1,
/// tower 2, city 3, line 4, market 5, fountain 6, square 7, pennant 8, cloister 9.
fn classes(kind: Kind) -> &'static [usize] {
    match kind {
        Kind::COURT | Kind::FIELD => &[0, 5],
        Kind::HOUSE => &[1],
        Kind::TOWER => &[2],
        Kind::CITY => &[3, 8],
        Kind::CLOISTER => &[9],
        _ => &[4, 6, 7],
    }
}
