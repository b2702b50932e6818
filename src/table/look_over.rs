//! What there is to say of a table before a game: whether it is found, how far the camera is, how
//! light and sharp its picture is, what is read, and whose pieces are seen.

use image::RgbImage;

use super::game_file::GameFile;
use super::instruments::{self, Instruments};
use super::opening::{Opening, OpeningError};
use crate::observation::{CellState, Observation};
use crate::record::{Game, Log};
use crate::rules::{Sentence, sentence};
use crate::vision::Reader;
use crate::vision::base::conditions::{Conditions, largest_burnt};
use crate::vision::base::error::VisionError;
use crate::vision::read::drawing::Placed;

/// From when on conditions are poor, and from when on nothing can be expected of them.
///
/// Chosen on six boards of `castellan render --boards 6 --unseen --size 1280x720 --seed 90210`,
/// made smaller, softer, darker and lighter until their tiles were no longer read;
/// `docs/set-up.md` has the table.
struct Limits {
    /// The side of a tile, pixels.
    tile_px: (f32, f32),
    /// The light, see [`Conditions::light`].
    light: (f32, f32),
    /// The share of the board that is burnt out.
    burnt_out: (f32, f32),
    /// How wide the sharper steps are, as a share of a tile's side.
    softness: (f32, f32),
    /// The area that is burnt out in one piece, of the whole frame, from which on it may be a tile: one
    /// of 25 pixels in a frame of 1280 by 720.
    white: f32,
    /// From which confidence on a tile is read surely.
    sure: f32,
    /// The share of the tiles that are not read surely: one under a follower now and then is
    /// usual.
    unsure: (f32, f32),
}

const LIMITS: Limits = Limits {
    tile_px: (28.0, 16.0),
    light: (0.25, 0.1),
    burnt_out: (0.15, 0.4),
    softness: (0.085, 0.12),
    white: 0.0007,
    sure: 0.9,
    unsure: (0.125, 0.25),
};

/// What a remark is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// Whether the board is found.
    Board,
    /// How far the camera is.
    Distance,
    /// Whether it is too dark or too light.
    Light,
    /// How sharp the picture is.
    Sharpness,
    /// The tiles that are read.
    Tiles,
    /// A player's pieces, or those of nobody.
    Pieces,
    /// What else hinders the reading.
    Other,
}

/// How good something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judged {
    /// Nothing need be done.
    Good,
    /// Nothing is wrong, but it cannot be told yet.
    Open,
    /// The game can be watched, with more questions.
    Poor,
    /// The game cannot be watched so.
    Bad,
}

/// Something to say of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is about.
    pub matter: Matter,
    /// How good that is.
    pub judged: Judged,
    /// What it says.
    pub saw: Saw,
}

/// What a remark says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saw {
    /// The wall.
    Wall,
    /// So many tiles on a table without a wall.
    Tiles(usize),
    /// No tile on a table without a wall.
    NoTile,
    /// The wall, but no tile inside it.
    NoTileYet,
    /// So many tiles, each read surely.
    TilesRead(usize),
    /// So many tiles, and so many of them not read surely.
    TilesUnsure(usize, usize),
    /// No piece of a colour.
    NoPiece(String),
    /// So many pieces of a colour.
    Pieces(usize, String),
    /// Pieces of a colour that no player has.
    NobodysPieces(String),
    /// Tiles that are so many pixels wide.
    TilesWide(u32),
    /// Tiles that are only so many pixels wide.
    TilesSmall(u32),
    /// A sharp picture.
    Sharp,
    /// A soft picture.
    Soft,
    /// Good light.
    GoodLight,
    /// Too little light.
    Dark,
    /// So many of a hundred parts of the board are burnt out.
    BurntOut(u32),
    /// No board is found, and something as large as a tile is burnt out.
    White,
    /// Something else, in a sentence.
    Other(Sentence),
}

impl Remark {
    /// The remark in a sentence; where something is to be done, it says what.
    pub fn sentence(&self) -> Sentence {
        match &self.saw {
            Saw::TilesSmall(px) => sentence!(
                "tiles are only {} pixels wide; move the camera nearer, or choose a larger picture",
                *px
            ),
            Saw::Soft => {
                sentence!("the picture is soft; focus the camera, clean its lens, and hold it still")
            }
            Saw::Dark => sentence!("it is dark; switch on a lamp"),
            Saw::BurntOut(share) => sentence!(
                "{} % is burnt out to white; move the lamp so that it does not shine into the camera, or lower the \
                 camera's exposure",
                *share
            ),
            Saw::White => sentence!(
                "something is burnt out to white; if tiles lie there, lower the camera's exposure, or dim the lamp"
            ),
            Saw::Other(sentence) => sentence.clone(),
            _ => Sentence::from(self.plain()),
        }
    }

    /// What need not be done anything about, or is said by the window in its own words.
    fn plain(&self) -> String {
        match &self.saw {
            Saw::Wall => "the wall is found".to_owned(),
            Saw::Tiles(count) => counted(*count, "tile is found", "tiles are found"),
            Saw::NoTile => "no tile is seen; lay the first one, or some to try the camera".to_owned(),
            Saw::NoTileYet => "no tile lies yet; lay some to try the camera".to_owned(),
            Saw::TilesRead(count) => counted(*count, "tile is read", "tiles are read"),
            Saw::TilesUnsure(all, unsure) => {
                format!("{}, {unsure} not surely", counted(*all, "tile is seen", "tiles are seen"))
            }
            Saw::NoPiece(colour) => format!("no {colour} piece is seen on the board"),
            Saw::Pieces(count, colour) => {
                counted(*count, &format!("{colour} piece is seen"), &format!("{colour} pieces are seen"))
            }
            Saw::NobodysPieces(colour) => {
                format!("{colour} pieces lie on the board, and no player has that colour")
            }
            Saw::TilesWide(px) => format!("tiles are {px} pixels wide"),
            Saw::Sharp => "the picture is sharp".to_owned(),
            Saw::GoodLight => "the light is good".to_owned(),
            _ => String::new(),
        }
    }
}

/// What a look at the table gave.
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// What is read; `None` where no board is found.
    pub seen: Option<Observation>,
    /// Where the cells are.
    pub places: Vec<Placed>,
    /// How the frame was taken.
    pub conditions: Conditions,
    /// What there is to say, in the order of [`Matter`].
    pub remarks: Vec<Remark>,
    /// The one player of whom no piece is seen, with the one colour that lies there and is
    /// nobody's: likely the player's.
    pub other_colour: Option<(usize, String)>,
}

impl Looked {
    /// How good all is together.
    pub fn judged(&self) -> Judged {
        self.remarks.iter().map(|remark| remark.judged).max().unwrap_or(Judged::Open)
    }
}

/// Looks at a table before a game.
pub struct LookOver {
    reader: Reader,
    /// The words of the players' colours, then that of the figure that is nobody's, where there is one.
    colours: Vec<String>,
    players: usize,
    has_wall: bool,
}

impl LookOver {
    /// Makes what reads the table of an opening; its source and its record are left alone.
    ///
    /// # Errors
    /// [`OpeningError`], also where the colours cannot be told apart.
    pub fn open(opening: &Opening) -> Result<LookOver, OpeningError> {
        let mut opening = opening.clone();
        if let Some(log) = opening.record.take().and_then(|record| Log::open(&record).ok()) {
            opening.said = opening.said.or(GameFile::of(&log.header));
        }
        let begun = opening.begin()?;
        let header = begun.header;
        let Instruments { deck, wall, mut reader, .. } = instruments::instruments(
            (header.game, &header.deck),
            header.wall.as_deref(),
            begun.colours,
            opening.model.as_deref(),
        )?;
        reader.know_pieces(begun.pieces);
        let game = Game::new(header.clone(), wall.as_ref(), &deck.deck).ok();
        let neutral = game.is_some_and(|game| game.position().neutral().is_some())
            && reader.know_neutral(begun.neutral.1).is_ok();
        let mut colours = begun.words.unwrap_or(header.colours);
        let players = colours.len();
        colours.extend(neutral.then_some(begun.neutral.0));
        Ok(LookOver { reader, colours, players, has_wall: wall.is_some() })
    }

    /// Looks at one frame.
    ///
    /// # Errors
    /// [`VisionError`] where it cannot be read at all; that no board is found is a remark.
    pub fn look(&mut self, frame: &RgbImage) -> Result<Looked, VisionError> {
        match self.reader.read(frame) {
            Ok(seen) => {
                let places = self.reader.places();
                let cells: Vec<_> = places.iter().map(|place| place.1).collect();
                let conditions = Conditions::of(frame, &cells);
                let mut remarks = vec![self.found(&seen)];
                remarks.extend(of_conditions(&conditions));
                let (read, other_colour) = self.of_reading(&seen);
                remarks.extend(read);
                Ok(Looked { seen: Some(seen), places, conditions, remarks, other_colour })
            }
            Err(VisionError::NoWall(sentence)) => Ok(missed(frame, Judged::Bad, Saw::Other(sentence))),
            Err(VisionError::NoTiles(_)) => Ok(missed(frame, Judged::Open, Saw::NoTile)),
            Err(error) => Err(error),
        }
    }

    fn found(&self, seen: &Observation) -> Remark {
        let saw = if self.has_wall { Saw::Wall } else { Saw::Tiles(tiles(seen).count()) };
        Remark { matter: Matter::Board, judged: Judged::Good, saw }
    }

    /// What is read, and whose pieces are seen; with [`Looked::other_colour`].
    fn of_reading(&self, seen: &Observation) -> (Vec<Remark>, Option<(usize, String)>) {
        let all: Vec<f32> = tiles(seen).collect();
        let unsure = all.iter().filter(|confidence| **confidence < LIMITS.sure).count();
        let unknown = seen.cells.iter().filter(|cell| cell.state == CellState::Unknown).count();
        let (judged, saw) = match (all.len(), unsure + unknown) {
            (0, 0) => (Judged::Open, Saw::NoTileYet),
            (n, 0) => (Judged::Good, Saw::TilesRead(n)),
            (n, unsure) => {
                let all = n + unknown;
                (above(unsure as f32 / all as f32, LIMITS.unsure), Saw::TilesUnsure(all, unsure))
            }
        };
        let mut remarks = vec![Remark { matter: Matter::Tiles, judged, saw }];
        let mut unseen = Vec::new();
        for (player, colour) in self.colours.iter().enumerate() {
            let of = |p: u8| usize::from(p) == player;
            let figures = seen.cells.iter().flat_map(|cell| &cell.figures).filter(|f| of(f.player)).count();
            let count = figures + seen.markers.iter().filter(|m| of(m.player)).count();
            let (judged, saw) = if count == 0 {
                unseen.extend(Some(player).filter(|player| *player < self.players));
                (Judged::Open, Saw::NoPiece(colour.clone()))
            } else {
                (Judged::Good, Saw::Pieces(count, colour.clone()))
            };
            remarks.push(Remark { matter: Matter::Pieces, judged, saw });
        }
        let mut strange: Vec<&String> = seen.cells.iter().flat_map(|cell| &cell.strangers).collect();
        strange.sort_unstable();
        strange.dedup();
        let other_colour = match (&unseen[..], &strange[..]) {
            ([player], [colour]) => Some((*player, (*colour).clone())),
            _ => None,
        };
        remarks.extend(strange.into_iter().map(|colour| Remark {
            matter: Matter::Pieces,
            judged: Judged::Poor,
            saw: Saw::NobodysPieces(colour.clone()),
        }));
        remarks.extend(seen.warnings.iter().map(|warning| Remark {
            matter: Matter::Other,
            judged: Judged::Poor,
            saw: Saw::Other(warning.clone().into()),
        }));
        (remarks, other_colour)
    }
}

/// The confidences of the tiles that are named.
fn tiles(seen: &Observation) -> impl Iterator<Item = f32> {
    seen.cells.iter().filter(|cell| cell.state == CellState::Tile).map(|cell| cell.confidence)
}

fn missed(frame: &RgbImage, judged: Judged, saw: Saw) -> Looked {
    let conditions = Conditions::of(frame, &[]);
    // How wide tiles are is not known, nor where they lie.
    let remarks = vec![Remark { matter: Matter::Board, judged, saw }, light_alone(frame, &conditions)];
    Looked { conditions, remarks, ..Looked::default() }
}

/// What there is to say of the light of a frame in which no board is found.
pub(super) fn light_alone(frame: &RgbImage, conditions: &Conditions) -> Remark {
    match light(conditions) {
        Remark { judged: Judged::Good, .. } if largest_burnt(frame) >= LIMITS.white => {
            Remark { matter: Matter::Light, judged: Judged::Poor, saw: Saw::White }
        }
        light => light,
    }
}

/// What there is to say of how the frame was taken.
pub(super) fn of_conditions(conditions: &Conditions) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if let Some(px) = conditions.tile_px {
        let judged = below(px, LIMITS.tile_px);
        let wide = px.round() as u32;
        let saw = if judged == Judged::Good { Saw::TilesWide(wide) } else { Saw::TilesSmall(wide) };
        remarks.push(Remark { matter: Matter::Distance, judged, saw });
    }
    remarks.push(light(conditions));
    if let Some((softness, px)) = conditions.softness.zip(conditions.tile_px) {
        let judged = above(softness / px.max(1.0), LIMITS.softness);
        let saw = if judged == Judged::Good { Saw::Sharp } else { Saw::Soft };
        remarks.push(Remark { matter: Matter::Sharpness, judged, saw });
    }
    remarks
}

/// What there is to say of the light.
pub(super) fn light(conditions: &Conditions) -> Remark {
    let dark = below(conditions.light, LIMITS.light);
    let burnt = above(conditions.burnt_out, LIMITS.burnt_out);
    let saw = if burnt > Judged::Good {
        Saw::BurntOut((100.0 * conditions.burnt_out).round() as u32)
    } else if dark > Judged::Good {
        Saw::Dark
    } else {
        Saw::GoodLight
    };
    Remark { matter: Matter::Light, judged: dark.max(burnt), saw }
}

fn below(value: f32, (poor, bad): (f32, f32)) -> Judged {
    if value < bad {
        Judged::Bad
    } else if value < poor {
        Judged::Poor
    } else {
        Judged::Good
    }
}

fn above(value: f32, (poor, bad): (f32, f32)) -> Judged {
    below(-value, (-poor, -bad))
}

fn counted(count: usize, one: &str, several: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {several}") }
}
