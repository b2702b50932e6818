//! Has a camera take darker or lighter pictures until the prints on the table are neither burnt out nor
//! in the dark: a camera sets its exposure for the whole picture, and pale prints are a small part of it.

use image::RgbImage;

use super::look_over::{Looked, Matter, Remark, Saw, light, light_alone};
use crate::observation::{CellState, Observation};
use crate::vision::base::conditions::Conditions;
use crate::vision::read::drawing::Placed;

/// How exposures are changed.
#[derive(Clone, Copy, Debug)]
struct Steps {
    /// Seconds from one look to the next: a camera takes some frames to follow, and a look some time.
    every: f64,
    /// How long the shutter is open, as a factor, where some of the prints are burnt out,
    some: f64,
    /// where as much of them is, in percent,
    most: (u32, f64),
    /// and where they are in the dark.
    dark: f64,
    /// How often it is changed while no board is found: what is burnt out may be no board.
    blind: u32,
}

/// Third stops; three quarters of a stop where most is burnt out, since nobody sees how far off that is. All but 40 % of
/// burnt out pixels, from which on *Look at the table* calls the light bad, is set by hand.
const STEPS: Steps = Steps { every: 1.5, some: 0.8, most: (40, 0.6), dark: 1.25, blind: 5 };

/// What is wished of a camera's exposure.
#[derive(Debug, Default)]
pub struct Exposing {
    /// When the light was looked at last, seconds.
    last: Option<f64>,
    /// How often it was changed without a board.
    blind: u32,
    /// Whether it cannot be changed.
    given_up: bool,
}

impl Exposing {
    /// The camera cannot do what is wished: nothing is wished from now on.
    pub fn give_up(&mut self) {
        self.given_up = true;
    }

    /// By which factor the shutter should be open longer, after a look at the table at `t` seconds.
    /// `None` where the light is good, or was looked at too recently.
    pub fn looked(&mut self, looked: &Looked, t: f64) -> Option<f64> {
        let light = || looked.remarks.iter().find(|remark| remark.matter == Matter::Light).cloned();
        self.wish(looked.seen.is_none(), t, light)
    }

    /// The same after a frame that was read: of the tiles in it.
    pub(super) fn read(
        &mut self,
        frame: &RgbImage,
        places: &[Placed],
        seen: &Observation,
        t: f64,
    ) -> Option<f64> {
        let shows = |(cell, _): &&Placed| {
            let reading = seen.cells.iter().find(|c| (c.col, c.row) == (cell.col, cell.row));
            reading.is_some_and(|c| matches!(c.state, CellState::Tile | CellState::Unknown))
        };
        self.wish(false, t, || {
            let tiles: Vec<_> = places.iter().filter(shows).map(|place| place.1).collect();
            (!tiles.is_empty()).then(|| light(&Conditions::of(frame, &tiles)))
        })
    }

    /// The same after a frame in which no board was found.
    pub(super) fn nothing_found(&mut self, frame: &RgbImage, t: f64) -> Option<f64> {
        self.wish(true, t, || Some(light_alone(frame, &Conditions::of(frame, &[]))))
    }

    /// What is wished after a remark on the light, which is made only where it is time for one; `blind` where no
    /// board is seen.
    fn wish(&mut self, blind: bool, t: f64, light: impl FnOnce() -> Option<Remark>) -> Option<f64> {
        let waits = self.last.is_some_and(|last| (0.0..STEPS.every).contains(&(t - last)));
        if self.given_up || waits || blind && self.blind >= STEPS.blind {
            return None;
        }
        let light = light()?;
        self.last = Some(t);
        let factor = match light.saw {
            Saw::BurntOut(percent) if percent >= STEPS.most.0 => STEPS.most.1,
            Saw::BurntOut(_) | Saw::White => STEPS.some,
            Saw::Dark => STEPS.dark,
            _ => return None,
        };
        self.blind += u32::from(blind);
        Some(factor)
    }
}

#[cfg(test)]
mod tests {
    use image::Rgb;

    use super::*;
    use crate::observation::CellReading;
    use crate::rules::Cell;

    /// A table with a tile of a lightness, of what the shutter's time makes of it, read at `t`.
    fn wished(exposing: &mut Exposing, light: f64, state: CellState, t: f64) -> Option<f64> {
        let level = (light.powf(1.0 / 2.2) * 255.0).round().clamp(0.0, 255.0) as u8;
        let frame = RgbImage::from_fn(100, 100, |x, y| {
            let tile = (40..70).contains(&x) && (40..70).contains(&y);
            if tile { Rgb([level; 3]) } else { Rgb([90, 80, 70]) }
        });
        let cell = Cell::new(0, 0);
        let places = vec![(cell, [[40.0, 40.0], [70.0, 40.0], [70.0, 70.0], [40.0, 70.0]])];
        let cells = vec![CellReading { state, ..CellReading::covered(0, 0) }];
        exposing.read(&frame, &places, &Observation { cells, ..Observation::default() }, t)
    }

    #[test]
    fn an_exposure_is_lowered_until_the_tiles_are_not_burnt_out_and_then_left() {
        let mut exposing = Exposing::default();
        let (mut light, mut changes, mut t) = (2.4, 0, 0.0);
        while t < 60.0 {
            if let Some(factor) = wished(&mut exposing, light, CellState::Tile, t) {
                (light, changes) = (light * factor, changes + 1);
                assert!(t < 20.0, "it is still changed at {t}");
            }
            t += 0.25;
        }
        assert!((0.5..0.95).contains(&light), "{light}");
        assert!((2..8).contains(&changes), "{changes}");
    }

    #[test]
    fn a_picture_in_the_dark_is_made_lighter_and_a_good_one_left() {
        let mut exposing = Exposing::default();
        assert_eq!(wished(&mut exposing, 0.02, CellState::Tile, 0.0), Some(STEPS.dark));
        assert_eq!(wished(&mut exposing, 0.02, CellState::Tile, 1.0), None, "the camera has to follow first");
        assert_eq!(wished(&mut exposing, 0.4, CellState::Tile, 5.0), None);
    }

    #[test]
    fn what_is_burnt_out_and_may_be_no_board_darkens_a_picture_a_few_times_only() {
        let lamp = RgbImage::from_fn(100, 100, |x, y| Rgb([if x < 20 && y < 20 { 255 } else { 120 }; 3]));
        let mut exposing = Exposing::default();
        let wishes = (0..40).filter_map(|t| exposing.nothing_found(&lamp, f64::from(t)));
        assert_eq!(wishes.count(), STEPS.blind as usize);
    }

    #[test]
    fn what_is_no_tile_and_what_a_hand_covers_tell_nothing() {
        let mut exposing = Exposing::default();
        assert_eq!(wished(&mut exposing, 2.0, CellState::Empty, 0.0), None);
        assert_eq!(wished(&mut exposing, 2.0, CellState::Covered, 0.0), None);
        assert!(wished(&mut exposing, 2.0, CellState::Unknown, 0.0).is_some());
    }
}
