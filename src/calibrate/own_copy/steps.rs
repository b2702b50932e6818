//! What the program does with the photos: it surveys the wall and enrols the tiles.

use image::RgbImage;
use opencv::core::{Point, Scalar, Vector};
use opencv::imgproc;

use super::copy::{OwnCopy, OwnCopyError, name_of};
use crate::calibrate::enrol::{self, Twice, deck_folder, loose};
use crate::calibrate::faces;
use crate::calibrate::survey::tile_edges::TileEdges;
use crate::calibrate::survey::{self, Hints, Proposal, drawing, text};
use crate::library;
use crate::picture;
use crate::rules::{Cell, Game, Sentence, Side, StartSpace, TrackPoint, Wall, sentence};
use crate::vision::base::camera::Pose;
use crate::vision::base::error::VisionError;
use crate::vision::base::mat::point;
use crate::vision::base::photo;
use crate::vision::tiles::recogniser::OnnxMatcher;
use crate::vision::wall::scale::WallScale;

/// Red, green and blue of the outline of a tile that is cut out of a photo.
const CUT_PAINT: (f64, f64, f64) = (60.0, 220.0, 90.0);
/// Its width as a share of the photo's longest side.
const CUT_WIDTH: f64 = 0.004;

/// What the photo of the empty wall gave.
#[derive(Clone, Debug)]
pub struct Surveyed {
    /// The wall; it is in the library.
    pub wall: Wall,
    /// The survey over the photo.
    pub drawing: RgbImage,
    /// The camera of the photo.
    pub pose: Pose,
    /// The corner with 0 and 1.
    pub first: Option<usize>,
    /// Whether the numbers grow clockwise.
    pub clockwise: Option<bool>,
    /// Whether it is decided which number is where.
    pub numbered: bool,
    /// What the owner should look at, a sentence each.
    pub doubts: Vec<Sentence>,
}

/// What became of the photos of tiles.
#[derive(Clone, Debug)]
pub struct Enrolled {
    /// How many tiles the deck has.
    pub tiles: usize,
    /// How many of them have a face with doubts.
    pub doubtful: usize,
    /// Pictures that look like one tile.
    pub twice: Vec<Twice>,
    /// What people should know, a sentence each.
    pub warnings: Vec<Sentence>,
}

/// The tiles that are found in a photo.
#[derive(Clone, Debug)]
pub struct Cut {
    /// How many.
    pub tiles: usize,
    /// The photo with their outlines.
    pub drawing: RgbImage,
    /// What is wrong with the photo, a sentence each.
    pub doubts: Vec<Sentence>,
}

impl OwnCopy {
    /// Whether the wall is in the library.
    pub fn has_wall(&self) -> bool {
        library::wall_file(&self.name).is_ok_and(|file| file.is_file())
    }

    /// Whether the deck is in the library.
    pub fn has_deck(&self) -> bool {
        library::data_dir().is_ok_and(|data| data.join("decks").join(&self.name).join("deck.toml").is_file())
    }

    /// Measures the wall in its photo and keeps it in the library, in place of what is there. What
    /// start spaces show is told by the edges of the deck's tiles where there is a deck; what the
    /// owner has said of them stays.
    ///
    /// # Errors
    /// [`OwnCopyError::NoWallPhoto`], what makes the photo no measure of a wall, or what keeps
    /// the wall from being written.
    pub fn survey(&self) -> Result<Surveyed, OwnCopyError> {
        let (found, frame) = self.measured()?;
        let scale = WallScale { px_per_tile: found.px_per_tile, origin_px: found.origin_px };
        let file = library::wall_file(&self.name)?;
        let failed = |error| OwnCopyError::Io(error, file.clone());
        let png = picture::to_png(&found.picture).map_err(failed)?;
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        library::write_wall(&file, &text::text(&found.wall), Some((&png, &scale.to_json())))
            .map_err(failed)?;
        shown(found, &frame)
    }

    /// The wall as it is in the library, over its photo. Nothing is written: the owner may have
    /// corrected its text.
    ///
    /// # Errors
    /// As [`OwnCopy::survey`].
    pub fn look_at_wall(&self) -> Result<Surveyed, OwnCopyError> {
        let (mut found, frame) = self.measured()?;
        if let Some(kept) = self.kept_wall(&found) {
            found.wall = kept;
        }
        shown(found, &frame)
    }

    /// Tells by the edges of the deck's tiles what the start spaces show of which the owner has
    /// said nothing. All else that the wall's text says stays.
    fn tell_starts(&self) -> Result<(), OwnCopyError> {
        let (found, _) = self.measured()?;
        let Some(mut kept) = self.kept_wall(&found) else { return Ok(()) };
        for start in &mut kept.starts {
            let told = found.wall.starts.iter().find(|other| start_key(other) == start_key(start));
            start.face = told.map_or_else(|| start.face.clone(), |told| told.face.clone());
        }
        let file = library::wall_file(&self.name)?;
        library::write_wall(&file, &text::text(&kept), None).map_err(|error| OwnCopyError::Io(error, file))
    }

    /// What is measured in the photo of the wall, with what the owner has said of its start
    /// spaces; and the photo.
    fn measured(&self) -> Result<(Proposal, RgbImage), OwnCopyError> {
        let frame = photo::open(&self.wall_photo().ok_or(OwnCopyError::NoWallPhoto)?)?;
        let edges = if self.has_deck() { Some(TileEdges::of_deck(&self.name)?) } else { None };
        let said = &self.progress;
        let starts: Vec<(Cell, Side)> = said.start_places.iter().filter_map(|key| start_place(key)).collect();
        let of_photo = Hints { edges: edges.as_ref(), corners: &said.corners, ..Hints::default() };
        let numbers = Hints { start_tower: said.start_tower, clockwise: said.clockwise, ..of_photo };
        let all = Hints { starts: &starts, towers: &said.towers, ..numbers };
        let mut found = survey::survey(&frame, &self.name, all)?;
        if !said.outline.is_empty() && found.wall.outline != said.outline {
            // What was said is of the cells and corners of another wall.
            found = survey::survey(&frame, &self.name, of_photo)?;
        } else {
            for (number, x, y) in &said.spaces {
                if let Some(place) = found.wall.track.get_mut(usize::from(*number)) {
                    *place = TrackPoint { x: *x, y: *y };
                }
            }
        }
        for start in &mut found.wall.starts {
            let said = self.progress.starts.get(&start_key(start)).and_then(|face| face.parse().ok());
            start.face = said.unwrap_or_else(|| start.face.clone());
        }
        Ok((found, frame))
    }

    /// The wall in the library, where it has the outline that is measured.
    fn kept_wall(&self, found: &Proposal) -> Option<Wall> {
        library::wall(&self.name).ok().filter(|kept| self.has_wall() && kept.outline == found.wall.outline)
    }

    /// Enrols the tiles of the photos that are not in the deck yet, proposes their faces, and
    /// keeps the deck in the library.
    ///
    /// # Errors
    /// [`OwnCopyError::NoTilePhotos`], or what is wrong with a photo.
    pub fn enrol(&mut self) -> Result<Enrolled, OwnCopyError> {
        let photos = self.waiting()?;
        if photos.is_empty() {
            return Err(OwnCopyError::NoTilePhotos);
        }
        let matcher = OnnxMatcher::built_in()?;
        let mut enrolment = if self.has_deck() {
            enrol::with_photos(deck_folder::load(&self.name)?, &photos, &matcher, false)?
        } else {
            enrol::from_photos(&photos, self.game, &self.name, &matcher, false)?
        };
        enrolment.deck.sets.clone_from(&self.progress.sets);
        faces::fill(&mut enrolment.deck, &enrolment.references)?;
        enrolment.warnings.extend(enrol::set_findings(&enrolment.deck));
        deck_folder::store(&enrolment, true, None)?;
        self.progress.enrolled.extend(photos.iter().map(|file| name_of(file)));
        self.save()?;
        if self.has_wall() {
            // The tiles tell better what the start spaces show.
            self.tell_starts()?;
        }
        Ok(Enrolled {
            tiles: enrolment.deck.len(),
            doubtful: enrolment.deck.tiles.iter().filter(|tile| !tile.doubts.is_empty()).count(),
            twice: enrolment.twice,
            warnings: enrolment.warnings,
        })
    }

    /// How many tiles the deck has, and how many it should have where that is known.
    pub fn tiles(&self) -> (usize, Option<usize>) {
        let tiles = library::deck(&self.name).ok().filter(|_| self.has_deck()).map_or(0, |p| p.deck.len());
        let whole = match self.game {
            Game::Castle => Some(crate::rules::castle::validate::DECK_TILES),
            Game::Classic => None,
        };
        (tiles, whole)
    }
}

/// A survey for the owner to look over.
fn shown(found: Proposal, frame: &RgbImage) -> Result<Surveyed, OwnCopyError> {
    let drawing = drawing::draw(frame, &found.wall, &found.pose)?;
    let (first, clockwise) = numbering(&found.wall);
    Ok(Surveyed {
        pose: found.pose,
        first,
        clockwise,
        numbered: found.numbered,
        doubts: found.doubts,
        wall: found.wall,
        drawing,
    })
}

/// The corner with 0 and 1, and whether the numbers grow clockwise from there.
fn numbering(wall: &Wall) -> (Option<usize>, Option<bool>) {
    let ring = wall.ring();
    let near = |number: u8| survey::corner_of(wall, &ring, wall.tower_at(number)?);
    let first = near(0);
    let next = wall.towers.iter().map(|tower| tower.0).filter(|n| *n > 0).min().and_then(near);
    let clockwise = first.zip(next).map(|(first, next)| next == (first + 1) % ring.len());
    (first, clockwise)
}

/// By what a start space is known from one survey to the next.
pub(super) fn start_key(start: &StartSpace) -> String {
    place_key(start.cell, start.side)
}

/// By what the place of a start space is known.
pub(super) fn place_key(cell: Cell, side: Side) -> String {
    format!("{},{},{}", cell.col, cell.row, text::side_word(side))
}

/// The place that [`start_key`] names.
fn start_place(key: &str) -> Option<(Cell, Side)> {
    let mut parts = key.split(',');
    let (col, row) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let word = parts.next()?;
    Some((Cell::new(col, row), Side::ALL.into_iter().find(|side| text::side_word(*side) == word)?))
}

/// The tiles of a photo, before it is kept.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn cut(photo: &RgbImage) -> Result<Cut, VisionError> {
    let loose::Found { tiles, besides } = loose::find(photo)?;
    if tiles.is_empty() && enrol::is_one_tile(photo) {
        return Ok(Cut { tiles: 1, drawing: photo.clone(), doubts: Vec::new() });
    }
    let mut drawn = photo::to_mat(photo)?;
    let longest = photo.width().max(photo.height());
    let wide = ((CUT_WIDTH * f64::from(longest)).round() as i32).max(2);
    let (r, g, b) = CUT_PAINT;
    for tile in &tiles {
        let outline: Vector<Point> = tile.0.iter().map(|corner| point(*corner)).collect();
        imgproc::polylines(&mut drawn, &outline, true, Scalar::new(r, g, b, 0.0), wide, imgproc::LINE_AA, 0)?;
    }
    let mut doubts = enrol::doubts_of(&tiles, besides);
    if tiles.is_empty() {
        doubts.push(sentence!(
            "no tile was found; lay tiles a finger's breadth apart on a table of another colour, all corners in view"
        ));
    }
    Ok(Cut { tiles: tiles.len(), drawing: photo::to_picture(&drawn)?, doubts })
}
