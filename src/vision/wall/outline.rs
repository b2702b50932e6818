//! Finds a wall by its outline and colour, where its print is too faint for
//! feature points.

use image::{RgbImage, RgbaImage, imageops};
use opencv::core::{BORDER_CONSTANT, CV_32F, KMEANS_PP_CENTERS, Mat, Point, Scalar, Size, TermCriteria};
use opencv::imgproc;
use opencv::prelude::*;

use crate::rules::Wall;
use crate::vision::base::camera::Pose;
use crate::vision::base::colour::lab;
use crate::vision::base::error::VisionError;

/// How the outline is sought: first on a grid of cameras, then from the best of them.
struct Search {
    /// Longest side of the picture in which cameras are tried, pixels. Larger takes longer.
    coarse: u32,
    /// Longest side of the picture in which the best are improved, pixels.
    fine: u32,
    /// Degrees between the turns that are tried.
    turn_step: usize,
    /// Camera tilts that are tried, radians; people's cameras lean back.
    tilts: [f64; 4],
    /// Distances that are tried, in the frame's longer sides of the board's size.
    distances: [f64; 5],
    /// Cameras, the best that differ, that are improved.
    kept: usize,
    /// Improved cameras of a colour that are looked at, the best first.
    looked_at: usize,
    /// Least share of places on the wall that have its colour, less that of places beside it.
    fits: f32,
}

const SEARCH: Search = Search {
    coarse: 96,
    fine: 320,
    turn_step: 6,
    tilts: [0.0, -0.25, -0.5, -0.75],
    distances: [0.95, 1.12, 1.32, 1.56, 1.85],
    kept: 12,
    looked_at: 3,
    fits: 0.35,
};

/// How a frame is parted into colours, and which are the table's.
struct Parting {
    /// Colours that a frame is parted into.
    colours: i32,
    /// Width of the frame's rim, pixels.
    rim: usize,
    /// Share of the rim from which on a colour is the table's.
    table: f32,
    /// Share of the rim from which on it is surely not the wall's.
    surely_table: f32,
}

const PARTING: Parting = Parting { colours: 7, rim: 4, table: 0.02, surely_table: 0.15 };

/// The outline of a wall: places on it and beside it.
pub struct Outline {
    on: Vec<(f32, f32)>,
    off: Vec<(f32, f32)>,
    middle: (f32, f32),
    /// Its longer side, tile sides.
    size: f32,
    /// The wall's mean colour.
    colour: [f32; 3],
}

/// A camera that is tried.
#[derive(Clone, Copy, Debug)]
struct Trial {
    turn: f64,
    tilt: (f64, f64),
    distance: f64,
    at: (f64, f64),
    score: f32,
}

impl Outline {
    /// Learns the outline; the picture gives the wall's colour.
    pub fn new(wall: &Wall, picture: &RgbaImage) -> Outline {
        let step = 0.2;
        let (cols, rows) = wall.size();
        let inside =
            |x: f32, y: f32| wall.contains(crate::rules::Cell::new(x.floor() as i8, y.floor() as i8));
        let near = |x: f32, y: f32, reach: f32| {
            [
                (-1.0, -1.0),
                (0.0, -1.0),
                (1.0, -1.0),
                (-1.0, 0.0),
                (1.0, 0.0),
                (-1.0, 1.0),
                (0.0, 1.0),
                (1.0, 1.0),
            ]
            .iter()
            .any(|(dx, dy)| inside(x + dx * reach, y + dy * reach))
        };
        let (mut on, mut off) = (Vec::new(), Vec::new());
        let t = wall.thickness;
        let count = |n: usize| ((n as f32 + 4.0 * t) / step) as usize;
        for j in 0..count(rows) {
            for i in 0..count(cols) {
                let (x, y) = ((i as f32 + 0.5) * step - 2.0 * t, (j as f32 + 0.5) * step - 2.0 * t);
                if !inside(x, y) && near(x, y, t * 0.9) {
                    on.push((x, y));
                } else if (inside(x, y) && (i + j) % 2 == 0) || near(x, y, t * 1.8) {
                    off.push((x, y));
                }
            }
        }
        let (mut sum, mut n) = ([0.0; 3], 0.0);
        for p in picture.pixels().filter(|p| p.0[3] > 200) {
            n += 1.0;
            for (s, v) in sum.iter_mut().zip(p.0) {
                *s += f32::from(v);
            }
        }
        Outline {
            on,
            off,
            middle: (cols as f32 / 2.0, rows as f32 / 2.0),
            size: cols.max(rows) as f32 + 2.0 * t,
            colour: sum.map(|s| s / f32::max(n, 1.0)),
        }
    }

    /// Cameras that see an outline like the wall's, for the frame's size, are given
    /// to `look` until it is sure that the wall is there.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails, and those of `look`.
    pub fn seek(
        &self,
        frame: &RgbImage,
        mut look: impl FnMut(Pose) -> Result<bool, VisionError>,
    ) -> Result<(), VisionError> {
        let shrunk = |side: u32| {
            let k = side as f32 / frame.width().max(frame.height()).max(1) as f32;
            let to = |v: u32| ((v as f32 * k).round() as u32).max(8);
            imageops::thumbnail(frame, to(frame.width()), to(frame.height()))
        };
        // Print that is finer than a pixel would split the wall's colour.
        let fine = imageops::blur(&shrunk(SEARCH.fine), 0.8);
        let size = fine.dimensions();
        for mask in self.masks(&fine)? {
            let soft = softened(&mask, size)?;
            let mut trials = self.tried(&mask, size)?;
            trials.sort_by(|a, b| b.score.total_cmp(&a.score));
            let mut improved: Vec<Trial> = distinct(&trials)
                .into_iter()
                .map(|trial| self.improved(&mask, size, self.improved(&soft, size, trial)))
                .filter(|trial| trial.score > SEARCH.fits)
                .collect();
            improved.sort_by(|a, b| b.score.total_cmp(&a.score));
            for trial in improved.iter().take(SEARCH.looked_at) {
                tracing::debug!(?trial, "outline");
                if look(self.pose(trial, size).scaled(frame.dimensions()))? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Where in a picture something else than the table is, and where each of its
    /// other colours is, the likest to the wall's first: 0 or 1, row by row.
    fn masks(&self, picture: &RgbImage) -> Result<Vec<Vec<f32>>, VisionError> {
        let colours: Vec<[f32; 3]> = picture.pixels().map(|p| lab(p.0.map(f32::from))).collect();
        // Lightness counts less: light and shadow change it most.
        let points: Vec<f32> = colours.iter().flat_map(|[l, a, b]| [l * 0.6, *a, *b]).collect();
        let data = Mat::new_rows_cols_with_data(colours.len() as i32, 3, &points)?;
        let (mut labels, mut centres) = (Mat::default(), Mat::default());
        let criteria = TermCriteria::new(3, 20, 0.5)?;
        opencv::core::set_rng_seed(1)?;
        opencv::core::kmeans(
            &data,
            PARTING.colours,
            &mut labels,
            criteria,
            1,
            KMEANS_PP_CENTERS,
            &mut centres,
        )?;
        let labels: Vec<i32> = labels.data_typed::<i32>()?.to_vec();
        let wall = lab(self.colour);
        let mut order: Vec<(f32, i32)> = Vec::new();
        for k in 0..centres.rows() {
            let c = [0, 1, 2].map(|i| centres.at_2d::<f32>(k, i).copied().unwrap_or_default());
            let (dl, da, db) = (c[0] - wall[0] * 0.6, c[1] - wall[1], c[2] - wall[2]);
            order.push((0.3 * dl * dl + da * da + db * db, k));
        }
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let rim = |i: &usize| {
            let (x, y) = (i % width, i / width);
            x.min(width - 1 - x).min(y).min(height - 1 - y) < PARTING.rim
        };
        let rims: Vec<i32> =
            labels.iter().enumerate().filter(|(i, _)| rim(i)).map(|(_, label)| *label).collect();
        let of_rim = |label: &i32| rims.iter().filter(|r| *r == label).count() as f32 / rims.len() as f32;
        let tables: Vec<i32> = (0..PARTING.colours).filter(|k| of_rim(k) > PARTING.table).collect();
        let mask = |is: &dyn Fn(&i32) -> bool| labels.iter().map(|l| f32::from(u8::from(is(l)))).collect();
        let mut masks: Vec<Vec<f32>> = vec![mask(&|l| !tables.contains(l))];
        let likely = order.iter().filter(|(_, k)| of_rim(k) < PARTING.surely_table);
        masks.extend(likely.map(|(_, k)| mask(&|l| l == k)));
        Ok(masks)
    }

    /// Tries turns, tilts and distances, each at its best place.
    fn tried(&self, mask: &[f32], size: (u32, u32)) -> Result<Vec<Trial>, VisionError> {
        let full = Mat::new_rows_cols_with_data(size.1 as i32, size.0 as i32, mask)?;
        let k = f64::from(SEARCH.coarse) / f64::from(size.0.max(size.1));
        let small_size = ((f64::from(size.0) * k).round() as u32, (f64::from(size.1) * k).round() as u32);
        let mut small = Mat::default();
        let target = Size::new(small_size.0 as i32, small_size.1 as i32);
        imgproc::resize(&full, &mut small, target, 0.0, 0.0, imgproc::INTER_AREA)?;
        let centre = (f64::from(small_size.0 / 2), f64::from(small_size.1 / 2));
        let mut trials = Vec::new();
        let mut response = Mat::default();
        for tilt in SEARCH.tilts {
            for distance in SEARCH.distances {
                for turn in (0..360).step_by(SEARCH.turn_step) {
                    let trial = Trial {
                        turn: (turn as f64).to_radians(),
                        tilt: (tilt, 0.0),
                        distance,
                        at: centre,
                        score: 0.0,
                    };
                    let kernel = self.kernel(&self.pose(&trial, small_size), small_size)?;
                    imgproc::filter_2d(
                        &small,
                        &mut response,
                        CV_32F,
                        &kernel,
                        Point::new(centre.0 as i32, centre.1 as i32),
                        0.0,
                        BORDER_CONSTANT,
                    )?;
                    let (mut value, mut at) = (0.0, Point::default());
                    opencv::core::min_max_loc(
                        &response,
                        None,
                        Some(&mut value),
                        None,
                        Some(&mut at),
                        &opencv::core::no_array(),
                    )?;
                    let place = |v: i32| (f64::from(v) + 0.5) / k - 0.5;
                    trials.push(Trial { at: (place(at.x), place(at.y)), score: value as f32, ..trial });
                }
            }
        }
        Ok(trials)
    }

    /// The outline as a filter: one on the wall, minus one beside it.
    fn kernel(&self, pose: &Pose, size: (u32, u32)) -> Result<Mat, VisionError> {
        let mut kernel =
            Mat::new_rows_cols_with_default(size.1 as i32 | 1, size.0 as i32 | 1, CV_32F, Scalar::all(0.0))?;
        let (cols, rows) = (kernel.cols(), kernel.rows());
        for (places, value) in
            [(&self.on, 1.0 / self.on.len().max(1) as f32), (&self.off, -1.0 / self.off.len().max(1) as f32)]
        {
            for &(x, y) in places {
                let (u, v) = pose.project(x, y, 0.0);
                let (u, v) = (u.round() as i32, v.round() as i32);
                if (0..cols).contains(&u) && (0..rows).contains(&v) {
                    *kernel.at_2d_mut::<f32>(v, u)? += value;
                }
            }
        }
        Ok(kernel)
    }

    /// Improves a trial by small steps of all its parts.
    fn improved(&self, mask: &[f32], size: (u32, u32), trial: Trial) -> Trial {
        let mut best = Trial { score: self.score(mask, size, &trial), ..trial };
        let mut step = 1.0;
        while step > 0.03 {
            let mut better = false;
            for part in 0..6 {
                for sign in [-1.0, 1.0] {
                    let by = sign * step;
                    let mut next = best;
                    match part {
                        0 => next.turn += 0.06 * by,
                        1 => next.tilt.0 += 0.15 * by,
                        2 => next.tilt.1 += 0.15 * by,
                        3 => next.distance *= 1.0 + 0.06 * by,
                        4 => next.at.0 += 5.0 * by,
                        _ => next.at.1 += 5.0 * by,
                    }
                    next.score = self.score(mask, size, &next);
                    if next.score > best.score {
                        best = next;
                        better = true;
                    }
                }
            }
            if !better {
                step *= 0.6;
            }
        }
        best
    }

    /// The share of the wall's places that have the colour, less that of the
    /// places beside it.
    fn score(&self, mask: &[f32], (width, height): (u32, u32), trial: &Trial) -> f32 {
        let pose = self.pose(trial, (width, height));
        let share = |places: &[(f32, f32)]| {
            let hits: f32 = places
                .iter()
                .map(|&(x, y)| {
                    let (u, v) = pose.project(x, y, 0.0);
                    let (u, v) = (u.round(), v.round());
                    if u >= 0.0 && v >= 0.0 && u < width as f32 && v < height as f32 {
                        mask.get(v as usize * width as usize + u as usize).copied().unwrap_or(0.0)
                    } else {
                        0.0
                    }
                })
                .sum();
            hits / places.len().max(1) as f32
        };
        share(&self.on) - share(&self.off)
    }

    fn pose(&self, trial: &Trial, size: (u32, u32)) -> Pose {
        let distance = f64::from(self.size) * trial.distance * f64::from(size.0.max(size.1))
            / f64::from(size.0.min(size.1))
            * 0.8;
        Pose::looking(size, trial.turn, trial.tilt, self.middle, trial.at, distance)
    }
}

/// A mask in which a trial that is a little beside the wall can still tell which
/// way it is.
fn softened(mask: &[f32], (width, height): (u32, u32)) -> Result<Vec<f32>, VisionError> {
    let sharp = Mat::new_rows_cols_with_data(height as i32, width as i32, mask)?;
    let mut soft = Mat::default();
    imgproc::gaussian_blur_def(&sharp, &mut soft, Size::new(0, 0), 3.0)?;
    Ok(soft.data_typed::<f32>()?.to_vec())
}

/// The best trials that differ from each other.
fn distinct(sorted: &[Trial]) -> Vec<Trial> {
    let mut kept: Vec<Trial> = Vec::new();
    for t in sorted {
        let close = |k: &Trial| {
            let turn = (t.turn - k.turn).sin().abs() + ((t.turn - k.turn).cos() < 0.0) as u8 as f64;
            turn < 0.22 && t.tilt.0 == k.tilt.0
        };
        if !kept.iter().any(close) {
            kept.push(*t);
        }
        if kept.len() == SEARCH.kept {
            break;
        }
    }
    kept
}
