//! Proposes what is printed on the tiles of a deck from their pictures.

mod decode;
pub mod edit;
mod known;
mod proposal;

use image::RgbImage;

use crate::rules::classic::base_deck;
use crate::rules::{Deck, Face, Game, PortSet, Rotation};
use crate::vision::base::error::VisionError;
use crate::vision::faces::Network;

pub use proposal::{Doubt, FaceProposal, Matter};

/// Reads faces off pictures with the network of `models/faces`.
pub struct FaceReader {
    network: Network,
}

impl FaceReader {
    /// The reader that ships with the program.
    ///
    /// # Errors
    /// When tract can't load the network.
    pub fn built_in() -> Result<FaceReader, VisionError> {
        Ok(FaceReader { network: Network::built_in()? })
    }

    /// Proposes a face for each tile. Give the pictures of a whole deck at once:
    /// upright, square, cut to the tile's edges, of any size. Within a deck
    /// colours and surfaces are of one make, and what is clear on one tile helps
    /// with the next. Where a game's tiles are known, each gets the nearest of their
    /// faces, no face more often than the game has it.
    ///
    /// # Errors
    /// When the network can't be run.
    pub fn propose(&self, tiles: &[RgbImage], game: Game) -> Result<Vec<FaceProposal>, VisionError> {
        match game {
            Game::Castle => self.propose_alone(tiles, game),
            Game::Classic if tiles.is_empty() => Ok(Vec::new()),
            Game::Classic => Ok(known::propose(&self.network.read(tiles, game)?, &base_deck(), game)),
        }
    }

    /// Proposes a face for each tile as [`FaceReader::propose`] does, but by what is seen alone,
    /// without the faces that the game's tiles are known to have.
    ///
    /// # Errors
    /// When the network can't be run.
    pub fn propose_alone(&self, tiles: &[RgbImage], game: Game) -> Result<Vec<FaceProposal>, VisionError> {
        if tiles.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.network.read(tiles, game)?.iter().map(|e| decode::decode(e, game)).collect())
    }
}

/// Writes proposals into a deck for the tiles whose face nobody has said yet, with
/// the ports that are in doubt; all pictures are looked at together. A classic deck's
/// start tile is named where it is known. Gives the
/// ids of these tiles with what is proposed.
///
/// # Errors
/// When the network can't be loaded or run.
pub fn fill(
    deck: &mut Deck,
    references: &[(String, RgbImage)],
) -> Result<Vec<(String, FaceProposal)>, VisionError> {
    if deck.tiles.iter().all(|t| t.face.is_some()) {
        return Ok(Vec::new());
    }
    let pictures: Vec<RgbImage> = references.iter().map(|(_, picture)| picture.clone()).collect();
    let proposals = FaceReader::built_in()?.propose(&pictures, deck.game)?;
    let mut filled = Vec::new();
    for ((id, _), proposal) in references.iter().zip(proposals) {
        let Some(tile) = deck.tiles.iter_mut().find(|t| t.id == *id && t.face.is_none()) else { continue };
        let ports = proposal.doubts.iter().fold(PortSet::EMPTY, |all, d| all.union(d.ports()));
        tile.face = Some(proposal.face.clone());
        tile.doubts = ports.iter().collect();
        filled.push((id.clone(), proposal));
    }
    if deck.game == Game::Classic && deck.start.is_none() {
        deck.start = start_of(deck);
    }
    Ok(filled)
}

/// The tile of a classic deck that shows what the game's start tile shows.
fn start_of(deck: &Deck) -> Option<String> {
    let base = base_deck();
    let start = base.tiles.get(base.index(base.start.as_deref()?)?)?.face.as_ref()?;
    let is_start =
        |face: &Face| Rotation::ALL.iter().any(|by| start.turned(*by).ordered() == face.clone().ordered());
    deck.tiles.iter().find(|t| t.face.as_ref().is_some_and(is_start)).map(|t| t.id.clone())
}
