//! Draws a reading over the photo it was read from.

use image::RgbImage;
use opencv::core::{Point, Scalar, Vector};
use opencv::imgproc;

use crate::observation::{CellState, Observation};
use crate::rules::Cell;
use crate::vision::base::error::VisionError;
use crate::vision::base::mat::point;
use crate::vision::base::photo;

/// A cell and its corners in the photo, pixels: upper left, upper right, lower
/// right, lower left.
pub type Placed = (Cell, [[f64; 2]; 4]);

/// Red, green and blue of a cell's outline by how sure its reading is, of the grid, and of the
/// ink below a name.
const SURE_PAINT: (f64, f64, f64) = (60.0, 200.0, 90.0);
const DOUBTFUL_PAINT: (f64, f64, f64) = (245.0, 175.0, 40.0);
const UNKNOWN_PAINT: (f64, f64, f64) = (225.0, 60.0, 60.0);
const HIDDEN_PAINT: (f64, f64, f64) = (150.0, 150.0, 150.0);
const GRID_PAINT: (f64, f64, f64) = (90.0, 190.0, 220.0);
const INK: (f64, f64, f64) = (20.0, 20.0, 20.0);
/// Below this confidence a tile is drawn as doubtful.
const DOUBT: f32 = 0.8;

fn colour((r, g, b): (f64, f64, f64)) -> Scalar {
    Scalar::new(r, g, b, 0.0)
}

/// The photo with the outlines of all cells, thin, whatever they hold.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails.
pub fn grid(frame: &RgbImage, places: &[Placed]) -> Result<RgbImage, VisionError> {
    let mut picture = photo::to_mat(frame)?;
    for (_, corners) in places {
        let outline: Vector<Point> = corners.iter().map(|c| point(*c)).collect();
        imgproc::polylines(&mut picture, &outline, true, colour(GRID_PAINT), 1, imgproc::LINE_AA, 0)?;
    }
    photo::to_picture(&picture)
}

/// The photo with each cell's outline, the tile's name, and a stroke from its
/// middle to the side that was up when it was enrolled. Green is sure, amber
/// doubtful, red unknown, grey hidden; empty cells are left as they are.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn draw(frame: &RgbImage, observation: &Observation, places: &[Placed]) -> Result<RgbImage, VisionError> {
    let mut picture = photo::to_mat(frame)?;
    for cell in &observation.cells {
        let Some((_, corners)) = places.iter().find(|(c, _)| (c.col, c.row) == (cell.col, cell.row)) else {
            continue;
        };
        let paint = match cell.state {
            CellState::Empty => continue,
            CellState::Tile if cell.confidence >= DOUBT => SURE_PAINT,
            CellState::Tile => DOUBTFUL_PAINT,
            CellState::Unknown => UNKNOWN_PAINT,
            CellState::Covered => HIDDEN_PAINT,
        };
        let side = (corners[1][0] - corners[0][0]).hypot(corners[1][1] - corners[0][1]);
        let thick = ((side / 40.0).round() as i32).clamp(1, 100);
        let middle: [f64; 2] = std::array::from_fn(|i| corners.iter().map(|c| c[i]).sum::<f64>() / 4.0);
        let drawn_in =
            |p: [f64; 2], share: f64| point(std::array::from_fn(|i| middle[i] + share * (p[i] - middle[i])));
        let outline: Vector<Point> = corners.iter().map(|c| drawn_in(*c, 0.94)).collect();
        imgproc::polylines(&mut picture, &outline, true, colour(paint), thick, imgproc::LINE_AA, 0)?;
        let Some(tile) = cell.tile.as_deref().filter(|_| cell.state == CellState::Tile) else { continue };
        let turn = usize::from(cell.rotation % 4);
        let (a, b) = (corners[turn], corners[(turn + 1) % 4]);
        let up = [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
        let (from, to) = (drawn_in(up, 0.55), drawn_in(up, 0.9));
        imgproc::arrowed_line(&mut picture, from, to, colour(paint), thick, imgproc::LINE_AA, 0, 0.5)?;
        let font = imgproc::FONT_HERSHEY_SIMPLEX;
        let mut baseline = 0;
        let unit = imgproc::get_text_size(tile, font, 1.0, thick, &mut baseline)?;
        let scale = (0.8 * side / f64::from(unit.width.max(1))).min(side / 110.0);
        let (w, h) = (f64::from(unit.width) * scale, f64::from(unit.height) * scale);
        let at = point([middle[0] - w / 2.0, middle[1] + h / 2.0]);
        for (width, paint) in [(2 + 2 * thick, INK), (thick, paint)] {
            imgproc::put_text(
                &mut picture,
                tile,
                at,
                font,
                scale,
                colour(paint),
                width,
                imgproc::LINE_AA,
                false,
            )?;
        }
    }
    photo::to_picture(&picture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::CellReading;

    #[test]
    fn a_read_cell_is_marked_and_an_empty_one_is_not() {
        let frame = RgbImage::from_pixel(200, 100, image::Rgb([90, 90, 90]));
        let square = |x: f64| [[x, 10.0], [x + 80.0, 10.0], [x + 80.0, 90.0], [x, 90.0]];
        let places = [(Cell::new(0, 0), square(10.0)), (Cell::new(1, 0), square(110.0))];
        let tile = CellReading {
            state: CellState::Tile,
            tile: Some("h01".to_owned()),
            confidence: 1.0,
            ..CellReading::default()
        };
        let empty = CellReading { col: 1, state: CellState::Empty, ..CellReading::default() };
        let observation = Observation { cells: vec![tile, empty], ..Observation::default() };
        let drawn = draw(&frame, &observation, &places).unwrap();
        let changed = |left: u32| {
            let part = |p: &RgbImage| image::imageops::crop_imm(p, left, 0, 100, 100).to_image();
            part(&drawn) != part(&frame)
        };
        assert!(changed(0) && !changed(100));
    }
}
