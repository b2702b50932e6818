//! Looks for wall tiles that lie face up beside the wall, where the table has changed and is
//! still.

use image::RgbImage;

use super::glance::{self, Look, Motion};
use crate::observation::WallTileReading;
use crate::rules::Cell;
use crate::vision::base::camera::Pose;
use crate::vision::base::error::VisionError;
use crate::vision::wall::taken::Fronts;

/// Squares round the wall in which wall tiles are sought: players lay them before
/// themselves.
const REACH: i8 = 5;
/// How near to the wall a wall tile's middle can be, as a share of its side: it may lean on it.
const BESIDE: f32 = 0.4;
/// Readings nearer than this share of a side are of one wall tile.
const SAME: f32 = 0.5;

/// The table beside the wall.
pub(super) struct Beside {
    fronts: Fronts,
    /// The cells inside the wall, and how thick the wall is, tile sides.
    cells: Vec<Cell>,
    thickness: f32,
    /// All squares round the wall, and those of them that are in the picture.
    round: Vec<Cell>,
    seen: Vec<Cell>,
    /// How those looked when they were read.
    looks: Vec<Look>,
    motion: Motion,
    found: Vec<WallTileReading>,
    /// The squares in which something lies or moves that has not been read.
    unread: Vec<Cell>,
}

impl Beside {
    /// Round a wall with these cells.
    pub(super) fn new(fronts: Fronts, cells: &[Cell], thickness: f32) -> Beside {
        let range = |of: fn(&Cell) -> i8| {
            let all = || cells.iter().map(of);
            let (low, high) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
            low.saturating_sub(REACH)..=high.saturating_add(REACH)
        };
        let mut beside = Beside {
            fronts,
            cells: cells.to_vec(),
            thickness,
            round: Vec::new(),
            seen: Vec::new(),
            looks: Vec::new(),
            motion: Motion::default(),
            found: Vec::new(),
            unread: Vec::new(),
        };
        let has_room = |square: &Cell| {
            let thirds = [0.1, 0.5, 0.9];
            let mut places = thirds.iter().flat_map(|u| thirds.iter().map(move |v| (*u, *v)));
            places.any(|(u, v)| beside.is_free(f32::from(square.col) + u, f32::from(square.row) + v))
        };
        let (columns, rows) = (range(|c| c.col), range(|c| c.row));
        let all = rows.flat_map(|row| columns.clone().map(move |col| Cell::new(col, row)));
        let round: Vec<Cell> = all.filter(|c| !cells.contains(c) && has_room(c)).collect();
        beside.round = round;
        beside
    }

    /// The wall tiles that are seen; `film` says that frames follow soon one after the other,
    /// `fresh` that the camera or the wall has moved.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub(super) fn read(
        &mut self,
        frame: &RgbImage,
        (pose, depth): (&Pose, f32),
        fresh: bool,
        film: bool,
    ) -> Result<Vec<WallTileReading>, VisionError> {
        if fresh || self.looks.is_empty() {
            let (width, height) = (frame.width() as f32, frame.height() as f32);
            let is_seen = |c: &&Cell| {
                let (u, v) = pose.project(f32::from(c.col) + 0.5, f32::from(c.row) + 0.5, depth);
                u >= 0.0 && v >= 0.0 && u < width && v < height
            };
            self.seen = self.round.iter().filter(is_seen).copied().collect();
            self.looks = vec![Look::new(); self.seen.len()];
            self.found.clear();
            self.motion = Motion::default();
        }
        let looks = glance::cells(frame, pose, depth, &self.seen);
        let changed = glance::change(self.looks.iter(), &looks).squares;
        let waiting = if film {
            let moves = self.motion.take(&looks);
            let touch = |a: usize, b: usize| {
                let (a, b) = (self.seen[a], self.seen[b]);
                a.col.abs_diff(b.col) <= 1 && a.row.abs_diff(b.row) <= 1
            };
            // Nothing is known of the first frame.
            if fresh { Vec::new() } else { self.motion.waiting(&changed, &moves, touch) }
        } else {
            Vec::new()
        };
        self.unread = waiting.iter().map(|i| self.seen[*i]).collect();
        let rest: Vec<usize> = changed.into_iter().filter(|i| !waiting.contains(i)).collect();
        if !rest.is_empty() {
            let squares: Vec<Cell> = rest.iter().map(|i| self.seen[*i]).collect();
            self.find(frame, (pose, depth), &squares)?;
            for i in rest {
                self.looks[i].clone_from(&looks[i]);
            }
        }
        let is_hidden = |r: &&WallTileReading| self.unread.contains(&square_of(r.x, r.y));
        Ok(self.found.iter().filter(|r| !is_hidden(r)).cloned().collect())
    }

    /// Reads some squares anew.
    fn find(
        &mut self,
        frame: &RgbImage,
        seen_from: (&Pose, f32),
        squares: &[Cell],
    ) -> Result<(), VisionError> {
        let is_free = |x: f32, y: f32| self.is_free(x, y) && !self.unread.contains(&square_of(x, y));
        let found = self.fronts.find(frame, seen_from, squares, is_free)?;
        self.found.retain(|r| !squares.contains(&square_of(r.x, r.y)));
        let near = SAME * self.fronts.side();
        for seen in found {
            let (x, y) = seen.place;
            if self.found.iter().all(|r| (r.x - x).hypot(r.y - y) >= near) {
                tracing::debug!(number = seen.front + 1, x, y, seen.fit, seen.told, "wall tile");
                let number = seen.front as u8 + 1;
                self.found.push(WallTileReading { number, x, y, confidence: seen.confidence });
            }
        }
        Ok(())
    }

    /// Whether the middle of a wall tile may lie at a place of the board's plane.
    fn is_free(&self, x: f32, y: f32) -> bool {
        let room = self.thickness + BESIDE * self.fronts.side();
        self.cells.iter().all(|c| {
            let (left, top) = (f32::from(c.col), f32::from(c.row));
            let beside = (left - x).max(x - left - 1.0);
            let above = (top - y).max(y - top - 1.0);
            beside.max(above) > room
        })
    }
}

fn square_of(x: f32, y: f32) -> Cell {
    Cell::new(x.floor() as i8, y.floor() as i8)
}
