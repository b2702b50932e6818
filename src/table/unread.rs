//! Why tiles that lie on the table are not read, as far as the picture tells.

use image::RgbImage;
use image::imageops::{self, FilterType};

use super::look_over::{Judged, Remark, of_conditions};
use crate::observation::{CellState, Observation};
use crate::rules::{Cell, Sentence, sentence};
use crate::vision::base::conditions::{Conditions, is_burnt};
use crate::vision::read::drawing::Placed;

/// When it is told.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// Seconds from one measure of a frame to the next.
    every: f64,
    /// Seconds that something has to rest on a table on which no tile is read: longer than a hand
    /// lays a tile, and than the program takes to name one.
    rests: f64,
    /// Width of the frames that are compared, pixels: a tile of 25 pixels in a frame of 1280 has
    /// 6 there.
    width: u32,
    /// Least difference of lightness, of 255, to the first frame: more than noise and shadows.
    differs: u8,
    /// Pixels of the small frame that have to differ: half a tile of 25 pixels.
    enough: usize,
    /// The share of them that is burnt out from which on that is the reason.
    burnt_out: f32,
}

const PATIENCE: Patience =
    Patience { every: 2.0, rests: 12.0, width: 320, differs: 40, enough: 20, burnt_out: 0.5 };

/// What is remembered of the frames.
#[derive(Debug, Default)]
pub(super) struct Unread {
    /// The first frame, in which no tile was found.
    first: Option<RgbImage>,
    /// For each pixel that differs from the first frame its lightness, and since when.
    resting: Vec<Option<(u8, f64)>>,
    /// When a frame was measured last.
    measured: Option<f64>,
    why: Option<Sentence>,
    /// Whether what rests on a table on which no tile is read is burnt out.
    burnt_out: bool,
}

impl Unread {
    /// Takes in a frame, at `t` seconds, in which no tile was found on a table without a wall; none
    /// was before. Gives why nothing is read, if something rests there.
    pub fn nothing_found(&mut self, frame: &RgbImage, t: f64) -> Option<Sentence> {
        if self.measured.is_some_and(|last| (0.0..PATIENCE.every).contains(&(t - last))) {
            return self.why.clone();
        }
        self.measured = Some(t);
        let height = (PATIENCE.width * frame.height()).div_ceil(frame.width().max(1)).max(1);
        let small = imageops::resize(frame, PATIENCE.width, height, FilterType::Triangle);
        let first = self.first.get_or_insert_with(|| small.clone());
        if first.dimensions() != small.dimensions() {
            *self = Unread::default();
            return None;
        }
        let lights = |image: &RgbImage| imageops::grayscale(image).into_raw();
        let (was, now) = (lights(first), lights(&small));
        // A camera that exposes anew changes every pixel alike.
        let shift = middle(&now) - middle(&was);
        self.resting.resize(now.len(), None);
        for ((rests, was), now) in self.resting.iter_mut().zip(&was).zip(&now) {
            let differs =
                (i16::from(*now) - i16::from(*was) - shift).unsigned_abs() > u16::from(PATIENCE.differs);
            let same = rests.is_some_and(|(light, _)| light.abs_diff(*now) <= PATIENCE.differs);
            *rests = differs.then(|| if same { rests.unwrap_or((*now, t)) } else { (*now, t) });
        }
        let pixels = small.pixels().zip(&self.resting);
        let there = pixels.filter(|(_, r)| r.is_some_and(|(_, since)| t - since >= PATIENCE.rests));
        let there: Vec<bool> = there.map(|(pixel, _)| is_burnt(pixel.0)).collect();
        let burnt = there.iter().filter(|burnt| **burnt).count() as f32 / there.len().max(1) as f32;
        let rests = there.len() >= PATIENCE.enough;
        self.burnt_out = rests && burnt >= PATIENCE.burnt_out;
        self.why = match rests {
            false => None,
            true if self.burnt_out => Some(sentence!(
                "what lies on the table is burnt out to white, so that no print is seen; lower the camera's exposure, or \
                 dim the lamp"
            )),
            true => Some(sentence!(
                "something lies on the table, and no tile of the deck is seen in it; move the camera nearer, or name \
                 the deck that lies there"
            )),
        };
        self.why.clone()
    }

    /// Whether what rests on the table is burnt out, after a frame in which nothing was found.
    pub fn is_burnt_out(&self) -> bool {
        self.burnt_out
    }

    /// Takes in a frame that was read, at `t` seconds, with what the record does not have of it:
    /// `unread` are cells in which something lies that nobody can name. Gives why, if the picture
    /// tells.
    pub fn read(
        &mut self,
        frame: &RgbImage,
        places: &[Placed],
        seen: &Observation,
        unread: &[Cell],
        t: f64,
    ) -> Option<Sentence> {
        (self.first, self.burnt_out) = (None, false);
        if unread.is_empty() {
            (self.why, self.measured) = (None, None);
            return None;
        }
        if self.measured.is_some_and(|last| (0.0..PATIENCE.every).contains(&(t - last))) {
            return self.why.clone();
        }
        self.measured = Some(t);
        let lies = |cell: Cell| {
            let reading = seen.cells.iter().find(|c| (c.col, c.row) == (cell.col, cell.row));
            reading.is_some_and(|c| c.state != CellState::Empty)
        };
        let tiles: Vec<_> = places.iter().filter(|(cell, _)| lies(*cell)).map(|place| place.1).collect();
        let worst = |remark: &Remark| matches!(remark.judged, Judged::Poor | Judged::Bad);
        self.why = match tiles.is_empty() {
            true => None,
            false => {
                let remarks = of_conditions(&Conditions::of(frame, &tiles));
                remarks.into_iter().filter(worst).max_by_key(|remark| remark.judged).map(|r| r.sentence())
            }
        };
        self.why.clone()
    }
}

/// The lightness in the middle of all.
fn middle(lights: &[u8]) -> i16 {
    let mut sorted = lights.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).map_or(0, |v| i16::from(*v))
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;
    use crate::observation::CellReading;

    /// A grey table with a square of a colour on it, 25 pixels wide.
    fn table(square: Option<[u8; 3]>, light: u8) -> RgbImage {
        RgbImage::from_fn(1280, 720, |x, y| match square {
            Some(colour) if (600..625).contains(&x) && (300..325).contains(&y) => Rgb(colour),
            _ => Rgb([light; 3]),
        })
    }

    /// What is told after each half second of frames.
    fn told(frames: impl Fn(f64) -> RgbImage, seconds: f64) -> Vec<Option<Sentence>> {
        let mut unread = Unread::default();
        (0..(2.0 * seconds) as usize)
            .map(|i| 0.5 * i as f64)
            .map(|t| unread.nothing_found(&frames(t), t))
            .collect()
    }

    #[test]
    fn what_is_burnt_out_is_told_once_it_rests() {
        let white = |t: f64| table((t >= 4.0).then_some([255, 255, 250]), 120);
        let said = told(white, 24.0);
        assert!(said[..32].iter().all(Option::is_none), "{said:?}");
        let last = said.last().unwrap().as_ref().unwrap().to_string();
        assert!(last.contains("burnt out to white"), "{last}");
    }

    #[test]
    fn what_is_no_tile_is_told_otherwise() {
        let said = told(|t| table((t >= 4.0).then_some([20, 40, 160]), 120), 24.0);
        let last = said.last().unwrap().as_ref().unwrap().to_string();
        assert!(last.contains("no tile of the deck"), "{last}");
    }

    #[test]
    fn a_hand_and_a_camera_that_exposes_anew_are_not_told() {
        let hand = |t: f64| table((t % 6.0 >= 3.0).then_some([200, 150, 120]), 120);
        assert!(told(hand, 30.0).iter().all(Option::is_none));
        let exposes = |t: f64| table(None, if t < 4.0 { 90 } else { 180 });
        assert!(told(exposes, 30.0).iter().all(Option::is_none));
    }

    #[test]
    fn of_a_tile_that_is_not_read_the_worst_condition_is_told() {
        let frame = table(Some([255, 255, 255]), 120);
        let at = |x: f64, y: f64| [[x, y], [x + 25.0, y], [x + 25.0, y + 25.0], [x, y + 25.0]];
        let (lies, bare) = (Cell::new(3, 4), Cell::new(4, 4));
        let places = vec![(lies, at(600.0, 300.0)), (bare, at(625.0, 300.0))];
        let seen = Observation {
            cells: vec![reading(lies), CellReading { state: CellState::Empty, ..reading(bare) }],
            ..Observation::default()
        };
        let mut unread = Unread::default();
        assert_eq!(unread.read(&frame, &places, &seen, &[], 0.0), None);
        let why = unread.read(&frame, &places, &seen, &[lies], 1.0).unwrap().to_string();
        assert!(why.contains("burnt out to white"), "{why}");
        assert_eq!(unread.read(&frame, &places, &seen, &[], 2.0), None);
    }

    fn reading(cell: Cell) -> CellReading {
        CellReading::covered(cell.col, cell.row)
    }
}
