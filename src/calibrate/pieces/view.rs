//! The inside of the wall from straight above, and the light on it.

use image::RgbImage;
use opencv::core::{Mat, Size};
use opencv::imgproc;
use opencv::prelude::*;

use crate::rules::Cell;
use crate::vision::base::camera::Pose;
use crate::vision::base::colour::linear_of_byte;
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::median;
use crate::vision::base::mat::mat_of;
use crate::vision::base::rectify::Rectifier;
use crate::vision::wall::registration::WallFinder;
use crate::vision::wall::surveyed::SurveyedWall;

/// Pixels a tile side of what is looked at.
pub(super) const PX: u32 = 64;
/// How far the table usually lies below the top of the wall, tile sides. Walls are 0.04 to
/// 0.2 high; what that is off changes lengths by a hundredth.
const DEPTH: f32 = 0.1;
/// How near to the wall nothing is looked at, tile sides: there are its shadow and its side.
const EDGE: f32 = 0.12;
/// Side of the squares of wall that tell of the light, pixels.
const SQUARE: u32 = 16;
/// Fewer squares tell nothing.
const ENOUGH: usize = 12;

/// A photo of the empty wall with pieces in it.
pub(super) struct View {
    /// From straight above, in the plane of the table, [`PX`] a tile side.
    pub picture: RgbImage,
    /// Which of its pixels are inside the wall, away from its edge.
    pub inside: Vec<bool>,
    /// The light on the wall, of the light in which the wall's picture was taken; linear.
    pub light: [f32; 3],
    /// The camera.
    pub pose: Pose,
    first: Cell,
}

impl View {
    /// Finds the wall in a photo.
    ///
    /// # Errors
    /// [`VisionError::NoWall`] when it is not there.
    pub fn new(frame: &RgbImage, survey: &SurveyedWall, finder: &WallFinder) -> Result<View, VisionError> {
        let pose = finder.find(frame, true)?.pose;
        let cells = survey.wall.cells();
        let (left, right) = ends(cells.iter().map(|c| c.col));
        let (top, bottom) = ends(cells.iter().map(|c| c.row));
        let first = Cell::new(left, top);
        let size = ((right - left + 1) as u32, (bottom - top + 1) as u32);
        let rectifier = Rectifier::new(frame, &pose, DEPTH, PX)?;
        let picture = smoothed(&rectifier.board(first, size, PX)?)?;
        let width = picture.width();
        let clear = |(x, y): (f32, f32)| {
            [(-EDGE, -EDGE), (EDGE, -EDGE), (-EDGE, EDGE), (EDGE, EDGE)].iter().all(|(dx, dy)| {
                let cell = Cell::new((x + dx).floor() as i8, (y + dy).floor() as i8);
                cells.contains(&cell)
            })
        };
        let in_frame = |(x, y): (f32, f32)| {
            let (u, v) = pose.project(x, y, DEPTH);
            u >= 0.0 && v >= 0.0 && u < frame.width() as f32 && v < frame.height() as f32
        };
        let inside = (0..width * picture.height())
            .map(|at| {
                let place = place(first, at % width, at / width);
                clear(place) && in_frame(place)
            })
            .collect();
        let light = light(frame, survey, &pose)?;
        Ok(View { picture, inside, light, pose, first })
    }

    /// The place of a pixel, tile sides.
    pub fn place(&self, x: u32, y: u32) -> (f32, f32) {
        place(self.first, x, y)
    }

    /// How far, in tile sides, the top of a thing that is `height` high appears from its
    /// foot, per tile side of height: to the right and down.
    pub fn lean(&self, (x, y): (f32, f32), height: f32) -> (f32, f32) {
        let (cx, cy, above) = self.pose.camera();
        let high = (above + DEPTH - height).max(0.5);
        ((x - cx) / high, (y - cy) / high)
    }

    /// Where a place on the table is seen in the photo.
    pub fn in_photo(&self, (x, y): (f32, f32)) -> (f32, f32) {
        self.pose.project(x, y, DEPTH)
    }
}

fn place(first: Cell, x: u32, y: u32) -> (f32, f32) {
    let along = |v: u32, first: i8| (v as f32 + 0.5) / PX as f32 + f32::from(first);
    (along(x, first.col), along(y, first.row))
}

fn ends(values: impl Iterator<Item = i8> + Clone) -> (i8, i8) {
    (values.clone().min().unwrap_or(0), values.max().unwrap_or(0))
}

/// The light on the wall: how bright each colour is beside the wall's picture.
fn light(frame: &RgbImage, survey: &SurveyedWall, pose: &Pose) -> Result<[f32; 3], VisionError> {
    let per_px = 1.0 / survey.px_per_tile;
    let side = (SQUARE as f32 * survey.px_per_tile / PX as f32).max(2.0) as u32;
    let rectifier = Rectifier::new(frame, pose, 0.0, PX)?;
    let mut ratios: [Vec<f32>; 3] = Default::default();
    for top in (0..survey.picture.height().saturating_sub(side)).step_by(side as usize) {
        for left in (0..survey.picture.width().saturating_sub(side)).step_by(side as usize) {
            let part = image::imageops::crop_imm(&survey.picture, left, top, side, side).to_image();
            if part.pixels().any(|p| p.0[3] < 250) {
                continue;
            }
            let corner =
                ((left as f32 - survey.origin_px.0) * per_px, (top as f32 - survey.origin_px.1) * per_px);
            let length = side as f32 * per_px;
            if !rectifier.sees(corner, length) {
                continue;
            }
            let seen = rectifier.piece(corner, length, SQUARE)?;
            for (c, ratios) in ratios.iter_mut().enumerate() {
                let n = (side * side) as f32;
                let print: f32 = part.pixels().map(|p| linear_of_byte(p.0[c])).sum::<f32>() / n;
                let n = (SQUARE * SQUARE) as f32;
                let now: f32 = seen.pixels().map(|p| linear_of_byte(p.0[c])).sum::<f32>() / n;
                if print > 0.02 {
                    ratios.push(now / print);
                }
            }
        }
    }
    if ratios.iter().any(|r| r.len() < ENOUGH) {
        return Ok([1.0; 3]);
    }
    Ok(ratios.map(|mut r| median(&mut r)))
}

/// A picture without its finest grain.
fn smoothed(picture: &RgbImage) -> Result<RgbImage, VisionError> {
    let mut soft = Mat::default();
    let border = opencv::core::BORDER_REPLICATE;
    imgproc::gaussian_blur(&mat_of(picture)?, &mut soft, Size::new(0, 0), 0.8, 0.8, border)?;
    let raw = soft.data_bytes()?.to_vec();
    Ok(RgbImage::from_raw(picture.width(), picture.height(), raw).unwrap_or_default())
}
