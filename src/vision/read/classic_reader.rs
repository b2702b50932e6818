//! Reads a table without a wall.

use std::collections::BTreeMap;

use image::RgbImage;

use super::drawing::Placed;
use crate::observation::{Alternative, CellReading, CellState, Observation};
use crate::rules::{Cell, Deck};
use crate::vision::base::error::VisionError;
use crate::vision::base::mat::mat_of;
use crate::vision::base::photo::{self, Pyramid};
use crate::vision::grid::growing::{self, ALIKE, FoundTile};
use crate::vision::grid::lattice::Lattice;
use crate::vision::grid::seeds::TileFeatures;
use crate::vision::tiles::assignment::{Constraints, Site, settle};
use crate::vision::tiles::blur;
use crate::vision::tiles::colour_model::{Soft, Sure};
use crate::vision::tiles::recogniser::Gallery;
use crate::vision::tiles::references::Pictures;

/// The longer side of the picture in which features are searched, pixels.
const SEARCH_PX: f64 = 2000.0;
/// What a photo and the search in it may take together, bytes: the search is made
/// smaller in the largest photos.
const MEMORY: f64 = 8e8;
/// What a pixel takes of it, in the photo and in the picture that is searched.
const PIXEL_BYTES: (f64, f64) = (3.0, 235.0);
/// How many seeds' worth of features make a board of a single tile believable.
const LONELY: f32 = 0.8;
/// Posterior above which a reading tells how soft the photo is.
const TELLS_OF_BLUR: f32 = 0.5;
/// Posterior above which it tells of the light: wrong names would colour all others.
const TELLS_OF_LIGHT: f32 = 0.9;

/// Reads frames of a table without a wall: the tiles' own lattice is found in
/// each.
pub struct ClassicReader {
    deck: Deck,
    pictures: Pictures,
    features: TileFeatures,
    places: Vec<Placed>,
}

impl ClassicReader {
    /// Makes ready to read; `gallery` and `references` (of
    /// [`CELL_PX`](crate::vision::base::crop::CELL_PX) a side) hold the deck's tiles in their
    /// order, upright and cut to their edges, `pictures` the same as large as they are
    /// known.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn new(
        deck: Deck,
        gallery: Box<dyn Gallery>,
        references: &[RgbImage],
        pictures: &[RgbImage],
    ) -> Result<ClassicReader, VisionError> {
        let features = TileFeatures::new(pictures)?;
        Ok(ClassicReader { deck, pictures: Pictures::new(gallery, references), features, places: Vec::new() })
    }

    /// Where the cells of the last reading are in its picture: upper left,
    /// upper right, lower right, lower left corner, pixels.
    pub fn places(&self) -> &[Placed] {
        &self.places
    }

    /// Reads a frame. Columns and rows count from the upper left occupied cell.
    ///
    /// # Errors
    /// [`VisionError::NoTiles`] when no tile of the deck is in the frame.
    pub fn read(&mut self, frame: &RgbImage) -> Result<Observation, VisionError> {
        self.places.clear();
        let found = self.find(frame)?;
        let sure = found.values().filter(|t| t.likeness >= ALIKE).count();
        let lonely = found.len() == 1 && found.values().all(|t| t.likeness < LONELY);
        if sure == 0 || lonely {
            return Err(VisionError::NoTiles(self.deck.name.clone()));
        }
        let mut tiles = numbered(found);
        self.add_colours(&mut tiles);
        Ok(self.tell(&tiles))
    }

    fn find(&mut self, frame: &RgbImage) -> Result<BTreeMap<(i32, i32), FoundTile>, VisionError> {
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
        let Some(mut lattice) = Lattice::from_seeds(&seeds)? else {
            return Ok(BTreeMap::new());
        };
        tracing::debug!(cells = lattice.cells().count(), roughness = lattice.roughness(), "lattice");
        // Made only now: the features of a photo take more memory than the photo.
        let photo = Pyramid::new(frame)?;
        let found = growing::grow(&photo, &mut lattice, &self.pictures.refiner())?;
        if self.soften(&found)? {
            growing::grow(&photo, &mut lattice, &self.pictures.refiner())
        } else {
            Ok(found)
        }
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
    /// are too few in each tile's own.
    fn add_colours(&self, tiles: &mut [(Cell, FoundTile)]) {
        let soft: Vec<Soft> = tiles.iter().map(|(_, tile)| Soft::of(&tile.crop)).collect();
        let sure: Vec<Sure<'_>> = tiles
            .iter()
            .zip(&soft)
            .filter(|((_, tile), _)| tile.likeness >= ALIKE && tile.comparison.posterior() > TELLS_OF_LIGHT)
            .filter_map(|((cell, tile), crop)| {
                let (best, rotation) = tile.comparison.best()?;
                Some(Sure { crop, cell: *cell, tile: best, rotation, shift: (0.0, 0.0) })
            })
            .collect();
        let prints = &self.pictures.prints;
        let light = prints.light(&sure);
        for ((cell, tile), crop) in tiles.iter_mut().zip(&soft) {
            tile.comparison = match &light {
                Some(light) => light.judge(crop, *cell, &tile.comparison).comparison,
                None => prints.told_apart(crop, &tile.comparison),
            };
        }
    }

    fn tell(&mut self, tiles: &[(Cell, FoundTile)]) -> Observation {
        let sites: Vec<Site<'_>> = tiles
            .iter()
            .map(|(cell, t)| Site { cell: *cell, comparison: &t.comparison, trust: 1.0 })
            .collect();
        let named = settle(&sites, &self.deck, &Constraints::default());
        self.places = tiles.iter().map(|(cell, t)| (*cell, t.quad.0)).collect();
        let id = |t: usize| self.deck.tiles.get(t).map(|t| t.id.clone());
        let cells = tiles
            .iter()
            .zip(named)
            .map(|((cell, tile), named)| {
                tracing::trace!(cell.col, cell.row, tile.likeness, ?named, "named");
                let doubtful = tile.likeness < ALIKE;
                let state = if doubtful { CellState::Unknown } else { named.state };
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
                    figures: Vec::new(),
                }
            })
            .collect();
        Observation { cells, warnings: Vec::new() }
    }
}

/// The tiles by their cells, row by row, counted from the upper left occupied
/// one; what is too far to be counted is left out.
fn numbered(found: BTreeMap<(i32, i32), FoundTile>) -> Vec<(Cell, FoundTile)> {
    let left = found.keys().map(|c| c.0).min().unwrap_or(0);
    let top = found.keys().map(|c| c.1).min().unwrap_or(0);
    let cell = |c: (i32, i32)| Some(Cell::new(i8::try_from(c.0 - left).ok()?, i8::try_from(c.1 - top).ok()?));
    let mut tiles: Vec<(Cell, FoundTile)> =
        found.into_iter().filter_map(|(c, tile)| Some((cell(c)?, tile))).collect();
    tiles.sort_by_key(|(c, _)| (c.row, c.col));
    tiles
}
