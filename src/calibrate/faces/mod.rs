//! Proposes what is printed on the tiles of a deck from their pictures.

mod decode;
pub mod edit;
mod known;
mod proposal;

use image::RgbImage;

use crate::rules::classic::{base_deck, known_deck};
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
    /// with the next. `known` are the game's tiles with those of the sets that the deck has, where
    /// they are known: each tile gets the nearest of their faces, no face more often than they have it.
    ///
    /// # Errors
    /// When the network can't be run.
    pub fn propose(
        &self,
        tiles: &[RgbImage],
        game: Game,
        known: Option<&Deck>,
    ) -> Result<Vec<FaceProposal>, VisionError> {
        match known {
            None => self.propose_alone(tiles, game),
            Some(_) if tiles.is_empty() => Ok(Vec::new()),
            Some(known) => Ok(known::propose(&self.network.read(tiles, game)?, known, game)),
        }
    }

    /// The tiles that a game is known to have, with those of a deck's sets.
    pub fn known(deck: &Deck) -> Option<Deck> {
        match deck.game {
            Game::Castle => None,
            Game::Classic => Some(known_deck(deck).unwrap_or_else(|_| base_deck())),
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
/// the ports that are in doubt; all pictures are looked at together. What is known of the tiles of its
/// game and its sets is gone by, and the start tile is named where it is known. Gives the
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
    let known = FaceReader::known(deck);
    let proposals = FaceReader::built_in()?.propose(&pictures, deck.game, known.as_ref())?;
    let mut filled = Vec::new();
    for ((id, _), proposal) in references.iter().zip(proposals) {
        let Some(tile) = deck.tiles.iter_mut().find(|t| t.id == *id && t.face.is_none()) else { continue };
        let ports = proposal.doubts.iter().fold(PortSet::EMPTY, |all, d| all.union(d.ports()));
        tile.face = Some(proposal.face.clone());
        tile.doubts = ports.iter().collect();
        filled.push((id.clone(), proposal));
    }
    if deck.start.is_none() {
        deck.start = known.and_then(|known| start_of(deck, &known));
    }
    Ok(filled)
}

/// The tile of a deck that shows what the start tile of the known tiles shows.
fn start_of(deck: &Deck, known: &Deck) -> Option<String> {
    let start = known.tiles.get(known.index(known.start.as_deref()?)?)?.face.as_ref()?;
    let is_start =
        |face: &Face| Rotation::ALL.iter().any(|by| start.turned(*by).ordered() == face.clone().ordered());
    deck.tiles.iter().find(|t| t.face.as_ref().is_some_and(is_start)).map(|t| t.id.clone())
}
