//! How much is printed on what lies in a cell: what the baselines know of empty.

use image::RgbImage;
use image::imageops;

use crate::vision::base::crop::{CELL_PX, MARGIN_PX};

/// Steps of luminance (0 to 255) from pixel to pixel at which a cell counts as
/// half occupied.
const HALF: f32 = 6.0;

/// 0 to 1: how surely the crop's cell holds a printed tile, by the mean step of
/// luminance between neighbouring pixels alone. A patterned table looks occupied.
pub(super) fn texture_share(crop: &RgbImage) -> f32 {
    let grey = imageops::grayscale(crop);
    let mut sum = 0.0;
    let mut count = 0.0;
    for y in MARGIN_PX..MARGIN_PX + CELL_PX {
        for x in MARGIN_PX..MARGIN_PX + CELL_PX {
            let here = f32::from(grey.get_pixel(x, y).0[0]);
            let right = f32::from(grey.get_pixel(x + 1, y).0[0]);
            let below = f32::from(grey.get_pixel(x, y + 1).0[0]);
            sum += (here - right).abs() + (here - below).abs();
            count += 2.0;
        }
    }
    let step: f32 = sum / count;
    let (step, half) = (step * step, HALF * HALF);
    step / (step + half)
}
