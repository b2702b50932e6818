//! The common entry for photos and live frames: a frame in, an observation out.

use image::RgbImage;

use super::castle_reader::CastleReader;
use super::classic_reader::ClassicReader;
use super::drawing::Placed;
use super::steady::Steady;
use crate::observation::Observation;
use crate::pieces::PlayerPieces;
use crate::rules::{Cell, Deck};
use crate::vision::base::crop::CELL_PX;
use crate::vision::base::error::VisionError;
use crate::vision::base::photo;
use crate::vision::figures::Way;
use crate::vision::tiles::recogniser::Matcher;
use crate::vision::wall::surveyed::SurveyedWall;

/// What a [`Reader`] is made of.
pub struct ReaderSetup<'a> {
    /// The tiles that may lie on the table.
    pub deck: Deck,
    /// A picture for each tile id: upright, cut to its edges, any size.
    pub references: Vec<(String, RgbImage)>,
    /// The wall; `None` for a table without one.
    pub wall: Option<SurveyedWall>,
    /// The players' figure colours, sRGB.
    pub colours: Vec<[u8; 3]>,
    /// What names the tiles.
    pub matcher: &'a dyn Matcher,
}

/// Reads frames of one table.
pub struct Reader {
    kind: Kind,
    /// Where the frames are a film's.
    steady: Option<Steady>,
}

enum Kind {
    Castle(Box<CastleReader>),
    Classic(Box<ClassicReader>),
}

impl Reader {
    /// Enrols the references and makes ready to read.
    ///
    /// # Errors
    /// [`VisionError::EmptyDeck`], [`VisionError::NoReference`],
    /// [`VisionError::Colours`], or the matcher's own.
    pub fn new(setup: ReaderSetup<'_>) -> Result<Reader, VisionError> {
        let ReaderSetup { deck, references, wall, colours, matcher } = setup;
        if deck.is_empty() {
            return Err(VisionError::EmptyDeck(deck.name));
        }
        let pictures = in_deck_order(&deck, references)?;
        let upright = upright(&pictures)?;
        let gallery = matcher.enrol(&upright)?;
        let kind = match wall {
            Some(wall) => Kind::Castle(Box::new(CastleReader::new(deck, gallery, &upright, &wall, colours)?)),
            None => {
                Kind::Classic(Box::new(ClassicReader::new(deck, gallery, (&upright, &pictures), colours)?))
            }
        };
        Ok(Reader { kind, steady: None })
    }

    /// Finds figures in this way from now on.
    pub fn find_figures(&mut self, way: Way) {
        match &mut self.kind {
            Kind::Castle(reader) => reader.find_figures(way),
            Kind::Classic(reader) => reader.find_figures(way),
        }
    }

    /// Goes by the sizes of these pieces from now on, in the order of the players' colours; on
    /// a table without a wall sizes are not gone by.
    pub fn know_pieces(&mut self, pieces: Vec<PlayerPieces>) {
        if let Kind::Castle(reader) = &mut self.kind {
            reader.know_pieces(pieces);
        }
    }

    /// Looks for the figure that is nobody's from now on; on a table with a wall there is none.
    ///
    /// # Errors
    /// [`VisionError::Colours`] when its colour, sRGB, cannot be told from a player's.
    pub fn know_neutral(&mut self, colour: [u8; 3]) -> Result<(), VisionError> {
        match &mut self.kind {
            Kind::Castle(_) => Ok(()),
            Kind::Classic(reader) => reader.know_neutral(colour),
        }
    }

    /// Reads the numbers of wall tiles that lie face up beside the wall from now on. `fronts`
    /// are square pictures of them, cut to their edges, in the order of the numbers printed
    /// on them; a table without a wall has none.
    pub fn know_wall_tiles(&mut self, fronts: &[RgbImage]) {
        if let Kind::Castle(reader) = &mut self.kind {
            reader.know_wall_tiles(fronts);
        }
    }

    /// Takes the frames from now on as those of a film, one soon after the other: a cell over
    /// which something moves is told as covered, and is read once two frames agree on it. In dim light the
    /// noise of frames is taken out.
    pub fn expect_film(&mut self) {
        self.steady = Some(Steady::default());
        match &mut self.kind {
            Kind::Castle(reader) => reader.expect_film(),
            Kind::Classic(reader) => reader.expect_film(),
        }
    }

    /// Says in which cells tiles are known to lie, before each frame of a game that is watched.
    /// Within a wall the others are bare until they look otherwise than they did when the game
    /// began: glare and the table's grain are then not taken for tiles. On a table without a
    /// wall this changes nothing.
    pub fn expect_laid(&mut self, laid: Vec<Cell>) {
        match &mut self.kind {
            Kind::Castle(reader) => reader.expect_laid(laid),
            Kind::Classic(_) => {}
        }
    }

    /// Says, before a game is watched, on which spaces of the track the players' markers stand,
    /// player by player: what looks like a marker elsewhere in the first frame is taken for none.
    /// On a table without a wall this changes nothing.
    pub fn expect_markers(&mut self, spaces: Vec<u8>) {
        match &mut self.kind {
            Kind::Castle(reader) => reader.expect_markers(spaces),
            Kind::Classic(_) => {}
        }
    }

    /// Where the cells of the last reading are in its picture: upper left, upper
    /// right, lower right, lower left corner, pixels.
    pub fn places(&self) -> Vec<Placed> {
        match &self.kind {
            Kind::Castle(reader) => reader.places(),
            Kind::Classic(reader) => reader.places().to_vec(),
        }
    }

    /// Reads a frame. What is known of where the board lies is kept for the
    /// next frame.
    ///
    /// # Errors
    /// [`VisionError::NoWall`] or [`VisionError::NoTiles`] when the frame does
    /// not show the board.
    pub fn read(&mut self, frame: &RgbImage) -> Result<Observation, VisionError> {
        let steady = self.steady.as_mut().map(|steady| steady.take(frame)).transpose()?.flatten();
        let frame = steady.as_ref().unwrap_or(frame);
        match &mut self.kind {
            Kind::Castle(reader) => reader.read(frame),
            Kind::Classic(reader) => reader.read(frame),
        }
    }
}

/// The references in the deck's order.
fn in_deck_order(deck: &Deck, references: Vec<(String, RgbImage)>) -> Result<Vec<RgbImage>, VisionError> {
    let mut references: std::collections::HashMap<String, RgbImage> = references.into_iter().collect();
    deck.tiles
        .iter()
        .map(|tile| references.remove(&tile.id).ok_or_else(|| VisionError::NoReference(tile.id.clone())))
        .collect()
}

/// The references at [`CELL_PX`] a side.
fn upright(pictures: &[RgbImage]) -> Result<Vec<RgbImage>, VisionError> {
    let px = CELL_PX as i32;
    pictures.iter().map(|p| photo::to_picture(&photo::resized(&photo::to_mat(p)?, px, px)?)).collect()
}
