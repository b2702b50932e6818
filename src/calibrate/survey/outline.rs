//! The outline of an empty wall in a photo, and the camera that took it.

use image::RgbImage;

use super::band::USUAL_WIDTH;
use super::bundle::{self, Laid};
use super::contour::{self, Border};
use super::edges;
use super::lattice_fit::{self, Fit};
use crate::rules::castle::validate::{CORNER_TOWERS, WALL_CELLS};
use crate::rules::{Sentence, sentence};
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::median;

/// How an outline is fitted to a photo, and when it is believed.
struct Fitting {
    /// First fits that are tried. More take longer.
    tried: usize,
    /// Distance from which on two of them lie in different places, tile sides.
    apart: f32,
    /// Heights of the wall over the table that a fit starts from, tile sides.
    heights: [f32; 4],
    /// Share of the wall's sides that agree from which on no other outline is tried.
    enough: f32,
    /// Share below which it is no wall.
    no_wall: f32,
    /// Share of the best's agreement from which on another outline leaves a doubt.
    rival: f32,
    /// Deviation of a corner, tile sides, above which a doubt is left,
    loose: f32,
    /// and above which nothing is measured.
    lost: f32,
    /// Share of the wall's sides that are seen below which a doubt is left.
    clear: f32,
    /// Least length of a tile side, pixels.
    least_px: f32,
    /// Distance of a fit's corners from those that somebody pointed at, tile sides, their
    /// median, from which on it is another wall.
    pointed: f32,
}

const FITTING: Fitting = Fitting {
    tried: 4,
    apart: 0.03,
    heights: [0.0, 0.08, 0.16, 0.24],
    enough: 0.6,
    no_wall: 0.3,
    rival: 0.8,
    loose: 0.008,
    lost: 0.02,
    clear: 0.8,
    least_px: 24.0,
    pointed: 0.15,
};

/// The outline of a wall in a photo, with the camera.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The outline and the camera.
    pub fit: Fit,
    /// How wide it is, tile sides.
    pub thickness: f32,
    /// How far off the worst corner may be, tile sides: its deviation.
    pub error: f32,
    /// Doubts about it.
    pub doubts: Vec<Sentence>,
}

/// Finds the outline of an empty wall in a photo.
///
/// # Errors
/// [`VisionError::NoWall`] says what to do.
pub fn find(photo: &RgbImage) -> Result<Seen, VisionError> {
    measured(&contour::borders(photo)?, photo)
}

/// The outline of an empty wall whose corners somebody has pointed at: the corners of its inner
/// edge one after the other, either way round, in pixels of the photo. What is printed on the wall
/// makes it exact; where that does not bear the corners out, they are taken as they are, and a
/// doubt says so.
///
/// # Errors
/// [`VisionError::NoWall`] when these are not the corners of a wall.
pub fn at_corners(photo: &RgbImage, corners: &[[f64; 2]]) -> Result<Seen, VisionError> {
    let border = Border::drawn(corners, photo.dimensions());
    let Some(drawn) = lattice_fit::fits(&border, photo.dimensions())?.into_iter().next() else {
        return Err(VisionError::NoWall(sentence!(
            "these are not the {} corners of a wall: between them its sides would have to be whole tile sides, with {} \
             spaces inside; point at the corners of the inner edge, one after the other",
            CORNER_TOWERS,
            WALL_CELLS
        )));
    };
    if let Ok(seen) = measured(std::slice::from_ref(&border), photo)
        && off(&seen.fit, corners) < FITTING.pointed
    {
        return Ok(seen);
    }
    let error = drawn.error.max(FITTING.loose);
    let doubts = vec![sentence!(
        "what is printed on the wall does not bear these corners out, so they are taken as you set them; set each \
         exactly on the corner of the inner edge, or take a sharper photo"
    )];
    Ok(Seen { thickness: edges::width(&drawn, photo), fit: drawn, error, doubts })
}

/// How far the corners of a fit lie from those that were pointed at, tile sides: the median.
fn off(fit: &Fit, corners: &[[f64; 2]]) -> f32 {
    let far = fit.corners.iter().map(|(x, y)| {
        let (x, y) = (*x as f32, *y as f32);
        let (u, v) = fit.pose.project(x, y, 0.0);
        let pixels = corners.iter().map(|c| (c[0] as f32 - u).hypot(c[1] as f32 - v));
        pixels.fold(f32::MAX, f32::min) / fit.pose.tile_px(x, y).max(1.0)
    });
    median(&mut far.collect::<Vec<f32>>())
}

/// The outline that the photo bears out best, of those whose borders are given.
fn measured(borders: &[Border], photo: &RgbImage) -> Result<Seen, VisionError> {
    let mut found: Vec<(Fit, Border)> = Vec::new();
    for border in borders {
        for fit in lattice_fit::fits(border, photo.dimensions())? {
            found.push((fit, border.clone()));
        }
    }
    found.sort_by(|a, b| a.0.error.total_cmp(&b.0.error));
    let Some((first, _)) = found.first() else {
        return Err(VisionError::NoWall(sentence!(
            "no empty castle wall was found in this photo; show the whole assembled wall from above, nothing on \
             it or in it, on a table of another colour"
        )));
    };
    let aim = first.pose.aim();
    if first.pose.tile_px(aim.0, aim.1) < FITTING.least_px {
        return Err(VisionError::NoWall(sentence!(
            "the wall is too small in this photo to measure it; go nearer or take a larger photo"
        )));
    }
    let mut laid: Vec<(Fit, f32)> = Vec::new();
    for (fit, border) in apart(found.iter()) {
        laid.extend(from_heights(fit, border, photo)?);
        if laid.iter().any(|l| l.1 > FITTING.enough) {
            break;
        }
    }
    laid.sort_by(|a, b| b.1.total_cmp(&a.1));
    let least = laid.first().map_or(0.0, |l| FITTING.rival * l.1).max(FITTING.no_wall);
    let mut fine: Vec<(Fit, Laid)> = Vec::new();
    for (fit, _) in apart(laid.iter().filter(|l| l.1 > least)) {
        let mut fit = fit.clone();
        let laid = bundle::laid(&fit, edges::width(&fit, photo), photo, &bundle::FINE);
        tracing::debug!(?laid, outline = ?fit.outline, "outline");
        if let Some(laid) = laid {
            fit.pose = laid.pose.clone();
            fine.push((fit, laid));
        }
    }
    fine.sort_by(|a, b| b.1.agreement.total_cmp(&a.1.agreement));
    let Some((mut fit, best)) = fine.first().cloned() else {
        return Err(VisionError::NoWall(sentence!(
            "something like a wall was found in this photo, but its sides do not bear it out; take a sharper photo \
             of the whole empty wall from straighter above, in even light"
        )));
    };
    let error = best.spread.unwrap_or(1.0);
    if error > FITTING.lost {
        return Err(VisionError::NoWall(sentence!(
            "the wall was found in this photo but cannot be measured to some hundredths of a tile side; push its \
             pieces together, and take a sharper photo from straighter above, in even light"
        )));
    }
    fit.error = error;
    let mut doubts = Vec::new();
    let rivals = fine
        .iter()
        .filter(|(other, laid)| laid.agreement > FITTING.rival * best.agreement && !alike(other, &fit));
    let (others, moved): (Vec<_>, Vec<_>) = rivals.partition(|(other, _)| other.outline != fit.outline);
    if !others.is_empty() {
        doubts.push(sentence!(
            "the outline is not certain, another one of 76 spaces fits nearly as well; count the spaces along \
             each side, and take another photo from straighter above if it is wrong"
        ));
    }
    if error > FITTING.loose || best.seen < FITTING.clear || !moved.is_empty() {
        doubts.push(sentence!(
            "the wall's sides do not lie quite as its outline has them, so the corners may be off by some \
             hundredths of a tile side; push the wall's pieces together, and take a sharper photo in better light"
        ));
    }
    let thickness = edges::width(&fit, photo);
    Ok(Seen { fit, thickness, error, doubts })
}

/// The cameras for an outline, from how high the wall may stand, and how well the
/// wall's sides agree with each.
fn from_heights(fit: &Fit, border: &Border, photo: &RgbImage) -> Result<Vec<(Fit, f32)>, VisionError> {
    let mut found = Vec::new();
    let mut from = fit.clone();
    for height in FITTING.heights {
        lattice_fit::settle(&mut from, border, height, 2)?;
        for care in [&bundle::ROUGH, &bundle::PRINT] {
            let Some(laid) = bundle::laid(&from, USUAL_WIDTH, photo, care) else { continue };
            tracing::debug!(height, agreement = laid.agreement, "height");
            found.push((Fit { pose: laid.pose, ..fit.clone() }, laid.agreement));
        }
    }
    Ok(found)
}

/// Whether two fits are of one outline in one place.
fn alike(a: &Fit, b: &Fit) -> bool {
    let places = |f: &Fit| -> Vec<(f32, f32)> {
        f.corners.iter().map(|c| f.pose.project(c.0 as f32, c.1 as f32, 0.0)).collect()
    };
    let (aim, others) = (b.pose.aim(), places(b));
    let near = FITTING.apart * b.pose.tile_px(aim.0, aim.1);
    a.outline == b.outline
        && places(a).iter().all(|p| others.iter().any(|q| (p.0 - q.0).hypot(p.1 - q.1) < near))
}

/// The first of fits that lie in different places; the best come first.
fn apart<'a, T>(sorted: impl Iterator<Item = &'a (Fit, T)>) -> Vec<&'a (Fit, T)> {
    let mut kept: Vec<&(Fit, T)> = Vec::new();
    for found in sorted {
        if kept.len() < FITTING.tried && !kept.iter().any(|k| alike(&k.0, &found.0)) {
            kept.push(found);
        }
    }
    kept
}
