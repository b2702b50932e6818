//! All tiles of a deck on one picture, each with its id and, where it is known,
//! its face drawn over it.

use image::{RgbImage, imageops};
use opencv::core::{Mat, Point, Scalar, Vector};
use opencv::imgproc;

use crate::calibrate::faces::edit::Spot;
use crate::rules::{Face, FaceMap, Kind, Port};
use crate::vision::base::error::VisionError;
use crate::vision::base::photo;

/// The side of a tile on the sheet, pixels.
pub const TILE_PX: u32 = 180;
const GAP_PX: u32 = 16;
const LINE_PX: u32 = 26;
const COLUMNS: usize = 8;
const PAPER: [u8; 3] = [250, 249, 245];
const INK: (f64, f64, f64) = (25.0, 25.0, 25.0);
const DOUBT: (f64, f64, f64) = (220.0, 30.0, 30.0);
const LIT: (f64, f64, f64) = (255.0, 225.0, 60.0);

/// A tile as the sheet shows it.
#[derive(Clone, Copy, Debug)]
pub struct SheetTile<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its reference picture, upright.
    pub picture: &'a RgbImage,
    /// What is said to be printed on it.
    pub face: Option<&'a Face>,
    /// Ports of the face that are in doubt: ringed.
    pub doubts: &'a [Port],
}

/// The sheet: eight tiles a row in their order. Of a face, each segment is a
/// star of lines from its middle to its ports, with the first letter of its kind
/// and a `+` for what else is printed on it.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn contact_sheet(tiles: &[SheetTile<'_>]) -> Result<RgbImage, VisionError> {
    let columns = tiles.len().clamp(1, COLUMNS) as u32;
    let rows = tiles.len().div_ceil(COLUMNS).max(1) as u32;
    let (across, down) = (TILE_PX + GAP_PX, TILE_PX + LINE_PX + GAP_PX);
    let mut sheet = RgbImage::from_pixel(columns * across + GAP_PX, rows * down + GAP_PX, image::Rgb(PAPER));
    for (i, tile) in tiles.iter().enumerate() {
        let Place { x, y, .. } = Place::on_sheet(i);
        let small = imageops::resize(tile.picture, TILE_PX, TILE_PX, imageops::FilterType::Triangle);
        imageops::replace(&mut sheet, &small, i64::from(x), i64::from(y));
    }
    let mut sheet = photo::to_mat(&sheet)?;
    for (i, tile) in tiles.iter().enumerate() {
        let place = Place::on_sheet(i);
        let below = Point::new(place.x as i32, (place.y + TILE_PX + LINE_PX - 7) as i32);
        text(&mut sheet, tile.id, below, 0.62, INK)?;
        draw_print(&mut sheet, place, tile)?;
    }
    photo::to_picture(&sheet)
}

/// A tile large, with its face drawn over it as on the sheet, and the spot that is pointed at.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn tile_picture(tile: &SheetTile<'_>, side: u32, lit: Option<Spot>) -> Result<RgbImage, VisionError> {
    let picture = imageops::resize(tile.picture, side, side, imageops::FilterType::Triangle);
    let mut picture = photo::to_mat(&picture)?;
    let place = Place { x: 0, y: 0, side };
    draw_print(&mut picture, place, tile)?;
    if let Some(spot) = lit {
        let at = place.at(spot.place());
        ring(&mut picture, at, place.px(15.0), INK, place.px(5.0))?;
        ring(&mut picture, at, place.px(15.0), LIT, place.px(3.0))?;
    }
    photo::to_picture(&picture)
}

/// Where a tile is drawn: its upper left corner and its side, pixels.
#[derive(Clone, Copy)]
struct Place {
    x: u32,
    y: u32,
    side: u32,
}

impl Place {
    /// Where a tile is on the sheet.
    fn on_sheet(index: usize) -> Place {
        let (col, row) = ((index % COLUMNS) as u32, (index / COLUMNS) as u32);
        let (x, y) = (GAP_PX + col * (TILE_PX + GAP_PX), GAP_PX + row * (TILE_PX + LINE_PX + GAP_PX));
        Place { x, y, side: TILE_PX }
    }

    /// A place of the tile, 0 to 1 to the right and down.
    fn at(self, (u, v): (f32, f32)) -> Point {
        let at = |low: u32, share: f32| (low as f32 + share * self.side as f32).round() as i32;
        Point::new(at(self.x, u), at(self.y, v))
    }

    /// A length that is so many pixels on the sheet.
    fn px(self, length: f32) -> i32 {
        ((length * self.side as f32 / TILE_PX as f32).round() as i32).max(1)
    }
}

/// What is said of a tile over its picture: its face, and rings at what is in doubt of it.
fn draw_print(sheet: &mut Mat, place: Place, tile: &SheetTile<'_>) -> Result<(), VisionError> {
    if let Some(face) = tile.face {
        draw_face(sheet, place, face)?;
    }
    for port in tile.doubts {
        ring(sheet, place.at(Spot::Port(*port).place()), place.px(11.0), DOUBT, place.px(3.0))?;
    }
    Ok(())
}

fn draw_face(sheet: &mut Mat, place: Place, face: &Face) -> Result<(), VisionError> {
    let map = FaceMap::new(face);
    for (i, segment) in face.segments().iter().enumerate() {
        let paint = paint(segment.kind);
        let middle = place.at(map.anchor(i));
        for port in segment.ports.iter() {
            let end = place.at(Spot::Port(port).place());
            for (wide, colour) in [(4.0, INK), (2.0, paint)] {
                let ends: Vector<Point> = [middle, end].into_iter().collect();
                imgproc::polylines(sheet, &ends, false, scalar(colour), place.px(wide), imgproc::LINE_AA, 0)?;
            }
            dot(sheet, end, place.px(5.0), INK)?;
            dot(sheet, end, place.px(4.0), paint)?;
        }
        dot(sheet, middle, place.px(12.0), INK)?;
        dot(sheet, middle, place.px(11.0), paint)?;
        let mut letter = segment.kind.name().chars().take(1).collect::<String>().to_uppercase();
        if !segment.attributes.is_empty() {
            letter.push('+');
        }
        let left = middle.x - place.px(if letter.len() > 1 { 11.0 } else { 5.0 });
        let size = 0.5 * f64::from(place.side) / f64::from(TILE_PX);
        text(sheet, &letter, Point::new(left, middle.y + place.px(5.0)), size, INK)?;
    }
    Ok(())
}

fn paint(kind: Kind) -> (f64, f64, f64) {
    match kind {
        Kind::PATH | Kind::ROAD => (255.0, 255.0, 255.0),
        Kind::HOUSE | Kind::CITY => (240.0, 160.0, 70.0),
        Kind::TOWER | Kind::CLOISTER => (190.0, 170.0, 230.0),
        Kind::COURT | Kind::FIELD => (130.0, 215.0, 110.0),
        Kind::RIVER => (110.0, 180.0, 245.0),
        // A kind that has no colour of its own here.
        _ => (200.0, 200.0, 200.0),
    }
}

fn scalar((r, g, b): (f64, f64, f64)) -> Scalar {
    Scalar::new(r, g, b, 0.0)
}

fn dot(sheet: &mut Mat, at: Point, radius: i32, colour: (f64, f64, f64)) -> Result<(), VisionError> {
    ring(sheet, at, radius, colour, imgproc::FILLED)
}

fn ring(
    sheet: &mut Mat,
    at: Point,
    radius: i32,
    colour: (f64, f64, f64),
    wide: i32,
) -> Result<(), VisionError> {
    Ok(imgproc::circle(sheet, at, radius, scalar(colour), wide, imgproc::LINE_AA, 0)?)
}

fn text(sheet: &mut Mat, what: &str, at: Point, size: f64, c: (f64, f64, f64)) -> Result<(), VisionError> {
    let font = imgproc::FONT_HERSHEY_SIMPLEX;
    Ok(imgproc::put_text(sheet, what, at, font, size, scalar(c), 1, imgproc::LINE_AA, false)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tile_has_its_place_and_its_face() {
        let grey = RgbImage::from_pixel(64, 64, image::Rgb([120, 120, 120]));
        let face: Face = "path n-s; court er-el; court wl-wr".parse().unwrap();
        let bare = SheetTile { id: "t01", picture: &grey, face: None, doubts: &[] };
        let known = SheetTile { id: "t02", face: Some(&face), ..bare };
        let doubtful = SheetTile { id: "t02", doubts: &[Port::new(1)], ..known };
        let sheet = |tiles: &[SheetTile<'_>]| contact_sheet(tiles).unwrap();
        let first = sheet(&[bare, bare]);
        assert_eq!(first.get_pixel(GAP_PX + 5, GAP_PX + 5).0, [120; 3]);
        assert_ne!(first, sheet(&[bare, known]));
        assert_ne!(sheet(&[bare, known]), sheet(&[bare, doubtful]));
        let many: Vec<SheetTile<'_>> = (0..9).map(|_| bare).collect();
        assert!(sheet(&many).height() > first.height());
        assert!(contact_sheet(&[]).is_ok());
    }
}
