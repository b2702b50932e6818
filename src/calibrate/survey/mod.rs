//! Measures an owner's assembled castle wall from photos of it, empty.
//!
//! The inside of the wall shows the table: it is the one closed region whose
//! border has 14 corners that fit whole tile sides, 76 of them inside. What the
//! photo leaves open is said, not guessed.
//!
//! The settings of this room were set by trial, on 50 rendered walls among others
//! (`castellan render --walls 50 --unseen --seed 4242`). `docs/survey.md` says how well walls
//! are measured that had no part in them.

pub mod band;
pub mod borders;
pub mod bundle;
pub mod contour;
pub mod drawing;
pub mod edges;
pub mod lattice_fit;
pub mod merge;
pub mod numbers;
mod shown;
pub mod starts;
pub mod text;
pub mod tile_edges;

use image::{RgbImage, RgbaImage};

use self::band::{Rectified, Spaces, USUAL_WIDTH, free_stretch, on_run};
use self::bundle::Laid;
use self::contour::Border;
use self::lattice_fit::Fit;
use self::numbers::{Counting, NumberReader};
use self::tile_edges::TileEdges;
use crate::rules::castle::validate::check_wall_2003;
use crate::rules::{Corner, TrackPoint, Wall};
use crate::vision::base::camera::Pose;
use crate::vision::base::error::VisionError;

/// When the numbering of the track is decided.
struct Numbering {
    /// Nats by which it must be likelier than any other.
    decided: f32,
    /// Least share of the numbers that read as the numbering has them.
    readable: f32,
    /// Share below which a doubt is left.
    read_well: f32,
}

const NUMBERING: Numbering = Numbering { decided: 14.0, readable: 0.6, read_well: 0.8 };

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
};

/// Likeness to the others (0 to 1) below which the borders of spaces are not measured, but
/// laid evenly.
const CLEAR_BORDERS: f32 = 0.6;
/// How far outside the inner edge the middles of spaces lie, as a share of the wall's width,
/// where it cannot be measured.
const USUAL_DEPTH: f32 = 0.54;

/// What the owner says and has where the photo leaves it open.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// The corner where 0 and 1 are, as the drawing letters them: 0 is A.
    pub start_tower: Option<usize>,
    /// Whether the numbers grow clockwise.
    pub clockwise: Option<bool>,
    /// The edges of the owner's tiles, to tell by what the start spaces show.
    pub edges: Option<&'a TileEdges>,
}

/// A surveyed wall, for the owner to look over.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The wall.
    pub wall: Wall,
    /// The wall from straight above, clear inside and outside.
    pub picture: RgbaImage,
    /// Its scale, pixels a tile side.
    pub px_per_tile: f32,
    /// Where the upper left corner of cell (0, 0) lies in it.
    pub origin_px: (f32, f32),
    /// The camera of the photo.
    pub pose: Pose,
    /// How far off the worst corner may be, tile sides: its deviation.
    pub error: f32,
    /// Where the inner edge meets the borders between plain spaces, by the lower
    /// number of the two.
    pub borders: Vec<(u8, TrackPoint)>,
    /// Whether the numbering is decided.
    pub numbered: bool,
    /// Whether it was read, or said, and not only follows from what is known of the published
    /// wall.
    pub read: bool,
    /// What the owner should look at, a sentence each.
    pub doubts: Vec<String>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

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
    pub doubts: Vec<String>,
}

/// Finds the outline of an empty wall in a photo.
///
/// # Errors
/// [`VisionError::NoWall`] says what to do.
pub fn outline(photo: &RgbImage) -> Result<Seen, VisionError> {
    let size = photo.dimensions();
    let mut found: Vec<(Fit, Border)> = Vec::new();
    for border in contour::borders(photo)? {
        for fit in lattice_fit::fits(&border, size)? {
            found.push((fit, border.clone()));
        }
    }
    found.sort_by(|a, b| a.0.error.total_cmp(&b.0.error));
    let Some((first, _)) = found.first() else {
        return Err(VisionError::NoWall(
            "no empty castle wall was found in this photo; show the whole assembled wall from above, nothing on \
             it or in it, on a table of another colour"
                .to_owned(),
        ));
    };
    let aim = first.pose.aim();
    if first.pose.tile_px(aim.0, aim.1) < FITTING.least_px {
        return Err(VisionError::NoWall(
            "the wall is too small in this photo to measure it; go nearer or take a larger photo".to_owned(),
        ));
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
        return Err(VisionError::NoWall(
            "something like a wall was found in this photo, but its sides do not bear it out; take a sharper photo \
             of the whole empty wall from straighter above, in even light"
                .to_owned(),
        ));
    };
    let error = best.spread.unwrap_or(1.0);
    if error > FITTING.lost {
        return Err(VisionError::NoWall(
            "the wall was found in this photo but cannot be measured to some hundredths of a tile side; push its \
             pieces together, and take a sharper photo from straighter above, in even light"
                .to_owned(),
        ));
    }
    fit.error = error;
    let mut doubts = Vec::new();
    let rivals = fine
        .iter()
        .filter(|(other, laid)| laid.agreement > FITTING.rival * best.agreement && !alike(other, &fit));
    let (others, moved): (Vec<_>, Vec<_>) = rivals.partition(|(other, _)| other.outline != fit.outline);
    if !others.is_empty() {
        doubts.push(
            "the outline is not certain, another one of 76 spaces fits nearly as well; count the spaces along \
             each side, and take another photo from straighter above if it is wrong"
                .to_owned(),
        );
    }
    if error > FITTING.loose || best.seen < FITTING.clear || !moved.is_empty() {
        doubts.push(
            "the wall's sides do not lie quite as its outline has them, so the corners may be off by some \
             hundredths of a tile side; push the wall's pieces together, and take a sharper photo in better light"
                .to_owned(),
        );
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

/// Surveys a wall from a photo of it, empty.
///
/// # Errors
/// [`VisionError::NoWall`] when no wall is in the photo.
pub fn survey(photo: &RgbImage, name: &str, hints: Hints<'_>) -> Result<Proposal, VisionError> {
    let Seen { fit, thickness, error, mut doubts } = outline(photo)?;
    let mut wall = fit.bare_wall();
    name.clone_into(&mut wall.name);
    wall.thickness = (thickness * 100.0).round() / 100.0;
    let ring = wall.ring();
    let rectified = Rectified::new(photo, &fit.pose, wall.size(), thickness);
    let mut notes = Vec::new();

    let options = band::options(&rectified, &ring, thickness);
    let reader = NumberReader::new()?;
    let allowed = |c: Counting| {
        hints.start_tower.is_none_or(|t| c.first == t) && hints.clockwise.is_none_or(|d| c.clockwise == d)
    };
    let reading = numbers::read(&reader, &rectified, &ring, &options, thickness, allowed)?;
    let Some(reading) = reading else {
        return Err(VisionError::NoWall(
            "the track of 100 spaces was not found on this wall; take a sharper photo from above".to_owned(),
        ));
    };
    let mut spaces = reading.spaces.clone();
    let unsure = borders::sharpen(&rectified, &ring, &mut spaces, thickness);
    let spaces = &spaces;
    let counts: Vec<usize> = spaces.iter().map(Spaces::count).collect();
    let readable = reading.agree.0 as f32 >= NUMBERING.readable * reading.agree.1 as f32;
    let told = hints.start_tower.is_some() && hints.clockwise.is_some();
    let mut counting = reading.counting;
    let read = told || (readable && reading.margin > NUMBERING.decided);
    let mut numbered = read;
    if !numbered {
        let known: Vec<Counting> = published(&counts).into_iter().filter(|c| allowed(*c)).collect();
        let only = if let [one] = known[..] { Some(one) } else { None };
        if let Some(one) = only {
            counting = one;
        }
        doubts.push(numbering_doubt(reading.agree, only.is_some()));
        numbered = only.is_some();
    } else if readable && !told {
        notes.push(format!(
            "{} of {} numbers were read as the numbering has them",
            reading.agree.0, reading.agree.1
        ));
        if (reading.agree.0 as f32) < NUMBERING.read_well * reading.agree.1 as f32 {
            doubts.push(format!(
                "only {} of {} numbers could be read as they must be; hold the numbers of the drawing against \
                 the wall",
                reading.agree.0, reading.agree.1
            ));
        }
    }
    if reading.against > NUMBERING.decided {
        doubts.push(
            "the numbers that were read speak against the tower or direction you named; hold the drawing against \
             the wall"
                .to_owned(),
        );
    }
    lay_track(&mut wall, &ring, spaces, counting, &depths(&rectified, &ring, spaces, thickness));
    let borders = between(&ring, spaces, counting);
    if let Some(run) = odd_run(&reading, &counts) {
        doubts.push(run);
    }
    let vague: Vec<String> = spaces
        .iter()
        .zip(numbers::numbers(&counts, counting))
        .filter(|(s, _)| s.clarity.is_some_and(|c| c < CLEAR_BORDERS))
        .filter_map(|(_, n)| Some(format!("{} to {}", n.iter().min()?, n.iter().max()?)))
        .collect();
    let all = numbers::numbers(&counts, counting);
    let mut near: Vec<u8> = unsure
        .iter()
        .filter(|(run, _)| spaces[*run].clarity.is_some_and(|c| c >= CLEAR_BORDERS))
        .filter_map(|(run, index)| all.get(*run)?.get(index - 1..=*index)?.iter().min().copied())
        .collect();
    near.sort_unstable();
    if !near.is_empty() {
        let list: Vec<String> = near.iter().map(|n| format!("{n} and {}", n + 1)).collect();
        doubts.push(format!(
            "the border between spaces {} was not seen like the others; look where their dots lie",
            list.join(", ")
        ));
    }
    if !vague.is_empty() {
        doubts.push(format!(
            "the borders of spaces {} were not seen; these spaces are laid evenly between their towers",
            vague.join(", ")
        ));
    }
    let found = starts::find(&rectified, &ring, thickness, hints.edges);
    wall.starts = found.starts;
    if !found.clear {
        doubts.push(
            "the seven start spaces do not stand out clearly; hold their places against the wall".to_owned(),
        );
    }
    let shown = if hints.edges.is_some() {
        "what the start spaces show is told by the edges of your tiles and no market is ever seen; look over \
         each face, and add the markets"
    } else {
        "what the start spaces show is guessed by colour (house red, tower grey, path tan, court green) and no \
         market is ever seen; the edges of your tiles tell it better once they are enrolled, and then look over \
         each face, and add the markets"
    };
    doubts.push(shown.to_owned());
    notes.push("the numbers of the towers are laid from the width of the wall, not measured".to_owned());
    wall.note = "Surveyed from a photo.".to_owned();
    let picture = rectified.cut_out(&wall);
    Ok(Proposal {
        picture,
        px_per_tile: rectified.px,
        origin_px: rectified.origin,
        wall,
        pose: fit.pose,
        error,
        borders,
        numbered,
        read,
        doubts,
        notes,
    })
}

/// The ways to count that agree with what is known of the published wall.
fn published(counts: &[usize]) -> Vec<Counting> {
    let mut fitting = Vec::new();
    for first in 0..counts.len() {
        for clockwise in [true, false] {
            let counting = Counting { first, clockwise };
            let mut towers: Vec<(u8, u8)> =
                numbers::towers(counts, counting).into_iter().map(|a| (a, a.saturating_add(1))).collect();
            towers.sort_unstable();
            let wall = Wall {
                name: String::new(),
                note: String::new(),
                outline: Vec::new(),
                towers,
                thickness: 0.5,
                track: Vec::new(),
                starts: Vec::new(),
            };
            if check_wall_2003(&wall).is_empty() {
                fitting.push(counting);
            }
        }
    }
    fitting
}

fn numbering_doubt((agree, all): (usize, usize), known: bool) -> String {
    let read = format!("the numbers on the track could not be read well enough ({agree} of {all})");
    if known {
        format!(
            "{read}; the numbering is the only one that fits what is known of the published wall: hold it \
             against yours"
        )
    } else {
        format!(
            "{read}, so where 0 and 1 are and which way the numbers grow is not decided; say so, or take a \
             sharper photo"
        )
    }
}

/// A sentence about a stretch whose numbers all read otherwise, if there is one.
fn odd_run(reading: &numbers::Reading, counts: &[usize]) -> Option<String> {
    let readable = reading.agree.0 * 10 > reading.agree.1 * 7;
    let all = numbers::numbers(counts, reading.counting);
    let odd = all.iter().find(|n| n.len() >= 3 && n.iter().all(|v| reading.differ.contains(v)))?;
    readable.then(|| {
        format!(
            "spaces {} to {} read as other numbers; count the spaces between the towers there",
            odd.iter().min().copied().unwrap_or(0),
            odd.iter().max().copied().unwrap_or(0)
        )
    })
}

/// How far outside the inner edge the numbers of each run stand, tile sides:
/// where along the run most changes.
fn depths(rectified: &Rectified, ring: &[Corner], spaces: &[Spaces], thickness: f32) -> Vec<f32> {
    let mut all: Vec<f32> = Vec::new();
    for (corner, spaces) in ring.iter().zip(spaces) {
        for border in spaces.borders.windows(2) {
            let (middle, half) = ((border[0] + border[1]) / 2.0, 0.3 * (border[1] - border[0]));
            let (mut sum, mut weight) = (0.0, 0.0);
            for i in 0..24 {
                let depth = thickness * (0.3 + 0.5 * i as f32 / 23.0);
                let greys: Vec<f32> = (0..=16)
                    .map(|k| {
                        let (x, y) = on_run(corner, middle + half * (k as f32 / 8.0 - 1.0), depth);
                        rectified.grey(x, y)
                    })
                    .collect();
                let change: f32 = greys.windows(2).map(|g| (g[0] - g[1]).abs()).sum();
                let change = (change - 12.0).max(0.0).powi(2);
                sum += change * depth;
                weight += change;
            }
            if weight > 0.0 {
                all.push(sum / weight);
            }
        }
    }
    all.sort_by(f32::total_cmp);
    let usual = USUAL_DEPTH * thickness;
    let depth = all.get(all.len() / 2).copied().unwrap_or(usual);
    vec![depth.clamp(0.4 * thickness, 0.7 * thickness); ring.len()]
}

/// The borders between plain spaces, by the lower number of the two.
fn between(ring: &[Corner], spaces: &[Spaces], counting: Counting) -> Vec<(u8, TrackPoint)> {
    let counts: Vec<usize> = spaces.iter().map(Spaces::count).collect();
    let numbers = numbers::numbers(&counts, counting);
    let mut all: Vec<(u8, TrackPoint)> = Vec::new();
    for ((corner, spaces), numbers) in ring.iter().zip(spaces).zip(&numbers) {
        for (pair, border) in numbers.windows(2).zip(spaces.borders.iter().skip(1)) {
            let (x, y) = on_run(corner, *border, 0.0);
            all.push((pair[0].min(pair[1]), TrackPoint { x, y }));
        }
    }
    all.sort_by_key(|b| b.0);
    all
}

/// Writes towers and track points.
fn lay_track(wall: &mut Wall, ring: &[Corner], spaces: &[Spaces], counting: Counting, depths: &[f32]) {
    let counts: Vec<usize> = spaces.iter().map(Spaces::count).collect();
    let towers = numbers::towers(&counts, counting);
    let numbers = numbers::numbers(&counts, counting);
    let mut track = vec![TrackPoint { x: 0.0, y: 0.0 }; 2 * ring.len() + counts.iter().sum::<usize>()];
    let mut set = |number: u8, (x, y): (f32, f32)| {
        if let Some(p) = track.get_mut(usize::from(number)) {
            *p = TrackPoint { x: (x * 1000.0).round() / 1000.0, y: (y * 1000.0).round() / 1000.0 };
        }
    };
    let t = wall.thickness;
    for (run, corner) in ring.iter().enumerate() {
        let back = &ring[(run + ring.len() - 1) % ring.len()];
        let (dx, dy) = corner.direction();
        let (bx, by) = back.direction();
        let (dx, dy, bx, by) = (f32::from(dx), f32::from(dy), f32::from(bx), f32::from(by));
        // The tower's square lies outside of both runs, or on the beginning of both.
        let (mx, my) = on_run(corner, if corner.convex { -0.5 } else { 0.5 } * t, 0.5 * t);
        let off = t / 6.0;
        let (sx, sy) = (off * (dx + bx), off * (dy + by));
        let (before, after) = ((mx - sx, my - sy), (mx + sx, my + sy));
        let low = towers[run];
        let (a, b) = if counting.clockwise { (before, after) } else { (after, before) };
        set(low, a);
        set(low.saturating_add(1), b);
        let depth = depths.get(run).copied().unwrap_or(USUAL_DEPTH * t);
        let even = spaces[run].clarity.is_some_and(|c| c < CLEAR_BORDERS);
        let (begin, end) = free_stretch(ring, run, t);
        let count = numbers[run].len() as f32;
        for (i, (number, border)) in numbers[run].iter().zip(spaces[run].borders.windows(2)).enumerate() {
            let measured = (border[0] + border[1]) / 2.0;
            let along = if even { begin + (end - begin) * (i as f32 + 0.5) / count } else { measured };
            set(*number, on_run(corner, along, depth));
        }
    }
    wall.track = track;
    wall.towers = towers.into_iter().map(|a| (a, a.saturating_add(1))).collect();
    wall.towers.sort_unstable();
}
