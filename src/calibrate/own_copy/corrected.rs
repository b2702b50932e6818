//! What the owner puts right in the drawing of a surveyed wall: its corners, the numbers of its
//! towers, where its track spaces and its start spaces are.

use super::copy::{OwnCopy, OwnCopyError, Progress};
use super::steps::{Surveyed, place_key};
use crate::calibrate::survey::{self, starts};
use crate::rules::castle::validate::TRACK_SPACES;
use crate::rules::{Cell, Side};

/// How far from the cells inside a track space lies at most, in widths of the wall: its outer edge
/// is at 1, and towers may jut out.
const BEYOND: f32 = 1.25;
/// How far from a tile side a start space may be put on it, tile sides.
const START_REACH: f32 = 0.6;

/// Something in the drawing of a wall that can be put elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// A corner of the inner edge, as the drawing letters them: 0 is A.
    Corner(usize),
    /// A start space, by its place among those of the wall.
    Start(usize),
    /// A space of the track.
    Space(u8),
}

impl Surveyed {
    /// All that can be put elsewhere: corners, start spaces, the track in the order of its numbers.
    pub fn handles(&self) -> Vec<Handle> {
        let corners = (0..self.wall.ring().len()).map(Handle::Corner);
        let starts = (0..self.wall.starts.len()).map(Handle::Start);
        let spaces = (0..self.wall.track.len()).filter_map(|n| u8::try_from(n).ok()).map(Handle::Space);
        corners.chain(starts).chain(spaces).collect()
    }

    /// Where a handle is in the drawing, as shares of its width and height; `None` for one that the
    /// wall does not have.
    pub fn place(&self, handle: Handle) -> Option<(f32, f32)> {
        let (x, y) = match handle {
            Handle::Corner(corner) => {
                let corner = *self.wall.ring().get(corner)?;
                (f32::from(corner.x), f32::from(corner.y))
            }
            Handle::Start(start) => {
                let start = self.wall.starts.get(start)?;
                middle(start.cell, start.side)
            }
            Handle::Space(number) => {
                let place = self.wall.track.get(usize::from(number))?;
                (place.x, place.y)
            }
        };
        Some(self.share(x, y))
    }

    /// The handle nearest to a place of the drawing that is at most `reach` from it, shares of the
    /// drawing's width and height.
    pub fn nearest(&self, place: (f32, f32), reach: f32) -> Option<Handle> {
        let (width, height) = self.size();
        let far = |handle: &Handle| {
            self.place(*handle)
                .map_or(f32::MAX, |(x, y)| ((x - place.0) * width).hypot((y - place.1) * height) / width)
        };
        let nearest = self.handles().into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
        (far(&nearest) <= reach).then_some(nearest)
    }

    /// The two numbers of the tower at a corner.
    pub fn tower(&self, corner: usize) -> Option<(u8, u8)> {
        let ring = self.wall.ring();
        let towers = &mut self.wall.towers.iter().copied();
        towers.find(|tower| survey::corner_of(&self.wall, &ring, *tower) == Some(corner))
    }

    /// The width and height of the photo, pixels.
    fn size(&self) -> (f32, f32) {
        let (width, height) = self.pose.size();
        (width as f32, height as f32)
    }

    fn share(&self, x: f32, y: f32) -> (f32, f32) {
        let ((u, v), (width, height)) = (self.pose.project(x, y, 0.0), self.size());
        (u / width, v / height)
    }

    /// The place on the board that is seen at one of the drawing.
    fn on_board(&self, place: (f32, f32)) -> Option<(f32, f32)> {
        let (width, height) = self.size();
        self.pose.on_board((place.0 * width, place.1 * height))
    }

    fn pixels(&self, place: (f32, f32)) -> [f64; 2] {
        let (width, height) = self.size();
        [f64::from(place.0 * width), f64::from(place.1 * height)]
    }
}

impl OwnCopy {
    /// Says which corner of the drawing has 0 and 1, and which way the numbers grow. What was said
    /// of other towers and of the places of numbers is forgotten.
    ///
    /// # Errors
    /// [`OwnCopyError::Io`].
    pub fn say_numbers(&mut self, start_tower: usize, clockwise: bool) -> Result<(), OwnCopyError> {
        self.change(|said| {
            (said.start_tower, said.clockwise) = (Some(start_tower), Some(clockwise));
            (said.towers, said.spaces) = (Vec::new(), Vec::new());
        })
    }

    /// Says the lower number of the tower at a corner. What was said of the places of numbers is
    /// forgotten, since they are others.
    ///
    /// # Errors
    /// [`OwnCopyError::NoTower`] or [`OwnCopyError::Io`].
    pub fn say_tower(&mut self, of: &Surveyed, corner: usize, low: u8) -> Result<(), OwnCopyError> {
        if usize::from(low) + 1 >= TRACK_SPACES || low == 1 {
            return Err(OwnCopyError::NoTower);
        }
        self.change(|said| {
            said.outline.clone_from(&of.wall.outline);
            // No two towers have one number: what was said before of the other is given up.
            said.towers.retain(|(at, number)| *at != corner && number.abs_diff(low) > 1);
            said.towers.push((corner, low));
            said.spaces.clear();
        })
    }

    /// Puts something of the wall at a place of its drawing, shares of its width and height.
    ///
    /// # Errors
    /// [`OwnCopyError::OffTrack`] or [`OwnCopyError::NoStart`] where it cannot be there, or
    /// [`OwnCopyError::Io`].
    pub fn put(&mut self, of: &Surveyed, handle: Handle, place: (f32, f32)) -> Result<(), OwnCopyError> {
        match handle {
            Handle::Corner(corner) => {
                let mut corners: Vec<[f64; 2]> = (0..of.wall.ring().len())
                    .filter_map(|i| Some(of.pixels(of.place(Handle::Corner(i))?)))
                    .collect();
                if let Some(moved) = corners.get_mut(corner) {
                    *moved = of.pixels(place);
                }
                self.change(|said| said.corners = corners)
            }
            Handle::Start(start) => {
                let mut places: Vec<(Cell, Side)> = of.wall.starts.iter().map(|s| (s.cell, s.side)).collect();
                let free = free_side(of, place, &places).ok_or(OwnCopyError::NoStart)?;
                if let Some(moved) = places.get_mut(start) {
                    *moved = free;
                }
                self.change(|said| {
                    said.outline.clone_from(&of.wall.outline);
                    said.start_places =
                        places.into_iter().map(|(cell, side)| place_key(cell, side)).collect();
                })
            }
            Handle::Space(number) => {
                let off = OwnCopyError::OffTrack(number);
                let Some((x, y)) = of.on_board(place).filter(|place| is_on_wall(of, *place)) else {
                    return Err(off);
                };
                let rounded = |v: f32| (v * 1000.0).round() / 1000.0;
                self.change(|said| {
                    said.outline.clone_from(&of.wall.outline);
                    said.spaces.retain(|space| space.0 != number);
                    said.spaces.push((number, rounded(x), rounded(y)));
                })
            }
        }
    }

    /// Says where the corners of the inner edge are, in the photo in which no wall was found:
    /// one after the other, shares of its width and height.
    ///
    /// # Errors
    /// [`OwnCopyError::Io`].
    pub fn say_corners(&mut self, corners: &[(f32, f32)], size: (u32, u32)) -> Result<(), OwnCopyError> {
        let pixels =
            |(x, y): &(f32, f32)| [f64::from(*x) * f64::from(size.0), f64::from(*y) * f64::from(size.1)];
        let corners = corners.iter().map(pixels).collect();
        self.change(|said| said.corners = corners)
    }

    /// Whether something was put right that can be taken back.
    pub fn may_take_back(&self) -> bool {
        !self.before.is_empty()
    }

    /// Takes the last of what was put right back; whether there was any.
    ///
    /// # Errors
    /// [`OwnCopyError::Io`].
    pub fn take_back(&mut self) -> Result<bool, OwnCopyError> {
        let Some(before) = self.before.pop() else { return Ok(false) };
        // Tiles that were enrolled since, and what was said of faces, stay.
        let Progress { enrolled, starts, .. } = std::mem::take(&mut self.progress);
        self.progress = Progress { enrolled, starts, ..before };
        self.save()?;
        Ok(true)
    }

    fn change(&mut self, change: impl FnOnce(&mut Progress)) -> Result<(), OwnCopyError> {
        self.before.push(self.progress.clone());
        change(&mut self.progress);
        self.save()
    }
}

/// The middle of a cell's side, tile sides.
fn middle(cell: Cell, side: Side) -> (f32, f32) {
    let (right, down) = side.step();
    (f32::from(cell.col) + 0.5 + 0.5 * f32::from(right), f32::from(cell.row) + 0.5 + 0.5 * f32::from(down))
}

/// The side of the inner edge nearest to a place of the drawing at which a start space can be and
/// none is.
fn free_side(of: &Surveyed, place: (f32, f32), taken: &[(Cell, Side)]) -> Option<(Cell, Side)> {
    let (x, y) = of.on_board(place)?;
    let far = |(cell, side): &(Cell, Side)| {
        let (mx, my) = middle(*cell, *side);
        (mx - x).hypot(my - y)
    };
    let all = starts::places(&of.wall.ring());
    let nearest = all.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
    (far(&nearest) < START_REACH && !taken.contains(&nearest)).then_some(nearest)
}

/// Whether a place on the board lies on the wall: outside of all cells, and near to one.
fn is_on_wall(of: &Surveyed, (x, y): (f32, f32)) -> bool {
    let reach = BEYOND * of.wall.thickness;
    let inside = |x: f32, y: f32| {
        (-100.0..100.0).contains(&x)
            && (-100.0..100.0).contains(&y)
            && of.wall.contains(Cell::new(x.floor() as i8, y.floor() as i8))
    };
    let around = (0..16).map(|i| (i as f32 * std::f32::consts::TAU / 16.0).sin_cos());
    !inside(x, y) && around.into_iter().any(|(s, c)| inside(x + reach * c, y + reach * s))
}
