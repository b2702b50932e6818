//! Finds tiles that lie loosely on a table, each by itself: outlines that are
//! squares of one size in one plane, with corners where their edges meet.

use image::RgbImage;
use ndarray::Array2;
use opencv::core::MatTraitConst;

use super::sought;
use super::tile_plane::{Frame, TilePlane};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Point, Quad, distance};
use crate::vision::base::photo::{self, Pyramid, quarter_turned};
use crate::vision::base::quads::{self, Candidate, OffTable, Slopes};

/// The longer side of the picture in which outlines are sought, pixels.
const SEARCH_PX: u32 = 1000;
/// When outlines are tiles: squares of one size in one plane. Sides are those of a tile.
struct Tiles {
    /// Planes that are tried, the best supported outlines first. More take longer.
    tried: usize,
    /// Squares of one size from which on what holds them is what tiles lie on: a tile does
    /// not show so many.
    many: usize,
    /// Largest misfit of an outline while the plane is being fitted, sides: rough to fine.
    rough_to_fine: [f64; 3],
    /// Largest misfit of a tile, sides. Larger takes boxes for tiles.
    square: f64,
    /// Share of an outline that is not of the table's colours below which it is a gap.
    gap: f64,
    /// Least area of an outline, as a share of the photo's.
    outline: f64,
    /// Least share of a photo that its tiles take: less is a detail of one that fills it.
    least: f64,
    /// Share of the photo's width from which on outlines tell whether a camera can see their
    /// plane,
    span: f64,
    /// and how far ([`TilePlane::warped`]) a lens or a cut photo may bend it.
    warped: f64,
    /// Outlines whose middles are nearer are one tile's, sides.
    same_place: f64,
    /// Least distance of the middles of two tiles, sides.
    beside: f64,
}

const TILES: Tiles = Tiles {
    tried: 30,
    many: 6,
    rough_to_fine: [0.22, 0.14, 0.08],
    square: 0.16,
    gap: 0.1,
    outline: 0.002,
    least: 0.03,
    span: 0.25,
    warped: 0.2,
    same_place: 0.7,
    beside: 0.9,
};

/// Side of the straightened tile in which edges are made exact, and the margin round it,
/// pixels.
const STRAIGHT_PX: u32 = 128;
const MARGIN_PX: u32 = 16;
/// How far an edge may be off, pixels of the straightened tile.
const BAND_PX: f64 = 9.0;
/// Strength, as a share of the strongest, from which on an edge further inside counts: at
/// a slant a tile's own side lies beyond the edge of its face.
const INNER: f32 = 0.75;

/// What lies loosely on a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The tiles: corners in pixels, clockwise, beginning with the corner that is
    /// upper left in the photo. Rows from above, each from the left.
    pub tiles: Vec<Quad>,
    /// Areas beside them that are not table and as large as a tile: other things, or
    /// tiles that touch.
    pub besides: usize,
}

/// Finds the tiles of a photo.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn find(photo: &RgbImage) -> Result<Found, VisionError> {
    let pyramid = Pyramid::new(photo)?;
    let longest = photo.width().max(photo.height());
    let shrink = (f64::from(SEARCH_PX) / f64::from(longest)).min(1.0);
    let to = |v: u32| (f64::from(v) * shrink).round() as i32;
    let small = photo::resized(pyramid.full(), to(photo.width()), to(photo.height()))?;
    let slopes = Slopes::new(&small)?;
    let edge = slopes.edge_level();
    let table = OffTable::new(&small)?;
    let mut candidates = quads::candidates(&small, &table, &slopes, edge, TILES.outline)?;
    let whole = f64::from(small.cols()) * f64::from(small.rows());
    let mut gaps = Vec::new();
    for candidate in &candidates {
        // A tile that fills the photo may well lend it the colours of its rim.
        gaps.push(candidate.quad.area() < 0.3 * whole && table.share(&candidate.quad)? < TILES.gap);
    }
    let mut gap = gaps.into_iter();
    candidates.retain(|_| !gap.next().unwrap_or(false));
    let frame = Frame::of(to(photo.width()), to(photo.height()));
    let shapes: Vec<Candidate> =
        candidates.iter().map(|c| Candidate { quad: frame.placed(&c.quad), support: c.support }).collect();
    let Some(plane) = common_plane(&shapes, f64::from(longest) / f64::from(photo.width())) else {
        return Ok(Found::default());
    };
    let shapes = squares(&shapes, &plane);
    if shapes.iter().map(|s| frame.seen(s).area()).sum::<f64>() < TILES.least * whole {
        return Ok(Found::default());
    }
    let mut seen: Vec<Quad> = shapes.iter().map(|s| frame.seen(s)).collect();
    let side = seen.iter().map(Quad::side).sum::<f64>() / seen.len().max(1) as f64;
    let areas = table.areas_besides(&seen, side)?;
    for area in &areas {
        let Some(found) = sought::square(frame.place(*area), &plane, &frame, &slopes, edge) else { continue };
        if seen.iter().all(|s| apart(s, &found) > TILES.beside) && table.share(&found)? > TILES.gap {
            seen.push(found);
        }
    }
    let none_sought = seen.len() == shapes.len();
    let besides = if none_sought { areas.len() } else { table.areas_besides(&seen, side)?.len() };
    let mut tiles: Vec<Quad> = Vec::new();
    for quad in &seen {
        let full = quad.0.map(|p| p.map(|v| (v + 0.5) / shrink - 0.5));
        tiles.push(exact(&pyramid, &Quad(full))?.upright());
    }
    Ok(Found { tiles: in_reading_order(tiles), besides })
}

/// Pairs of tiles that touch or nearly do: their edges can't be told apart well.
pub fn touching(tiles: &[Quad]) -> usize {
    let reaches = |a: &Quad, b: &Quad| {
        let wide = a.grown(1.06);
        (0..4).any(|i| {
            let (p, q) = (b.0[i], b.0[(i + 1) % 4]);
            (0..=4).any(|k| {
                let t = f64::from(k) / 4.0;
                wide.contains([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])])
            })
        })
    };
    let pair = |i: usize, j: usize| reaches(&tiles[i], &tiles[j]) || reaches(&tiles[j], &tiles[i]);
    (0..tiles.len()).map(|i| (i + 1..tiles.len()).filter(|j| pair(i, *j)).count()).sum()
}

/// The plane in which squares of one size cover the most of the photo: parts of
/// tiles are squares too. A square that holds many is what the tiles lie on. The
/// photo's longer side is `longest` of its widths.
fn common_plane(shapes: &[Candidate], longest: f64) -> Option<TilePlane> {
    let mut distinct: Vec<Candidate> = Vec::new();
    for shape in shapes {
        let alike = |d: &Candidate| {
            apart(&d.quad, &shape.quad) < 0.3 && (d.quad.area() / shape.quad.area()).ln().abs() < 0.12
        };
        if !distinct.iter().any(alike) {
            distinct.push(*shape);
        }
    }
    let mut tried: Vec<(f64, TilePlane, Vec<Quad>)> = Vec::new();
    for first in distinct.iter().take(TILES.tried) {
        let mut plane = TilePlane::of_quad(&first.quad);
        let mut members: Vec<Candidate> = Vec::new();
        for within in TILES.rough_to_fine {
            members.clear();
            for shape in distinct.iter().filter(|s| plane.misfit(&s.quad) < within) {
                if members.iter().all(|m| apart(&m.quad, &shape.quad) > TILES.same_place) {
                    members.push(*shape);
                }
            }
            if members.is_empty() {
                break;
            }
            let quads: Vec<Quad> = members.iter().map(|m| m.quad).collect();
            plane = plane.fitted(&quads, 8);
        }
        members.retain(|m| plane.misfit(&m.quad) < TILES.square);
        if span(&members) > TILES.span && plane.warped(longest) > TILES.warped {
            continue;
        }
        let covered = members.iter().map(|m| m.support * m.quad.area()).sum();
        tried.push((covered, plane, members.iter().map(|m| m.quad).collect()));
    }
    tried.sort_by(|a, b| b.0.total_cmp(&a.0));
    let holds_many = |outer: &Quad, inner: &[Quad]| {
        inner.iter().filter(|q| q.0.iter().all(|p| outer.contains(*p))).count() >= TILES.many
    };
    let mut rest = tried.as_slice();
    while let [(_, plane, members), smaller @ ..] = rest {
        let mat = members.iter().any(|m| smaller.iter().any(|(_, _, inner)| holds_many(m, inner)));
        if !mat || smaller.is_empty() {
            return Some(*plane);
        }
        rest = smaller;
    }
    None
}

/// How far the corners of all outlines reach from left to right or from top to bottom.
fn span(shapes: &[Candidate]) -> f64 {
    let reach = |axis: usize| {
        let places = shapes.iter().flat_map(|s| s.quad.0).map(|p| p[axis]);
        let (least, most) = places.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        most - least
    };
    reach(0).max(reach(1))
}

/// One outline for each place, the squarest and best supported.
fn squares(shapes: &[Candidate], plane: &TilePlane) -> Vec<Quad> {
    let mut good: Vec<(f64, Quad)> = shapes
        .iter()
        .map(|s| (plane.misfit(&s.quad), s))
        .filter(|(misfit, _)| *misfit < TILES.square)
        .map(|(misfit, s)| (misfit - 0.25 * s.support, s.quad))
        .collect();
    good.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out: Vec<Quad> = Vec::new();
    for (_, quad) in good {
        if out.iter().all(|o| apart(o, &quad) > TILES.same_place) {
            out.push(quad);
        }
    }
    out
}

/// How far apart two quads' middles are, in sides of the first.
fn apart(a: &Quad, b: &Quad) -> f64 {
    distance(a.centre(), b.centre()) / a.side().max(1e-9)
}

/// The quad with each side moved onto the edge of the tile's face.
fn exact(pyramid: &Pyramid, quad: &Quad) -> Result<Quad, VisionError> {
    let straight = pyramid.crop(quad, STRAIGHT_PX, MARGIN_PX)?;
    let size = f64::from(STRAIGHT_PX + 2 * MARGIN_PX);
    // Turned anticlockwise, the next side comes to lie on top.
    let lines: Vec<[Point; 2]> = (0..4_u8)
        .map(|side| {
            let [a, b] = upper_edge(&quarter_turned(&straight, (4 - side) % 4));
            let back = |p: Point| (0..side).fold(p, |p, _| [size - 1.0 - p[1], p[0]]);
            [back(a), back(b)]
        })
        .collect();
    let place = Homography::from_unit_square(quad);
    let unit = |v: f64| (v + 0.5 - f64::from(MARGIN_PX)) / f64::from(STRAIGHT_PX);
    let corner =
        |i: usize| crossing(&lines[(i + 3) % 4], &lines[i]).map(|p| place.apply([unit(p[0]), unit(p[1])]));
    match (corner(0), corner(1), corner(2), corner(3)) {
        (Some(a), Some(b), Some(c), Some(d)) => {
            let found = Quad([a, b, c, d]);
            let sane = found.is_tile_like() && found.corner_distance(quad) < 0.2 * quad.side();
            Ok(if sane { found } else { *quad })
        }
        _ => Ok(*quad),
    }
}

/// Where the tile's upper edge runs in its straightened picture: two places.
fn upper_edge(picture: &RgbImage) -> [Point; 2] {
    const STEEP: f32 = 40.0;
    let (width, top) = (picture.width(), f64::from(MARGIN_PX));
    let rows = 2 * MARGIN_PX + BAND_PX as u32;
    let soft = |x: u32, y: u32, c: usize| -> f32 {
        let at = |x: u32, y: u32| f32::from(picture.get_pixel(x.min(width - 1), y).0[c]);
        (at(x.saturating_sub(1), y) + 2.0 * at(x, y) + at(x + 1, y)) / 4.0
    };
    let slope = Array2::from_shape_fn((rows as usize, width as usize), |(y, x)| {
        let (x, y) = (x as u32, y as u32);
        let (above, below) = (y.saturating_sub(1), y + 1);
        let most = (0..3).map(|c| (soft(x, below, c) - soft(x, above, c)).abs());
        (most.fold(0.0, f32::max) / 2.0).min(STEEP)
    });
    let middle = f64::from(width) / 2.0;
    let columns = (MARGIN_PX + 12)..(width - MARGIN_PX - 12);
    let strength = |offset: f64, tilt: f64| -> f32 {
        let mut sum = 0.0;
        for x in columns.clone() {
            let y = (top + offset + tilt * (f64::from(x) - middle)).clamp(0.0, f64::from(rows - 2));
            let (row, part) = (y as usize, y.fract() as f32);
            sum += slope[[row, x as usize]] * (1.0 - part) + slope[[row + 1, x as usize]] * part;
        }
        sum
    };
    let offsets: Vec<f64> = (0..=(4.0 * BAND_PX) as i32).map(|i| f64::from(i) / 2.0 - BAND_PX).collect();
    let best: Vec<(f32, f64)> = offsets
        .iter()
        .map(|o| {
            (-10..=10).map(|t| f64::from(t) * 0.005).fold((-1.0, 0.0), |best, tilt| {
                let s = strength(*o, tilt);
                if s > best.0 { (s, tilt) } else { best }
            })
        })
        .collect();
    let strongest = best.iter().map(|b| b.0).fold(0.0, f32::max);
    let peak = |i: usize| {
        let near = i.saturating_sub(2)..(i + 3).min(best.len());
        best[near].iter().all(|b| b.0 <= best[i].0) && best[i].0 >= INNER * strongest
    };
    let pick = (0..best.len()).rev().find(|i| peak(*i)).unwrap_or(best.len() / 2);
    let at = |x: f64| [x, top + offsets[pick] + best[pick].1 * (x - middle)];
    [at(0.0), at(f64::from(width))]
}

/// Where two lines through two places each cross.
fn crossing([a, b]: &[Point; 2], [c, d]: &[Point; 2]) -> Option<Point> {
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]]);
    let det = u[0] * v[1] - u[1] * v[0];
    if det.abs() < 1e-9 {
        return None;
    }
    let t = ((c[0] - a[0]) * v[1] - (c[1] - a[1]) * v[0]) / det;
    Some([a[0] + t * u[0], a[1] + t * u[1]])
}

/// Rows from above, each from the left; a row is half a tile high.
fn in_reading_order(mut tiles: Vec<Quad>) -> Vec<Quad> {
    tiles.sort_by(|a, b| a.centre()[1].total_cmp(&b.centre()[1]));
    let mut out: Vec<Quad> = Vec::with_capacity(tiles.len());
    let mut row: Vec<Quad> = Vec::new();
    for tile in tiles {
        if row.first().is_some_and(|f| tile.centre()[1] - f.centre()[1] > 0.5 * f.side()) {
            row.sort_by(|a, b| a.centre()[0].total_cmp(&b.centre()[0]));
            out.append(&mut row);
        }
        row.push(tile);
    }
    row.sort_by(|a, b| a.centre()[0].total_cmp(&b.centre()[0]));
    out.append(&mut row);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: f64, y: f64, turn: f64) -> Quad {
        let (s, c) = turn.to_radians().sin_cos();
        Quad(
            [[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]]
                .map(|[u, v]| [x + c * u - s * v, y + s * u + c * v]),
        )
    }

    #[test]
    fn loose_squares_are_found_in_reading_order() {
        let tiles = [square(120.0, 110.0, 20.0), square(300.0, 130.0, 75.0), square(130.0, 320.0, 3.0)];
        let mut picture = RgbImage::from_pixel(480, 420, image::Rgb([182, 150, 110]));
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            let at = [f64::from(x), f64::from(y)];
            if let Some(i) = tiles.iter().position(|t| t.contains(at)) {
                let stripe = (x / 9 + y / 13 + i as u32).is_multiple_of(2);
                *pixel = image::Rgb(if stripe { [60, 110, 60] } else { [80, 130, 75] });
            }
        }
        let found = find(&picture).unwrap().tiles;
        assert_eq!(found.len(), 3);
        for (found, tile) in found.iter().zip(&tiles) {
            let off = (0..4).map(|k| found.starting_at(k).corner_distance(tile)).fold(f64::MAX, f64::min);
            assert!(off < 2.5, "{found:?} should be {tile:?}");
        }
        assert_eq!(find(&picture).unwrap().tiles, found);
        assert!(find(&RgbImage::from_pixel(300, 200, image::Rgb([90, 90, 90]))).unwrap().tiles.is_empty());
    }

    #[test]
    fn neither_squares_on_a_tile_nor_what_tiles_lie_on_are_tiles() {
        let mut one = RgbImage::from_pixel(420, 360, image::Rgb([196, 160, 120]));
        for (x, y, pixel) in one.enumerate_pixels_mut() {
            let (u, v) = (x.wrapping_sub(110), y.wrapping_sub(80));
            if u < 200 && v < 200 {
                let road = u.abs_diff(100).min(v.abs_diff(100)) < 16;
                *pixel = image::Rgb(if road { [225, 220, 205] } else { [50, 105, 60] });
            }
        }
        let found = find(&one).unwrap().tiles;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].side() - 200.0).abs() < 4.0, "{found:?}");

        let mut on_paper = RgbImage::from_pixel(620, 560, image::Rgb([120, 80, 50]));
        for (x, y, pixel) in on_paper.enumerate_pixels_mut() {
            let (u, v) = (x.wrapping_sub(60), y.wrapping_sub(40));
            if u < 480 && v < 480 {
                let tile = u % 160 > 30 && u % 160 < 130 && v % 160 > 30 && v % 160 < 130;
                *pixel = image::Rgb(if tile { [40, 90, 60] } else { [240, 240, 235] });
            }
        }
        let found = find(&on_paper).unwrap().tiles;
        assert_eq!(found.len(), 9, "{found:?}");
    }

    /// A table with plain things on it, each a quad.
    fn table_with(things: &[Quad]) -> RgbImage {
        let mut picture = RgbImage::from_pixel(640, 480, image::Rgb([182, 150, 110]));
        for (x, y, pixel) in picture.enumerate_pixels_mut() {
            if things.iter().any(|t| t.contains([f64::from(x), f64::from(y)])) {
                *pixel = image::Rgb([60, 110, 60]);
            }
        }
        picture
    }

    #[test]
    fn what_may_be_tiles_that_touch_is_told() {
        let apart = [square(100.0, 110.0, 20.0), square(280.0, 130.0, 75.0), square(130.0, 320.0, 3.0)];
        let found = find(&table_with(&apart)).unwrap();
        assert_eq!((found.tiles.len(), found.besides), (3, 0));
        let pair = [square(430.0, 330.0, 0.0), square(530.0, 330.0, 0.0)];
        let found = find(&table_with(&[apart.as_slice(), &pair].concat())).unwrap();
        assert_eq!((found.tiles.len(), found.besides), (3, 1));
    }

    #[test]
    fn a_block_of_tiles_is_not_one_tile() {
        let block: Vec<Quad> = (0..12)
            .map(|i| square(170.0 + 100.0 * f64::from(i % 4), 140.0 + 100.0 * f64::from(i / 4), 0.0))
            .collect();
        let found = find(&table_with(&block)).unwrap();
        assert!(found.tiles.iter().all(|t| t.side() < 110.0), "{found:?}");
    }

    #[test]
    fn tiles_that_touch_are_counted() {
        assert_eq!(touching(&[square(100.0, 100.0, 0.0), square(201.0, 103.0, 0.0)]), 1);
        assert_eq!(touching(&[square(100.0, 100.0, 0.0), square(240.0, 103.0, 30.0)]), 0);
    }
}
