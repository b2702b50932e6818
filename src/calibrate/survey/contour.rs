//! Finds closed regions of the table that could be the inside of a wall: their
//! borders, as polygons with as many corners as the wall has towers.

use image::{RgbImage, imageops};
use ndarray::s;
use opencv::core::{
    BORDER_CONSTANT, CV_8U, CV_32F, CV_32S, KMEANS_PP_CENTERS, Mat, Point, Scalar, Size, TermCriteria,
    Vector, no_array,
};
use opencv::imgproc;
use opencv::prelude::*;

use crate::rules::castle::validate::CORNER_TOWERS;
use crate::vision::base::error::VisionError;
use crate::vision::base::mat::array_of;
use crate::vision::base::photo;

/// How a picture is parted into wall and table.
struct Parting {
    /// Longest side of the picture in which regions are sought, pixels. Larger measures the
    /// border more finely and takes longer.
    coarse: u32,
    /// Standard deviation of the blur that takes print away, pixels.
    blur: f64,
    /// Reach of the median that says what colour lies round a pixel, as a share of the
    /// longer side: more than the wall is wide.
    around: f64,
    /// Shares of the picture taken for table where contrast tells the wall, one mask each.
    shares: [f32; 6],
    /// What a difference of lightness counts for beside one of hue, one set of masks each:
    /// less where shadows lie over the table.
    lightness: [f32; 2],
    /// Numbers of clusters where colour tells the wall, one set of masks each.
    clusters: [i32; 3],
    /// What lightness counts for beside hue in these clusters.
    clusters_lightness: f32,
}

const PARTING: Parting = Parting {
    coarse: 800,
    blur: 1.0,
    around: 0.16,
    shares: [0.70, 0.75, 0.80, 0.84, 0.88, 0.91],
    lightness: [1.0, 0.4],
    clusters: [4, 6, 8],
    clusters_lightness: 0.7,
};

/// When a region of table may be the inside of a wall.
struct Regions {
    /// Widths of the gaps in the wall that are closed first, pixels; each is tried.
    gaps: [i32; 2],
    /// Least area, as a share of the picture.
    least: f64,
    /// Side of the square that border details are smoothed with, pixels.
    smooth: i32,
    /// Largest distance of the border from the polygon that stands for it, as shares of the
    /// border's length: the first, the step to the next, and how many are tried. The first
    /// that leaves as many corners as a wall has is taken.
    distance: (f64, f64, u32),
    /// Distance within which all corners of two borders lie for them to be the same, pixels
    /// of the coarse picture.
    same: f64,
}

const REGIONS: Regions =
    Regions { gaps: [0, 2], least: 0.05, smooth: 5, distance: (0.003, 0.001, 11), same: 0.4 };

/// The border of a region that may be the inside of a wall.
#[derive(Clone, Debug)]
pub struct Border {
    /// Its corners, clockwise in the picture, pixels of the full picture.
    pub corners: Vec<[f64; 2]>,
    /// The pixels of the border from each corner to the next, its ends left out.
    pub sides: Vec<Vec<[f64; 2]>>,
    /// The length of a pixel that the border was found in, in pixels of the full
    /// picture.
    pub grain: f64,
    /// Whether somebody pointed at its corners, so that they are some pixels off.
    pub is_pointed: bool,
}

impl Border {
    /// The border whose corners somebody has pointed at in a photo of this size, one after the
    /// other, either way round: straight from each to the next.
    pub fn drawn(corners: &[[f64; 2]], size: (u32, u32)) -> Border {
        let mut corners = corners.to_vec();
        if area(&corners) < 0.0 {
            corners.reverse();
        }
        let next = corners.iter().cycle().skip(1);
        let sides = corners.iter().zip(next).map(|(a, b)| {
            let steps = (a[0] - b[0]).hypot(a[1] - b[1]).ceil().max(2.0);
            (1..steps as u32)
                .map(|i| {
                    let t = f64::from(i) / steps;
                    [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
                })
                .collect()
        });
        let grain = (f64::from(size.0.max(size.1)) / f64::from(PARTING.coarse)).max(1.0);
        Border { sides: sides.collect(), corners, grain, is_pointed: true }
    }
}

/// All borders with the right number of corners.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn borders(frame: &RgbImage) -> Result<Vec<Border>, VisionError> {
    let scale = f64::from(PARTING.coarse) / f64::from(frame.width().max(frame.height()).max(1));
    let scale = scale.min(1.0);
    let side = |v: u32| ((f64::from(v) * scale).round() as u32).max(16);
    let small = imageops::thumbnail(frame, side(frame.width()), side(frame.height()));
    let mut found: Vec<Border> = Vec::new();
    for mask in masks(&small)? {
        for gap in REGIONS.gaps {
            for border in regions(&mask, gap, 1.0 / scale)? {
                let same = |b: &Border| {
                    b.corners.iter().zip(&border.corners).all(|(p, q)| {
                        let near = REGIONS.same * b.grain;
                        (p[0] - q[0]).abs() < near && (p[1] - q[1]).abs() < near
                    })
                };
                if !found.iter().any(same) {
                    found.push(border);
                }
            }
        }
    }
    tracing::debug!(found = found.len(), "borders");
    Ok(found)
}

/// Masks of where the wall may be: 1 on the wall (or another thing), 0 on the table.
fn masks(small: &RgbImage) -> Result<Vec<Mat>, VisionError> {
    let rgb = photo::to_mat(small)?;
    let (rows, cols) = (rgb.rows(), rgb.cols());
    let mut unit = Mat::default();
    rgb.convert_to(&mut unit, CV_32F, 1.0 / 255.0, 0.0)?;
    let mut lab = Mat::default();
    imgproc::cvt_color_def(&unit, &mut lab, imgproc::COLOR_RGB2Lab)?;
    let mut soft = Mat::default();
    imgproc::gaussian_blur_def(&lab, &mut soft, Size::new(0, 0), PARTING.blur)?;
    let colours: Vec<[f32; 3]> = soft.data_typed::<opencv::core::Vec3f>()?.iter().map(|v| v.0).collect();
    let around = surroundings(&colours, (rows, cols))?;
    let contrast: Vec<[f32; 3]> =
        colours.iter().zip(&around).map(|(c, a)| std::array::from_fn(|i| c[i] - a[i])).collect();
    let mut found = Vec::new();
    for light in PARTING.lightness {
        let far: Vec<f32> =
            contrast.iter().map(|[l, a, b]| ((light * l).powi(2) + a * a + b * b).sqrt()).collect();
        let mut sorted = far.clone();
        sorted.sort_by(f32::total_cmp);
        for share in PARTING.shares {
            let limit = sorted.get((sorted.len() as f32 * share) as usize).copied().unwrap_or(0.0);
            found.push(mask_of(far.iter().map(|d| *d > limit), (rows, cols))?);
        }
    }
    for parts in PARTING.clusters {
        for data in [&contrast, &colours] {
            let (labels, order) = parted(data, parts, (rows, cols))?;
            for table in 1..parts as usize {
                let is_table = |l: &i32| order.iter().take(table).any(|o| o == l);
                found.push(mask_of(labels.iter().map(|l| !is_table(l)), (rows, cols))?);
            }
        }
    }
    Ok(found)
}

/// The median colour round every pixel, over more than the wall is wide.
fn surroundings(colours: &[[f32; 3]], (rows, cols): (i32, i32)) -> Result<Vec<[f32; 3]>, VisionError> {
    let bytes: Vec<u8> = colours
        .iter()
        .flat_map(|[l, a, b]| [l * 2.55, a + 128.0, b + 128.0].map(|v| v.clamp(0.0, 255.0) as u8))
        .collect();
    let flat = Mat::new_rows_cols_with_data(rows, cols * 3, &bytes)?;
    let picture = flat.reshape(3, 0)?.try_clone()?;
    let reach = (f64::from(rows.max(cols)) * PARTING.around) as i32 | 1;
    let mut median = Mat::default();
    imgproc::median_blur(&picture, &mut median, reach)?;
    Ok(median
        .data_bytes()?
        .chunks_exact(3)
        .map(|v| [f32::from(v[0]) / 2.55, f32::from(v[1]) - 128.0, f32::from(v[2]) - 128.0])
        .collect())
}

/// Parts the picture into clusters of colour (k-means): the cluster of each pixel, and the
/// clusters in the order of how much of the picture's middle they hold.
fn parted(
    data: &[[f32; 3]],
    parts: i32,
    (rows, cols): (i32, i32),
) -> Result<(Vec<i32>, Vec<i32>), VisionError> {
    let points: Vec<f32> =
        data.iter().flat_map(|[l, a, b]| [l * PARTING.clusters_lightness, *a, *b]).collect();
    let points = Mat::new_rows_cols_with_data(data.len() as i32, 3, &points)?;
    let (mut labels, mut centres) = (Mat::default(), Mat::default());
    let criteria = TermCriteria::new(3, 15, 0.5)?;
    opencv::core::set_rng_seed(1)?;
    opencv::core::kmeans(&points, parts, &mut labels, criteria, 1, KMEANS_PP_CENTERS, &mut centres)?;
    let labels = labels.reshape(1, rows)?.try_clone()?;
    let labels = array_of::<i32>(&labels)?;
    let mut middle = vec![0_u32; parts as usize];
    for label in labels.slice(s![rows * 2 / 5..rows * 3 / 5, cols * 2 / 5..cols * 3 / 5]) {
        middle[*label as usize] += 1;
    }
    let mut order: Vec<i32> = (0..parts).collect();
    order.sort_by_key(|k| std::cmp::Reverse(middle[*k as usize]));
    Ok((labels.iter().copied().collect(), order))
}

fn mask_of(wall: impl Iterator<Item = bool>, (rows, cols): (i32, i32)) -> Result<Mat, VisionError> {
    let bytes: Vec<u8> = wall.map(u8::from).collect();
    Ok(Mat::new_rows_cols_with_data(rows, cols, &bytes)?.try_clone()?)
}

fn square(side: i32) -> Result<Mat, VisionError> {
    Ok(Mat::new_rows_cols_with_default(side, side, CV_8U, Scalar::all(1.0))?)
}

fn morphed(mask: &Mat, way: i32, side: i32) -> Result<Mat, VisionError> {
    let mut out = Mat::default();
    imgproc::morphology_ex(
        mask,
        &mut out,
        way,
        &square(side)?,
        Point::new(-1, -1),
        1,
        BORDER_CONSTANT,
        imgproc::morphology_default_border_value()?,
    )?;
    Ok(out)
}

/// The closed regions of table with the right number of corners. Gaps of up to
/// `gap` pixels in the wall are closed first.
fn regions(mask: &Mat, gap: i32, grain: f64) -> Result<Vec<Border>, VisionError> {
    let (rows, cols) = (mask.rows(), mask.cols());
    let wall = if gap > 0 { morphed(mask, imgproc::MORPH_CLOSE, 2 * gap + 1)? } else { mask.try_clone()? };
    let mut table = Mat::default();
    opencv::core::compare(&wall, &Scalar::all(0.0), &mut table, opencv::core::CMP_EQ)?;
    let (mut labels, mut stats, mut centroids) = (Mat::default(), Mat::default(), Mat::default());
    let count =
        imgproc::connected_components_with_stats(&table, &mut labels, &mut stats, &mut centroids, 4, CV_32S)?;
    let mut found = Vec::new();
    for label in 1..count {
        let stat = |i: i32| stats.at_2d::<i32>(label, i).copied();
        let (x, y, w, h, area) = (
            stat(imgproc::CC_STAT_LEFT)?,
            stat(imgproc::CC_STAT_TOP)?,
            stat(imgproc::CC_STAT_WIDTH)?,
            stat(imgproc::CC_STAT_HEIGHT)?,
            stat(imgproc::CC_STAT_AREA)?,
        );
        let open = x == 0 || y == 0 || x + w == cols || y + h == rows;
        if open || f64::from(area) < REGIONS.least * f64::from(rows) * f64::from(cols) {
            continue;
        }
        let mut region = Mat::default();
        opencv::core::compare(&labels, &Scalar::all(f64::from(label)), &mut region, opencv::core::CMP_EQ)?;
        let Some(outer) = longest_contour(&region)? else { continue };
        let mut filled = Mat::new_rows_cols_with_default(rows, cols, CV_8U, Scalar::all(0.0))?;
        let mut outlines: Vector<Vector<Point>> = Vector::new();
        outlines.push(outer);
        imgproc::draw_contours(
            &mut filled,
            &outlines,
            -1,
            Scalar::all(255.0),
            -1,
            imgproc::LINE_8,
            &no_array(),
            0,
            Point::default(),
        )?;
        let smooth = morphed(
            &morphed(&filled, imgproc::MORPH_OPEN, REGIONS.smooth)?,
            imgproc::MORPH_CLOSE,
            REGIONS.smooth,
        )?;
        if let Some(contour) = longest_contour(&smooth)?
            && let Some(border) = cornered(&contour, grain)?
        {
            found.push(border);
        }
    }
    Ok(found)
}

fn longest_contour(region: &Mat) -> Result<Option<Vector<Point>>, VisionError> {
    let mut contours: Vector<Vector<Point>> = Vector::new();
    imgproc::find_contours(
        region,
        &mut contours,
        imgproc::RETR_EXTERNAL,
        imgproc::CHAIN_APPROX_NONE,
        Point::default(),
    )?;
    Ok(contours.into_iter().max_by_key(Vector::len))
}

/// The contour as a polygon, if one with the right number of corners is near it.
fn cornered(contour: &Vector<Point>, grain: f64) -> Result<Option<Border>, VisionError> {
    let length = imgproc::arc_length(contour, true)?;
    let (first, more, steps) = REGIONS.distance;
    for step in 0..steps {
        let near = (first + more * f64::from(step)) * length;
        let mut polygon: Vector<Point> = Vector::new();
        imgproc::approx_poly_dp(contour, &mut polygon, near, true)?;
        if polygon.len() < CORNER_TOWERS {
            break;
        }
        if polygon.len() == CORNER_TOWERS {
            let points: Vec<Point> = contour.iter().collect();
            return Ok(border_of(&points, &polygon.iter().collect::<Vec<_>>(), grain));
        }
    }
    Ok(None)
}

fn border_of(contour: &[Point], polygon: &[Point], grain: f64) -> Option<Border> {
    let at = |p: &Point| [(f64::from(p.x) + 0.5) * grain - 0.5, (f64::from(p.y) + 0.5) * grain - 0.5];
    let mut corners: Vec<[f64; 2]> = polygon.iter().map(at).collect();
    let places: Option<Vec<usize>> = polygon.iter().map(|p| contour.iter().position(|q| q == p)).collect();
    let mut places = places?;
    if area(&corners) < 0.0 {
        corners.reverse();
        places.reverse();
    }
    let n = contour.len();
    let sides = places
        .iter()
        .zip(places.iter().cycle().skip(1))
        .map(|(&from, &to)| {
            let forth = (to + n - from) % n;
            let back = (from + n - to) % n;
            // The polygon's order is the contour's, or its reverse.
            let (count, forwards) = if forth <= back { (forth, true) } else { (back, false) };
            let ends = (count / 10).max(2);
            (ends..count.saturating_sub(ends))
                .map(|i| at(&contour[if forwards { from + i } else { from + n - i } % n]))
                .collect::<Vec<_>>()
        })
        .collect::<Vec<_>>();
    sides.iter().all(|s| s.len() >= 4).then_some(Border { corners, sides, grain, is_pointed: false })
}

/// The signed area of a polygon; positive when it runs clockwise in a picture.
pub fn area(corners: &[[f64; 2]]) -> f64 {
    corners.iter().zip(corners.iter().cycle().skip(1)).map(|(a, b)| (a[0] * b[1] - b[0] * a[1]) / 2.0).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_ring_has_a_border_and_a_plain_picture_has_none() {
        let outline = [
            "...#####.",
            "########.",
            "########.",
            "#########",
            "#########",
            "#########",
            "..#######",
            "..#######",
            "..######.",
            "########.",
        ];
        let inside = |x: i32, y: i32| {
            x >= 0
                && y >= 0
                && outline.get(y as usize).and_then(|l| l.as_bytes().get(x as usize)) == Some(&b'#')
        };
        let picture = RgbImage::from_fn(480, 520, |x, y| {
            let cell = |d: (i32, i32)| {
                inside((x as i32 - 60 + d.0).div_euclid(40), (y as i32 - 60 + d.1).div_euclid(40))
            };
            let near = [(-20, -20), (20, -20), (-20, 20), (20, 20), (0, 20), (0, -20), (20, 0), (-20, 0)];
            if !cell((0, 0)) && near.into_iter().any(cell) {
                image::Rgb([200, 190, 170])
            } else {
                image::Rgb([110, 70, 40])
            }
        });
        let found = borders(&picture).unwrap();
        assert!(!found.is_empty());
        let expected = 76.0 * 40.0 * 40.0;
        assert!(found.iter().any(|b| (area(&b.corners) / expected - 1.0).abs() < 0.05));
        assert!(borders(&RgbImage::from_pixel(300, 200, image::Rgb([90, 90, 90]))).unwrap().is_empty());
    }
}
