//! What is printed on the tiles and start spaces of an own copy, looked over one by one and put
//! right by pointing. Each change is written at once.

use std::path::PathBuf;

use image::{Rgb, RgbImage, RgbaImage, imageops};

use super::copy::{OwnCopy, OwnCopyError};
use super::steps::start_key;
use crate::calibrate::enrol::contact_sheet::{SheetTile, tile_picture};
use crate::calibrate::enrol::{Enrolment, deck_folder};
use crate::calibrate::faces::edit::{self, Spot};
use crate::calibrate::survey::text;
use crate::references::REFERENCE_PX;
use crate::rules::castle::validate::{check_deck, check_wall};
use crate::rules::{Attribute, Face, Game, Kind, Port, Sentence, StartSpace, Wall, sentence};
use crate::vision::base::error::VisionError;
use crate::vision::wall::surveyed::SurveyedWall;
use crate::{files, library};

/// What is seen where a start space's picture shows no wall.
const NO_WALL: Rgb<u8> = Rgb([200, 195, 186]);

/// Something with a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A tile, by its place in the deck.
    Tile(usize),
    /// A start space, by its place on the wall.
    Start(usize),
    /// A tile that was left out, by its place among those.
    LeftOut(usize),
}

/// A face as it was before a change.
#[derive(Clone, Debug)]
struct Before {
    place: Place,
    face: Option<Face>,
    doubts: Vec<Port>,
    said: bool,
}

/// The faces of an own copy.
#[derive(Clone, Debug)]
pub struct Printed {
    copy: OwnCopy,
    enrolment: Enrolment,
    wall: Option<Wall>,
    /// A picture of each start space, as of a tile lying there.
    starts: Vec<RgbImage>,
    /// For each change, the last one last, the faces that it changed as they were.
    before: Vec<Vec<Before>>,
}

impl Printed {
    /// The faces of a copy whose deck is in the library, and of its wall where that is too.
    ///
    /// # Errors
    /// [`OwnCopyError`] where the deck cannot be read.
    pub fn open(copy: OwnCopy) -> Result<Printed, OwnCopyError> {
        let enrolment = deck_folder::load(copy.name())?;
        let (mut wall, mut starts) = (None, Vec::new());
        if copy.has_wall() {
            let surveyed = copy.surveyed_wall()?;
            starts = start_pictures(&surveyed);
            wall = Some(surveyed.wall);
        }
        Ok(Printed { copy, enrolment, wall, starts, before: Vec::new() })
    }

    /// The copy.
    pub fn copy(&self) -> &OwnCopy {
        &self.copy
    }

    /// All that has a face: the tiles in their order, the start spaces, what was left out.
    pub fn places(&self) -> Vec<Place> {
        let starts = self.wall.as_ref().map_or(0, |wall| wall.starts.len());
        (0..self.enrolment.deck.len())
            .map(Place::Tile)
            .chain((0..starts).map(Place::Start))
            .chain((0..self.enrolment.left_out.len()).map(Place::LeftOut))
            .collect()
    }

    /// What it is called.
    pub fn title(&self, place: Place) -> Sentence {
        match place {
            Place::Tile(i) => {
                let id = self.enrolment.deck.tiles.get(i).map_or("", |tile| tile.id.as_str());
                sentence!("{}", id)
            }
            Place::Start(i) => self.start(i).map_or_else(Sentence::default, |start| {
                let side = Sentence::word(&text::side_word(start.side));
                sentence!("start space {} {}", start.cell, side)
            }),
            Place::LeftOut(i) => {
                let id = self.enrolment.left_out.get(i).map_or("", |(tile, _)| tile.id.as_str());
                sentence!("{}, left out", id)
            }
        }
    }

    /// What is said to be printed on it.
    pub fn face(&self, place: Place) -> Option<&Face> {
        match place {
            Place::Tile(i) => self.enrolment.deck.tiles.get(i)?.face.as_ref(),
            Place::Start(i) => Some(&self.start(i)?.face),
            Place::LeftOut(i) => self.enrolment.left_out.get(i)?.0.face.as_ref(),
        }
    }

    /// The ports of its face that are in doubt.
    pub fn doubts(&self, place: Place) -> &[Port] {
        match place {
            Place::Tile(i) => self.enrolment.deck.tiles.get(i).map_or(&[], |tile| &tile.doubts[..]),
            Place::Start(_) | Place::LeftOut(_) => &[],
        }
    }

    /// Whether the owner still has to look at it: its face is in doubt or not known, or it is
    /// a start space of which nobody has said that it is right.
    pub fn is_open(&self, place: Place) -> bool {
        match place {
            Place::Tile(_) => self.face(place).is_none() || !self.doubts(place).is_empty(),
            Place::Start(i) => {
                self.start(i).is_some_and(|start| !self.copy.progress.starts.contains_key(&start_key(start)))
            }
            Place::LeftOut(_) => false,
        }
    }

    /// How many the owner still has to look at.
    pub fn open_ones(&self) -> usize {
        self.places().into_iter().filter(|place| self.is_open(*place)).count()
    }

    /// The places of its face that can be pointed at, clockwise.
    pub fn spots(&self, place: Place) -> Vec<Spot> {
        match place {
            Place::Tile(_) => Spot::all().collect(),
            Place::Start(i) => {
                let side = self.start(i).map(|start| start.side.opposite());
                Spot::all().filter(|spot| matches!(spot, Spot::Port(p) if Some(p.side()) == side)).collect()
            }
            Place::LeftOut(_) => Vec::new(),
        }
    }

    /// Its picture with its face drawn over it, so many pixels a side; rings stand at doubts and
    /// at the spot that is pointed at.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn draw(&self, place: Place, side: u32, lit: Option<Spot>) -> Result<RgbImage, VisionError> {
        let blank = || RgbImage::from_pixel(REFERENCE_PX, REFERENCE_PX, NO_WALL);
        let picture = match place {
            Place::Tile(i) => self.enrolment.references.get(i).map(|(_, picture)| picture),
            Place::Start(i) => self.starts.get(i),
            Place::LeftOut(i) => self.enrolment.left_out.get(i).map(|(_, picture)| picture),
        };
        let none = blank();
        let tile = SheetTile {
            id: "",
            picture: picture.unwrap_or(&none),
            face: self.face(place),
            doubts: self.doubts(place),
        };
        tile_picture(&tile, side, lit)
    }

    /// Gives a spot another kind; see [`edit::set`].
    ///
    /// # Errors
    /// [`OwnCopyError::Edit`], or what keeps it from being written.
    pub fn set(&mut self, place: Place, spot: Spot, kind: Option<Kind>) -> Result<(), OwnCopyError> {
        let face = edit::set(self.copy.game(), &self.face_or_bare(place), spot, kind)?;
        self.write(place, face, &[spot])
    }

    /// Makes one part of those at two ports; see [`edit::join`].
    ///
    /// # Errors
    /// As [`Printed::set`].
    pub fn join(&mut self, place: Place, a: Port, b: Port) -> Result<(), OwnCopyError> {
        let face = edit::join(&self.face_or_bare(place), a, b)?;
        self.write(place, face, &[Spot::Port(a), Spot::Port(b)])
    }

    /// Parts what is at a port from the rest; see [`edit::part`].
    ///
    /// # Errors
    /// As [`Printed::set`].
    pub fn part(&mut self, place: Place, port: Port) -> Result<(), OwnCopyError> {
        let face = edit::part(&self.face_or_bare(place), port)?;
        self.write(place, face, &[Spot::Port(port)])
    }

    /// On all tiles what is of one of two kinds is of the other; see [`edit::exchange`]. It is undone
    /// as one change.
    ///
    /// # Errors
    /// What keeps the deck from being written.
    pub fn exchange(&mut self, a: Kind, b: Kind) -> Result<(), OwnCopyError> {
        let mut before = Vec::new();
        for (i, tile) in self.enrolment.deck.tiles.iter_mut().enumerate() {
            let Some(old) = &tile.face else { continue };
            let face = edit::exchange(old, a, b);
            if face != *old {
                let (doubts, said) = (tile.doubts.clone(), tile.doubts.is_empty());
                before.push(Before { place: Place::Tile(i), face: tile.face.replace(face), doubts, said });
            }
        }
        if !before.is_empty() {
            self.write_deck()?;
            self.before.push(before);
        }
        Ok(())
    }

    /// One more of what may be printed on the part at a spot; see [`edit::step`].
    ///
    /// # Errors
    /// As [`Printed::set`].
    pub fn step(&mut self, place: Place, spot: Spot, attribute: Attribute) -> Result<(), OwnCopyError> {
        let face = edit::step(&self.face_or_bare(place), spot, attribute)?;
        self.write(place, face, &[spot])
    }

    /// The owner has looked: the face is right as it is.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub fn accept(&mut self, place: Place) -> Result<(), OwnCopyError> {
        if !self.is_open(place) {
            return Ok(());
        }
        let face = self.face_or_bare(place);
        let all: Vec<Spot> = Spot::all().collect();
        self.write(place, face, &all)
    }

    /// Takes the last change back, and gives what it was about; nothing where there is none.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub fn undo(&mut self) -> Result<Vec<Place>, OwnCopyError> {
        let before = self.before.pop().unwrap_or_default();
        let places: Vec<Place> = before.iter().map(|before| before.place).collect();
        for Before { place, face, doubts, said } in before {
            match place {
                Place::Tile(i) => {
                    if let Some(tile) = self.enrolment.deck.tiles.get_mut(i) {
                        (tile.face, tile.doubts) = (face, doubts);
                    }
                }
                Place::Start(i) => self.write_start(i, face, said)?,
                Place::LeftOut(_) => {}
            }
        }
        if places.iter().any(|place| matches!(place, Place::Tile(_))) {
            self.write_deck()?;
        }
        Ok(places)
    }

    /// Leaves a tile out of the deck, or takes one back that was left out. Changes before it can
    /// be undone no more, since places are others.
    ///
    /// # Errors
    /// What keeps the deck from being written.
    pub fn leave_out(&mut self, place: Place) -> Result<(), OwnCopyError> {
        let Enrolment { deck, references, left_out, .. } = &mut self.enrolment;
        match place {
            Place::Tile(i) if i < deck.tiles.len() && i < references.len() => {
                let tile = deck.tiles.remove(i);
                let (_, picture) = references.remove(i);
                left_out.push((tile, picture));
            }
            Place::LeftOut(i) if i < left_out.len() => {
                let (tile, picture) = left_out.remove(i);
                references.push((tile.id.clone(), picture));
                deck.tiles.push(tile);
            }
            _ => return Ok(()),
        }
        self.before.clear();
        deck_folder::store(&self.enrolment, true, None)?;
        self.enrolment = deck_folder::load(self.copy.name())?;
        Ok(())
    }

    /// Draws the contact sheet as the faces are now.
    ///
    /// # Errors
    /// What keeps it from being written.
    pub fn draw_sheet(&self) -> Result<(), OwnCopyError> {
        deck_folder::draw_sheet(&self.deck_folder()?, &self.enrolment.deck)?;
        Ok(())
    }

    /// Holds deck and wall against the rules of The Castle: what is wrong, a sentence each, the
    /// wall first.
    pub fn against_rules(&self) -> Vec<Sentence> {
        if self.copy.game() != Game::Castle {
            return Vec::new();
        }
        let mut found: Vec<_> = self.wall.iter().flat_map(check_wall).collect();
        found.extend(check_deck(&self.enrolment.deck));
        found.into_iter().map(|finding| sentence!("{} ({})", finding.sentence, finding.rule)).collect()
    }

    fn start(&self, i: usize) -> Option<&StartSpace> {
        self.wall.as_ref()?.starts.get(i)
    }

    fn face_or_bare(&self, place: Place) -> Face {
        self.face(place).cloned().unwrap_or_else(|| edit::bare(self.copy.game()))
    }

    fn deck_folder(&self) -> Result<PathBuf, OwnCopyError> {
        Ok(library::data_dir()?.join("decks").join(self.copy.name()))
    }

    /// Keeps a face; what was in doubt at these spots no longer is.
    fn write(&mut self, place: Place, face: Face, looked_at: &[Spot]) -> Result<(), OwnCopyError> {
        let before = Before {
            place,
            face: self.face(place).cloned(),
            doubts: self.doubts(place).to_vec(),
            said: !self.is_open(place),
        };
        match place {
            Place::Tile(i) => {
                let Some(tile) = self.enrolment.deck.tiles.get_mut(i) else { return Ok(()) };
                tile.face = Some(face);
                tile.doubts.retain(|port| !looked_at.contains(&Spot::Port(*port)));
                self.write_deck()?;
            }
            Place::Start(i) => self.write_start(i, Some(face), true)?,
            Place::LeftOut(_) => return Ok(()),
        }
        self.before.push(vec![before]);
        Ok(())
    }

    fn write_deck(&self) -> Result<(), OwnCopyError> {
        let file = self.deck_folder()?.join("deck.toml");
        let text = match &self.enrolment.former {
            Some(former) => self.enrolment.deck.to_toml_over(former),
            None => self.enrolment.deck.to_toml(),
        };
        files::write_whole(&file, text.as_bytes()).map_err(|error| OwnCopyError::Io(error, file))
    }

    fn write_start(&mut self, i: usize, face: Option<Face>, said: bool) -> Result<(), OwnCopyError> {
        let Some(start) = self.wall.as_mut().and_then(|wall| wall.starts.get_mut(i)) else { return Ok(()) };
        start.face = face.unwrap_or_else(|| start.face.clone());
        let (key, face) = (start_key(start), start.face.to_string());
        if said {
            self.copy.progress.starts.insert(key, face);
        } else {
            self.copy.progress.starts.remove(&key);
        }
        self.copy.save()?;
        let file = library::wall_file(self.copy.name())?;
        let text = self.wall.as_ref().map(text::text).unwrap_or_default();
        library::write_wall(&file, &text, None).map_err(|error| OwnCopyError::Io(error, file))
    }
}

/// The start spaces of a wall in its picture, each as a tile lying there would be.
fn start_pictures(surveyed: &SurveyedWall) -> Vec<RgbImage> {
    let SurveyedWall { wall, picture, px_per_tile, origin_px } = surveyed;
    let whole = on_ground(picture);
    let side = px_per_tile.round().max(1.0) as u32;
    let of = |start: &StartSpace| {
        let (right, down) = start.side.step();
        let place = |cell: i8, by: i8, origin: f32| {
            (origin + (f32::from(cell) + f32::from(by)) * px_per_tile).round() as i64
        };
        let x = place(start.cell.col, right, origin_px.0);
        let y = place(start.cell.row, down, origin_px.1);
        let mut tile = RgbImage::from_pixel(side, side, NO_WALL);
        imageops::replace(&mut tile, &whole, -x, -y);
        tile
    };
    wall.starts.iter().map(of).collect()
}

/// A picture that is clear in places, on plain ground.
fn on_ground(clear: &RgbaImage) -> RgbImage {
    RgbImage::from_fn(clear.width(), clear.height(), |x, y| {
        let image::Rgba([r, g, b, opacity]) = *clear.get_pixel(x, y);
        if opacity < 128 { NO_WALL } else { Rgb([r, g, b]) }
    })
}
