//! How a frame was taken: how large its tiles are, how light and how sharp it is.

use image::RgbImage;

use super::geometry::{Point, Quad};

/// How the conditions are measured.
struct Measure {
    /// A channel from which on it says no more: it is burnt out.
    burnt: u8,
    /// The share of the pixels that are lighter than what is called the light.
    lightest: f32,
    /// Least difference of lightness, of 255, over a step between two areas whose width is
    /// measured.
    step: f32,
    /// The longest step, pixels. What is wider is a shading.
    widest: usize,
    /// The share of the steps that are sharper than what is called the softness.
    sharpest: f32,
    /// Steps below which the softness is not known.
    enough: usize,
    /// Pixels, along each side, of which one is looked at for light.
    every: u32,
}

const MEASURE: Measure =
    Measure { burnt: 250, lightest: 0.05, step: 30.0, widest: 40, sharpest: 0.25, enough: 200, every: 3 };

/// How a frame was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conditions {
    /// The side of a tile, pixels; `None` where no cell is known.
    pub tile_px: Option<f32>,
    /// The lightness, 0 to 1 of sRGB, above which a twentieth of the pixels lie.
    pub light: f32,
    /// The share of pixels of which two channels are burnt out.
    pub burnt_out: f32,
    /// How wide the sharper steps between light and dark are, pixels, as the whole rise over its
    /// steepest part; `None` where too few are seen.
    pub softness: Option<f32>,
}

impl Conditions {
    /// Measures a frame where the cells are, the whole frame where none is known. Cells are
    /// given by their corners, pixels.
    pub fn of(frame: &RgbImage, cells: &[[Point; 4]]) -> Conditions {
        let (width, height) = frame.dimensions();
        let bounds = bounds(cells, (width, height));
        let inside = |x: u32, y: u32| cells.is_empty() || cells.iter().any(|cell| holds(cell, x, y));
        let mut lights: Vec<u8> = Vec::new();
        let mut burnt = 0_u32;
        for y in (bounds.1..bounds.3).step_by(MEASURE.every as usize) {
            for x in (bounds.0..bounds.2).step_by(MEASURE.every as usize) {
                if inside(x, y) {
                    let pixel = frame.get_pixel(x, y).0;
                    lights.push(luma(pixel) as u8);
                    burnt += u32::from(is_burnt(pixel));
                }
            }
        }
        let count = lights.len().max(1) as f32;
        lights.sort_unstable();
        let at = ((1.0 - MEASURE.lightest) * lights.len() as f32) as usize;
        let sides = cells.iter().map(|cell| Quad(*cell).side()).sum::<f64>() / cells.len().max(1) as f64;
        Conditions {
            tile_px: (!cells.is_empty()).then_some(sides as f32),
            light: lights.get(at).map_or(0.0, |v| f32::from(*v) / 255.0),
            burnt_out: burnt as f32 / count,
            softness: softness(frame, bounds),
        }
    }
}

/// Whether a pixel is burnt out: two of its channels say no more.
pub fn is_burnt(pixel: [u8; 3]) -> bool {
    pixel.iter().filter(|v| **v >= MEASURE.burnt).count() > 1
}

/// The largest area of a frame that is burnt out in one piece, as a share of the frame.
pub fn largest_burnt(frame: &RgbImage) -> f32 {
    let every = MEASURE.every;
    let (columns, rows) = (frame.width().div_ceil(every), frame.height().div_ceil(every));
    let mut burnt: Vec<bool> = (0..rows)
        .flat_map(|y| (0..columns).map(move |x| (x, y)))
        .map(|(x, y)| is_burnt(frame.get_pixel(x * every, y * every).0))
        .collect();
    let (mut largest, mut edge) = (0_u32, Vec::new());
    for start in 0..burnt.len() {
        if !std::mem::take(&mut burnt[start]) {
            continue;
        }
        let mut size = 0;
        edge.push(start);
        while let Some(at) = edge.pop() {
            size += 1;
            let (x, y) = (at as u32 % columns, at as u32 / columns);
            let beside = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
            for (x, y) in beside.into_iter().filter(|(x, y)| *x < columns && *y < rows) {
                let at = (y * columns + x) as usize;
                if std::mem::take(&mut burnt[at]) {
                    edge.push(at);
                }
            }
        }
        largest = largest.max(size);
    }
    largest as f32 / burnt.len().max(1) as f32
}

/// The part of the picture in which the cells are: left, upper, right and lower end, pixels.
fn bounds(cells: &[[Point; 4]], (width, height): (u32, u32)) -> (u32, u32, u32, u32) {
    if cells.is_empty() {
        return (0, 0, width, height);
    }
    let corners = cells.iter().flatten();
    let (mut low, mut high) = ([f64::MAX; 2], [f64::MIN; 2]);
    for corner in corners {
        for i in 0..2 {
            low[i] = low[i].min(corner[i]);
            high[i] = high[i].max(corner[i]);
        }
    }
    let to = |v: f64, most: u32| v.clamp(0.0, f64::from(most)) as u32;
    (to(low[0], width), to(low[1], height), to(high[0].ceil(), width), to(high[1].ceil(), height))
}

/// Whether a pixel lies in a cell, whose corners run clockwise.
fn holds(cell: &[Point; 4], x: u32, y: u32) -> bool {
    let (x, y) = (f64::from(x), f64::from(y));
    (0..4).all(|i| {
        let (a, b) = (cell[i], cell[(i + 1) % 4]);
        (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0.0
    })
}

fn luma([r, g, b]: [u8; 3]) -> f32 {
    0.299 * f32::from(r) + 0.587 * f32::from(g) + 0.114 * f32::from(b)
}

/// How wide the sharper steps are, along rows and columns: a step is a stretch on which the
/// lightness only grows or only falls.
fn softness(frame: &RgbImage, (left, upper, right, lower): (u32, u32, u32, u32)) -> Option<f32> {
    let mut widths = Vec::new();
    for y in (upper..lower).step_by(2) {
        steps((left..right).map(|x| luma(frame.get_pixel(x, y).0)), &mut widths);
    }
    for x in (left..right).step_by(2) {
        steps((upper..lower).map(|y| luma(frame.get_pixel(x, y).0)), &mut widths);
    }
    if widths.len() < MEASURE.enough {
        return None;
    }
    widths.sort_by(f32::total_cmp);
    widths.get((MEASURE.sharpest * widths.len() as f32) as usize).copied()
}

/// The widths of the steps along a line.
fn steps(line: impl Iterator<Item = f32>, widths: &mut Vec<f32>) {
    // The rise so far, its steepest part, and how many pixels it takes.
    let (mut rise, mut steepest, mut long) = (0.0_f32, 0.0_f32, 0);
    let mut before: Option<f32> = None;
    for light in line {
        let slope = before.replace(light).map_or(0.0, |b| light - b);
        if slope * rise > 0.0 || rise == 0.0 {
            rise += slope;
            steepest = steepest.max(slope.abs());
            long += 1;
            continue;
        }
        if rise.abs() >= MEASURE.step && long <= MEASURE.widest {
            widths.push(rise.abs() / steepest);
        }
        (rise, steepest, long) = (slope, slope.abs(), 1);
    }
    if rise.abs() >= MEASURE.step && long <= MEASURE.widest {
        widths.push(rise.abs() / steepest);
    }
}

#[cfg(test)]
mod tests {
    use image::{Rgb, imageops};

    use super::*;

    #[test]
    fn the_largest_burnt_area_is_of_one_piece() {
        let white = |x: u32, y: u32| (90..180).contains(&x) && y < 90 || (300..330).contains(&x);
        let frame = RgbImage::from_fn(600, 300, |x, y| Rgb([if white(x, y) { 255 } else { 90 }; 3]));
        let share = largest_burnt(&frame);
        assert!((share - 30.0 * 300.0 / (600.0 * 300.0)).abs() < 0.002, "{share}");
        assert_eq!(largest_burnt(&RgbImage::new(60, 60)), 0.0);
    }

    /// A chequered board of 8 by 8 fields of 40 pixels.
    fn chequered(dark: u8, light: u8) -> RgbImage {
        RgbImage::from_fn(320, 320, |x, y| {
            let v = if (x / 40 + y / 40).is_multiple_of(2) { dark } else { light };
            Rgb([v, v, v])
        })
    }

    fn cells() -> Vec<[Point; 4]> {
        vec![[[40.0, 40.0], [80.0, 40.0], [80.0, 80.0], [40.0, 80.0]]]
    }

    #[test]
    fn a_softer_picture_is_told_by_how_much() {
        let sharp = chequered(40, 220);
        let of = |picture: &RgbImage| Conditions::of(picture, &[]).softness.unwrap();
        assert!((of(&sharp) - 1.0).abs() < 0.1, "{}", of(&sharp));
        let soft = [1.0, 2.0, 4.0].map(|sigma| of(&imageops::blur(&sharp, sigma)));
        for (sigma, soft) in [1.0_f32, 2.0, 4.0].into_iter().zip(soft) {
            // The rise of a blurred step over its steepest part is the square root of 2 pi sigmas.
            let wanted = sigma * (2.0 * std::f32::consts::PI).sqrt();
            assert!((soft / wanted - 1.0).abs() < 0.2, "{soft} for {wanted}");
        }
        assert_eq!(Conditions::of(&chequered(100, 100), &[]).softness, None, "there is no step");
    }

    #[test]
    fn light_and_what_is_burnt_out_are_those_of_the_cells() {
        let picture = chequered(40, 255);
        let whole = Conditions::of(&picture, &[]);
        assert!((whole.burnt_out - 0.5).abs() < 0.05 && whole.light > 0.99 && whole.tile_px.is_none());
        let cell = Conditions::of(&picture, &cells());
        assert!(cell.burnt_out < 0.05, "{cell:?}");
        assert!((cell.tile_px.unwrap() - 40.0).abs() < 0.01);
        assert!((cell.light - 40.0 / 255.0).abs() < 0.02);
    }
}
