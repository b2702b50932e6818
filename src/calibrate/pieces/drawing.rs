//! Draws the pieces that were found over their photo.

use image::RgbImage;
use opencv::core::{Point, Scalar, Vector};
use opencv::imgproc;

use super::found::{Found, Kind};
use crate::vision::base::error::VisionError;
use crate::vision::base::photo;

/// Red, green and blue of what is drawn, and of the ink under it.
const PAINT: (f64, f64, f64) = (60.0, 220.0, 90.0);
const INK: (f64, f64, f64) = (20.0, 20.0, 20.0);

/// The photo with each piece's outline and name. `words` are those of the players' colours.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn draw(frame: &RgbImage, found: &[Found], words: &[String]) -> Result<RgbImage, VisionError> {
    let mut picture = photo::to_mat(frame)?;
    let side = frame.width().max(frame.height());
    let thick = (side as i32 / 900).max(1);
    let scale = f64::from(side) / 2600.0;
    for piece in found {
        let outline: Vector<Point> =
            piece.outline.iter().map(|p| Point::new(p.0 as i32, p.1 as i32)).collect();
        let kind = match piece.kind {
            Kind::Standing => "stands",
            Kind::Lying => "lies",
            Kind::Keep => "keep",
        };
        let word = words.get(piece.player).map_or("", String::as_str);
        let plain: String = word.chars().filter(char::is_ascii).collect();
        let lowest = piece.outline.iter().map(|p| p.1).fold(0.0, f32::max);
        let left = piece.outline.iter().map(|p| p.0).fold(f32::INFINITY, f32::min);
        let at = Point::new(left as i32, lowest as i32 + (26.0 * scale) as i32 + 2 * thick);
        for (width, (r, g, b)) in [(3 * thick, INK), (thick, PAINT)] {
            let colour = Scalar::new(r, g, b, 0.0);
            imgproc::polylines(&mut picture, &outline, true, colour, width, imgproc::LINE_AA, 0)?;
            imgproc::put_text(
                &mut picture,
                &format!("{plain} {kind}"),
                at,
                imgproc::FONT_HERSHEY_SIMPLEX,
                scale,
                colour,
                width,
                imgproc::LINE_AA,
                false,
            )?;
        }
    }
    photo::to_picture(&picture)
}
