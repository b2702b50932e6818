//! The bare table as a film has shown it so far: what lies on it now looks other than it did. Where
//! the camera looks elsewhere for a while and back, it is the same table.

use image::RgbImage;

use super::glance::Drift;
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Quad};
use crate::vision::base::photo;
use crate::vision::base::quads::OffTable;

/// How the table is remembered, and what is told of it. All is set by hand, and was tried on films
/// that were looked at (`docs/games-suite.md`, those of a larger table).
struct Settings {
    /// The longer side of the picture that is kept, pixels: a tile has ten a side.
    kept_px: u32,
    /// Nothing is learned of a square this many times as large as a tile and about its middle: it
    /// may be in its shadow or under what stands on it.
    beside: f64,
    /// Mean difference of a part of a cell, levels of 255, from which on it has changed. Lower takes
    /// noise and weak shadows for tiles; higher overlooks tiles of the table's colour.
    changed: f32,
    /// In a weaker light all colours lie nearer to one another: this share of that difference is the least
    /// that counts.
    changed_dimly: f32,
    /// How much darker than it was a part in a shadow is, and how much brighter, as shares of the
    /// light before.
    shade: (f32, f32),
    /// A frame that is darker than this share of what is known tells nothing: the lens is covered.
    dim: f32,
    /// A game of more tiles may have some on the table that are not found. One of fewer begins, and its
    /// table is seen: in a lamp's light it may have other colours than the picture's rim.
    begun: usize,
    /// A larger share of the table that looks other than before is another view: all begins anew.
    anew: f32,
    /// Side of the blocks of that picture in each of which the light may change in its own way, pixels:
    /// a few tiles.
    block: u32,
    /// The least share of a block that must be bare and known to tell of its light.
    telling: f32,
    /// So much of a cell's inside is compared, of each side: tiles lie a little beside their cells.
    inside: f64,
    /// Parts a side into which a cell is split, and places a side of each that are looked at.
    parts: u32,
    places: u32,
    /// Share of a cell's parts that have changed below which it is bare unless it ends as a tile does, and
    /// from which on something lies there: tiles lie askew, and a print may have the table's colour in part.
    same: f32,
    hidden: f32,
    /// The least share of a cell's places of which it must be known how they looked.
    known: f32,
    /// A shadow ends softly, a tile within a few pixels: how far within a side of a cell and beyond it the
    /// light is compared, as shares of the side.
    within: [f64; 2],
    beyond: [f64; 2],
    /// Beyond the side the light is as elsewhere where its logarithm is at most this, and the cell ends there
    /// where that within differs by as much as `ends` at least. In a film of a grey print on a beige cloth,
    /// with two thirds of its light, two tiles have 0.36 and more at each such side, and bare cells with no
    /// hand near up to 0.02.
    as_elsewhere: f32,
    ends: f32,
    /// At so many sides at least.
    sides: usize,
    /// So much of what a pixel looks like now is learned at each look, as a share. Larger follows
    /// light that changes in one place; smaller keeps how the light changed from the beginning truer.
    learning: f32,
}

const SETTINGS: Settings = Settings {
    kept_px: 320,
    beside: 1.15,
    changed: 9.0,
    changed_dimly: 0.3,
    shade: (0.4, 1.1),
    dim: 0.3,
    begun: 4,
    anew: 0.5,
    block: 32,
    telling: 0.15,
    inside: 0.85,
    parts: 4,
    places: 3,
    same: 0.2,
    hidden: 0.6,
    known: 0.6,
    within: [0.15, 0.25],
    beyond: [0.2, 0.3],
    as_elsewhere: 0.05,
    ends: 0.2,
    sides: 2,
    learning: 0.1,
};

type Colour = [f32; 3];

/// A frame, made small.
#[derive(Clone)]
struct Small {
    colours: Vec<Colour>,
    width: u32,
    height: u32,
    /// Pixels of the frame for one of these.
    by: u32,
}

impl Small {
    fn of(frame: &RgbImage) -> Small {
        let by = frame.width().max(frame.height()).div_ceil(SETTINGS.kept_px).max(1);
        let (colours, width) = photo::block_means(frame, by);
        let height = colours.len() as u32 / width;
        Small { colours, width, height, by }
    }

    /// The pixel in which a place of the frame lies.
    fn at(&self, [x, y]: [f64; 2]) -> Option<usize> {
        let (x, y) = ((x + 0.5) / f64::from(self.by), (y + 0.5) / f64::from(self.by));
        let inside = x >= 0.0 && y >= 0.0 && x < f64::from(self.width) && y < f64::from(self.height);
        inside.then_some((y as u32 * self.width + x as u32) as usize)
    }

    /// For each pixel whether a board of these tiles lies there or near.
    fn beside(&self, board: &[Quad]) -> Vec<bool> {
        let mut beside = vec![false; self.colours.len()];
        for quad in board.iter().map(|quad| quad.grown(SETTINGS.beside)) {
            let side = |v: f64, most: u32| {
                (v / f64::from(self.by)).clamp(0.0, f64::from(most.saturating_sub(1))) as u32
            };
            let range = |axis: usize, most: u32| {
                let all = quad.0.map(|corner| side(corner[axis], most));
                all.into_iter().min().unwrap_or(0)..=all.into_iter().max().unwrap_or(0)
            };
            for y in range(1, self.height) {
                for x in range(0, self.width) {
                    let pixel = (y * self.width + x) as usize;
                    beside[pixel] |= quad.contains(self.middle(pixel));
                }
            }
        }
        beside
    }

    /// The block in which a pixel lies, row by row.
    fn block(&self, pixel: usize) -> usize {
        let (x, y) = (pixel as u32 % self.width / SETTINGS.block, pixel as u32 / self.width / SETTINGS.block);
        (y * self.width.div_ceil(SETTINGS.block) + x) as usize
    }

    /// The middle of a pixel, in the frame.
    fn middle(&self, pixel: usize) -> [f64; 2] {
        let at = |v: u32| (f64::from(v) + 0.5) * f64::from(self.by) - 0.5;
        [at(pixel as u32 % self.width), at(pixel as u32 / self.width)]
    }
}

/// So many views are remembered that the camera has left.
const VIEWS: usize = 3;

/// The bare table in the view that the camera has, and in those that it had before.
#[derive(Default)]
pub(super) struct Backdrops {
    now: Option<Backdrop>,
    /// What the camera looked at before, oldest first.
    before: Vec<Backdrop>,
}

impl Backdrops {
    /// Looks at a frame. Where it is another view than the last, the table is known only if it was seen
    /// in that view before.
    pub(super) fn look_at(&mut self, frame: &RgbImage) {
        if self.now.is_none() && self.before.is_empty() {
            return;
        }
        let small = Small::of(frame);
        if let Some(left) = self.now.take_if(|backdrop| !backdrop.look_at(&small)) {
            self.before.push(left);
            let many = self.before.len().saturating_sub(VIEWS);
            self.before.drain(..many);
        }
        if self.now.is_none() {
            let back = self.before.iter_mut().rposition(|backdrop| backdrop.look_at(&small));
            self.now = back.map(|at| self.before.remove(at));
        }
    }

    /// The table as the camera sees it in this frame, in which tiles lie at `board`, after it was moved
    /// by `moved` (from the picture before to the one now, pixels). As [`Backdrop::new`] where it was not
    /// seen before; `None` where it looks other than it did for the most part, or was never seen.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub(super) fn moved(
        &self,
        moved: &Homography,
        frame: &RgbImage,
        board: &[Quad],
        off_table: &OffTable,
    ) -> Result<Option<Backdrops>, VisionError> {
        let (Some(known), Some(back)) = (self.now.as_ref().or(self.before.last()), moved.inverse()) else {
            return Ok(None);
        };
        let mut backdrop = Backdrop::new(frame, board, usize::MAX, off_table)?;
        backdrop.learn_from(known, &back);
        let as_it_was = backdrop.look_at(&Small::of(frame));
        Ok(as_it_was.then(|| Backdrops { now: Some(backdrop), before: Vec::new() }))
    }

    /// Learns from the frame that is looked at, as [`Backdrop::take_in`], or begins with it, as
    /// [`Backdrop::new`].
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub(super) fn take_in(
        &mut self,
        frame: &RgbImage,
        board: &[Quad],
        tiles: usize,
        off_table: &OffTable,
    ) -> Result<(), VisionError> {
        match &mut self.now {
            Some(backdrop) => backdrop.take_in(board),
            None => self.now = Some(Backdrop::new(frame, board, tiles, off_table)?),
        }
        Ok(())
    }

    /// As [`Backdrop::is_hidden`]; `None` where nothing is known of the view.
    pub(super) fn is_hidden(&self, cell: &Quad) -> Option<bool> {
        self.now.as_ref()?.is_hidden(cell)
    }
}

/// How the bare table looked.
struct Backdrop {
    /// In the light of the first frame, whatever was learned later: what is hidden for a while is then
    /// known in the same light as what is seen.
    then: Small,
    /// For each pixel whether something else than the board was seen there.
    known: Vec<bool>,
    /// For each pixel whether that had the table's colours: else a hand may have lain there, or light.
    sure: Vec<bool>,
    /// For each pixel whether the board lay there or near when something was learned last.
    beside: Vec<bool>,
    /// The frame that is looked at, and how its light differs in each block of [`Settings::block`].
    now: Option<(Small, Vec<Drift>)>,
}

impl Backdrop {
    /// Of the first frame, in which tiles lie at `board`. Where a game has had `tiles` already, more of
    /// them may lie there unseen: what has not the table's colours is not known to be bare then.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    fn new(
        frame: &RgbImage,
        board: &[Quad],
        tiles: usize,
        off_table: &OffTable,
    ) -> Result<Backdrop, VisionError> {
        let then = Small::of(frame);
        let beside = then.beside(board);
        let mut sure = Vec::with_capacity(then.colours.len());
        for (pixel, beside) in beside.iter().enumerate() {
            sure.push(!beside && !off_table.is_off(then.middle(pixel))?);
        }
        let known =
            if tiles > SETTINGS.begun { sure.clone() } else { beside.iter().map(|beside| !beside).collect() };
        Ok(Backdrop { then, known, sure, beside, now: None })
    }

    /// Looks at a frame; where it is too dark to tell anything, nothing is told of it. `false` where
    /// it is another view: the table is not known from there.
    fn look_at(&mut self, now: &Small) -> bool {
        self.now = None;
        if (now.width, now.height, now.by) != (self.then.width, self.then.height, self.then.by) {
            return false;
        }
        let across = now.width.div_ceil(SETTINGS.block);
        let mut blocks = vec![Vec::new(); (across * now.height.div_ceil(SETTINGS.block)) as usize];
        let mut pairs: Vec<(Colour, Colour)> = Vec::new();
        for pixel in (0..self.known.len()).filter(|pixel| self.known[*pixel] && !self.beside[*pixel]) {
            let pair = (self.then.colours[pixel], now.colours[pixel]);
            pairs.push(pair);
            blocks[now.block(pixel)].push(pair);
        }
        let all = Drift::between(&pairs);
        if all.lit([1.0; 3]).iter().any(|gain| *gain < SETTINGS.dim) {
            return true;
        }
        let changed = pairs.iter().filter(|(then, now)| has_changed(&all, *then, *now)).count();
        let least = SETTINGS.telling * (SETTINGS.block * SETTINGS.block) as f32;
        let drifts = blocks.iter().map(|b| if b.len() as f32 >= least { Drift::between(b) } else { all });
        self.now = Some((now.clone(), drifts.collect()));
        changed as f32 <= SETTINGS.anew * pairs.len() as f32
    }

    /// Whether something lies in a cell of the frame that is looked at: whether it looks other than
    /// the bare table did there, beside light and shadow, or ends as a tile does. `None` where that is not
    /// clear, or too little is known of how the table looked.
    fn is_hidden(&self, cell: &Quad) -> Option<bool> {
        // What may have been a hand tells something only where it looks the same by now.
        if self.changed(cell, &self.known)? < SETTINGS.same {
            return Some(self.ends_as_a_tile(cell));
        }
        (self.changed(cell, &self.sure)? >= SETTINGS.hidden).then_some(true)
    }

    /// The share of a cell's parts that look other than before, by the pixels of which this says so;
    /// `None` where these are too few.
    fn changed(&self, cell: &Quad, telling: &[bool]) -> Option<f32> {
        let (now, drifts) = self.now.as_ref()?;
        let drift = drifts.get(self.then.block(self.then.at(cell.centre())?))?;
        let place = Homography::from_unit_square(&cell.grown(SETTINGS.inside));
        let steps = SETTINGS.parts * SETTINGS.places;
        let along = |k: u32| (f64::from(k) + 0.5) / f64::from(steps);
        let dimmed = drift.lit([1.0; 3]).into_iter().fold(1.0, f32::min);
        let least = SETTINGS.changed * dimmed.max(SETTINGS.changed_dimly);
        let (mut parts, mut changed, mut seen) = (0, 0, 0);
        for part in 0..SETTINGS.parts * SETTINGS.parts {
            let left = part % SETTINGS.parts * SETTINGS.places;
            let top = part / SETTINGS.parts * SETTINGS.places;
            let mut pairs: Vec<(Colour, Colour)> = Vec::new();
            for i in 0..SETTINGS.places * SETTINGS.places {
                let at = [along(left + i % SETTINGS.places), along(top + i / SETTINGS.places)];
                let pixel = self.then.at(place.apply(at)).filter(|pixel| telling[*pixel]);
                pairs.extend(pixel.map(|pixel| (self.then.colours[pixel], now.colours[pixel])));
            }
            seen += pairs.len();
            if pairs.is_empty() {
                continue;
            }
            let mean = |colour: fn(&(Colour, Colour)) -> Colour| -> Colour {
                std::array::from_fn(|c| pairs.iter().map(|p| colour(p)[c]).sum::<f32>() / pairs.len() as f32)
            };
            let (was, is) = (mean(|p| p.0), mean(|p| p.1));
            let light = (is.iter().sum::<f32>() / drift.lit(was).iter().sum::<f32>().max(1.0))
                .clamp(SETTINGS.shade.0, SETTINGS.shade.1);
            parts += 1;
            changed += u32::from(farthest(drift, was.map(|v| v * light), is) > least);
        }
        let known = seen as f32 >= SETTINGS.known * (steps * steps) as f32;
        known.then(|| changed as f32 / parts.max(1) as f32)
    }

    /// Whether what looks like the bare table in a shadow ends where the cell does, at all sides beyond which
    /// it is seen how bright the bare table is now: a tile whose print has nearly the table's colours does.
    fn ends_as_a_tile(&self, cell: &Quad) -> bool {
        const STEPS: u32 = 8;
        let Some((now, drifts)) = &self.now else { return false };
        let place = Homography::from_unit_square(cell);
        // The logarithm of the light in a band along a side, beside what it is elsewhere.
        let light = |side: usize, at: [f64; 2], bare: bool| {
            let (mut is, mut was, mut seen) = (0.0, 0.0, 0);
            for (across, along) in at.into_iter().flat_map(|across| (0..STEPS).map(move |k| (across, k))) {
                // Not at the corners, where two sides end.
                let along = 0.15 + 0.7 * (f64::from(along) + 0.5) / f64::from(STEPS);
                let [x, y] = match side {
                    0 => [along, across],
                    1 => [1.0 - across, along],
                    2 => [along, 1.0 - across],
                    _ => [across, along],
                };
                let tells = |pixel: &usize| self.known[*pixel] && !(bare && self.beside[*pixel]);
                let Some(pixel) = self.then.at(place.apply([x, y])).filter(tells) else { continue };
                let Some(drift) = drifts.get(self.then.block(pixel)) else { continue };
                is += now.colours[pixel].iter().sum::<f32>();
                was += drift.lit(self.then.colours[pixel]).iter().sum::<f32>();
                seen += 1;
            }
            (seen >= STEPS && was > 1.0 && is > 1.0).then(|| (is / was).ln())
        };
        let sides = (0..4).filter_map(|side| {
            let beyond = light(side, SETTINGS.beyond.map(|d| -d), true)?;
            let within = light(side, SETTINGS.within, false)?;
            (beyond.abs() <= SETTINGS.as_elsewhere).then_some(within - beyond)
        });
        let sides: Vec<f32> = sides.collect();
        let darker = sides.iter().all(|step| *step <= -SETTINGS.ends);
        let brighter = sides.iter().all(|step| *step >= SETTINGS.ends);
        sides.len() >= SETTINGS.sides && (darker || brighter)
    }

    /// Takes over what is known of the table from another view; `back` leads from this picture to that
    /// one, pixels.
    fn learn_from(&mut self, other: &Backdrop, back: &Homography) {
        let mut seen = Vec::new();
        for pixel in 0..self.then.colours.len() {
            let at = back.apply(self.then.middle(pixel));
            if let Some((colour, sure)) = other.seen_at(at) {
                seen.push((pixel, colour, sure));
            }
        }
        let pairs: Vec<(Colour, Colour)> =
            seen.iter().map(|(pixel, colour, _)| (*colour, self.then.colours[*pixel])).collect();
        let drift = Drift::between(&pairs);
        for (pixel, colour, sure) in seen {
            self.then.colours[pixel] = drift.lit(colour);
            self.known[pixel] = true;
            self.sure[pixel] = sure;
        }
    }

    /// The colour of the bare table at a place of its picture, and whether it is sure; `None` where it
    /// is not known all about it.
    fn seen_at(&self, [x, y]: [f64; 2]) -> Option<(Colour, bool)> {
        let by = f64::from(self.then.by);
        let (x, y) = ((x + 0.5) / by - 0.5, (y + 0.5) / by - 0.5);
        let inside = x >= 0.0
            && y >= 0.0
            && x < f64::from(self.then.width) - 1.0
            && y < f64::from(self.then.height) - 1.0;
        if !inside {
            return None;
        }
        let (right, down) = (x.fract() as f32, y.fract() as f32);
        let first = y as usize * self.then.width as usize + x as usize;
        let below = first + self.then.width as usize;
        let corners = [
            (first, (1.0 - right) * (1.0 - down)),
            (first + 1, right * (1.0 - down)),
            (below, (1.0 - right) * down),
            (below + 1, right * down),
        ];
        if corners.iter().any(|(pixel, _)| !self.known[*pixel]) {
            return None;
        }
        let colour = std::array::from_fn(|channel| {
            corners.iter().map(|(pixel, weight)| weight * self.then.colours[*pixel][channel]).sum()
        });
        Some((colour, corners.iter().all(|(pixel, _)| self.sure[*pixel])))
    }

    /// Learns from the frame that is looked at, in which tiles lie at `board`, how the table that is
    /// the same looks by now.
    fn take_in(&mut self, board: &[Quad]) {
        let Some((now, drifts)) = &self.now else { return };
        self.beside = now.beside(board);
        for pixel in (0..self.known.len()).filter(|pixel| self.known[*pixel] && !self.beside[*pixel]) {
            let (then, is) = (self.then.colours[pixel], now.colours[pixel]);
            let drift = &drifts[now.block(pixel)];
            if let Some(unlit) = drift.unlit(is).filter(|_| !has_changed(drift, then, is)) {
                let learned =
                    |channel: usize| then[channel] + SETTINGS.learning * (unlit[channel] - then[channel]);
                self.then.colours[pixel] = [0, 1, 2].map(learned);
            }
        }
    }
}

fn has_changed(drift: &Drift, then: Colour, now: Colour) -> bool {
    farthest(drift, then, now) > SETTINGS.changed
}

/// By how many levels the channel of a colour that differs most from what the light alone makes of it
/// does so.
fn farthest(drift: &Drift, then: Colour, now: Colour) -> f32 {
    (0..3).map(|channel| drift.beside(channel, then[channel], now[channel])).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use image::{Rgb, imageops};

    use super::*;

    fn table(light: f32) -> RgbImage {
        RgbImage::from_fn(640, 360, |x, y| {
            let grain = ((x / 9 * 7 + y / 40 * 13) % 11) as f32;
            Rgb([(120.0 + grain) * light, (90.0 + grain) * light, (60.0 + grain) * light].map(|v| v as u8))
        })
    }

    fn square(left: f64, top: f64) -> Quad {
        Quad([[left, top], [left + 40.0, top], [left + 40.0, top + 40.0], [left, top + 40.0]])
    }

    /// The frame with a tile of nearly the table's colour at each of these places.
    fn with(frame: &RgbImage, tiles: &[(i64, i64)]) -> RgbImage {
        let mut frame = frame.clone();
        for (x, y) in tiles {
            let tile = RgbImage::from_pixel(40, 40, Rgb([140, 112, 82]));
            imageops::replace(&mut frame, &tile, *x, *y);
        }
        frame
    }

    #[test]
    fn a_tile_of_the_tables_colour_is_told_from_the_bare_table_in_another_light() {
        let first = with(&table(1.0), &[(200, 160)]);
        let off_table = OffTable::new(&photo::to_mat(&first).unwrap()).unwrap();
        let mut backdrop = Backdrop::new(&first, &[square(200.0, 160.0)], 1, &off_table).unwrap();
        assert!(backdrop.look_at(&Small::of(&first)));
        assert_eq!(backdrop.is_hidden(&square(200.0, 160.0)), None, "the table was never seen there");
        backdrop.take_in(&[square(200.0, 160.0)]);
        for light in [0.9, 0.8, 0.7] {
            let frame = with(&table(light), &[(200, 160), (240, 160)]);
            assert!(backdrop.look_at(&Small::of(&frame)));
            assert_eq!(backdrop.is_hidden(&square(240.0, 160.0)), Some(true), "{light}");
            assert_eq!(backdrop.is_hidden(&square(240.0, 200.0)), Some(false), "{light}");
            backdrop.take_in(&[square(200.0, 160.0), square(240.0, 160.0)]);
        }
        assert!(backdrop.look_at(&Small::of(&table(0.7))));
        assert_eq!(backdrop.is_hidden(&square(240.0, 160.0)), Some(false), "it was taken away");
    }

    #[test]
    fn tiles_that_were_not_found_when_the_camera_was_moved_are_no_bare_table() {
        let first = with(&table(1.0), &[(200, 160), (240, 160)]);
        let off_table = OffTable::new(&photo::to_mat(&first).unwrap()).unwrap();
        for (tiles, told) in [(1, Some(false)), (20, None)] {
            let mut backdrop = Backdrop::new(&first, &[square(200.0, 160.0)], tiles, &off_table).unwrap();
            assert!(backdrop.look_at(&Small::of(&first)));
            assert_eq!(backdrop.is_hidden(&square(240.0, 160.0)), told, "{tiles}");
            assert_eq!(backdrop.is_hidden(&square(400.0, 160.0)), Some(false), "{tiles}");
        }
    }

    #[test]
    fn the_bare_table_is_known_where_it_was_hidden_while_the_light_rose() {
        let first = with(&table(0.6), &[(200, 160)]);
        let off_table = OffTable::new(&photo::to_mat(&first).unwrap()).unwrap();
        let mut backdrop = Backdrop::new(&first, &[square(200.0, 160.0)], 1, &off_table).unwrap();
        for step in 0..20 {
            let frame = with(&table(0.6 + 0.02 * step as f32), &[(200, 160), (240, 160)]);
            assert!(backdrop.look_at(&Small::of(&frame)));
            backdrop.take_in(&[square(200.0, 160.0), square(240.0, 160.0)]);
        }
        assert!(backdrop.look_at(&Small::of(&with(&table(1.0), &[(200, 160)]))));
        assert_eq!(backdrop.is_hidden(&square(240.0, 160.0)), Some(false));
    }

    #[test]
    fn a_table_that_the_camera_looks_at_again_is_known() {
        let tiles = [square(200.0, 160.0)];
        let first = with(&table(1.0), &[(200, 160)]);
        let off_table = OffTable::new(&photo::to_mat(&first).unwrap()).unwrap();
        let mut backdrops = Backdrops::default();
        backdrops.take_in(&first, &tiles, 1, &off_table).unwrap();
        let floor =
            RgbImage::from_fn(640, 360, |x, y| Rgb([if (x / 40 + y / 30) % 2 == 0 { 30 } else { 220 }; 3]));
        for _ in 0..2 {
            backdrops.look_at(&floor);
            assert_eq!(backdrops.is_hidden(&square(240.0, 200.0)), None, "nothing is known of the floor");
            // Something of it is taken for tiles.
            backdrops.take_in(&floor, &[square(400.0, 40.0)], 1, &off_table).unwrap();
        }
        backdrops.look_at(&with(&table(0.8), &[(200, 160), (240, 160)]));
        assert_eq!(backdrops.is_hidden(&square(240.0, 160.0)), Some(true), "it was laid meanwhile");
        assert_eq!(backdrops.is_hidden(&square(240.0, 200.0)), Some(false));
    }

    #[test]
    fn a_table_that_is_seen_from_elsewhere_is_known() {
        let tiles = [square(200.0, 160.0)];
        let first = with(&table(1.0), &[(200, 160)]);
        let off_table = OffTable::new(&photo::to_mat(&first).unwrap()).unwrap();
        let mut backdrops = Backdrops::default();
        backdrops.take_in(&first, &tiles, 1, &off_table).unwrap();
        // All lies 90 to the right and 24 down now, in a weaker light, and two tiles are new.
        let moved = Homography([1.0, 0.0, 90.0, 0.0, 1.0, 24.0, 0.0, 0.0, 1.0]);
        let before = with(&table(0.85), &[(200, 160), (240, 160), (440, 160)]);
        let mut now = table(0.85);
        imageops::replace(&mut now, &before, 90, 24);
        // Of the new ones one is taken for the table, and two more tiles are seen in holes.
        let board = [square(290.0, 184.0), square(290.0, 144.0), square(250.0, 184.0)];
        let off_table = OffTable::new(&photo::to_mat(&now).unwrap()).unwrap();
        let again = backdrops.moved(&moved, &now, &board, &off_table).unwrap().unwrap();
        assert_eq!(again.is_hidden(&square(330.0, 184.0)), Some(true), "a new tile");
        assert_eq!(again.is_hidden(&square(530.0, 184.0)), Some(true), "a new tile");
        assert_eq!(again.is_hidden(&square(290.0, 144.0)), Some(false), "a hole");
        assert_eq!(again.is_hidden(&square(250.0, 184.0)), Some(false), "a hole");
        assert_eq!(again.is_hidden(&square(290.0, 184.0)), None, "the table was never seen there");
        let elsewhere = RgbImage::from_fn(640, 360, |x, _| Rgb([if x / 40 % 2 == 0 { 10 } else { 240 }; 3]));
        assert!(backdrops.moved(&moved, &elsewhere, &board, &off_table).unwrap().is_none());
        let none = Backdrops::default();
        assert!(none.moved(&moved, &now, &board, &off_table).unwrap().is_none());
    }

    #[test]
    fn a_tile_like_the_table_in_a_shadow_ends_as_no_shadow_does() {
        let grey = |light: f32| {
            RgbImage::from_pixel(640, 360, Rgb([150, 140, 130].map(|v| (v as f32 * light) as u8)))
        };
        let first = grey(1.0);
        let off_table = OffTable::new(&photo::to_mat(&first).unwrap()).unwrap();
        let mut backdrop = Backdrop::new(&first, &[square(200.0, 160.0)], 1, &off_table).unwrap();
        let mut laid = grey(0.95);
        imageops::replace(&mut laid, &RgbImage::from_pixel(40, 40, Rgb([99, 92, 86])), 240, 160);
        assert!(backdrop.look_at(&Small::of(&laid)));
        assert_eq!(backdrop.is_hidden(&square(240.0, 160.0)), Some(true));
        assert_eq!(backdrop.is_hidden(&square(280.0, 160.0)), Some(false), "beside it");
        assert_eq!(backdrop.is_hidden(&square(240.0, 200.0)), Some(false), "beside it");
        // The same in a shadow that is larger, and in one whose edges are soft.
        let shadow = RgbImage::from_fn(640, 360, |x, y| {
            let far = (f64::from(x) - 260.0).hypot(f64::from(y) - 180.0) as f32;
            let light = (0.6 + 0.4 * (far - 30.0) / 60.0).clamp(0.6, 1.0);
            Rgb([150.0, 140.0, 130.0].map(|v: f32| (v * light) as u8))
        });
        assert!(backdrop.look_at(&Small::of(&shadow)));
        assert_eq!(backdrop.is_hidden(&square(240.0, 160.0)), Some(false));
        let mut large = grey(1.0);
        imageops::replace(&mut large, &RgbImage::from_pixel(120, 120, Rgb([99, 92, 86])), 200, 120);
        assert!(backdrop.look_at(&Small::of(&large)));
        for left in [240.0, 280.0, 320.0] {
            assert_eq!(backdrop.is_hidden(&square(left, 160.0)), Some(false), "{left}");
        }
    }

    #[test]
    fn another_view_is_noticed() {
        let mut first = table(1.0);
        imageops::replace(&mut first, &RgbImage::from_pixel(60, 60, Rgb([235; 3])), 500, 60);
        let off_table = OffTable::new(&photo::to_mat(&first).unwrap()).unwrap();
        let mut backdrop = Backdrop::new(&first, &[], 0, &off_table).unwrap();
        let greys = [20, 90, 160, 230];
        let other =
            RgbImage::from_fn(640, 360, |x, y| Rgb([greys[((x / 40 + 2 * (y / 40)) % 4) as usize]; 3]));
        assert!(!backdrop.look_at(&Small::of(&other)));
        assert!(!backdrop.look_at(&Small::of(&RgbImage::new(320, 180))), "another size");
        assert!(backdrop.look_at(&Small::of(&first)));
        assert_eq!(backdrop.is_hidden(&square(200.0, 160.0)), Some(false));
        assert!(backdrop.look_at(&Small::of(&RgbImage::new(640, 360))), "the lens is covered");
        assert_eq!(backdrop.is_hidden(&square(200.0, 160.0)), None);
        backdrop.take_in(&[]);
        assert!(backdrop.look_at(&Small::of(&with(&first, &[(200, 160)]))));
        assert_eq!(backdrop.is_hidden(&square(200.0, 160.0)), Some(true));
    }
}
