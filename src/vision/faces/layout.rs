//! Where on each tile of a deck its segments are printed.

use image::RgbImage;

use super::network::{Network, PLACES};
use crate::rules::{Deck, Face, FaceMap, Kind, Port, Side};
use crate::vision::base::error::VisionError;

/// How well what the network sees of a tile must agree with its face at the tile's ports, where
/// the face says what is printed, for its layout to follow what is seen.
///
/// Chosen on the decks of `castellan render --boards 12 --unseen --pieces --seed 313370`, one
/// of another painter, whose prints are seen well, and two that are seen badly.
struct Agreement {
    /// Least mean likelihood of what the face says, over a tile's ports.
    tile: f32,
    /// The same over all tiles of the deck.
    deck: f32,
}

const AGREEMENT: Agreement = Agreement { tile: 0.85, deck: 0.9 };

/// The layouts of a deck's tiles as they are printed, in the deck's order; `None` for a tile
/// that has no picture or no face, or whose print is not seen well enough.
/// `references` are the upright tiles by their ids.
///
/// # Errors
/// [`VisionError::Recogniser`] when the network can't be loaded or run.
pub fn layouts(deck: &Deck, references: &[(String, RgbImage)]) -> Result<Vec<Option<FaceMap>>, VisionError> {
    let none = vec![None; deck.tiles.len()];
    if references.is_empty() {
        return Ok(none);
    }
    let pictures: Vec<RgbImage> = references.iter().map(|(_, picture)| picture.clone()).collect();
    let seen = Network::built_in()?.places(&pictures, deck.game)?;
    let prints: Vec<Option<(&Face, Print<'_>, f32)>> = deck
        .tiles
        .iter()
        .map(|tile| {
            let at = references.iter().position(|(id, _)| *id == tile.id)?;
            let (print, face) = (Print(seen.get(at)?), tile.face.as_ref()?);
            Some((face, print, print.agreement(face)))
        })
        .collect();
    let known = prints.iter().flatten().map(|p| p.2);
    let mean = known.clone().sum::<f32>() / known.count().max(1) as f32;
    tracing::debug!(mean, "agreement of the prints with their faces");
    if mean < AGREEMENT.deck {
        return Ok(none);
    }
    let of = |(face, print, agreement): (&Face, Print<'_>, f32)| {
        let step = FaceMap::SIZE / PLACES;
        let layout = || FaceMap::printed(face, |col, row, kind| print.shows(col / step, row / step, kind));
        (agreement >= AGREEMENT.tile).then(layout).flatten()
    };
    Ok(prints.into_iter().map(|print| print.and_then(of)).collect())
}

/// What the network sees of a tile: how likely each place, row by row, shows each class.
#[derive(Clone, Copy)]
struct Print<'a>(&'a [[f32; super::network::CLASSES]]);

impl Print<'_> {
    /// How likely a place shows a kind, 0 to 1.
    fn shows(&self, col: usize, row: usize, kind: Kind) -> f32 {
        self.0.get(row * PLACES + col).map_or(0.0, |of| classes(kind).iter().map(|class| of[*class]).sum())
    }

    /// The mean likelihood of what a face says, over the ports that it holds.
    fn agreement(&self, face: &Face) -> f32 {
        /// How far inside the border is looked, places.
        const INSIDE: usize = 1;
        let (mut sum, mut count) = (0.0, 0);
        for segment in face.segments() {
            for port in segment.ports.iter() {
                // The middles of the halves, and of the side.
                let along = [PLACES / 4, PLACES / 2, 3 * PLACES / 4][port.index() % 3];
                let (col, row) = place(port, along, INSIDE);
                sum += self.shows(col, row, segment.kind);
                count += 1;
            }
        }
        sum / (count as f32).max(1.0)
    }
}

/// The place so far along a port's side, clockwise, and so far inside.
fn place(port: Port, along: usize, inside: usize) -> (usize, usize) {
    let last = PLACES - 1;
    match port.side() {
        Side::North => (along, inside),
        Side::East => (last - inside, along),
        Side::South => (last - along, last - inside),
        Side::West => (inside, last - along),
    }
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
