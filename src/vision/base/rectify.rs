//! Pieces of the board as seen from straight above, cut from a frame.

use image::RgbImage;
use opencv::core::{Mat, Rect, Size, Vec3b};
use opencv::imgproc;
use opencv::prelude::*;

use super::camera::Pose;
use super::crop::{CELL_PX, CROP_PX, MARGIN_PX};
use super::error::VisionError;
use super::mat::{mat_of, warp_quad};
use crate::rules::Cell;

/// A tile side is at most so many times its size in a crop, in the picture that
/// crops are cut from: larger frames are scaled down first, so that a crop
/// takes in all pixels of its cell.
const OVERSAMPLING: f32 = 1.3;

/// A frame with the camera that took it, ready to be cut.
pub struct Rectifier {
    picture: Mat,
    pose: Pose,
    /// How far the plane that is seen lies below the top of the wall.
    depth: f32,
}

impl Rectifier {
    /// Gets a frame ready for pieces of `px` pixels a tile side, of the plane
    /// `depth` tile sides below the top of the wall.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn new(frame: &RgbImage, pose: &Pose, depth: f32, px: u32) -> Result<Rectifier, VisionError> {
        let full = mat_of(frame)?;
        let (x, y) = pose.aim();
        let scale = f64::from(px as f32 * OVERSAMPLING / pose.tile_px(x, y).max(1.0));
        if scale > 0.95 {
            return Ok(Rectifier { picture: full.try_clone()?, pose: pose.clone(), depth });
        }
        let side = |v: u32| (f64::from(v) * scale).round().max(1.0) as i32;
        let size = Size::new(side(frame.width()), side(frame.height()));
        let mut picture = Mat::default();
        imgproc::resize(&full, &mut picture, size, 0.0, 0.0, imgproc::INTER_AREA)?;
        Ok(Rectifier { picture, pose: pose.scaled((size.width as u32, size.height as u32)), depth })
    }

    /// The crop of a cell for the recogniser: [`CROP_PX`] a side. `shift` is
    /// how far the tile lies off its cell, in tile sides.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn crop(&self, cell: Cell, shift: (f32, f32)) -> Result<RgbImage, VisionError> {
        let margin = MARGIN_PX as f32 / CELL_PX as f32;
        let corner = (f32::from(cell.col) + shift.0 - margin, f32::from(cell.row) + shift.1 - margin);
        self.piece(corner, 1.0 + 2.0 * margin, CROP_PX)
    }

    /// A square piece of the board: its upper left corner and side in tile
    /// sides, and its side in pixels.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn piece(&self, corner: (f32, f32), side: f32, px: u32) -> Result<RgbImage, VisionError> {
        let mut square = Mat::default();
        warp_quad(&self.picture, self.corners(corner, side), px as i32, &mut square)?;
        Ok(RgbImage::from_raw(px, px, square.data_bytes()?.to_vec()).unwrap_or_default())
    }

    /// A rectangle of whole cells, from `first` on, `px` pixels a tile side.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn board(&self, first: Cell, size: (u32, u32), px: u32) -> Result<RgbImage, VisionError> {
        let (width, height) = (size.0 * px, size.1 * px);
        let mut whole = RgbImage::new(width, height);
        let mut square = Mat::default();
        let mut target = Mat::new_rows_cols_with_bytes_mut::<Vec3b>(height as i32, width as i32, &mut whole)?;
        for row in 0..size.1 {
            for col in 0..size.0 {
                let corner = (f32::from(first.col) + col as f32, f32::from(first.row) + row as f32);
                warp_quad(&self.picture, self.corners(corner, 1.0), px as i32, &mut square)?;
                let place = Rect::new((col * px) as i32, (row * px) as i32, px as i32, px as i32);
                square.copy_to(&mut Mat::roi_mut(&mut target, place)?)?;
            }
        }
        drop(target);
        Ok(whole)
    }

    /// The share of a cell that is inside the frame, as nine points tell.
    pub fn inside(&self, cell: Cell) -> f32 {
        let (w, h) = (self.picture.cols() as f32, self.picture.rows() as f32);
        let points = [0.05, 0.5, 0.95].map(|dy| [0.05, 0.5, 0.95].map(|dx| (dx, dy)));
        let seen = points
            .iter()
            .flatten()
            .filter(|(dx, dy)| {
                let (u, v) =
                    self.pose.project(f32::from(cell.col) + dx, f32::from(cell.row) + dy, self.depth);
                u >= 0.0 && v >= 0.0 && u <= w - 1.0 && v <= h - 1.0
            })
            .count();
        seen as f32 / 9.0
    }

    /// Whether a square piece of the board lies in the frame.
    pub fn sees(&self, corner: (f32, f32), side: f32) -> bool {
        let (w, h) = (self.picture.cols() as f32, self.picture.rows() as f32);
        self.corners(corner, side).iter().all(|&(u, v)| u >= 0.0 && v >= 0.0 && u <= w - 1.0 && v <= h - 1.0)
    }

    /// The camera, for the picture that pieces are cut from.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// How far the plane that is seen lies below the top of the wall.
    pub fn depth(&self) -> f32 {
        self.depth
    }

    fn corners(&self, (x, y): (f32, f32), side: f32) -> [(f32, f32); 4] {
        [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]
            .map(|(x, y)| self.pose.project(x, y, self.depth))
    }
}
