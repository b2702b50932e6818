//! Draws a surveyed wall over the photo that it was measured from.

use image::{RgbImage, imageops};
use opencv::core::{Mat, Point, Scalar, Vector};
use opencv::imgproc;

use super::corner_of;
use crate::rules::{Kind, Side, Wall};
use crate::vision::base::camera::Pose;
use crate::vision::base::error::VisionError;
use crate::vision::base::mat::point;
use crate::vision::base::photo;

/// The longest side of a drawing, pixels.
const LONGEST: u32 = 1600;

const OUTLINE: [f64; 3] = [40.0, 220.0, 90.0];
const CELLS: [f64; 3] = [90.0, 190.0, 220.0];
const TOWER: [f64; 3] = [250.0, 200.0, 40.0];
const TRACK: [f64; 3] = [255.0, 255.0, 255.0];
const START: [f64; 3] = [250.0, 80.0, 60.0];
const INK: [f64; 3] = [15.0, 15.0, 15.0];

struct Pen {
    picture: Mat,
    pose: Pose,
    unit: f32,
}

/// The letter of a corner, counted from the upper left of the uppermost row,
/// clockwise.
pub fn letter(corner: usize) -> char {
    char::from(b'A' + (corner % 26) as u8)
}

/// The photo with the outline (green), the spaces inside (blue), the towers with
/// letters and their numbers (yellow), every track space with some numbers
/// (white) and the start spaces with what they show (red).
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn draw(frame: &RgbImage, wall: &Wall, pose: &Pose) -> Result<RgbImage, VisionError> {
    let longest = frame.width().max(frame.height());
    let small = if longest > LONGEST {
        let side = |v: u32| (f64::from(v) * f64::from(LONGEST) / f64::from(longest)).round() as u32;
        imageops::thumbnail(frame, side(frame.width()), side(frame.height()))
    } else {
        frame.clone()
    };
    let pose = pose.scaled(small.dimensions());
    let (cols, rows) = wall.size();
    let unit = pose.tile_px(cols as f32 / 2.0, rows as f32 / 2.0);
    let mut pen = Pen { picture: photo::to_mat(&small)?, pose, unit };
    for cell in wall.cells() {
        let (x, y) = (f32::from(cell.col), f32::from(cell.row));
        pen.line(&[(x, y), (x + 1.0, y), (x + 1.0, y + 1.0), (x, y + 1.0), (x, y)], CELLS, 1)?;
    }
    let ring = wall.ring();
    let mut walk: Vec<(f32, f32)> = ring.iter().map(|c| (f32::from(c.x), f32::from(c.y))).collect();
    walk.extend(walk.first().copied());
    pen.line(&walk, OUTLINE, 3)?;
    for start in &wall.starts {
        let (x, y) = (f32::from(start.cell.col), f32::from(start.cell.row));
        let (a, b, out) = match start.side {
            Side::North => ((x, y), (x + 1.0, y), (0.0, 1.0)),
            Side::East => ((x + 1.0, y), (x + 1.0, y + 1.0), (-1.0, 0.0)),
            Side::South => ((x, y + 1.0), (x + 1.0, y + 1.0), (0.0, -1.0)),
            Side::West => ((x, y), (x, y + 1.0), (1.0, 0.0)),
        };
        pen.line(&[a, b], START, 6)?;
        let shown: String = start.face.segments().iter().map(|s| short(s.kind)).collect::<Vec<_>>().join(" ");
        let middle = ((a.0 + b.0) / 2.0 + 0.35 * out.0, (a.1 + b.1) / 2.0 + 0.35 * out.1);
        pen.text(&shown, middle, START, 0.2)?;
    }
    for (number, place) in wall.track.iter().enumerate() {
        let tower = u8::try_from(number).is_ok_and(|n| wall.tower_at(n).is_some());
        pen.dot((place.x, place.y), if tower { TOWER } else { TRACK }, 0.035)?;
        if !tower && (number % 10 == 0 || number < 5) {
            pen.text(&number.to_string(), (place.x, place.y), TRACK, 0.22)?;
        }
    }
    let track = |n: u8| wall.track.get(usize::from(n));
    for (a, b) in &wall.towers {
        let (Some(p), Some(q)) = (track(*a), track(*b)) else { continue };
        let middle = ((p.x + q.x) / 2.0, (p.y + q.y) / 2.0);
        let Some(corner) = corner_of(wall, &ring, (*a, *b)) else { continue };
        let (ox, oy) = (middle.0 - f32::from(ring[corner].x), middle.1 - f32::from(ring[corner].y));
        pen.text(&format!("{a}/{b}"), middle, TOWER, 0.22)?;
        let beyond = (middle.0 + 1.6 * ox, middle.1 + 1.6 * oy);
        pen.text(&letter(corner).to_string(), beyond, OUTLINE, 0.34)?;
    }
    photo::to_picture(&pen.picture)
}

const fn short(kind: Kind) -> &'static str {
    match kind {
        Kind::PATH => "path",
        Kind::HOUSE => "house",
        Kind::TOWER => "tower",
        Kind::COURT => "court",
        _ => "?",
    }
}

impl Pen {
    fn place(&self, (x, y): (f32, f32)) -> Point {
        let (u, v) = self.pose.project(x, y, 0.0);
        point([f64::from(u), f64::from(v)])
    }

    /// A line on the board; lenses bend it.
    fn line(&mut self, places: &[(f32, f32)], [r, g, b]: [f64; 3], thick: i32) -> Result<(), VisionError> {
        let mut points: Vector<Point> = Vector::new();
        for pair in places.windows(2) {
            for i in 0..=8 {
                let t = i as f32 / 8.0;
                let at = |a: f32, b: f32| a + t * (b - a);
                points.push(self.place((at(pair[0].0, pair[1].0), at(pair[0].1, pair[1].1))));
            }
        }
        let colour = Scalar::new(r, g, b, 0.0);
        imgproc::polylines(&mut self.picture, &points, false, colour, thick, imgproc::LINE_AA, 0)?;
        Ok(())
    }

    fn dot(&mut self, place: (f32, f32), [r, g, b]: [f64; 3], radius: f32) -> Result<(), VisionError> {
        let at = self.place(place);
        let radius = ((radius * self.unit).round() as i32).clamp(1, 1000);
        for (grown, colour) in [(1, INK), (0, [r, g, b])] {
            let colour = Scalar::new(colour[0], colour[1], colour[2], 0.0);
            imgproc::circle(&mut self.picture, at, radius + grown, colour, -1, imgproc::LINE_AA, 0)?;
        }
        Ok(())
    }

    /// A text with its middle at a place, `high` tile sides high.
    fn text(
        &mut self,
        text: &str,
        place: (f32, f32),
        colour: [f64; 3],
        high: f32,
    ) -> Result<(), VisionError> {
        let font = imgproc::FONT_HERSHEY_SIMPLEX;
        let mut baseline = 0;
        let size = imgproc::get_text_size(text, font, 1.0, 1, &mut baseline)?;
        let scale = f64::from((high * self.unit).clamp(9.0, 1000.0)) / f64::from(size.height.max(1));
        let at = self.place(place);
        let at = Point::new(
            at.x - (f64::from(size.width) * scale / 2.0) as i32,
            at.y + (f64::from(size.height) * scale / 2.0) as i32,
        );
        let thick = if scale > 0.6 { 2 } else { 1 };
        for (width, paint) in [(thick + 3, INK), (thick, colour)] {
            let paint = Scalar::new(paint[0], paint[1], paint[2], 0.0);
            imgproc::put_text(
                &mut self.picture,
                text,
                at,
                font,
                scale,
                paint,
                width,
                imgproc::LINE_AA,
                false,
            )?;
        }
        Ok(())
    }
}
