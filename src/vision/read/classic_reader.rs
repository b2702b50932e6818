//! Reads a table without a wall.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use image::RgbImage;
use opencv::core::Mat;

use super::backdrop::Backdrops;
use super::classic_figures::{self, Lying, Sight};
use super::drawing::Placed;
use super::glance::{self, Change, Look, Motion};
use super::moved::{self, Moved, Named};
use crate::observation::{Alternative, CellReading, CellState, Figure, Observation};
use crate::rules::{Cell, Deck, Face, Kind};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Quad, distance};
use crate::vision::base::mat::mat_of;
use crate::vision::base::photo::{self, Pyramid};
use crate::vision::base::quads::{self, Candidate, OffTable, Slopes};
use crate::vision::figures::{self, Sizes, Strangers, Way};
use crate::vision::grid::borders;
use crate::vision::grid::found_tile::{FoundTile, PERHAPS, SURELY};
use crate::vision::grid::growing::{self, Table};
use crate::vision::grid::kept::Kept;
use crate::vision::grid::lattice::Lattice;
use crate::vision::grid::seeds::TileFeatures;
use crate::vision::tiles::assignment::{Constraints, Settled, Site, settle};
use crate::vision::tiles::blur;
use crate::vision::tiles::colour_model::{Cast, EXPLAINED, Light, Lit, Soft, Sure};
use crate::vision::tiles::recogniser::{Comparison, Gallery};
use crate::vision::tiles::references::Pictures;
use crate::vision::tiles::refine::{ALIKE, MAYBE, Refiner};

/// The longer side of the picture in which features are searched, pixels.
const SEARCH_PX: f64 = 2000.0;
/// What a photo and the search in it may take together, bytes: the search is made
/// smaller in the largest photos.
const MEMORY: f64 = 8e8;
/// What a pixel takes of it, in the photo and in the picture that is searched.
const PIXEL_BYTES: (f64, f64) = (3.0, 235.0);
/// How many seeds' worth of features make a board of a single tile believable.
const LONELY: f32 = 0.8;
/// By so many nats a tile that is expected, as the one that lay there or that a game begins with, may
/// be behind the likeliest: less than the log odds of a prior of nine tenths among 24 kinds.
const NEARLY: f32 = 3.0;
/// How far the corners of a tile may have moved, in tile sides, for it to lie where it did.
const SAME_PLACE: f64 = 0.25;
/// Share of the sure tiles of the frame before that must be sure on the same lattice for it to
/// hold: a hand or new figures hide some.
const STAYS: f32 = 0.7;
/// So many readings in a row a lattice is kept on which most of the board is hidden: a hand goes away, and
/// a camera that was bumped does not.
const HELD: usize = 3;
/// By so much more likeness of its tiles a lattice must show a board for another to be given up: of
/// a single tile a piece, too, looks a little more like some print than the whole does, by 0.03 in one
/// film. Larger keeps a wrong lattice longer.
const CLEARLY: f32 = 0.1;
/// How often a small board's lattice is aligned with its border, each time with more of it.
const ALIGNED: usize = 3;
/// Fewer sure tiles than this tell little of where the cells beside them are.
const TELLING: usize = 4;
/// The longer side of the picture in which outlines and the table's colours are sought, pixels.
const OUTLINE_PX: f64 = 1280.0;
/// The least area of an outline, as a share of the photo's: a tile of 25 pixels a side of 1280x720.
const OUTLINE_LEAST: f64 = 0.0007;
/// So many outlines like a tile's are tried as the first tile of a lattice, those first of which most of the
/// worst side lies on an edge. A skewed one comes later: [`SKEWED`] is taken off that share for each side's
/// length by which the middles of its diagonals are apart beyond [`EVEN`], as corners out by a pixel are.
const OUTLINES: usize = 12;
const SKEWED: f64 = 2.0;
const EVEN: f64 = 0.06;
/// Outlines are of one tile whose middles are no farther apart than so many sides.
const APART: f64 = 0.3;
/// Posterior above which a reading tells how soft the photo is.
const TELLS_OF_BLUR: f32 = 0.5;
/// Share of its pixels that a print must explain in a light of its own for what looks a little
/// like a tile to be one: of a plain tile that nothing else tells of prints explained 0.95 and
/// more, of the bare table and of a gleam on it up to 0.9.
const EXPLAINED_ALONE: f32 = 0.93;
/// The same where something stands out from the table beside it: with a follower on it a tile had
/// 0.68 to 0.75.
const EXPLAINED_STANDING: f32 = 0.65;
/// Share of its pixels that a print must explain in the known light for what looks hardly like one to
/// be one: of tiles prints explain 0.7 and more, of a hole between tiles, which has their edges, 0.1.
const UNEXPLAINED: f32 = 0.3;
/// Posterior above which a tile is taken to lie in its cell until something else is seen there.
const LIES: f32 = 0.9;

/// Side of the squares of the picture that are looked at for changes, pixels: about a tile's.
const LOOK_PX: u32 = 48;
/// Levels of 255 by which the light on the picture may change before it is read again.
const DRIFT: f32 = 8.0;
/// By so many levels of 255 the light may change for what was found in it to hold: half of [`DRIFT`], set
/// by hand. Larger mixes what was read in two lights.
const RELIT: f32 = 4.0;
/// What changes within a quad this many times as large as a tile changes what is found there: a tile is fitted
/// up to a fifth of a side from where it is looked for.
const ROUND: f64 = 1.4;
/// What changes within a square this many times as large as a tile and about its middle is
/// near it: the tiles beside it lie in there.
const BESIDE: f64 = 3.2;

/// Reads frames of a table without a wall: the tiles' own lattice is found in
/// each. While the camera rests, a cell keeps its number from frame to frame; when it was
/// moved they are numbered anew.
pub struct ClassicReader {
    deck: Deck,
    pictures: Pictures,
    features: TileFeatures,
    /// The players' figure colours, sRGB.
    colours: Vec<[u8; 3]>,
    strangers: Strangers,
    /// The colour of the figure that is nobody's, where there is one, sRGB.
    neutral: Option<[u8; 3]>,
    places: Vec<Placed>,
    /// The tiles that were surely named when their cells were last seen, with their turns; those of
    /// [`ClassicReader::places`] alone.
    lain: BTreeMap<Cell, (usize, u8)>,
    /// What owners should know of the figures.
    warnings: Vec<String>,
    /// How large figures look.
    sizes: Sizes,
    /// How figures are found.
    way: Way,
    /// What was read last and what moves, where the frames are a film's.
    film: Option<Film>,
    /// Whether the frames are a film's.
    films: bool,
    /// What was read last in a film.
    before: Option<Before>,
    /// What was found in it where nothing has changed since.
    kept: Kept,
    /// How the bare table looked in it.
    backdrops: Backdrops,
    /// The most tiles that were found in it at once.
    most: usize,
    /// How the board lay in the pictures before the camera was moved, the last of them last, while it was
    /// not found again.
    left: Vec<View>,
    /// Whether the board was not found again since.
    astray: bool,
}

/// So many views are kept in which the board may be found again.
const VIEWS: usize = 3;

/// How the board lay in the picture before the camera was moved.
struct View {
    places: Vec<Placed>,
    lain: BTreeMap<Cell, (usize, u8)>,
    backdrops: Backdrops,
}

impl View {
    /// The tiles that were named.
    fn named(&self) -> Vec<Named> {
        let named = |(cell, corners): &Placed| {
            Some(Named { cell: *cell, quad: Quad(*corners), tile: *self.lain.get(cell)? })
        };
        self.places.iter().filter_map(named).collect()
    }
}

/// What was read last in a film.
#[derive(Clone)]
struct Before {
    lattice: Lattice,
    /// How many tiles were sure,
    sure: usize,
    /// of so many that were found.
    tiles: usize,
    /// Where those that were sure lay.
    lying: Vec<Quad>,
    /// How many tiles were sure when the lattice was measured, and how well they were seen, as
    /// [`Found::worth`].
    told: (usize, f32),
    /// So many times in a row it was kept though most of the board was not seen on it.
    held: usize,
}

impl Before {
    /// What is known after a frame that was read so: where a small board was seen best, as long as it lies
    /// there, and where any lay that a hand hides. Fits that start from one another drift where little is
    /// seen of a board; of a large one each tile holds the others, and after a bump all have to move.
    fn then(self, now: Before) -> Before {
        let places: Vec<Quad> = self.lattice.cells().filter_map(|cell| self.lattice.quad(cell)).collect();
        let lies = |quad: &Quad| places.iter().any(|place| is_same_place(place, quad));
        let mostly_hidden = (now.sure as f32) < STAYS * self.told.0 as f32;
        let ((then, worth), (sure, now_worth)) = (self.told, now.told);
        let told_more = then > sure || then == sure && worth >= now_worth;
        let stays = if mostly_hidden {
            self.held < HELD && now.lying.iter().any(lies)
        } else {
            then < TELLING && told_more && now.lying.iter().all(lies)
        };
        if !stays {
            return now;
        }
        let held = if mostly_hidden { self.held + 1 } else { 0 };
        Before { lattice: self.lattice, told: self.told, held, ..now }
    }
}

/// A tile that lay where none is found now.
struct Unseen {
    cell: Cell,
    quad: Quad,
    /// What it was named, with its turn.
    tile: (usize, u8),
    /// Whether something else than the bare table is surely seen there.
    hidden: bool,
}

/// What is kept from frame to frame of a film.
#[derive(Default)]
struct Film {
    motion: Motion,
    /// How the picture looked when it was read, and what was read; `None` where no tile was.
    read: Option<(Vec<Look>, Option<Observation>)>,
    /// How each part of the picture looked when what lies there was looked at.
    looked: Vec<Look>,
}

/// A photo, and where in it the table is not seen.
struct Ground {
    photo: Pyramid,
    /// The photo, no larger than outlines and the table's colours are told by.
    small: Mat,
    /// Its pixels for one of the photo's.
    scale: f64,
    off_table: OffTable,
    slopes: OnceCell<(Slopes, f32)>,
}

impl Ground {
    fn new(frame: &RgbImage) -> Result<Ground, VisionError> {
        let photo = Pyramid::new(frame)?;
        let (width, height) = (f64::from(frame.width()), f64::from(frame.height()));
        let scale = (OUTLINE_PX / width.max(height)).min(1.0);
        let side = |v: f64| ((v * scale).round() as i32).max(1);
        let small = photo::resized(photo.full(), side(width), side(height))?;
        let off_table = OffTable::of_smaller(&small, scale)?;
        Ok(Ground { photo, small, scale, off_table, slopes: OnceCell::new() })
    }

    /// The edges in the small picture, and what counts as a full one.
    fn slopes(&self) -> Result<&(Slopes, f32), VisionError> {
        if let Some(slopes) = self.slopes.get() {
            return Ok(slopes);
        }
        let slopes = Slopes::new(&self.small)?;
        let edge = slopes.edge_level();
        Ok(self.slopes.get_or_init(|| (slopes, edge)))
    }
}

/// The tiles that are found on a lattice.
struct Found {
    lattice: Lattice,
    tiles: BTreeMap<(i32, i32), FoundTile>,
}

impl Found {
    /// The tiles that look like one of the deck.
    fn alike(&self) -> impl Iterator<Item = &FoundTile> {
        self.tiles.values().filter(|tile| tile.likeness >= ALIKE)
    }

    /// How many tiles look like one of the deck.
    fn sure(&self) -> usize {
        self.alike().count()
    }

    /// How well a board is seen on this lattice: the sum of likenesses of what is surely a tile.
    fn worth(&self) -> f32 {
        self.alike().map(|tile| tile.likeness).sum()
    }

    /// The tiles that are surely named, by the cells of the lattice.
    fn named(&self) -> Vec<Named> {
        let named = |(cell, tile): (&(i32, i32), &FoundTile)| {
            let sure = tile.is_surely_named();
            let cell = Cell::new(i8::try_from(cell.0).ok()?, i8::try_from(cell.1).ok()?);
            Some(Named { cell, quad: tile.quad, tile: tile.comparison.best().filter(|_| sure)? })
        };
        self.tiles.iter().filter_map(named).collect()
    }

    /// Whether another lattice may show more: a small board on which something is not surely told
    /// tells little of where its cells are.
    fn is_vague(&self) -> bool {
        let sure = self.sure();
        sure < TELLING && sure < self.tiles.len()
    }

    /// Whether it is no board: nothing that is surely a tile, or a single tile that looks too little
    /// like one of the deck; a game begins with the tile `start`.
    fn is_none(&self, start: Option<usize>) -> bool {
        let least = |t: &FoundTile| if may_be(&t.comparison, start).is_some() { ALIKE } else { LONELY };
        self.sure() == 0 || self.tiles.len() == 1 && self.tiles.values().all(|t| t.likeness < least(t))
    }
}

/// A tile with its likeliest turn, where it is as likely as the likeliest, or nearly.
fn may_be(comparison: &Comparison, tile: Option<usize>) -> Option<(usize, u8)> {
    let scores = comparison.scores.get(tile?)?;
    let (turn, score) = scores.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1))?;
    (*score >= comparison.highest() - NEARLY).then_some((tile?, turn as u8))
}

/// The tiles of a frame by their cells, row by row.
struct Numbered {
    tiles: Vec<(Cell, FoundTile)>,
    /// What was added to the cells of the lattice.
    offset: (i32, i32),
}

impl Numbered {
    /// Leaves out what is no tile, and what belongs to the board no more without it; `lain` are the
    /// cells in which tiles lay before.
    fn without_what_is_none(&mut self, lattice: &Lattice, lain: &BTreeMap<Cell, (usize, u8)>) {
        let before = self.tiles.len();
        self.tiles.retain(|(cell, tile)| {
            tile.likeness >= MAYBE || tile.stands_out && (!tile.as_table || lain.contains_key(cell))
        });
        if self.tiles.len() == before {
            return;
        }
        let of_lattice = |c: Cell| (i32::from(c.col) - self.offset.0, i32::from(c.row) - self.offset.1);
        let cells: Vec<Cell> = self.tiles.iter().map(|(cell, _)| *cell).collect();
        let tiles = std::mem::take(&mut self.tiles).into_iter();
        let mut found: BTreeMap<(i32, i32), FoundTile> =
            tiles.map(|(cell, tile)| (of_lattice(cell), tile)).collect();
        let lain: BTreeSet<(i32, i32)> = lain.keys().map(|cell| of_lattice(*cell)).collect();
        let kept = growing::of_the_board(&found, lattice, |cell, _| lain.contains(&cell));
        found.retain(|at, _| kept.contains(at));
        let left = |cell| Some((cell, found.remove(&of_lattice(cell))?));
        self.tiles = cells.into_iter().filter_map(left).collect();
    }
}

impl ClassicReader {
    /// Makes ready to read; `gallery` and `references` (of
    /// [`CELL_PX`](crate::vision::base::crop::CELL_PX) a side) hold the deck's tiles in their
    /// order, upright and cut to their edges, `pictures` the same as large as they are
    /// known. `colours` are the players' figures', sRGB.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`], or [`VisionError::Colours`] for colours that cannot be told
    /// apart.
    pub fn new(
        deck: Deck,
        gallery: Box<dyn Gallery>,
        (references, pictures): (&[RgbImage], &[RgbImage]),
        colours: Vec<[u8; 3]>,
    ) -> Result<ClassicReader, VisionError> {
        let warnings = figures::separable(&colours, references)?;
        let features = TileFeatures::new(pictures)?;
        let pictures = Pictures::new(gallery, references);
        let strangers = Strangers::new(&colours);
        Ok(ClassicReader {
            deck,
            pictures,
            features,
            colours,
            strangers,
            neutral: None,
            places: Vec::new(),
            lain: BTreeMap::new(),
            warnings,
            sizes: Sizes::default(),
            way: Way::usual()?,
            film: None,
            films: false,
            before: None,
            kept: Kept::default(),
            backdrops: Backdrops::default(),
            most: 0,
            left: Vec::new(),
            astray: false,
        })
    }

    /// Looks for the figure that is nobody's from now on.
    ///
    /// # Errors
    /// [`VisionError::Colours`] when its colour, sRGB, cannot be told from a player's.
    pub fn know_neutral(&mut self, colour: [u8; 3]) -> Result<(), VisionError> {
        figures::separable(&[&self.colours[..], &[colour]].concat(), &[])?;
        self.neutral = Some(colour);
        self.strangers = Strangers::beside(&self.colours, Some(colour));
        Ok(())
    }

    /// Finds figures in this way from now on.
    pub fn find_figures(&mut self, way: Way) {
        self.way = way;
    }

    /// Takes the frames from now on as those of a film: a frame that looks as the last one that
    /// was read is not read again, nor is one in which something moves on the board.
    pub fn expect_film(&mut self) {
        self.film = Some(Film::default());
        self.films = true;
    }

    /// Where the cells of the last reading are in its picture: upper left,
    /// upper right, lower right, lower left corner, pixels.
    pub fn places(&self) -> &[Placed] {
        &self.places
    }

    /// Reads a frame. Columns and rows count from the upper left occupied cell of the first
    /// frame in which the tiles lie where they do.
    ///
    /// # Errors
    /// [`VisionError::NoTiles`] when no tile of the deck is in the frame.
    pub fn read(&mut self, frame: &RgbImage) -> Result<Observation, VisionError> {
        let Some(mut film) = self.film.take() else {
            self.kept.clear();
            return self.read_whole(frame);
        };
        let read = self.read_film(&mut film, frame);
        self.film = Some(film);
        read
    }

    /// Reads a frame of a film where something on or beside the board looks other than it did
    /// and nothing moves there.
    fn read_film(&mut self, film: &mut Film, frame: &RgbImage) -> Result<Observation, VisionError> {
        let (places, looks): (Vec<[f32; 4]>, Vec<Look>) = glance::squares(frame, LOOK_PX).into_iter().unzip();
        let moves = film.motion.take(&looks);
        if let Some((then, observation)) = &film.read
            && then.len() == looks.len()
        {
            let Change { squares, drift } = glance::change(then.iter(), &looks);
            let relit = drift.levels() > DRIFT;
            let is_near = |i: &usize| observation.is_none() || self.is_near(&places[*i]);
            let changed: Vec<usize> = squares.into_iter().filter(is_near).collect();
            // The whole board is read at once.
            let moving = film.motion.waiting(&changed, &moves, |_, _| true);
            let settled = film.motion.is_settled(relit, !moving.is_empty());
            let as_read = if relit { !settled } else { changed.is_empty() };
            if as_read || !moving.is_empty() {
                let Some(mut observation) = observation.clone() else { return Err(self.no_tiles()) };
                for cell in &mut observation.cells {
                    let quad = self.places.iter().find(|(c, _)| (c.col, c.row) == (cell.col, cell.row));
                    if quad.is_some_and(|(_, quad)| moving.iter().any(|i| meets(&Quad(*quad), &places[*i]))) {
                        *cell = CellReading::covered(cell.col, cell.row);
                    }
                }
                return Ok(observation);
            }
        }
        self.forget_changed(film, &looks, &places);
        let read = self.read_whole(frame);
        self.kept.tidy();
        film.read = match &read {
            Ok(observation) => Some((looks, Some(observation.clone()))),
            Err(VisionError::NoTiles(_)) => Some((looks, None)),
            Err(_) => None,
        };
        read
    }

    /// Forgets what was found in cells where the picture looks other than it did then, and all of it when
    /// the light is another or most of the picture has changed.
    fn forget_changed(&mut self, film: &mut Film, looks: &[Look], places: &[[f32; 4]]) {
        let Change { squares, drift } = glance::change(film.looked.iter(), looks);
        if film.looked.len() != looks.len() || drift.levels() > RELIT || 2 * squares.len() > looks.len() {
            self.kept.clear();
            film.looked = looks.to_vec();
            return;
        }
        self.kept.forget(|quad| squares.iter().any(|i| meets(&quad.grown(ROUND), &places[*i])));
        for i in squares {
            film.looked[i].clone_from(&looks[i]);
        }
    }

    /// Whether a part of the picture lies on the board or where the next tile may be laid.
    fn is_near(&self, place: &[f32; 4]) -> bool {
        self.places.iter().any(|(_, quad)| meets(&Quad(*quad).grown(BESIDE), place))
    }

    fn read_whole(&mut self, frame: &RgbImage) -> Result<Observation, VisionError> {
        self.backdrops.look_at(frame);
        let Some((ground, found)) = self.find(frame)? else { return Err(self.no_tiles()) };
        let found = self.followed(&ground, frame, found)?;
        let (sure, worth) = (found.sure(), found.worth());
        let lying: Vec<Quad> = found.alike().map(|tile| tile.quad).collect();
        let Found { lattice, tiles } = found;
        tracing::debug!(tiles = tiles.len(), sure, worth, "searched");
        if self.films {
            let now = Before {
                lattice: lattice.clone(),
                sure,
                tiles: tiles.len(),
                lying,
                told: (sure, worth),
                held: 0,
            };
            self.before = Some(match self.before.take() {
                Some(before) => before.then(now),
                None => now,
            });
        }
        let mut numbered = numbered(tiles, &self.places);
        let unseen = if self.films { self.unseen(&numbered) } else { Vec::new() };
        if self.films {
            let mut board: Vec<Quad> = numbered.tiles.iter().map(|(_, tile)| tile.quad).collect();
            board.extend(unseen.iter().map(|unseen| unseen.quad));
            self.most = self.most.max(board.len());
            self.backdrops.take_in(frame, &board, self.most, &ground.off_table)?;
        }
        let cast = self.add_colours(&mut numbered, &lattice);
        let cut_off = self.cut_off(&ground, &lattice, &numbered);
        let photo = ground.photo;
        let occupied: Vec<Cell> = numbered.tiles.iter().map(|(cell, _)| *cell).collect();
        let way = self.way.clone();
        let sight = Sight {
            photo: &photo,
            size: frame.dimensions(),
            lattice: &lattice,
            offset: numbered.offset,
            occupied: &occupied,
            cast: cast.as_ref(),
            way: &way,
            crowded: is_crowded(&self.deck),
        };
        let mut observation = Observation { cut_off, ..self.tell(&numbered.tiles, &sight)? };
        for Unseen { cell, quad, tile, hidden } in unseen {
            self.places.push((cell, quad.0));
            self.lain.insert(cell, tile);
            if hidden {
                observation.cells.push(CellReading::covered(cell.col, cell.row));
            }
        }
        Ok(observation)
    }

    /// The tiles that lay in cells in which none is found now, but for those where the bare table is seen:
    /// a hand hides them, or hides what leads to them.
    fn unseen(&self, numbered: &Numbered) -> Vec<Unseen> {
        let place = |(cell, corners): &Placed| {
            let (quad, tile) = (Quad(*corners), *self.lain.get(cell)?);
            let seen = self.backdrops.is_hidden(&quad);
            let found = numbered.tiles.iter().any(|(other, _)| other == cell);
            (!found && seen != Some(false)).then_some(Unseen {
                cell: *cell,
                quad,
                tile,
                hidden: seen == Some(true),
            })
        };
        self.places.iter().filter_map(place).collect()
    }

    /// What was found, where what was known of the board before tells of it, too: it lies where it did, or
    /// is found again after the camera was moved. Else nothing is known of it.
    fn followed(&mut self, ground: &Ground, frame: &RgbImage, found: Found) -> Result<Found, VisionError> {
        let lies =
            |places: &[Placed]| kept(found.tiles.iter().map(|(c, tile)| (*c, tile.quad)), places).is_some();
        let lies_still = lies(&self.places);
        if !lies_still {
            self.leave();
        }
        if !self.films || lies_still && !self.astray {
            return Ok(found);
        }
        self.astray = true;
        let now = found.named();
        let mut best: Option<(Moved, Vec<Placed>, &View)> = None;
        for view in &self.left {
            let Some(moved) = Moved::between(&view.named(), &now)? else { continue };
            let places: Vec<Placed> = view.places.iter().filter_map(|place| moved.placed(place)).collect();
            // While the camera looked elsewhere it may have seen a corner of the board.
            if lies(&places) && best.as_ref().is_none_or(|(other, ..)| moved.alike >= other.alike) {
                best = Some((moved, places, view));
            }
        }
        let Some((moved, places, view)) = best else { return Ok(found) };
        let board: Vec<Quad> = found.tiles.values().map(|tile| tile.quad).collect();
        let backdrops = view.backdrops.moved(moved.map(), frame, &board, &ground.off_table)?;
        tracing::debug!(tiles = moved.alike, table = backdrops.is_some(), "found again");
        self.backdrops = backdrops.unwrap_or_default();
        self.lain = view.lain.iter().filter_map(|(cell, tile)| moved.lain(*cell, *tile)).collect();
        self.places = places;
        self.left.clear();
        self.astray = false;
        self.grown(ground, found.lattice)
    }

    /// Keeps how the board lay, and begins anew.
    fn leave(&mut self) {
        let view = View {
            places: std::mem::take(&mut self.places),
            lain: std::mem::take(&mut self.lain),
            backdrops: std::mem::take(&mut self.backdrops),
        };
        tracing::debug!(tiles = view.lain.len(), "the board lies elsewhere");
        if view.lain.len() >= moved::LEAST {
            self.left.push(view);
            let many = self.left.len().saturating_sub(VIEWS);
            self.left.drain(..many);
        }
    }

    /// The tile that a game begins with, by its place in the deck.
    fn start(&self) -> Option<usize> {
        self.deck.index(self.deck.start.as_deref()?)
    }

    fn no_tiles(&self) -> VisionError {
        VisionError::NoTiles(self.deck.name.clone())
    }

    /// The tiles on the lattice that was read last, where most of them lie there still; else on
    /// that one, on the one that their features form, or where neither tells much on one that begins
    /// with something that has a tile's outline: on the one that shows most. `None` where there is
    /// none.
    fn find(&mut self, frame: &RgbImage) -> Result<Option<(Ground, Found)>, VisionError> {
        let mut ground = None;
        let mut best: Option<Found> = None;
        if let Some(Before { lattice, sure, tiles, told, .. }) = self.before.clone() {
            let here = ground.insert(Ground::new(frame)?);
            let found = self.grown(here, lattice)?;
            // A lattice that is kept under a hand may be the one of before a bump.
            let lies = found.sure() as f32 >= STAYS * sure.max(told.0) as f32;
            // What was sought in vain is not sought again until something else lies there.
            let sought = found.tiles.len() == tiles;
            if lies && (sought || !found.is_vague()) {
                return Ok(ground.map(|ground| (ground, found)));
            }
            best = Some(found);
        }
        // The features of a photo take more memory than the photo: the ground is made only then.
        let lattice = self.lattice_of_features(frame)?;
        let ground = match ground {
            Some(ground) => ground,
            None => Ground::new(frame)?,
        };
        if let Some(lattice) = lattice {
            let found = self.grown(&ground, lattice)?;
            best = self.better(best, found);
        }
        if best.as_ref().is_none_or(|found| found.is_none(self.start()) || found.is_vague()) {
            best = self.find_by_outlines(&ground, best)?;
        }
        Ok(best.filter(|found| !found.is_none(self.start())).map(|found| (ground, found)))
    }

    /// The second of the two where it shows clearly more of a board, else the first.
    fn better(&self, one: Option<Found>, other: Found) -> Option<Found> {
        let worth = |found: &Found| if found.is_none(self.start()) { 0.0 } else { found.worth() };
        match one {
            Some(one) if worth(&one) > 0.0 && worth(&one) + CLEARLY >= worth(&other) => Some(one),
            _ => Some(other),
        }
    }

    /// The tiles on a lattice from its measured cells outwards.
    fn grown(&mut self, ground: &Ground, mut lattice: Lattice) -> Result<Found, VisionError> {
        let tiles = self.grow(ground, &mut lattice)?;
        let mut found = Found { lattice, tiles };
        self.remember(&mut found);
        if self.soften(&found.tiles)? {
            self.kept.clear();
            found.tiles = self.grow(ground, &mut found.lattice)?;
            self.remember(&mut found);
        }
        for _ in 0..ALIGNED {
            let Some(aligned) = self.aligned(ground, &found)? else { break };
            tracing::debug!(sure = found.sure(), worth = found.worth(), now = aligned.worth(), "aligned");
            if aligned.sure() < found.sure() || aligned.worth() + CLEARLY < found.worth() {
                break;
            }
            let more = aligned.tiles.len() > found.tiles.len();
            found = aligned;
            if !more {
                break;
            }
        }
        if found.sure() >= TELLING {
            found.lattice.let_go();
        }
        Ok(found)
    }

    /// The tile that was named when a place in the picture was seen last, with its turn.
    fn lain_at(&self, quad: &Quad) -> Option<(usize, u8)> {
        let lies = |(_, corners): &&Placed| is_same_place(quad, &Quad(*corners));
        let (cell, _) = self.places.iter().find(lies)?;
        self.lain.get(cell).copied()
    }

    /// Takes for surely a tile what looks a little like one where that one lay when the place was
    /// seen last, or a single tile that looks like the one that a game begins with: like no other, or no
    /// less than others and not like the table. Burnt out, plain or under figures, tiles are hardly like
    /// their prints.
    fn remember(&self, found: &mut Found) {
        let start = self.start().filter(|_| found.tiles.len() == 1);
        for tile in found.tiles.values_mut().filter(|tile| tile.likeness < ALIKE) {
            let comparison = &tile.comparison;
            let lay_here = || {
                let (name, turn) = self.lain_at(&tile.quad)?;
                let score = comparison.scores.get(name)?.get(usize::from(turn))?;
                Some(*score >= comparison.highest() - NEARLY)
            };
            let is_start =
                || comparison.best().map(|best| best.0) == start && comparison.posterior() > SURELY;
            let begins = start.is_some()
                && (tile.stands_out && may_be(comparison, start).is_some()
                    || tile.likeness >= MAYBE && is_start());
            if begins || (tile.stands_out || tile.likeness >= MAYBE) && lay_here() == Some(true) {
                tile.likeness = ALIKE;
            }
        }
    }

    fn grow(
        &mut self,
        Ground { photo, off_table, .. }: &Ground,
        lattice: &mut Lattice,
    ) -> Result<BTreeMap<(i32, i32), FoundTile>, VisionError> {
        let mut kept = std::mem::take(&mut self.kept);
        let seen = |quad: &Quad| self.backdrops.is_hidden(quad);
        let lain = |quad: &Quad| self.lain_at(quad).is_some();
        let table = Table { off_table, seen: &seen, lain: &lain };
        let tiles = growing::grow(photo, lattice, &self.refiner(), &table, &mut kept);
        self.kept = kept;
        tiles
    }

    /// The cells beside the board in which something lies that runs out of the picture.
    fn cut_off(
        &self,
        Ground { photo, off_table, .. }: &Ground,
        lattice: &Lattice,
        Numbered { tiles, offset }: &Numbered,
    ) -> Vec<(i8, i8)> {
        let seen = |quad: &Quad| self.backdrops.is_hidden(quad);
        let table = Table { off_table, seen: &seen, lain: &|_| false };
        let occupied = tiles
            .iter()
            .map(|(cell, _)| (i32::from(cell.col) - offset.0, i32::from(cell.row) - offset.1))
            .collect();
        let named = |cell: (i32, i32)| {
            Some((i8::try_from(cell.0 + offset.0).ok()?, i8::try_from(cell.1 + offset.1).ok()?))
        };
        table.cut_off(photo, lattice, &occupied).into_iter().filter_map(named).collect()
    }

    /// The tiles on a small board's lattice once that ends where the tiles end: a print of few pixels
    /// or burnt out tells little of where it lies. `None` where the board is not small or its border
    /// not seen.
    fn aligned(&mut self, ground: &Ground, found: &Found) -> Result<Option<Found>, VisionError> {
        if found.sure() == 0 || found.sure() >= TELLING {
            return Ok(None);
        }
        let lies = |tile: &FoundTile| tile.likeness >= ALIKE || tile.stands_out;
        let cells: BTreeSet<(i32, i32)> =
            found.tiles.iter().filter(|(_, tile)| lies(tile)).map(|(cell, _)| *cell).collect();
        let (slopes, edge) = ground.slopes()?;
        let Some(map) = borders::aligned(found.lattice.map(), &cells, slopes, *edge, ground.scale) else {
            return Ok(None);
        };
        let mut lattice = Lattice::held(map, found.lattice.cells());
        let tiles = self.grow(ground, &mut lattice)?;
        let mut found = Found { lattice, tiles };
        self.remember(&mut found);
        Ok(Some(found))
    }

    /// The tiles round what has the outline of a tile, whichever of them shows most, or what was
    /// found before if that shows more: on plain prints that are small in the picture there are too
    /// few features.
    fn find_by_outlines(
        &mut self,
        ground: &Ground,
        before: Option<Found>,
    ) -> Result<Option<Found>, VisionError> {
        let (slopes, edge) = ground.slopes()?;
        let (small, off_table) = (&ground.small, &ground.off_table);
        let mut candidates = quads::candidates(small, off_table, slopes, *edge, OUTLINE_LEAST)?;
        // Of one tile come many; one with a corner beside it is as well supported.
        let worth =
            |candidate: &Candidate| candidate.support - SKEWED * (candidate.quad.skew() - EVEN).max(0.0);
        candidates.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        let mut tried: Vec<Quad> = Vec::new();
        let mut best = before;
        for candidate in candidates {
            let quad = candidate.quad.scaled(1.0 / ground.scale);
            let known = |other: &Quad| distance(other.centre(), quad.centre()) < APART * quad.side();
            if tried.iter().any(known) {
                continue;
            }
            if tried.len() == OUTLINES {
                break;
            }
            tried.push(quad);
            let found = self.grown(ground, Lattice::from_quad(&quad)?)?;
            tracing::debug!(?quad, sure = found.sure(), worth = found.worth(), "outline");
            best = self.better(best, found);
            if best.as_ref().is_some_and(|found| !found.is_none(self.start()) && !found.is_vague()) {
                break;
            }
        }
        Ok(best)
    }

    /// The lattice that tiles form that are found by their features.
    fn lattice_of_features(&self, frame: &RgbImage) -> Result<Option<Lattice>, VisionError> {
        let (width, height) = (f64::from(frame.width()), f64::from(frame.height()));
        let area = ((MEMORY - PIXEL_BYTES.0 * width * height) / PIXEL_BYTES.1).max(1e6);
        let scale = (SEARCH_PX / width.max(height)).min((area / (width * height)).sqrt()).min(1.6);
        let side = |v: f64| (v * scale).round() as i32;
        let small = photo::resized(&mat_of(frame)?, side(width), side(height))?;
        let mut seeds = self.features.find(&photo::spread_grey(&small)?)?;
        for seed in &mut seeds {
            seed.quad = seed.quad.scaled(1.0 / scale);
        }
        tracing::debug!(seeds = seeds.len(), best = seeds.first().map(|s| s.support), "seeds");
        let lattice = Lattice::from_seeds(&seeds)?;
        if let Some(lattice) = &lattice {
            tracing::debug!(cells = lattice.cells().count(), roughness = lattice.roughness(), "lattice");
        }
        Ok(lattice)
    }

    /// Looks for tiles also where figures hide much of them.
    fn refiner(&self) -> Refiner<'_> {
        Refiner { colours: &self.colours, ..self.pictures.refiner() }
    }

    /// Makes the deck's pictures as soft as the photo; whether that changed them.
    fn soften(&mut self, found: &BTreeMap<(i32, i32), FoundTile>) -> Result<bool, VisionError> {
        let known: Vec<blur::Known<'_>> = found
            .values()
            .filter(|t| t.likeness >= ALIKE && t.comparison.posterior() > TELLS_OF_BLUR)
            .filter_map(|t| {
                let (tile, _) = t.comparison.best()?;
                Some(blur::Known { crop: &t.crop, shift: (0.0, 0.0), tile })
            })
            .collect();
        self.pictures.soften(&known)
    }

    /// Adds what colours tell: in the light that the sure tiles tell of, or where they
    /// are too few in each tile's own. What looks little like a tile is one where a print
    /// explains its colours and it stands out from the table or lay there before; else it is none.
    fn add_colours(&self, numbered: &mut Numbered, lattice: &Lattice) -> Option<Cast> {
        let tiles = &mut numbered.tiles;
        let soft: Vec<Soft> = tiles.iter().map(|(_, tile)| Soft::of(&tile.crop)).collect();
        let sure: Vec<Sure<'_>> = tiles
            .iter()
            .zip(&soft)
            .filter(|((_, tile), _)| tile.is_surely_named())
            .filter_map(|((cell, tile), crop)| {
                let (best, rotation) = tile.comparison.best()?;
                Some(Sure { crop, cell: *cell, tile: best, rotation, shift: (0.0, 0.0) })
            })
            .collect();
        let lay_here = |cell: &Cell, comparison: &Comparison| {
            comparison.posterior() > SURELY
                && comparison.best().is_some_and(|best| self.lain.get(cell) == Some(&best))
        };
        let prints = &self.pictures.prints;
        let light = prints.light(&sure).map(Light::of_loose_photos);
        let belief = if light.is_none() { prints.belief(&sure) } else { None };
        for ((cell, tile), crop) in tiles.iter_mut().zip(&soft) {
            let Some(light) = &light else {
                let told = prints.told_apart(crop, &tile.comparison);
                let lit = belief.as_ref().map(|belief| belief.judge(prints, crop, &told));
                if let Some(Lit { comparison, explained, .. }) = &lit {
                    let posterior = comparison.posterior();
                    tracing::debug!(
                        cell.col,
                        cell.row,
                        tile.likeness,
                        tile.stands_out,
                        explained,
                        posterior,
                        "own light"
                    );
                    let told = if tile.stands_out { EXPLAINED_STANDING } else { EXPLAINED_ALONE };
                    let seems = tile.stands_out || tile.likeness >= MAYBE;
                    let is_told = seems && *explained > told && posterior > SURELY;
                    if is_told || *explained > EXPLAINED && lay_here(cell, comparison) {
                        tile.likeness = tile.likeness.max(ALIKE);
                    }
                }
                tile.comparison = lit.map_or(told, |lit| lit.comparison);
                continue;
            };
            let lit = light.judge(crop, *cell, &tile.comparison);
            tracing::debug!(
                cell.col,
                cell.row,
                tile.likeness,
                tile.stands_out,
                tile.as_table,
                lit.explained,
                "lit"
            );
            // An earthy print explains much of a wooden table, and so does any beside figures of the wood's
            // colours.
            let seems =
                (tile.stands_out || tile.likeness >= MAYBE) && !tile.as_table || self.lain.contains_key(cell);
            if seems && lit.explained > EXPLAINED {
                tile.likeness = tile.likeness.max(ALIKE);
            }
            if lit.explained < UNEXPLAINED && tile.likeness < LONELY && !self.lain.contains_key(cell) {
                tile.likeness = tile.likeness.min(PERHAPS);
            }
            tile.comparison = lit.comparison;
        }
        numbered.without_what_is_none(lattice, &self.lain);
        light.map(|light| light.cast().clone())
    }

    fn tell(&mut self, tiles: &[(Cell, FoundTile)], sight: &Sight<'_>) -> Result<Observation, VisionError> {
        let before = |cell: &Cell, comparison: &Comparison| match tiles {
            [_] => self.lain.get(cell).copied().or_else(|| may_be(comparison, self.start())),
            _ => self.lain.get(cell).copied(),
        };
        let sites: Vec<Site<'_>> = tiles
            .iter()
            .map(|(cell, FoundTile { comparison, .. })| Site {
                cell: *cell,
                comparison,
                trust: 1.0,
                before: before(cell, comparison),
            })
            .collect();
        let named = settle(&sites, &self.deck, &Constraints::default());
        self.places = tiles.iter().map(|(cell, t)| (*cell, t.quad.0)).collect();
        let lies = |((cell, tile), named): (&(Cell, FoundTile), &Settled)| {
            let sure = tile.likeness >= ALIKE && named.state == CellState::Tile && named.confidence >= LIES;
            let now = named.tile.filter(|_| sure).map(|tile| (tile, named.rotation));
            Some((*cell, now.or_else(|| self.lain.get(cell).copied())?))
        };
        self.lain = tiles.iter().zip(&named).filter_map(lies).collect();
        let id = |t: usize| self.deck.tiles.get(t).map(|t| t.id.clone());
        let lying: Vec<Lying<'_>> = tiles
            .iter()
            .zip(&named)
            .filter(|((_, tile), named)| tile.likeness >= ALIKE && named.state == CellState::Tile)
            .filter_map(|((cell, tile), named)| {
                let (number, rotation) = (named.tile?, named.rotation);
                let reference = self.pictures.templates.reference(number)?;
                Some(Lying { cell: *cell, quad: tile.quad, reference, rotation })
            })
            .collect();
        let colours: Vec<[u8; 3]> = self.colours.iter().copied().chain(self.neutral).collect();
        let (mut figures, strangers) = classic_figures::find(sight, &lying, &colours, &mut self.strangers)?;
        let players = self.colours.len();
        for found in figures.iter_mut().filter(|f| usize::from(f.figure.player) == players) {
            found.figure.figure = Figure::Neutral;
        }
        self.sizes.tell(&mut figures);
        let cells = tiles
            .iter()
            .zip(named)
            .map(|((cell, tile), named)| {
                tracing::trace!(cell.col, cell.row, tile.likeness, ?named, "named");
                let doubtful = tile.likeness < ALIKE;
                let state = match doubtful {
                    true if tile.stands_out && tile.likeness < MAYBE => CellState::Covered,
                    true => CellState::Unknown,
                    false => named.state,
                };
                let mut alternatives: Vec<(usize, u8, f32)> = named.alternatives;
                if doubtful && let Some(t) = named.tile {
                    alternatives.insert(0, (t, named.rotation, named.confidence));
                }
                CellReading {
                    col: cell.col,
                    row: cell.row,
                    state,
                    tile: named.tile.filter(|_| state == CellState::Tile).and_then(id),
                    rotation: if state == CellState::Tile { named.rotation } else { 0 },
                    confidence: if state == CellState::Tile { named.confidence } else { 0.0 },
                    alternatives: alternatives
                        .into_iter()
                        .filter_map(|(t, rotation, confidence)| {
                            Some(Alternative { tile: id(t)?, rotation, confidence })
                        })
                        .collect(),
                    figures: figures
                        .iter()
                        .filter(|f| f.cell == *cell && f.figure.figure != Figure::Keep)
                        .map(|f| f.figure.clone())
                        .collect(),
                    strangers: strangers
                        .iter()
                        .filter(|(at, _)| at == cell)
                        .map(|(_, colour)| (*colour).to_owned())
                        .collect(),
                    lies: self.backdrops.is_hidden(&tile.quad),
                }
            })
            .collect();
        Ok(Observation { cells, warnings: self.warnings.clone(), ..Observation::default() })
    }
}

/// Whether the City of Carcassonne is in a deck: then several followers may stand on a tile (CO-06, CO-12,
/// CO-30).
fn is_crowded(deck: &Deck) -> bool {
    let mut segments = deck.tiles.iter().flat_map(|tile| &tile.face).flat_map(Face::segments);
    segments.any(|segment| segment.kind == Kind::CARCASSONNE)
}

/// Whether the upright rectangle round a quad has a part in common with another: left, top,
/// right, bottom, pixels.
fn meets(quad: &Quad, [left, top, right, bottom]: &[f32; 4]) -> bool {
    let along = |axis: usize| {
        let all = quad.0.map(|corner| corner[axis]);
        (all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
    };
    let ((x0, x1), (y0, y1)) = (along(0), along(1));
    x0 < f64::from(*right) && f64::from(*left) < x1 && y0 < f64::from(*bottom) && f64::from(*top) < y1
}

/// The tiles by their cells, row by row: numbered as in the frame before where they lie
/// where they did, else from the upper left occupied one. What is too far to be counted is
/// left out.
fn numbered(found: BTreeMap<(i32, i32), FoundTile>, before: &[Placed]) -> Numbered {
    let as_before = kept(found.iter().map(|(cell, tile)| (*cell, tile.quad)), before);
    let offset = as_before.unwrap_or_else(|| {
        let likely = || found.iter().filter(|(_, tile)| tile.likeness >= MAYBE).map(|(cell, _)| cell);
        let left = likely().map(|c| c.0).min().unwrap_or(0);
        let top = likely().map(|c| c.1).min().unwrap_or(0);
        (-left, -top)
    });
    let cell = |c: (i32, i32)| {
        Some(Cell::new(i8::try_from(c.0 + offset.0).ok()?, i8::try_from(c.1 + offset.1).ok()?))
    };
    let mut tiles: Vec<(Cell, FoundTile)> =
        found.into_iter().filter_map(|(c, tile)| Some((cell(c)?, tile))).collect();
    tiles.sort_by_key(|(c, _)| (c.row, c.col));
    Numbered { tiles, offset }
}

/// Whether a tile lies where another lay.
fn is_same_place(quad: &Quad, other: &Quad) -> bool {
    quad.corner_distance(other) < SAME_PLACE * quad.side()
}

/// What must be added to the cells so that tiles are numbered as in the frame before, when
/// half of them lie at the place in the picture at which they did.
fn kept(found: impl Iterator<Item = ((i32, i32), Quad)>, before: &[Placed]) -> Option<(i32, i32)> {
    let mut votes: BTreeMap<(i32, i32), usize> = BTreeMap::new();
    let mut count = 0;
    for (cell, quad) in found {
        count += 1;
        let lay_here = |(_, corners): &&Placed| is_same_place(&quad, &Quad(*corners));
        if let Some((named, _)) = before.iter().find(lay_here) {
            *votes.entry((i32::from(named.col) - cell.0, i32::from(named.row) - cell.1)).or_default() += 1;
        }
    }
    let (offset, most) = votes.into_iter().max_by_key(|(_, votes)| *votes)?;
    (2 * most >= before.len().min(count)).then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quad(col: i32, row: i32, size: f64) -> Quad {
        let (x, y) = (400.0 + f64::from(col) * size, 300.0 + f64::from(row) * size);
        Quad([[x, y], [x + size, y], [x + size, y + size], [x, y + size]])
    }

    #[test]
    fn numbers_are_kept_while_the_board_grows_and_given_anew_when_it_is_elsewhere() {
        let placed = |cells: &[(i32, i32)]| -> Vec<Placed> {
            cells.iter().map(|c| (Cell::new(c.0 as i8, c.1 as i8), quad(c.0, c.1, 50.0).0)).collect()
        };
        let before = placed(&[(0, 0), (1, 0), (0, 1)]);
        // The lattice's first cell is any: here it is two to the right, and a tile is new on the left.
        let now = [(-1, 0), (0, 0), (1, 0), (0, 1)]
            .map(|c| ((c.0 - 2, c.1), quad(c.0, c.1, 50.0).shifted([3.0, 2.0])));
        assert_eq!(kept(now.into_iter(), &before), Some((2, 0)));
        let moved = [(0, 0), (1, 0), (0, 1)].map(|c| (c, quad(c.0, c.1, 50.0).shifted([25.0, 10.0])));
        assert_eq!(kept(moved.into_iter(), &before), None);
        let turned = [(0, 0), (1, 0), (0, 1)].map(|c| (c, quad(c.0, c.1, 50.0).starting_at(1)));
        assert_eq!(kept(turned.into_iter(), &before), None);
        assert_eq!(kept(now.into_iter(), &[]), None);
    }

    #[test]
    fn a_board_of_few_tiles_is_vague_until_all_are_told() {
        let found = |likenesses: &[f32]| {
            let tile = |(i, likeness): (usize, &f32)| {
                let (crop, comparison) = (RgbImage::default(), Comparison::default());
                let quad = quad(i as i32, 0, 40.0);
                (
                    (i as i32, 0),
                    FoundTile {
                        quad,
                        crop,
                        comparison,
                        likeness: *likeness,
                        stands_out: true,
                        as_table: false,
                    },
                )
            };
            let lattice = Lattice::from_quad(&quad(0, 0, 40.0)).unwrap();
            Found { lattice, tiles: likenesses.iter().enumerate().map(tile).collect() }
        };
        assert!(!found(&[0.8]).is_vague());
        assert!(found(&[0.8, 0.4]).is_vague());
        assert!(!found(&[0.8, 0.7, 0.7, 0.9, 0.4]).is_vague(), "four sure ones tell where the fifth lies");
        assert!((found(&[0.8, 0.4, 0.7]).worth() - 1.5).abs() < 1e-6);
        assert!(found(&[0.5, 0.4]).is_none(None), "nothing is surely a tile");
        assert!(found(&[0.7]).is_none(None), "a single one must look very much like one");
        assert!(!found(&[0.7, 0.7]).is_none(None));
    }

    #[test]
    fn what_stands_out_with_the_colours_of_the_table_is_no_tile_unless_one_lay_there() {
        let lattice = Lattice::from_quad(&quad(0, 0, 40.0)).unwrap();
        let left = |as_table: bool, lain: &[(Cell, (usize, u8))]| {
            let tile = |(col, likeness): (i8, f32)| {
                let (crop, comparison) = (RgbImage::default(), Comparison::default());
                let quad = quad(i32::from(col), 0, 40.0);
                let as_table = as_table && col == 1;
                (
                    Cell::new(col, 0),
                    FoundTile { quad, crop, comparison, likeness, stands_out: true, as_table },
                )
            };
            let tiles = [(0, 0.8), (1, PERHAPS)].map(tile).into();
            let mut numbered = Numbered { tiles, offset: (0, 0) };
            numbered.without_what_is_none(&lattice, &lain.iter().copied().collect());
            numbered.tiles.len()
        };
        assert_eq!(left(false, &[]), 2);
        assert_eq!(left(true, &[]), 1);
        assert_eq!(left(true, &[(Cell::new(1, 0), (3, 0))]), 2);
    }

    #[test]
    fn a_board_that_lies_still_is_sought_where_it_was_seen_best() {
        // A row of so many tiles, of which some are sure.
        let row = |x: f64, side: f64, tiles: usize, sure: usize, worth: f32| {
            let at = |i: usize| {
                let left = x + side * i as f64;
                Quad([[left, 200.0], [left + side, 200.0], [left + side, 200.0 + side], [left, 200.0 + side]])
            };
            let mut lattice = Lattice::from_quad(&at(0)).unwrap();
            (1..tiles).for_each(|i| lattice.measure((i as i32, 0), at(i)));
            let lying = (0..sure).map(at).collect();
            Before { lattice, sure, tiles, lying, told: (sure, worth), held: 0 }
        };
        let left = |before: &Before| before.lattice.quad((0, 0)).unwrap().0[0][0];
        let after = |one: Before, other: Before| {
            let sure = other.sure;
            let then = one.then(other);
            assert_eq!(then.sure, sure, "what is seen now");
            left(&then)
        };
        let one = || row(300.0, 30.0, 1, 1, 0.8);
        assert_eq!(after(one(), row(301.0, 31.0, 1, 1, 0.7)), 300.0);
        assert_eq!(after(one(), row(301.0, 31.0, 1, 1, 0.9)), 301.0, "it is seen better");
        assert_eq!(after(one(), row(330.0, 30.0, 1, 1, 0.7)), 330.0, "it lies elsewhere");
        assert_eq!(after(one(), row(301.0, 31.0, 2, 2, 1.3)), 301.0, "another was laid");
        let many = || row(300.0, 30.0, 8, 8, 6.0);
        assert_eq!(after(many(), row(301.0, 30.0, 8, 8, 5.0)), 301.0, "of many each holds the others");
        assert_eq!(after(many(), row(301.0, 30.0, 8, 7, 5.0)), 301.0, "so do they where one is hidden");
        let few = || row(300.0, 30.0, 3, 3, 2.2);
        assert_eq!(after(few(), row(301.0, 31.0, 3, 2, 1.5)), 300.0, "one is hidden");
        assert_eq!(after(many(), row(301.0, 33.0, 3, 3, 2.0)), 300.0, "a hand hides most of it");
        assert_eq!(after(many(), row(312.0, 30.0, 3, 3, 2.0)), 312.0);
        let bumped = |before: Before| before.then(row(301.0, 33.0, 3, 3, 2.0));
        assert_eq!(left(&bumped(bumped(bumped(many())))), 300.0);
        assert_eq!(left(&bumped(bumped(bumped(bumped(many()))))), 301.0, "no hand stays so long");
    }

    #[test]
    fn a_single_tile_may_be_the_one_that_a_game_begins_with_where_another_is_hardly_likelier() {
        let mut comparison =
            Comparison { scores: vec![[0.0, 1.0, 2.0, 3.0], [9.0, 4.0, 7.5, 0.0]], ..Comparison::default() };
        assert_eq!(may_be(&comparison, Some(1)), Some((1, 0)));
        assert_eq!(may_be(&comparison, Some(0)), None, "six nats behind");
        comparison.scores[0][2] = 6.5;
        assert_eq!(may_be(&comparison, Some(0)), Some((0, 2)));
        assert_eq!(may_be(&comparison, Some(7)), None);
        assert_eq!(may_be(&comparison, None), None);
    }
}
