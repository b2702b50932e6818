//! Finds a surveyed wall in a frame and follows it from frame to frame.

use image::{RgbImage, RgbaImage, imageops};
use opencv::core::{Mat, Rect, Scalar, Size, ToInputArray, no_array};
use opencv::imgproc;
use opencv::prelude::*;

use super::features::{Kind, WallFeatures};
use super::outline::Outline;
use super::surveyed::SurveyedWall;
use crate::rules::{TrackPoint, sentence};
use crate::vision::base::camera::{Pose, Sighting};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::median;
use crate::vision::base::mat::{mat_of, peak, warp_quad};

/// The resolution, in pixels a tile side, at which the wall's picture is kept
/// for its features and its patches.
const WALL_PX: f32 = 64.0;
/// The side of a patch of wall in its picture, pixels.
const PATCH: i32 = 26;
/// Patches that are sought this far or farther, in tile sides, are compared at
/// half that resolution.
const FAR: f32 = 0.12;
/// The longest side of the frame in which features are sought, pixels.
const FEATURE_SIDE: u32 = 1280;
/// A tile side is at most so many pixels in the picture that patches are
/// compared in.
const FINE_PX: f32 = 90.0;
/// When a frame bears a pose out, by the wall's patches that are seen where it says.
struct Evidence {
    /// Least normalised cross-correlation of a patch that is seen; others are hidden. Lower
    /// takes more of a dark or blurred wall, and more chance likenesses.
    fit: f32,
    /// Largest distance of such a patch from its place, tile sides.
    error: f32,
    /// Least number of patches that are seen, and least share of those in sight. Lower finds
    /// walls that are half hidden, and walls that are none.
    patches: usize,
    share: f32,
    /// Share of those in sight from which on no other pose is tried.
    sure_share: f32,
    /// Least breadth (the smaller standard deviation) of the patches that are seen, as a
    /// share of that of those in sight,
    spanned: f32,
    /// held between these, tile sides. Patches along one side hold no pose.
    breadth: (f32, f32),
}

const EVIDENCE: Evidence = Evidence {
    fit: 0.6,
    error: 0.06,
    patches: 20,
    share: 0.2,
    sure_share: 0.35,
    spanned: 0.6,
    breadth: (0.25, 1.0),
};

/// How far from where they are expected patches are looked for, tile sides, round by round.
struct Reaches {
    /// From a first guess.
    found: [f32; 4],
    /// From where the wall lay in the last frame.
    moved: [f32; 2],
    /// To see whether it moved at all.
    still: f32,
    /// Median offset below which it did not.
    unmoved: f32,
}

const REACHES: Reaches =
    Reaches { found: [0.25, 0.2, 0.12, 0.06], moved: [0.25, 0.08], still: 0.05, unmoved: 0.015 };

/// How a registration grows from the patches that are surely seen.
struct Growth {
    /// How far from where they are expected patches are looked for, tile sides,
    reach: f32,
    /// and how far off they may be for the pose to be fitted to them.
    near: f32,
    /// How far patches are then looked for, tile sides, round by round.
    reaches: [f32; 3],
    /// Rounds at most.
    rounds: usize,
}

const GROWTH: Growth = Growth { reach: 0.06, near: 0.03, reaches: [0.2, 0.12, 0.06], rounds: 6 };

/// Whether no other pose need be tried.
fn is_sure(Quality { patches: (good, looked), .. }: Quality) -> bool {
    good as f32 >= EVIDENCE.sure_share * looked as f32
}

/// How well a pose is borne out by the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Wall patches that were seen where the pose says, and those in the frame.
    pub patches: (usize, usize),
    /// The median reprojection error of those patches, in tile sides.
    pub error: f32,
    /// Their mean correlation with the wall's picture, 0 to 1.
    pub correlation: f32,
}

/// Where the wall is in a frame.
#[derive(Clone, Debug)]
pub struct Registration {
    /// The camera over the board, for the frame's size.
    pub pose: Pose,
    /// How sure that is.
    pub quality: Quality,
}

/// What following the wall into the next frame found.
#[derive(Clone, Debug)]
pub enum Followed {
    /// The camera has not moved.
    Still,
    /// The camera has moved a little.
    Moved(Registration),
    /// The wall is not where it was.
    Lost,
}

/// A surveyed wall, made ready to be found.
pub struct WallFinder {
    tint: Tint,
    features: [WallFeatures; 2],
    patches: Vec<Patch>,
    outline: Outline,
}

struct Patch {
    /// Its middle, in tile sides.
    place: (f32, f32),
    /// The patch at [`WALL_PX`] and at half of that.
    pictures: [Mat; 2],
}

/// A place where a patch was looked for.
struct Found {
    sighting: Sighting,
    /// How far off the expected place, in tile sides.
    offset: (f32, f32),
    fit: f32,
}

impl WallFinder {
    /// Learns the wall's picture.
    ///
    /// # Errors
    /// [`VisionError::NoWall`] when the picture has too little on it to be
    /// found by.
    pub fn new(survey: &SurveyedWall) -> Result<WallFinder, VisionError> {
        let plain = || {
            VisionError::NoWall(sentence!(
                "the picture of the surveyed wall is too plain or too small to find the wall by; survey it again"
            ))
        };
        survey.wall.check_bounds().map_err(|e| VisionError::NoWall(e.to_string().into()))?;
        let fits = survey.scale().check(&survey.wall, survey.picture.dimensions());
        if fits.is_err() || survey.picture.width().min(survey.picture.height()) < 64 {
            return Err(plain());
        }
        let scale = WALL_PX / survey.px_per_tile;
        let side = |v: u32| ((v as f32 * scale).round() as u32).max(1);
        let (width, height) = survey.picture.dimensions();
        let picture = if width > side(width) {
            imageops::thumbnail(&survey.picture, side(width), side(height))
        } else {
            imageops::resize(&survey.picture, side(width), side(height), imageops::FilterType::Triangle)
        };
        let origin = (survey.origin_px.0 * scale, survey.origin_px.1 * scale);
        let tint = Tint::of(&picture);
        let (gray, mask) = tint.gray_and_mask(&picture)?;
        let [fast, strong] =
            [Kind::Fast, Kind::Strong].map(|kind| WallFeatures::new(kind, &gray, &mask, origin, WALL_PX));
        let patches = patches(&survey.wall.track, &gray, &mask, origin)?;
        if patches.len() < EVIDENCE.patches {
            return Err(plain());
        }
        let outline = Outline::new(&survey.wall, &survey.picture);
        Ok(WallFinder { tint, features: [fast?, strong?], patches, outline })
    }

    /// Finds the wall in a frame of which nothing is known. `thorough` also
    /// tries slower features where the fast ones fail.
    ///
    /// # Errors
    /// [`VisionError::NoWall`] with a sentence for people.
    pub fn find(&self, frame: &RgbImage, thorough: bool) -> Result<Registration, VisionError> {
        let view = View::new(frame, &self.tint, FEATURE_SIDE)?;
        let [fast, strong] = &self.features;
        let mut best: Option<Registration> = None;
        // Where few patches fit, the wall may lie otherwise: the best is kept.
        let mut any_sure = |poses: &[Pose]| -> Result<bool, VisionError> {
            for pose in poses {
                let Some(found) = self.borne_out(frame, pose)? else { continue };
                let found = if is_sure(found.quality) { found } else { self.grown(frame, found)? };
                let quality = found.quality;
                if best.as_ref().is_none_or(|b| quality.patches.0 > b.quality.patches.0) {
                    best = Some(found);
                }
                if is_sure(quality) {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        if !any_sure(&fast.poses(&view.gray)?)? && thorough && !any_sure(&strong.poses(&view.gray)?)? {
            self.outline.seek(frame, |pose| any_sure(&[pose]))?;
        }
        best.map(|r| Registration { pose: r.pose.scaled(frame.dimensions()), ..r }).ok_or_else(|| {
            VisionError::NoWall(sentence!("the castle wall was not found in this picture; show the whole wall from above, in better light, \
                 or survey it again"))
        })
    }

    /// The registration that a first guess leads to, if the wall is there.
    fn borne_out(&self, frame: &RgbImage, guess: &Pose) -> Result<Option<Registration>, VisionError> {
        let fine = View::for_tiles(frame, &self.tint, guess)?;
        self.refined(&fine, guess, &REACHES.found, false)
    }

    /// A registration of which few patches are seen, from these alone: those that are taken for
    /// others far from them may have bent it, since the spaces of a track look alike. As long as
    /// more patches come in, it goes on from there.
    fn grown(&self, frame: &RgbImage, from: Registration) -> Result<Registration, VisionError> {
        let view = View::for_tiles(frame, &self.tint, &from.pose)?;
        let all: Vec<&Patch> = self.patches.iter().collect();
        let mut best = from;
        for _ in 0..GROWTH.rounds {
            let pose = best.pose.scaled(view.size);
            let found = self.look(&view, &pose, &all, GROWTH.reach)?;
            let is_near = |f: &&Found| f.fit > EVIDENCE.fit && f.offset.0.hypot(f.offset.1) < GROWTH.near;
            let near: Vec<Sighting> = found.iter().filter(is_near).map(|f| f.sighting).collect();
            if near.len() < EVIDENCE.patches / 2 {
                break;
            }
            let pose = pose.fitted(&near, false)?;
            let Some(next) = self.refined(&view, &pose, &GROWTH.reaches, false)? else { break };
            if next.quality.patches.0 <= best.quality.patches.0 {
                break;
            }
            best = next;
        }
        Ok(best)
    }

    /// Looks whether the wall still lies where it lay in an earlier frame.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails.
    pub fn follow(&self, frame: &RgbImage, last: &Pose) -> Result<Followed, VisionError> {
        if frame.dimensions() != last.size() {
            return Ok(Followed::Lost);
        }
        let view = View::for_tiles(frame, &self.tint, last)?;
        let pose = last.scaled(view.size);
        let few: Vec<&Patch> = self.patches.iter().step_by(4).collect();
        let found = self.look(&view, &pose, &few, REACHES.still)?;
        let seen: Vec<&Found> = found.iter().filter(|f| f.fit > EVIDENCE.fit).collect();
        if seen.len() * 3 >= found.len() && seen.len() >= 6 {
            let mut offsets: Vec<f32> = seen.iter().map(|f| f.offset.0.hypot(f.offset.1)).collect();
            if median(&mut offsets) < REACHES.unmoved {
                return Ok(Followed::Still);
            }
        }
        match self.refined(&view, &pose, &REACHES.moved, true)? {
            Some(r) => Ok(Followed::Moved(Registration { pose: r.pose.scaled(frame.dimensions()), ..r })),
            None => Ok(Followed::Lost),
        }
    }

    /// Fits a pose to the wall's patches, looked for within `reaches` tile
    /// sides of where they are expected; `None` when too few are there.
    fn refined(
        &self,
        view: &View,
        start: &Pose,
        reaches: &[f32],
        rigid: bool,
    ) -> Result<Option<Registration>, VisionError> {
        let all: Vec<&Patch> = self.patches.iter().collect();
        let mut pose = start.scaled(view.size);
        let mut quality = None;
        for (i, &reach) in reaches.iter().enumerate() {
            let found = self.look(view, &pose, &all, reach)?;
            let seen: Vec<&Found> = found.iter().filter(|f| f.fit > EVIDENCE.fit).collect();
            if seen.len() < EVIDENCE.patches / 3 {
                return Ok(None);
            }
            let sightings: Vec<Sighting> = seen.iter().map(|f| f.sighting).collect();
            pose = pose.fitted(&sightings, rigid && i == 0)?;
            let errors: Vec<f32> = pose
                .errors(&sightings)
                .iter()
                .zip(&sightings)
                .map(|(e, s)| e / pose.tile_px(s.board.0, s.board.1).max(1.0))
                .collect();
            let good: Vec<usize> = (0..seen.len()).filter(|&i| errors[i] < EVIDENCE.error).collect();
            let mut sorted: Vec<f32> = good.iter().map(|&i| errors[i]).collect();
            sorted.sort_by(f32::total_cmp);
            quality = Some(Quality {
                patches: (good.len(), found.len()),
                error: sorted.get(sorted.len() / 2).copied().unwrap_or(1.0),
                correlation: good.iter().map(|&i| seen[i].fit).sum::<f32>() / good.len().max(1) as f32,
            });
            let places: Vec<(f32, f32)> = good.iter().map(|&i| sightings[i].board).collect();
            let all: Vec<(f32, f32)> = found.iter().map(|f| f.sighting.board).collect();
            if i + 1 == reaches.len() && !spread_out(&places, &all) {
                return Ok(None);
            }
        }
        let Some(quality) = quality else { return Ok(None) };
        let (good, looked) = quality.patches;
        tracing::debug!(?quality, "wall");
        Ok((good >= EVIDENCE.patches && good as f32 >= EVIDENCE.share * looked as f32)
            .then_some(Registration { pose, quality }))
    }

    /// Looks for patches of wall within `reach` tile sides of where the pose
    /// expects them. Patches outside the frame are left out.
    fn look(
        &self,
        view: &View,
        pose: &Pose,
        patches: &[&Patch],
        reach: f32,
    ) -> Result<Vec<Found>, VisionError> {
        let level = usize::from(reach >= FAR);
        let resolution = WALL_PX / [1.0, 2.0][level];
        let margin = (reach * resolution).ceil() as i32 + 1;
        let side = PATCH / [1, 2][level] + 2 * margin;
        let half = side as f32 / 2.0 / resolution;
        let mut found = Vec::with_capacity(patches.len());
        let (mut window, mut response) = (Mat::default(), Mat::default());
        for patch in patches {
            let (x, y) = patch.place;
            let corners =
                [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
                    .map(|(x, y)| pose.project(x, y, 0.0));
            let (w, h) = (view.size.0 as f32, view.size.1 as f32);
            if corners.iter().any(|c| c.0 < 0.0 || c.1 < 0.0 || c.0 > w - 1.0 || c.1 > h - 1.0) {
                continue;
            }
            warp_quad(&view.gray, corners, side, &mut window)?;
            imgproc::match_template(
                &window,
                &patch.pictures[level],
                &mut response,
                imgproc::TM_CCOEFF_NORMED,
                &no_array(),
            )?;
            let (fit, px, py) = peak(&response)?;
            let offset = ((px - margin as f32) / resolution, (py - margin as f32) / resolution);
            found.push(Found {
                sighting: Sighting {
                    board: patch.place,
                    depth: 0.0,
                    frame: pose.project(x + offset.0, y + offset.1, 0.0),
                    weight: fit.max(0.0).powi(2),
                },
                offset,
                fit,
            });
        }
        Ok(found)
    }
}

/// The mix of red, green and blue in which the wall's print stands out most.
#[derive(Clone, Copy, Debug)]
struct Tint {
    weights: [f32; 3],
    offset: f32,
}

impl Tint {
    /// The main axis of the differences between neighbouring pixels of the wall.
    fn of(picture: &RgbaImage) -> Tint {
        let mut spread = [[0.0_f64; 3]; 3];
        let step = 3;
        for y in 0..picture.height().saturating_sub(step) {
            for x in 0..picture.width().saturating_sub(step) {
                let here = picture.get_pixel(x, y).0;
                for there in [picture.get_pixel(x + step, y).0, picture.get_pixel(x, y + step).0] {
                    if here[3] < 200 || there[3] < 200 {
                        continue;
                    }
                    let d: [f64; 3] = std::array::from_fn(|i| f64::from(here[i]) - f64::from(there[i]));
                    for (i, row) in spread.iter_mut().enumerate() {
                        for (j, v) in row.iter_mut().enumerate() {
                            *v += d[i] * d[j];
                        }
                    }
                }
            }
        }
        let mut axis = [0.299, 0.587, 0.114];
        for _ in 0..50 {
            let next: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| spread[i][j] * axis[j]).sum());
            let total: f64 = next.iter().map(|v| v.abs()).sum();
            if total < 1e-9 {
                break;
            }
            axis = next.map(|v| v / total);
        }
        let weights = axis.map(|v| v as f32);
        Tint { weights, offset: -255.0 * weights.iter().map(|w| w.min(0.0)).sum::<f32>() }
    }

    /// The mix of one pixel, 0 to 255.
    fn mix(&self, rgb: [f32; 3]) -> f32 {
        self.offset + (0..3).map(|i| self.weights[i] * rgb[i]).sum::<f32>()
    }

    fn gray(&self, picture: &impl ToInputArray) -> Result<Mat, VisionError> {
        let [r, g, b] = self.weights;
        let row = [r, g, b, self.offset];
        let mut gray = Mat::default();
        opencv::core::transform(picture, &mut gray, &Mat::new_rows_cols_with_data(1, 4, &row)?)?;
        Ok(gray)
    }

    /// The wall's picture, plain around it, and where the wall is.
    fn gray_and_mask(&self, picture: &RgbaImage) -> Result<(Mat, Mat), VisionError> {
        let (width, height) = (picture.width() as i32, picture.height() as i32);
        let gray: Vec<u8> = picture
            .pixels()
            .map(|p| {
                let [r, g, b, a] = p.0.map(f32::from);
                let share = a / 255.0;
                (self.mix([r, g, b]) * share + 128.0 * (1.0 - share)).round().clamp(0.0, 255.0) as u8
            })
            .collect();
        let mask: Vec<u8> = picture.pixels().map(|p| if p.0[3] > 200 { 255 } else { 0 }).collect();
        let copy = |data: &[u8]| Mat::new_rows_cols_with_data(height, width, data)?.try_clone();
        Ok((copy(&gray)?, copy(&mask)?))
    }
}

/// A gray picture of a frame, scaled.
struct View {
    gray: Mat,
    size: (u32, u32),
}

impl View {
    /// Scaled down to a longest side.
    fn new(frame: &RgbImage, tint: &Tint, longest: u32) -> Result<View, VisionError> {
        let scale = f64::from(longest) / f64::from(frame.width().max(frame.height()).max(1));
        View::scaled(frame, tint, scale)
    }

    /// Scaled down so that a tile side in it is at most [`FINE_PX`].
    fn for_tiles(frame: &RgbImage, tint: &Tint, pose: &Pose) -> Result<View, VisionError> {
        let (x, y) = pose.aim();
        View::scaled(frame, tint, f64::from(FINE_PX / pose.scaled(frame.dimensions()).tile_px(x, y).max(1.0)))
    }

    fn scaled(frame: &RgbImage, tint: &Tint, scale: f64) -> Result<View, VisionError> {
        let full = mat_of(frame)?;
        let mut gray = tint.gray(&full)?;
        if scale < 0.999 {
            let side = |v: u32| (f64::from(v) * scale).round().max(1.0) as i32;
            let mut small = Mat::default();
            let size = Size::new(side(frame.width()), side(frame.height()));
            imgproc::resize(&gray, &mut small, size, 0.0, 0.0, imgproc::INTER_AREA)?;
            gray = small;
        }
        let size = (gray.cols() as u32, gray.rows() as u32);
        Ok(View { gray, size })
    }
}

/// The patches of wall along its score track that have something on them.
fn patches(
    track: &[TrackPoint],
    gray: &Mat,
    mask: &Mat,
    origin: (f32, f32),
) -> Result<Vec<Patch>, VisionError> {
    let mut found: Vec<Patch> = Vec::new();
    for (i, a) in track.iter().enumerate() {
        let b = track[(i + 1) % track.len()];
        for (x, y) in [(a.x, a.y), ((a.x + b.x) / 2.0, (a.y + b.y) / 2.0)] {
            let left = (x * WALL_PX + origin.0 - PATCH as f32 / 2.0).round() as i32;
            let top = (y * WALL_PX + origin.1 - PATCH as f32 / 2.0).round() as i32;
            if left < 0 || top < 0 || left > gray.cols() - PATCH || top > gray.rows() - PATCH {
                continue;
            }
            let frame = Rect::new(left, top, PATCH, PATCH);
            let picture = Mat::roi(gray, frame)?.try_clone()?;
            let covered = opencv::core::count_non_zero(&Mat::roi(mask, frame)?)?;
            let (mut mean, mut deviation) = (Scalar::default(), Scalar::default());
            opencv::core::mean_std_dev(&picture, &mut mean, &mut deviation, &no_array())?;
            if covered * 20 < PATCH * PATCH * 19 || deviation[0] < 3.0 {
                continue;
            }
            let middle = PATCH as f32 / 2.0;
            let place =
                ((left as f32 + middle - origin.0) / WALL_PX, (top as f32 + middle - origin.1) / WALL_PX);
            let mut half = Mat::default();
            let size = Size::new(PATCH / 2, PATCH / 2);
            imgproc::resize(&picture, &mut half, size, 0.0, 0.0, imgproc::INTER_AREA)?;
            found.push(Patch { place, pictures: [picture, half] });
        }
    }
    Ok(found)
}

/// Whether places span enough of the board to hold a pose for what is in sight of
/// it: `all` of them.
fn spread_out(places: &[(f32, f32)], all: &[(f32, f32)]) -> bool {
    breadth(places) > (EVIDENCE.spanned * breadth(all)).clamp(EVIDENCE.breadth.0, EVIDENCE.breadth.1)
}

/// The smaller standard deviation of the places' scatter.
fn breadth(places: &[(f32, f32)]) -> f32 {
    let n = places.len().max(1) as f32;
    let (mx, my) = places.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for p in places {
        let (dx, dy) = (p.0 - mx, p.1 - my);
        (xx, yy, xy) = (xx + dx * dx / n, yy + dy * dy / n, xy + dx * dy / n);
    }
    let smaller = (xx + yy) / 2.0 - (((xx - yy) / 2.0).powi(2) + xy * xy).sqrt();
    smaller.max(0.0).sqrt()
}

#[cfg(feature = "studio")]
#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::studio::{
        Board, Mood, Scene, StandingWall, Style, draw_wall, photograph, random_wall, survey_picture,
    };

    /// A wall that nobody has seen, found in a photo of it.
    fn found(seed: u64) -> (WallFinder, RgbImage, Registration) {
        let wall = random_wall(seed);
        let drawn = draw_wall(&wall, &Style::random(seed), 96);
        let standing = StandingWall {
            wall,
            picture: drawn.image,
            px_per_tile: 96.0,
            origin_px: drawn.origin_px,
            height: 0.06,
        };
        let survey = survey_picture(&standing, seed);
        let survey = SurveyedWall {
            wall: survey.wall,
            picture: survey.picture,
            px_per_tile: survey.px_per_tile,
            origin_px: survey.origin_px,
        };
        let board = Board { wall: Some(Arc::new(standing)), ..Board::default() };
        let mut scene = Scene::random(&board, Mood::Calm, (1280, 720), seed);
        scene.hand = None;
        let photo = photograph(&scene, seed).0;
        let finder = WallFinder::new(&survey).unwrap();
        let found = finder.find(&photo, true).unwrap();
        (finder, photo, found)
    }

    #[test]
    fn a_registration_that_is_right_on_one_side_grows_to_the_other() {
        for seed in [41, 42] {
            let (finder, photo, whole) = found(seed);
            let pose = &whole.pose;
            let middle = finder.patches.iter().map(|p| p.place.0).sum::<f32>() / finder.patches.len() as f32;
            // To the right of the middle it is more and more off, by half a tile side at the end.
            let bent = finder.patches.iter().map(|patch| {
                let (x, y) = patch.place;
                let off = 0.1 * (x - middle).max(0.0);
                Sighting { board: (x, y), depth: 0.0, frame: pose.project(x + off, y, 0.0), weight: 1.0 }
            });
            let bent = pose.fitted(&bent.collect::<Vec<_>>(), false).unwrap();
            let looked = whole.quality.patches.1;
            let quality = Quality { patches: (0, looked), error: 1.0, correlation: 0.0 };
            let grown = finder.grown(&photo, Registration { pose: bent, quality }).unwrap();
            let (good, grown) = (whole.quality.patches.0, grown.quality.patches.0);
            assert!(good * 3 > looked && grown * 10 >= good * 9, "{seed}: {grown} for {good} of {looked}");
        }
    }
}
