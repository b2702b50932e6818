//! Reads a table inside a surveyed wall.

use std::collections::BTreeMap;
use std::sync::Arc;

use image::{RgbImage, imageops};
use rayon::prelude::*;

use super::beside::Beside;
use super::drawing::Placed;
use super::glance::{self, Change, Look, Motion};
use crate::observation::{Alternative, CellReading, CellState, MarkerReading, Observation, WallTileReading};
use crate::pieces::PlayerPieces;
use crate::rules::{Cell, Deck, Side, cell_name};
use crate::vision::base::camera::Pose;
use crate::vision::base::crop::{CELL_PX, MARGIN_PX};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Quad};
use crate::vision::base::photo::Pyramid;
use crate::vision::base::rectify::Rectifier;
use crate::vision::figures::{self, BOARD_PX, Board, Ground, Silhouettes, Standing, Strangers, Track, Way};
use crate::vision::tiles::assignment::{Constraints, Settled, Site, settle};
use crate::vision::tiles::blur;
use crate::vision::tiles::colour_model::{EXPLAINED, Light, Lit, Soft, Sure};
use crate::vision::tiles::overlay::Overlay;
use crate::vision::tiles::recogniser::{Comparison, Gallery};
use crate::vision::tiles::references::Pictures;
use crate::vision::tiles::refine::Straightened;
use crate::vision::wall::registration::{Followed, WallFinder};
use crate::vision::wall::surveyed::SurveyedWall;
use crate::vision::wall::table_colour::Tabletop;
use crate::vision::wall::taken::Fronts;

/// How far a tile's face usually lies below the top of the wall, tile sides: assumed until
/// enough tiles are known to measure it.
const USUAL_DEPTH: f32 = 0.09;
/// The depths that a wall of card or wood can have, tile sides.
const DEPTHS: std::ops::RangeInclusive<f32> = -0.02..=0.3;

/// When a cell may hold a tile and when it is bare.
///
/// This and what follows was chosen on 60 rendered boards (`castellan render --boards 60
/// --unseen --seed 9191`); what is bare or hidden also by what went wrong on the boards of
/// `models/recogniser/README.md`.
struct Holding {
    /// Least correlation (-1 to 1) of a reference with the crop for the cell to claim a tile
    /// of the deck. Lower lets the table's grain claim one; higher loses dark tiles.
    fits: f32,
    /// The same for a cell that looks bare: grain is like some print by chance.
    fits_bare: f32,
    /// Least share (0 to 1) of the telling blocks that this reference explains. Higher loses
    /// tiles with a follower.
    explains: f32,
    /// Share of the cell's pixels with the table's colour below which it is not empty.
    bare: f32,
    /// Share from which on it is empty even where the recogniser sees something over it.
    surely_bare: f32,
    /// Probability of a tile in full view from which on a cell of the table's colour does not
    /// look bare.
    shows: f32,
    /// Correlation below which a cell of a game, in which no tile is known to lie, is like no
    /// print,
    like_none: f32,
    /// unless the recogniser sees a tile with at least this probability. Glare on a bare table
    /// has up to 0.19 and is seen as a tile with up to 0.2 in four of five tables, tiles under a
    /// keep 0.24 and more.
    seen: f32,
    /// Correlation of a reference with the crop from which on a tile lies in the first frame of
    /// a game. Tiles have 0.4 to 0.8, half hidden ones 0.25, the bare table in glare below 0.2,
    /// on the path-traced tables of `datasets/traced-games`.
    fits_at_first: f32,
}

const HOLDING: Holding = Holding {
    fits: 0.4,
    fits_bare: 0.55,
    explains: 0.5,
    bare: 0.7,
    surely_bare: 0.75,
    shows: 0.7,
    like_none: 0.2,
    seen: 0.5,
    fits_at_first: 0.3,
};

/// How far a name is believed.
struct Belief {
    /// Confidence from which on a tile is sure and tells of the light. Lower learns it from
    /// more tiles, and from wrong ones. While the light is not known, such a name stands even
    /// where the recogniser sees something over the cell.
    sure: f32,
    /// Confidence from which on a tile is expected to lie there still while figures hide it.
    surest: f32,
    /// Confidence from which on a tile tells of the photo's blur. While the light is not
    /// known, such a name stands where the recogniser sees nothing over the cell.
    likely: f32,
    /// Posterior below which a cell's readings are ranked anew. Higher takes longer.
    doubted: f32,
    /// Factor on trust for cells that re-ranking decided. Lower makes them yield copies of a
    /// tile to the others.
    less_trusted: f32,
    /// Highest confidence of such a cell: below what counts as sure.
    surest_in_doubt: f32,
}

const BELIEF: Belief =
    Belief { sure: 0.9, surest: 0.97, likely: 0.5, doubted: 0.9, less_trusted: 0.2, surest_in_doubt: 0.89 };

/// When a cell that did not claim a tile by itself holds one in the light of the others.
struct Found {
    /// Weight of the recogniser's probability of a tile, less a half, in log odds.
    state: f32,
    /// Least log odds of the reading with that weight. Lower finds tiles on bare tables.
    lies: f32,
    /// The same for a cell that looks bare.
    lies_bare: f32,
}

const FOUND: Found = Found { state: 4.0, lies: 3.0, lies_bare: 5.0 };

/// When something hides a cell, so that its reading is not told.
struct Hiding {
    /// While the light is not known: share of the telling blocks below which a reference
    /// explains too little, unless the name is sure.
    explained: f32,
    /// In a known light: face confidence below which a veiled cell is hidden.
    veiled: f32,
    /// Probability of a tile in full view below which a cell is veiled.
    in_view: f32,
    /// A cell is seen after all when a print explains at least this share of its pixels
    seen: f32,
    /// and at most this share has the table's colour.
    showing: f32,
    /// Least share of a cell that must be in the picture.
    inside: f32,
}

const HIDING: Hiding =
    Hiding { explained: 0.2, veiled: 0.7, in_view: 0.25, seen: 0.75, showing: 0.2, inside: 0.8 };

/// Levels of 255 by which the light on the board may change before all cells are read again:
/// less than what counts as a change of one cell.
const DRIFT: f32 = 8.0;
/// Share of the tiles that told of the light that must still tell the same for it to hold.
const LIGHT_HOLDS: f32 = 0.5;
/// So many more tiles that tell of the light, as a share of those that told of it, or so many
/// of those cut anew are not worth learning it anew: every cell is judged again in a new light.
const LIGHT_GROWS: f32 = 0.2;
/// More cells than this that change at once are a hand or the light, not a figure.
const NOTED: usize = 12;
/// Frames to wait, when the wall is not found, before slow features are tried again.
const PATIENCE: u32 = 8;

/// Reads frames of a table with a wall; keeps where the wall is and what the
/// cells hold from frame to frame.
pub struct CastleReader {
    deck: Deck,
    pictures: Pictures,
    /// The light, while it is known.
    light: Option<KnownLight>,
    /// How many lights have been learned.
    lights: u64,
    finder: WallFinder,
    cells: Vec<Cell>,
    colours: Vec<[u8; 3]>,
    strangers: Strangers,
    track: Track,
    /// How the wall looked when the markers on it were read, a look a square of the track.
    track_looks: Vec<Look>,
    markers: Vec<MarkerReading>,
    /// The table beside the wall, where the fronts of the wall tiles are known.
    beside: Option<Beside>,
    wall_tiles: Vec<WallTileReading>,
    /// What moves on the board and on the track, where the frames are a film's.
    film: Option<Film>,
    /// Of the wall, in tile sides.
    thickness: f32,
    place: Option<Place>,
    memory: Vec<Memory>,
    last: Option<Observation>,
    /// Frames in a row in which the wall was not found.
    missed: u32,
    /// What is true of every reading.
    warnings: Vec<String>,
    /// How figures are found.
    way: Way,
    /// The players' pieces, where they were measured.
    pieces: Vec<PlayerPieces>,
    /// The cells in which tiles are known to lie; the others are bare as far as is known.
    /// `None` where nothing is known.
    laid: Option<Vec<Cell>>,
}

/// What moves in a film.
#[derive(Default)]
struct Film {
    cells: Motion,
    track: Motion,
}

/// A light that was learned.
#[derive(Clone)]
struct KnownLight {
    light: Arc<Light>,
    /// Which of the lights that were learned it is.
    number: u64,
    /// The tiles that told of it: cell, tile and turn.
    of: Vec<(Cell, usize, u8)>,
}

/// Where the board is.
struct Place {
    pose: Pose,
    depth: f32,
}

/// What is known of a cell.
#[derive(Clone, Default)]
struct Memory {
    /// How the cell looked when it was read.
    look: Look,
    comparison: Comparison,
    crop: RgbImage,
    /// How far the crop's middle lies off the cell's, tile sides.
    offset: (f32, f32),
    /// The crop as the light is learned from it.
    soft: Soft,
    /// The share of the cell that has the table's colour.
    bare: f32,
    inside: f32,
    /// How the cell looked when it was bare.
    bare_look: Option<Look>,
    /// Whether it looks as it did when it was bare.
    known_bare: bool,
    /// Whether it was known to be bare before the camera or the light changed.
    was_bare: bool,
    /// What was seen last with nothing over it.
    settled: Option<Stable>,
    /// The tile that was surely seen last, and its turn, since when the cell was not bare.
    surely: Option<(usize, u8)>,
    /// What was worked out of the crop.
    worked_out: WorkedOut,
}

impl Memory {
    /// Whether the cell has the table's colour and the recogniser sees no tile.
    fn looks_bare(&self) -> bool {
        self.bare >= HOLDING.surely_bare && self.comparison.in_view() < HOLDING.shows
    }
}

/// What has been worked out of a crop and its comparison, and holds as long as they do.
#[derive(Clone, Default)]
struct WorkedOut {
    /// How the best reading by itself lies over the crop.
    best: Option<Option<Overlay>>,
    /// A tile and its turn, and how that lies over the crop.
    laid: Option<(usize, u8, Option<Overlay>)>,
    /// The number of a light, whether the cell was taken for occupied, and what the crop
    /// tells in that light.
    lit: Option<(u64, bool, Lit)>,
}

/// What a cell held when it was last seen clearly.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stable {
    Empty,
    Tile,
}

impl CastleReader {
    /// Makes ready to read; `gallery` holds the deck's tiles in their order,
    /// `references` their upright pictures.
    ///
    /// # Errors
    /// When the wall's picture has nothing to find it by, or the players' colours
    /// can't be told apart.
    pub fn new(
        deck: Deck,
        gallery: Box<dyn Gallery>,
        references: &[RgbImage],
        survey: &SurveyedWall,
        colours: Vec<[u8; 3]>,
    ) -> Result<CastleReader, VisionError> {
        let warnings = figures::separable(&colours, references)?;
        let cells = survey.wall.cells();
        Ok(CastleReader {
            pictures: Pictures::new(gallery, references),
            light: None,
            lights: 0,
            finder: WallFinder::new(survey)?,
            memory: vec![Memory::default(); cells.len()],
            deck,
            cells,
            strangers: Strangers::new(&colours),
            track: Track::new(
                &survey.picture,
                survey.px_per_tile,
                survey.origin_px,
                survey.wall.track.iter().map(|p| (p.x, p.y)).collect(),
            ),
            track_looks: Vec::new(),
            markers: Vec::new(),
            beside: None,
            wall_tiles: Vec::new(),
            film: None,
            colours,
            thickness: survey.wall.thickness,
            place: None,
            last: None,
            missed: 0,
            warnings,
            way: Way::usual()?,
            pieces: Vec::new(),
            laid: None,
        })
    }

    /// Says in which cells tiles are known to lie. In the others nothing lies as far as is
    /// known: how they look in the first frame is how they look when they are bare, but for
    /// those in which a tile is read.
    pub fn expect_laid(&mut self, laid: Vec<Cell>) {
        self.laid = Some(laid);
    }

    /// Says on which spaces of the track the players' markers are known to stand, player by
    /// player.
    pub fn expect_markers(&mut self, spaces: Vec<u8>) {
        self.track.expect(spaces);
    }

    /// Finds figures in this way from now on.
    pub fn find_figures(&mut self, way: Way) {
        self.way = way;
    }

    /// Goes by the sizes of these pieces from now on, in the order of the players.
    pub fn know_pieces(&mut self, pieces: Vec<PlayerPieces>) {
        self.pieces = pieces;
    }

    /// Reads the numbers of wall tiles that lie face up beside the wall from now on, by the
    /// pictures of their fronts: square, in the order of the numbers printed on them.
    pub fn know_wall_tiles(&mut self, fronts: &[RgbImage]) {
        let fronts = Fronts::new(fronts, self.thickness);
        self.beside = Some(Beside::new(fronts, &self.cells, self.thickness));
    }

    /// Takes the frames from now on as those of a film: what still moves is not read, its
    /// cells are covered.
    pub fn expect_film(&mut self) {
        self.film = Some(Film::default());
    }

    /// Where the wall's cells are in the last frame: upper left, upper right,
    /// lower right, lower left corner, pixels. Empty while the wall is not found.
    pub fn places(&self) -> Vec<Placed> {
        let Some(place) = &self.place else { return Vec::new() };
        self.cells.iter().map(|cell| (*cell, corners(place, *cell))).collect()
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// [`VisionError::NoWall`] when the wall is not in the frame.
    pub fn read(&mut self, frame: &RgbImage) -> Result<Observation, VisionError> {
        let (mut place, fresh) = self.locate(frame)?;
        let looks = glance::cells(frame, &place.pose, place.depth, &self.cells);
        let moves = match &mut self.film {
            Some(film) if !fresh => film.cells.take(&looks),
            Some(film) => {
                film.cells.begin(&looks);
                Vec::new()
            }
            None => Vec::new(),
        };
        let count = self.cells.len();
        let all = || (0..count).collect::<Vec<usize>>();
        let (changed, relit) = match &self.last {
            Some(_) if !fresh => self.changed(&looks),
            _ => (all(), true),
        };
        let touch = |a: usize, b: usize| {
            let (a, b) = (self.cells[a], self.cells[b]);
            a.col.abs_diff(b.col) <= 1 && a.row.abs_diff(b.row) <= 1
        };
        let (changed, moving) = match &mut self.film {
            Some(film) if !fresh && self.last.is_some() => {
                let moving = film.cells.waiting(&changed, &moves, touch);
                match film.cells.is_settled(relit, !moving.is_empty()) {
                    true => (all(), moving),
                    false if relit => (Vec::new(), changed),
                    false => (changed, moving),
                }
            }
            _ if relit => (all(), Vec::new()),
            _ => (changed, Vec::new()),
        };
        let changed: Vec<usize> = changed.into_iter().filter(|i| !moving.contains(i)).collect();
        let to_read = self.without_known_bare(&looks, &changed, fresh || relit);
        tracing::debug!(changed = changed.len(), moving = moving.len(), fresh, relit, "cells");
        self.find_markers(frame, &place, fresh)?;
        self.find_wall_tiles(frame, &place, fresh)?;
        if let (true, Some(last)) = (changed.is_empty(), &mut self.last) {
            last.markers.clone_from(&self.markers);
            last.wall_tiles.clone_from(&self.wall_tiles);
            let mut observation = last.clone();
            cover(&mut observation, &moving);
            self.place = Some(place);
            return Ok(observation);
        }
        if relit {
            self.light = None;
        }
        self.look(frame, &place, &to_read)?;
        let mut readings = self.name()?;
        if fresh {
            let depth = self.level(&place, &readings).unwrap_or(place.depth);
            let moved = (depth - place.depth).abs() > 0.015;
            place.depth = depth;
            let softened = self.soften(&readings)?;
            if moved || softened {
                self.light = None;
                self.look(frame, &place, &to_read)?;
                readings = self.name()?;
            }
        }
        let straightened = self.straighten(frame, &place, &to_read, &readings)?;
        if !straightened.is_empty() {
            let otherwise = |l: &KnownLight| {
                let cut_anew = l.of.iter().filter(|(cell, ..)| straightened.contains(cell)).count();
                cut_anew as f32 > LIGHT_GROWS * l.of.len() as f32
            };
            if fresh || self.light.as_ref().is_some_and(otherwise) {
                self.light = None;
            }
            readings = self.name()?;
        }
        let noted = self.noted(&to_read);
        if self.learn_bare(&looks, &readings, &moving, fresh || relit) {
            readings = self.name()?;
        }
        for i in changed {
            self.memory[i].look.clone_from(&looks[i]);
            let sure = readings[i].settled.as_ref().filter(|settled| settled.confidence > BELIEF.surest);
            if let Some((tile, settled)) = sure.and_then(|settled| Some((settled.tile?, settled))) {
                self.memory[i].surely = Some((tile, settled.rotation));
            }
        }
        for i in &moving {
            readings[*i] = Reading::covered();
        }
        let mut figures = self.figures(frame, &place, &readings, &noted)?;
        if self.see_past(&looks, &readings, &figures.silhouettes) {
            readings = self.name()?;
            for i in &moving {
                readings[*i] = Reading::covered();
            }
            figures = self.figures(frame, &place, &readings, &noted)?;
        }
        let mut observation = self.observe(&readings);
        let Figures { standing, strangers, .. } = figures;
        for standing in standing {
            tracing::trace!(cell = %cell_name(standing.cell), figure = ?standing.figure, "figure");
            if let Some(cell) = self.cell_mut(&mut observation, standing.cell) {
                cell.figures.push(standing.figure);
            }
        }
        for (cell, colour) in strangers {
            if let Some(cell) = self.cell_mut(&mut observation, cell) {
                cell.strangers.push(colour.to_owned());
            }
        }
        let mut known = observation.clone();
        for i in &moving {
            let before = self.last.as_mut().and_then(|last| last.cells.get_mut(*i));
            if let (Some(cell), Some(before)) = (known.cells.get_mut(*i), before) {
                *cell = std::mem::take(before);
            }
        }
        cover(&mut observation, &moving);
        self.place = Some(place);
        self.last = Some(known);
        Ok(observation)
    }

    /// Where the board is in the frame, and whether that is news.
    fn locate(&mut self, frame: &RgbImage) -> Result<(Place, bool), VisionError> {
        if let Some(place) = self.place.take() {
            match self.finder.follow(frame, &place.pose)? {
                Followed::Still => return Ok((place, false)),
                Followed::Moved(r) => return Ok((Place { pose: r.pose, ..place }, true)),
                Followed::Lost => {
                    self.last = None;
                }
            }
        }
        let thorough = self.missed.is_multiple_of(PATIENCE);
        match self.finder.find(frame, thorough) {
            Ok(r) => {
                self.missed = 0;
                Ok((Place { pose: r.pose, depth: USUAL_DEPTH }, true))
            }
            Err(e) => {
                self.missed += 1;
                Err(e)
            }
        }
    }

    /// The cells that look other than when they were read, beside what the light changed, and
    /// whether the light is another, in which all are to be read again.
    fn changed(&self, looks: &[Look]) -> (Vec<usize>, bool) {
        let Change { squares, drift } = glance::change(self.memory.iter().map(|m| &m.look), looks);
        (squares, drift.levels() > DRIFT)
    }

    /// Cells in which a figure is looked for even where they hardly differ from their print:
    /// those that have changed, where they are few, and those on which figures stood.
    fn noted(&self, changed: &[usize]) -> Vec<Cell> {
        let few: &[usize] = if changed.len() <= NOTED { changed } else { &[] };
        let stood = self.last.iter().flat_map(|last| &last.cells).filter(|c| !c.figures.is_empty());
        let stood = stood.map(|c| Cell::new(c.col, c.row));
        few.iter().map(|i| self.cells[*i]).chain(stood).collect()
    }

    /// Of the cells that have changed, those that do not look as they did when they were bare;
    /// `otherwise` says that the camera or the light is another than before.
    fn without_known_bare(&mut self, looks: &[Look], changed: &[usize], otherwise: bool) -> Vec<usize> {
        let then: Vec<Option<&Look>> = self.memory.iter().map(|m| m.bare_look.as_ref()).collect();
        let bare: Vec<bool> = self.memory.iter().map(|m| m.known_bare).collect();
        let same = glance::unchanged(&then, looks, &bare);
        for i in changed {
            let Some(memory) = self.memory.get_mut(*i) else { continue };
            let was = std::mem::replace(&mut memory.known_bare, same[*i]);
            memory.was_bare = !same[*i] && otherwise && (was || memory.was_bare);
            if same[*i] {
                memory.bare_look = Some(looks[*i].clone());
                memory.comparison = Comparison::default();
                memory.worked_out = WorkedOut::default();
                memory.settled = Some(Stable::Empty);
                memory.surely = None;
            }
        }
        changed.iter().copied().filter(|i| !same[*i]).collect()
    }

    /// Learns how cells look when they are bare: at first all in which no tile is known to lie
    /// and none is read; later those that were known to be bare before the camera or the light
    /// changed, and in which nothing can be read now. Whether it learned any.
    fn learn_bare(
        &mut self,
        looks: &[Look],
        readings: &[Reading],
        moving: &[usize],
        otherwise: bool,
    ) -> bool {
        let Some(laid) = &self.laid else { return false };
        let first = self.memory.iter().all(|m| m.bare_look.is_none());
        let mut learned = false;
        for (i, memory) in self.memory.iter_mut().enumerate() {
            if moving.contains(&i) || laid.contains(&self.cells[i]) || memory.inside <= HIDING.inside {
                continue;
            }
            let reads = readings[i].settled.as_ref().filter(|_| readings[i].state == CellState::Tile);
            let is_bare = if first {
                let fits = readings[i].overlay.fit >= HOLDING.fits_at_first;
                !fits && reads.is_none_or(|settled| settled.confidence < BELIEF.sure)
            } else {
                memory.was_bare && reads.is_none() && !otherwise
            };
            if is_bare && !memory.known_bare {
                memory.bare_look = Some(looks[i].clone());
                (memory.known_bare, memory.was_bare) = (true, false);
                memory.settled = Some(Stable::Empty);
                learned = true;
            }
        }
        learned
    }

    /// Knows the cells as bare that are read as tiles because a figure of another cell leans over
    /// them: what is to be seen beside it looks as it did. Whether there were any.
    fn see_past(&mut self, looks: &[Look], readings: &[Reading], silhouettes: &Silhouettes) -> bool {
        let Some(laid) = &self.laid else { return false };
        let mut any = false;
        for (i, memory) in self.memory.iter_mut().enumerate() {
            let cell = self.cells[i];
            let Some(bare) = memory.bare_look.as_ref().filter(|_| !memory.known_bare) else { continue };
            if readings[i].state != CellState::Tile || laid.contains(&cell) || !silhouettes.reach(cell) {
                continue;
            }
            let hidden =
                |x: f32, y: f32| silhouettes.hide(cell, (f32::from(cell.col) + x, f32::from(cell.row) + y));
            let as_bare = glance::unchanged_beside(bare, &looks[i], hidden);
            tracing::debug!(cell = %cell_name(cell), ?as_bare, "behind a figure");
            if as_bare == Some(true) {
                memory.known_bare = true;
                any = true;
            }
        }
        any
    }

    /// Looks for the markers on the track again where the wall looks other than it did, once
    /// nothing moves there.
    fn find_markers(&mut self, frame: &RgbImage, place: &Place, fresh: bool) -> Result<(), VisionError> {
        let looks = glance::cells(frame, &place.pose, 0.0, self.track.squares());
        let unread = self.track_looks.len() != looks.len() || self.last.is_none();
        let changed = glance::change(self.track_looks.iter(), &looks).squares;
        let waits = self.film.as_mut().is_some_and(|film| {
            let moves = film.track.take(&looks);
            !film.track.waiting(&changed, &moves, |_, _| true).is_empty()
        });
        if unread || fresh || !changed.is_empty() && !waits {
            self.markers = self.track.read(frame, &place.pose, &self.colours, &self.way)?;
            self.track_looks = looks;
        }
        Ok(())
    }

    /// Reads the wall tiles beside the wall.
    fn find_wall_tiles(&mut self, frame: &RgbImage, place: &Place, fresh: bool) -> Result<(), VisionError> {
        if let Some(beside) = &mut self.beside {
            let fresh = fresh || self.last.is_none();
            let seen_from = (&place.pose, place.depth);
            self.wall_tiles = beside.read(frame, seen_from, fresh, self.film.is_some())?;
        }
        Ok(())
    }

    /// Cuts and compares cells.
    fn look(&mut self, frame: &RgbImage, place: &Place, which: &[usize]) -> Result<(), VisionError> {
        let rectifier = Rectifier::new(frame, &place.pose, place.depth, CELL_PX)?;
        let crops = which
            .iter()
            .map(|&i| rectifier.crop(self.cells[i], (0.0, 0.0)))
            .collect::<Result<Vec<RgbImage>, VisionError>>()?;
        let tabletop = Tabletop::new(&self.beside(&rectifier)?);
        let comparisons = self.pictures.gallery.compare(&crops)?;
        let made_ready: Vec<(f32, Soft)> =
            crops.par_iter().map(|crop| (tabletop.share(&cell_of(crop)), Soft::of(crop))).collect();
        for (((&i, crop), comparison), (bare, soft)) in
            which.iter().zip(crops).zip(comparisons).zip(made_ready)
        {
            let memory = &mut self.memory[i];
            memory.bare = bare;
            memory.soft = soft;
            memory.crop = crop;
            memory.offset = (0.0, 0.0);
            memory.comparison = comparison;
            memory.worked_out = WorkedOut::default();
            memory.inside = rectifier.inside(self.cells[i]);
        }
        Ok(())
    }

    /// Cuts and compares anew the cells in which a tile lies crooked, and gives them.
    fn straighten(
        &mut self,
        frame: &RgbImage,
        place: &Place,
        which: &[usize],
        readings: &[Reading],
    ) -> Result<Vec<Cell>, VisionError> {
        let occupied: Vec<usize> = which
            .iter()
            .copied()
            .filter(|&i| readings[i].state != CellState::Empty && self.memory[i].inside > HIDING.inside)
            .collect();
        let quads: Vec<Quad> = occupied.iter().map(|&i| Quad(corners(place, self.cells[i]))).collect();
        let cells: Vec<(Quad, &Comparison)> =
            occupied.iter().zip(&quads).map(|(&i, quad)| (*quad, &self.memory[i].comparison)).collect();
        let found = self.pictures.refiner().straightened(&Pyramid::new(frame)?, &cells)?;
        let mut straightened = Vec::new();
        for ((i, cell), Straightened { quad, crop, comparison }) in occupied.into_iter().zip(quads).zip(found)
        {
            let Some(crop) = crop else { continue };
            let memory = &mut self.memory[i];
            memory.comparison = comparison;
            memory.worked_out = WorkedOut::default();
            let Some(back) = Homography::from_unit_square(&cell).inverse() else { continue };
            let [x, y] = back.apply(quad.centre());
            memory.offset = ((x - 0.5) as f32, (y - 0.5) as f32);
            memory.soft = Soft::of(&crop);
            memory.crop = crop;
            straightened.push(self.cells[i]);
        }
        Ok(straightened)
    }

    /// As [`CastleReader::lay`]; what was laid last is remembered.
    fn laid(&mut self, i: usize, tile: usize, rotation: u8) -> Result<Option<Overlay>, VisionError> {
        match self.memory[i].worked_out.laid {
            Some((t, r, overlay)) if (t, r) == (tile, rotation) => Ok(overlay),
            _ => {
                let overlay = self.lay(i, tile, rotation)?;
                self.memory[i].worked_out.laid = Some((tile, rotation, overlay));
                Ok(overlay)
            }
        }
    }

    /// Lays a reference over a cell's crop; how far it lies off is told from the
    /// cell's middle.
    fn lay(&self, i: usize, tile: usize, rotation: u8) -> Result<Option<Overlay>, VisionError> {
        let Memory { crop, offset, .. } = &self.memory[i];
        let overlay = self.pictures.overlays.lay(crop, tile, rotation)?;
        Ok(overlay.map(|o| Overlay { shift: (o.shift.0 + offset.0, o.shift.1 + offset.1), ..o }))
    }

    /// Pieces of the table just outside the wall.
    fn beside(&self, rectifier: &Rectifier) -> Result<Vec<RgbImage>, VisionError> {
        let mut pieces = Vec::new();
        for cell in &self.cells {
            for side in Side::ALL {
                let (dx, dy) = side.step();
                let beyond = 1.0 + self.thickness;
                let (x, y) = (
                    f32::from(cell.col) + f32::from(dx) * beyond + 0.2,
                    f32::from(cell.row) + f32::from(dy) * beyond + 0.2,
                );
                let clear = |x: f32, y: f32| {
                    let t = self.thickness + 0.1;
                    [(x - t, y - t), (x + t + 0.4, y - t), (x - t, y + t + 0.4), (x + t + 0.4, y + t + 0.4)]
                        .iter()
                        .all(|(x, y)| !self.cells.contains(&Cell::new(x.floor() as i8, y.floor() as i8)))
                };
                if clear(x, y) && rectifier.sees((x, y), 0.4) {
                    pieces.push(rectifier.piece((x, y), 0.4, 12)?);
                }
            }
        }
        Ok(pieces)
    }

    /// Names the tiles of all cells, and learns the light.
    fn name(&mut self) -> Result<Vec<Reading>, VisionError> {
        let candidates: Vec<usize> = (0..self.cells.len())
            .filter(|&i| self.memory[i].inside > HIDING.inside && !self.memory[i].known_bare)
            .collect();
        // Only cells that some reference fits compete for the deck's tiles.
        let overlay = |&i: &usize| match self.memory[i].worked_out.best {
            Some(best) => Ok(best),
            None => self.best_overlay(i),
        };
        let overlays = candidates.par_iter().map(overlay).collect::<Result<Vec<_>, VisionError>>()?;
        let mut best = vec![None; self.cells.len()];
        for (&i, overlay) in candidates.iter().zip(overlays) {
            best[i] = overlay;
            self.memory[i].worked_out.best = Some(overlay);
            let c = &self.memory[i].comparison;
            let (Cell { col, row }, bare) = (self.cells[i], self.memory[i].bare);
            let overlay = best[i].unwrap_or_default();
            tracing::trace!(col, row, c.occupied, c.covered, bare, overlay.fit, overlay.explained, "cell");
        }
        let occupied: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|&i| {
                let memory = &self.memory[i];
                let enough = if memory.looks_bare() { HOLDING.fits_bare } else { HOLDING.fits };
                let fits =
                    best[i].is_some_and(|o: Overlay| o.fit > enough && o.explained >= HOLDING.explains);
                // In a game, what is not the table's colour and is like no print is glare, or a
                // tile that is hidden and will be seen.
                let not_laid = self.laid.as_ref().is_some_and(|laid| !laid.contains(&self.cells[i]));
                let like_none = not_laid
                    && best[i].is_none_or(|o| o.fit < HOLDING.like_none)
                    && memory.comparison.occupied < HOLDING.seen;
                fits || memory.bare < HOLDING.bare && !like_none
            })
            .collect();
        let Named { occupied, named, explained } = self.settled(&candidates, occupied);
        let mut readings: Vec<Reading> = (0..self.cells.len())
            .map(|i| Reading { overlay: best[i].unwrap_or_default(), ..self.bare(i) })
            .collect();
        for ((&i, settled), explained) in occupied.iter().zip(&named).zip(explained) {
            let overlay = match settled.tile {
                Some(tile) => self.laid(i, tile, settled.rotation)?,
                None => None,
            };
            let overlay = overlay.unwrap_or_default();
            let (Cell { col, row }, confidence) = (self.cells[i], settled.confidence);
            let memory = &self.memory[i];
            let Comparison { occupied, covered, .. } = memory.comparison;
            let (bare, seen) =
                (memory.bare >= HOLDING.bare, explained >= HIDING.seen && memory.bare <= HIDING.showing);
            let hidden = if self.light.is_some() {
                // Figures hide a part and leave the tile's state to be seen.
                let veiled =
                    (covered > 0.5 || occupied < 0.5) && memory.comparison.in_view() < HIDING.in_view;
                veiled && settled.face_confidence < HIDING.veiled && !seen
            } else {
                let needed = if covered > 0.5 { BELIEF.sure } else { BELIEF.likely };
                overlay.explained < HIDING.explained && settled.confidence < needed
            };
            readings[i] = match settled.state {
                _ if hidden && bare => Reading { overlay, ..self.bare(i) },
                _ if hidden => Reading { state: CellState::Covered, overlay, settled: None },
                state => Reading { state, overlay, settled: Some(settled.clone()) },
            };
            let (told, face) = (readings[i].state, settled.face_confidence);
            tracing::trace!(col, row, ?told, ?settled.tile, settled.rotation, confidence, face, ?settled.alternatives, explained, overlay.explained, "named");
        }
        for (memory, reading) in self.memory.iter_mut().zip(&readings) {
            match reading.state {
                CellState::Tile => memory.settled = Some(Stable::Tile),
                CellState::Empty => {
                    memory.settled = Some(Stable::Empty);
                    memory.surely = None;
                }
                _ => {}
            }
        }
        Ok(readings)
    }

    /// Names the tiles of the `occupied` cells. Where enough are sure, the light
    /// that they tell of names the others better, and finds tiles among all
    /// `candidates`.
    fn settled(&mut self, candidates: &[usize], mut occupied: Vec<usize>) -> Named {
        let sure: Vec<(usize, usize, u8)> = {
            let site = |i: &usize| self.site(*i, &self.memory[*i].comparison, false);
            let plain: Vec<Site<'_>> = occupied.iter().map(site).collect();
            let named = settle(&plain, &self.deck, &Constraints::default());
            let is_sure = |(_, settled): &(&usize, &Settled)| settled.confidence > BELIEF.sure;
            let tile = |(i, settled): (&usize, &Settled)| Some((*i, settled.tile?, settled.rotation));
            occupied.iter().zip(&named).filter(is_sure).filter_map(tile).collect()
        };
        let Some(KnownLight { light, number, .. }) = self.lit_by(&sure) else {
            // Each tile's own light must do.
            let prints = &self.pictures.prints;
            let belief = prints.belief(&self.sure(&sure));
            let told: Vec<Comparison> = occupied
                .par_iter()
                .map(|&i| {
                    let Memory { soft, comparison, .. } = &self.memory[i];
                    let told = prints.told_apart(soft, comparison);
                    // A gleam has the colours of some print in some light.
                    let Some(belief) = belief.as_ref().filter(|_| comparison.occupied >= HOLDING.seen) else {
                        return told;
                    };
                    let lit = belief.judge(prints, soft, &told);
                    let Cell { col, row } = self.cells[i];
                    let (plain, explained) = (comparison.posterior(), lit.explained);
                    tracing::trace!(
                        col,
                        row,
                        explained,
                        share = lit.comparison.posterior(),
                        plain,
                        "own light"
                    );
                    lit.comparison
                })
                .collect();
            let sites: Vec<Site<'_>> =
                occupied.iter().zip(&told).map(|(&i, comparison)| self.site(i, comparison, false)).collect();
            let named = settle(&sites, &self.deck, &Constraints::default());
            let explained = vec![0.0; occupied.len()];
            return Named { occupied, named, explained };
        };
        let (memories, cells, colours) = (&self.memory, &self.cells, &self.colours);
        let lit: BTreeMap<usize, Lit> = candidates
            .par_iter()
            .map(|&i| {
                let memory = &memories[i];
                let held = occupied.contains(&i);
                if let Some((of, was_held, lit)) = &memory.worked_out.lit
                    && (*of, *was_held) == (number, held)
                {
                    return (i, lit.clone());
                }
                let (crop, cell, comparison) = (&memory.soft, cells[i], &memory.comparison);
                let mut lit = light.judge(crop, cell, comparison);
                if held && lit.comparison.posterior() < BELIEF.doubted {
                    lit = light.re_ranked(crop, cell, comparison, colours);
                }
                let Cell { col, row } = cell;
                let plain = memory.comparison.posterior();
                tracing::trace!(col, row, lit.explained, share = lit.comparison.posterior(), plain, "lit");
                (i, lit)
            })
            .collect();
        for (i, lit) in &lit {
            self.memory[*i].worked_out.lit = Some((number, occupied.contains(i), lit.clone()));
        }
        occupied = candidates
            .iter()
            .copied()
            .filter(|i| {
                let clear = |l: &Lit| {
                    let memory = &self.memory[*i];
                    let state = FOUND.state * (memory.comparison.occupied - 0.5);
                    let enough = if memory.looks_bare() { FOUND.lies_bare } else { FOUND.lies };
                    l.explained > EXPLAINED && log_odds(l.comparison.posterior()) + state > enough
                };
                occupied.contains(i) || lit.get(i).is_some_and(clear)
            })
            .collect();
        let sites: Vec<Site<'_>> = occupied
            .iter()
            .filter_map(|&i| lit.get(&i).map(|lit| self.site(i, &lit.comparison, lit.doubted)))
            .collect();
        let mut named = settle(&sites, &self.deck, &Constraints::default());
        for (i, settled) in occupied.iter().zip(&mut named) {
            if lit.get(i).is_some_and(|lit| lit.doubted) {
                settled.confidence = settled.confidence.min(BELIEF.surest_in_doubt);
            }
        }
        let explained = occupied.iter().map(|i| lit.get(i).map_or(0.0, |l| l.explained)).collect();
        Named { occupied, named, explained }
    }

    /// A cell in the assignment.
    fn site<'a>(&self, i: usize, comparison: &'a Comparison, doubted: bool) -> Site<'a> {
        let trust = self.memory[i].comparison.in_view() * if doubted { BELIEF.less_trusted } else { 1.0 };
        Site { cell: self.cells[i], comparison, trust, before: self.memory[i].surely }
    }

    /// The light that the tiles that are surely named tell of: index of the cell, tile and
    /// turn. It is learned anew when others tell of it, and when too few of those are left.
    fn lit_by(&mut self, sure: &[(usize, usize, u8)]) -> Option<KnownLight> {
        let of: Vec<(Cell, usize, u8)> =
            sure.iter().map(|&(i, tile, turn)| (self.cells[i], tile, turn)).collect();
        if let Some(known) = &self.light {
            let (same, new): (Vec<_>, Vec<_>) = of.iter().partition(|told| known.of.contains(told));
            let is_known = |(cell, ..): &&(Cell, usize, u8)| known.of.iter().any(|(at, ..)| at == cell);
            let before = known.of.len() as f32;
            if !new.iter().any(is_known)
                && new.len() as f32 <= LIGHT_GROWS * before
                && same.len() as f32 >= LIGHT_HOLDS * before
            {
                return Some(known.clone());
            }
        }
        let light = self.pictures.prints.light(&self.sure(sure));
        self.lights += 1;
        self.light = light.map(|light| KnownLight { light: Arc::new(light), number: self.lights, of });
        self.light.clone()
    }

    /// Tiles that are surely named, with how they look: index of the cell, tile and turn.
    fn sure(&self, named: &[(usize, usize, u8)]) -> Vec<Sure<'_>> {
        let look = |&(i, tile, rotation): &(usize, usize, u8)| {
            let memory = &self.memory[i];
            let shift = memory.comparison.shift.get(tile).copied().unwrap_or_default();
            Sure { crop: &memory.soft, cell: self.cells[i], tile, rotation, shift }
        };
        named.iter().map(look).collect()
    }

    /// What a cell in which no tile fits holds.
    fn bare(&self, i: usize) -> Reading {
        let memory = &self.memory[i];
        if memory.known_bare {
            return Reading { state: CellState::Empty, overlay: Overlay::default(), settled: None };
        }
        let doubtful = memory.comparison.covered > 0.5 || memory.settled == Some(Stable::Tile);
        let hidden = memory.inside <= HIDING.inside || doubtful && memory.bare < HOLDING.surely_bare;
        let state = if hidden { CellState::Covered } else { CellState::Empty };
        Reading { state, overlay: Overlay::default(), settled: None }
    }

    /// How the best reading of a cell by itself lies over it.
    fn best_overlay(&self, i: usize) -> Result<Option<Overlay>, VisionError> {
        let Some((tile, turn)) = self.memory[i].comparison.best() else { return Ok(None) };
        self.lay(i, tile, turn)
    }

    /// How far the tiles lie below the top of the wall, from where they were
    /// seen to lie in their cells; `None` where that can't be told.
    fn level(&self, place: &Place, readings: &[Reading]) -> Option<f32> {
        let (cx, cy, above) = place.pose.camera();
        let height = above + place.depth;
        // A plane deeper by d shows its places nearer to the camera's foot by
        // d / height of their distance.
        let pairs: Vec<((f32, f32), (f32, f32))> = self
            .cells
            .iter()
            .zip(readings)
            .filter(|(_, r)| r.state == CellState::Tile && r.overlay.fit > 0.6)
            .map(|(c, r)| {
                let (x, y) = (f32::from(c.col) + 0.5, f32::from(c.row) + 0.5);
                (((x - cx) / height, (y - cy) / height), r.overlay.shift)
            })
            .collect();
        if pairs.len() < 4 {
            return None;
        }
        // Ridge towards the usual depth: it weighs about as much as one tile far out does.
        let mut deeper = 0.0;
        for _ in 0..5 {
            let (mut top, mut low) = (0.1 * (USUAL_DEPTH - place.depth), 0.1);
            for (q, s) in &pairs {
                let (ex, ey) = (s.0 + q.0 * deeper, s.1 + q.1 * deeper);
                let weight = 1.0 / (1.0 + (ex * ex + ey * ey) / 0.04_f32.powi(2));
                top -= weight * (q.0 * s.0 + q.1 * s.1);
                low += weight * (q.0 * q.0 + q.1 * q.1);
            }
            deeper = top / low;
        }
        Some((place.depth + deeper).clamp(*DEPTHS.start(), *DEPTHS.end()))
    }

    /// Makes the deck's pictures as soft as the frame; whether that changed them.
    fn soften(&mut self, readings: &[Reading]) -> Result<bool, VisionError> {
        let known: Vec<blur::Known<'_>> = readings
            .iter()
            .zip(&self.memory)
            .filter_map(|(reading, memory)| {
                let settled = reading.settled.as_ref().filter(|s| s.confidence > BELIEF.likely)?;
                let shift = reading.overlay.shift;
                Some(blur::Known { crop: &memory.crop, shift, tile: settled.tile? })
            })
            .collect();
        self.pictures.soften(&known)
    }

    fn cell_mut<'a>(&self, observation: &'a mut Observation, cell: Cell) -> Option<&'a mut CellReading> {
        observation.cells.get_mut(self.cells.iter().position(|c| *c == cell)?)
    }

    /// The followers and keeps on the board, and the strangers among them.
    fn figures(
        &mut self,
        frame: &RgbImage,
        place: &Place,
        readings: &[Reading],
        noted: &[Cell],
    ) -> Result<Figures, VisionError> {
        let columns = || self.cells.iter().map(|c| c.col);
        let rows = || self.cells.iter().map(|c| c.row);
        let (Some(left), Some(right)) = (columns().min(), columns().max()) else {
            return Ok(Figures::default());
        };
        let (Some(top), Some(bottom)) = (rows().min(), rows().max()) else { return Ok(Figures::default()) };
        // What stands at the edge of the board is seen over the wall too.
        let first = Cell::new(left.saturating_sub(1), top.saturating_sub(1));
        let size = ((right - left + 3) as u32, (bottom - top + 3) as u32);
        let rectifier = Rectifier::new(frame, &place.pose, place.depth, BOARD_PX)?;
        let picture = rectifier.board(first, size, BOARD_PX)?;
        let grounds: Vec<(Cell, Ground<'_>)> = self
            .cells
            .iter()
            .zip(readings)
            .filter_map(|(cell, reading)| match (reading.state, &reading.settled) {
                (CellState::Tile, Some(settled)) => {
                    let reference = self.pictures.templates.reference(settled.tile?)?;
                    Some((*cell, Ground::Tile(reference, settled.rotation, reading.overlay.shift)))
                }
                (CellState::Empty, _) => Some((*cell, Ground::Table)),
                _ => None,
            })
            .collect();
        let board = Board {
            crowded: false,
            noted,
            picture: &picture,
            first,
            pose: &place.pose,
            depth: place.depth,
            inside: Some(&self.cells),
            cast: self.light.as_ref().map(|known| known.light.cast()),
            pieces: &self.pieces,
        };
        let found = figures::find(&self.way, &board, &grounds, &self.colours)?;
        let strangers =
            self.strangers.seek(&found, |colours| figures::find(&Way::Colours, &board, &grounds, colours))?;
        let silhouettes = Silhouettes::of(&board, &found);
        Ok(Figures { standing: found, strangers, silhouettes })
    }

    fn observe(&self, readings: &[Reading]) -> Observation {
        let cells = self
            .cells
            .iter()
            .zip(readings)
            .zip(&self.memory)
            .map(|((cell, reading), memory)| {
                let mut told = CellReading {
                    col: cell.col,
                    row: cell.row,
                    state: reading.state,
                    confidence: match reading.state {
                        CellState::Empty => 1.0 - memory.comparison.occupied.min(0.5),
                        CellState::Covered => memory.comparison.covered.max(0.5),
                        _ => 0.0,
                    },
                    ..CellReading::default()
                };
                let Some(settled) = &reading.settled else { return told };
                let id = |tile: usize| self.deck.tiles.get(tile).map(|t| t.id.clone());
                told.tile = settled.tile.and_then(id);
                told.rotation = settled.rotation;
                told.confidence = settled.confidence;
                told.alternatives = settled
                    .alternatives
                    .iter()
                    .filter_map(|&(tile, rotation, confidence)| {
                        Some(Alternative { tile: id(tile)?, rotation, confidence })
                    })
                    .collect();
                told
            })
            .collect();
        let hidden = readings.iter().filter(|r| r.state == CellState::Covered).count();
        let mut warnings = self.warnings.clone();
        if hidden > 0 {
            warnings.push(match hidden {
                1 => "1 cell is hidden or out of the picture".to_owned(),
                n => format!("{n} cells are hidden or out of the picture"),
            });
        }
        let (markers, wall_tiles) = (self.markers.clone(), self.wall_tiles.clone());
        Observation { cells, markers, wall_tiles, warnings, ..Observation::default() }
    }
}

/// Tells cells as covered: something moves over them.
fn cover(observation: &mut Observation, cells: &[usize]) {
    for i in cells {
        if let Some(cell) = observation.cells.get_mut(*i) {
            let (col, row) = (cell.col, cell.row);
            *cell = CellReading {
                col,
                row,
                state: CellState::Covered,
                confidence: 1.0,
                ..CellReading::default()
            };
        }
    }
}

/// A cell's upper left, upper right, lower right and lower left corner in the
/// frame, pixels.
fn corners(place: &Place, cell: Cell) -> [[f64; 2]; 4] {
    [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(dx, dy)| {
        let (x, y) = place.pose.project(f32::from(cell.col) + dx, f32::from(cell.row) + dy, place.depth);
        [f64::from(x), f64::from(y)]
    })
}

fn log_odds(share: f32) -> f32 {
    (share / (1.0 - share).max(1e-6)).ln()
}

/// The middle of a crop: the cell alone.
fn cell_of(crop: &RgbImage) -> RgbImage {
    imageops::crop_imm(crop, MARGIN_PX, MARGIN_PX, CELL_PX, CELL_PX).to_image()
}

/// What stands on the board.
#[derive(Default)]
struct Figures {
    /// The players' figures.
    standing: Vec<Standing>,
    /// Where things stand that look like figures of other colours.
    strangers: Vec<(Cell, &'static str)>,
    /// What the players' figures hide.
    silhouettes: Silhouettes,
}

/// The tiles of the cells that hold one.
struct Named {
    occupied: Vec<usize>,
    named: Vec<Settled>,
    /// The share of each cell that its likeliest reading explains in the light
    /// of the others, 0 to 1; 0 where the light is not known.
    explained: Vec<f32>,
}

/// What a cell was read as.
#[derive(Clone, Debug)]
struct Reading {
    state: CellState,
    overlay: Overlay,
    settled: Option<Settled>,
}

impl Reading {
    /// Of a cell over which something moves.
    fn covered() -> Reading {
        Reading { state: CellState::Covered, overlay: Overlay::default(), settled: None }
    }
}
