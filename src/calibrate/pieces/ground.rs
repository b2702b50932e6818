//! What inside the wall is not the bare table, and in which light it all is.

use opencv::core::{CV_32S, Mat, Point, Size};
use opencv::imgproc;
use opencv::prelude::*;
use rayon::prelude::*;

use super::view::{PX, View};
use crate::vision::base::colour::{distance, lab_of_linear, linear_of_byte, shades, strangeness};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::median;

/// What tells pieces from the table. Distances are those of [`distance`], about a CIE L*a*b*
/// unit.
///
/// Guesses, which were right at first sight on the 12 photos of `castellan render --boards 12
/// --unseen --pieces --paints --set-up --seed 5101` and were left so.
struct Settings {
    /// Side of the squares in which the table's colour is learned, and of the window round
    /// each that tells it, tile sides. A smaller window follows the light better, and takes a
    /// large keep for table.
    square: f32,
    window: f32,
    /// Least distance of a piece's pixel from the table in any shadow. Lower takes the grain
    /// of the table for pieces.
    least: f32,
    /// The same as a multiple of the usual distance of the table's own pixels.
    grain: f32,
    /// Share of these distances from which on a pixel is a piece's where it is nearer to a
    /// player's colour than to the table.
    of_colour: f32,
    /// Gaps so wide do not part a piece, tile sides.
    gap: f32,
    /// Least area of a piece, tiles. Lower takes crumbs for pieces.
    area: f32,
}

const SETTINGS: Settings =
    Settings { square: 0.25, window: 2.5, least: 9.0, grain: 4.5, of_colour: 0.6, gap: 0.1, area: 0.02 };

/// Shares of the table's light in which it may lie: from a deep shadow to a gleam.
const SHADOWS: [f32; 9] = [0.25, 0.33, 0.42, 0.53, 0.66, 0.8, 0.95, 1.1, 1.3];
/// As in `vision/figures/evidence.rs`: a shade e times brighter or darker than the usual is so
/// much farther.
const UNUSUAL: f32 = 5.0;

/// Something that lies on the table.
pub(super) struct Patch {
    /// Its pixels in the view.
    pub pixels: Vec<(u32, u32)>,
    /// The middle colour of it, linear, as it is seen.
    pub seen: [f32; 3],
    /// The mean distance of its pixels from each player's colour.
    pub from: Vec<f32>,
}

impl Patch {
    /// In tiles.
    pub fn area(&self) -> f32 {
        self.pixels.len() as f32 / (PX * PX) as f32
    }

    /// Its middle, tile sides.
    pub fn middle(&self, view: &View) -> (f32, f32) {
        let n = self.pixels.len().max(1) as f32;
        let (mut x, mut y) = (0.0, 0.0);
        for (u, v) in &self.pixels {
            let place = view.place(*u, *v);
            (x, y) = (x + place.0, y + place.1);
        }
        (x / n, y / n)
    }
}

/// A player's paint in all shades of a light, CIE L*a*b*.
pub(super) struct Paint(Vec<[f32; 3]>);

impl Paint {
    pub fn new(colour: [u8; 3], light: [f32; 3]) -> Paint {
        Paint(shades(colour, light))
    }

    /// The distance of a colour, CIE L*a*b*, from the nearest shade.
    pub fn distance(&self, lab: [f32; 3]) -> f32 {
        let far = |(i, shade): (usize, &[f32; 3])| distance(lab, *shade) + UNUSUAL * strangeness(i);
        self.0.iter().enumerate().map(far).fold(f32::INFINITY, f32::min)
    }
}

/// The patches inside the wall that are not the table, the largest first.
pub(super) fn patches(view: &View, paints: &[Paint]) -> Result<Vec<Patch>, VisionError> {
    let table = Table::of(view);
    let (width, height) = view.picture.dimensions();
    let linear = |at: usize| -> [f32; 3] {
        std::array::from_fn(|c| linear_of_byte(view.picture.as_raw()[at * 3 + c]))
    };
    let labs: Vec<[f32; 3]> =
        (0..(width * height) as usize).into_par_iter().map(|at| lab_of_linear(linear(at))).collect();
    let off: Vec<f32> = (0..labs.len())
        .into_par_iter()
        .map(|at| {
            if !view.inside[at] {
                return 0.0;
            }
            let ground = table.at(at as u32 % width, at as u32 / width);
            let far = |s: &f32| distance(labs[at], lab_of_linear(ground.map(|v| v * s)));
            SHADOWS.iter().map(far).fold(f32::INFINITY, f32::min)
        })
        .collect();
    let mut usual: Vec<f32> =
        (0..off.len()).step_by(7).filter(|at| view.inside[*at]).map(|at| off[at]).collect();
    let least = SETTINGS.least.max(SETTINGS.grain * median(&mut usual));
    let is_piece = |at: usize| {
        let nearest = || paints.iter().map(|p| p.distance(labs[at])).fold(f32::INFINITY, f32::min);
        view.inside[at] && (off[at] > least || off[at] > SETTINGS.of_colour * least && nearest() < off[at])
    };
    let mask: Vec<u8> = (0..off.len()).into_par_iter().map(|at| if is_piece(at) { 255 } else { 0 }).collect();
    tracing::debug!(least, pixels = mask.iter().filter(|v| **v > 0).count(), "pieces");
    let whole = cleaned(&mask, (width, height))?;
    let mut found: Vec<Patch> = connected(&whole)?
        .into_iter()
        .filter(|pixels| pixels.len() as f32 >= SETTINGS.area * (PX * PX) as f32)
        .map(|pixels| {
            // The rim is mixed with the table, what was closed is table.
            let core: Vec<usize> = pixels
                .iter()
                .map(|(x, y)| (y * width + x) as usize)
                .filter(|at| mask[*at] > 0 && is_core(&mask, *at, width as usize))
                .collect();
            let of = |c: usize| {
                let mut values: Vec<f32> = core.iter().map(|at| linear(*at)[c]).collect();
                median(&mut values)
            };
            let from = paints.iter().map(|paint| {
                core.iter().map(|at| paint.distance(labs[*at])).sum::<f32>() / core.len().max(1) as f32
            });
            Patch { seen: [of(0), of(1), of(2)], from: from.collect(), pixels }
        })
        .collect();
    found.sort_by_key(|patch| std::cmp::Reverse(patch.pixels.len()));
    Ok(found)
}

fn is_core(mask: &[u8], at: usize, width: usize) -> bool {
    [at.wrapping_sub(1), at + 1, at.wrapping_sub(width), at + width]
        .iter()
        .all(|beside| mask.get(*beside).is_some_and(|v| *v > 0))
}

/// A mask without specks, and with its gaps closed.
fn cleaned(mask: &[u8], (width, height): (u32, u32)) -> Result<Mat, VisionError> {
    let source = Mat::new_rows_cols_with_data(height as i32, width as i32, mask)?;
    let round =
        |side: i32| imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(side, side));
    let (mut opened, mut closed) = (Mat::default(), Mat::default());
    let anchor = Point::new(-1, -1);
    let border = imgproc::morphology_default_border_value()?;
    let constant = opencv::core::BORDER_CONSTANT;
    let gap = (SETTINGS.gap * PX as f32).round() as i32 | 1;
    imgproc::morphology_ex(
        &source,
        &mut opened,
        imgproc::MORPH_OPEN,
        &round(3)?,
        anchor,
        1,
        constant,
        border,
    )?;
    imgproc::morphology_ex(
        &opened,
        &mut closed,
        imgproc::MORPH_CLOSE,
        &round(gap)?,
        anchor,
        1,
        constant,
        border,
    )?;
    Ok(closed)
}

/// The connected parts of a mask.
fn connected(mask: &Mat) -> Result<Vec<Vec<(u32, u32)>>, VisionError> {
    let mut labels = Mat::default();
    let count = imgproc::connected_components(mask, &mut labels, 8, CV_32S)?;
    let mut found = vec![Vec::new(); count.max(1) as usize - 1];
    for y in 0..labels.rows() {
        for (x, label) in labels.at_row::<i32>(y)?.iter().enumerate() {
            if let Some(part) = usize::try_from(label - 1).ok().and_then(|i| found.get_mut(i)) {
                part.push((x as u32, y as u32));
            }
        }
    }
    Ok(found)
}

/// The bare table's colour, square by square.
struct Table {
    /// Squares a row, and pixels a square's side.
    columns: u32,
    px: u32,
    /// Linear.
    colours: Vec<[f32; 3]>,
}

impl Table {
    fn of(view: &View) -> Table {
        let (width, height) = view.picture.dimensions();
        let px = (SETTINGS.square * PX as f32) as u32;
        let (columns, rows) = (width.div_ceil(px), height.div_ceil(px));
        let reach = (SETTINGS.window * PX as f32 / 2.0) as u32;
        let colours = (0..columns * rows)
            .into_par_iter()
            .map(|i| {
                let (x, y) = (i % columns * px + px / 2, i / columns * px + px / 2);
                let span = |v: u32, side: u32| v.saturating_sub(reach)..(v + reach).min(side);
                let mut values: [Vec<f32>; 3] = Default::default();
                for v in span(y, height).step_by(4) {
                    for u in span(x, width).step_by(4) {
                        let at = (v * width + u) as usize;
                        if view.inside[at] {
                            for (c, values) in values.iter_mut().enumerate() {
                                values.push(linear_of_byte(view.picture.as_raw()[at * 3 + c]));
                            }
                        }
                    }
                }
                values.map(|mut v| median(&mut v))
            })
            .collect();
        Table { columns, px, colours }
    }

    fn at(&self, x: u32, y: u32) -> [f32; 3] {
        let at = (y / self.px * self.columns + x / self.px) as usize;
        self.colours.get(at).copied().unwrap_or_default()
    }
}
