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
pub mod outline;
mod shown;
pub mod starts;
pub mod text;
pub mod tile_edges;

use image::{RgbImage, RgbaImage};

use self::band::{Rectified, Spaces, free_stretch, on_run};
use self::numbers::{Counting, NumberReader};
use self::outline::Seen;
use self::tile_edges::TileEdges;
use crate::rules::castle::validate::check_wall_2003;
use crate::rules::{Cell, Corner, Sentence, Side, Term, TrackPoint, Wall, sentence};
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
    /// The corners of the inner edge, one after the other, pixels of the photo; none where they
    /// are to be found.
    pub corners: &'a [[f64; 2]],
    /// The cells and sides at which the start spaces are; none where they are to be found.
    pub starts: &'a [(Cell, Side)],
    /// Corners of the drawing with the lower number of the tower there.
    pub towers: &'a [(usize, u8)],
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
    pub doubts: Vec<Sentence>,
    /// What else is to be known.
    pub notes: Vec<String>,
}

/// Surveys a wall from a photo of it, empty.
///
/// # Errors
/// [`VisionError::NoWall`] when no wall is in the photo.
pub fn survey(photo: &RgbImage, name: &str, hints: Hints<'_>) -> Result<Proposal, VisionError> {
    let Seen { fit, thickness, error, mut doubts } = match hints.corners {
        [] => outline::find(photo)?,
        corners => outline::at_corners(photo, corners)?,
    };
    let mut wall = fit.bare_wall();
    name.clone_into(&mut wall.name);
    wall.thickness = (thickness * 100.0).round() / 100.0;
    let ring = wall.ring();
    let rectified = Rectified::new(photo, &fit.pose, wall.size(), thickness);
    let mut notes = Vec::new();

    let options = band::options(&rectified, &ring, thickness, hints.towers.is_empty());
    let reader = NumberReader::new()?;
    let allowed = |c: Counting| {
        hints.start_tower.is_none_or(|t| c.first == t) && hints.clockwise.is_none_or(|d| c.clockwise == d)
    };
    let reading = numbers::read(&reader, &rectified, &ring, &options, thickness, hints.towers, allowed)?;
    let Some(reading) = reading else {
        return Err(VisionError::NoWall(if hints.towers.is_empty() {
            sentence!("the track of 100 spaces was not found on this wall; take a sharper photo from above")
        } else {
            sentence!(
                "the towers cannot have these numbers: some stretch between them would have far too many spaces or \
                 far too few; take the last number back"
            )
        }));
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
            doubts.push(sentence!(
                "only {} of {} numbers could be read as they must be; hold the numbers of the drawing against \
                 the wall",
                reading.agree.0,
                reading.agree.1
            ));
        }
    }
    if reading.against > NUMBERING.decided {
        doubts.push(sentence!(
            "the numbers that were read speak against the tower or direction you named; hold the drawing against \
             the wall"
        ));
    }
    lay_track(&mut wall, &ring, spaces, counting, &depths(&rectified, &ring, spaces, thickness));
    let borders = between(&ring, spaces, counting);
    if let Some(run) = odd_run(&reading, &counts) {
        doubts.push(run);
    }
    let vague: Vec<Sentence> = spaces
        .iter()
        .zip(numbers::numbers(&counts, counting))
        .filter(|(s, _)| s.clarity.is_some_and(|c| c < CLEAR_BORDERS))
        .filter_map(|(_, n)| Some(sentence!("{} to {}", *n.iter().min()?, *n.iter().max()?)))
        .collect();
    let all = numbers::numbers(&counts, counting);
    let mut near: Vec<u8> = unsure
        .iter()
        .filter(|(run, _)| spaces[*run].clarity.is_some_and(|c| c >= CLEAR_BORDERS))
        .filter_map(|(run, index)| all.get(*run)?.get(index - 1..=*index)?.iter().min().copied())
        .collect();
    near.sort_unstable();
    if !near.is_empty() {
        doubts.push(sentence!(
            "the border between spaces {} was not seen like the others; look where their dots lie",
            Term::in_a_row(near.iter().map(|n| sentence!("{} and {}", *n, n + 1)))
        ));
    }
    if !vague.is_empty() {
        doubts.push(sentence!(
            "the borders of spaces {} were not seen; these spaces are laid evenly between their towers",
            Term::in_a_row(vague)
        ));
    }
    let found = starts::find(&rectified, &ring, thickness, hints.edges, hints.starts);
    wall.starts = found.starts;
    if !found.clear {
        doubts.push(sentence!(
            "the seven start spaces do not stand out clearly; hold their places against the wall"
        ));
    }
    doubts.push(if hints.edges.is_some() {
        sentence!(
            "what the start spaces show is told by the edges of your tiles and no market is ever seen; look over \
             each face, and add the markets"
        )
    } else {
        sentence!(
            "what the start spaces show is guessed by colour (house red, tower grey, path tan, court green) and no \
             market is ever seen; the edges of your tiles tell it better once they are enrolled, and then look over \
             each face, and add the markets"
        )
    });
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

/// The corner of the ring at which a tower stands, by where its two numbers are.
pub fn corner_of(wall: &Wall, ring: &[Corner], (low, high): (u8, u8)) -> Option<usize> {
    let (a, b) = (wall.track.get(usize::from(low))?, wall.track.get(usize::from(high))?);
    let middle = ((a.x + b.x) / 2.0, (a.y + b.y) / 2.0);
    let far = |corner: &Corner| (f32::from(corner.x) - middle.0).hypot(f32::from(corner.y) - middle.1);
    (0..ring.len()).min_by(|i, j| far(&ring[*i]).total_cmp(&far(&ring[*j])))
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

fn numbering_doubt((agree, all): (usize, usize), known: bool) -> Sentence {
    if known {
        sentence!(
            "the numbers on the track could not be read well enough ({} of {}); the numbering is the only one that \
             fits what is known of the published wall: hold it against yours",
            agree,
            all
        )
    } else {
        sentence!(
            "the numbers on the track could not be read well enough ({} of {}), so where 0 and 1 are and which way \
             the numbers grow is not decided; say so, or take a sharper photo",
            agree,
            all
        )
    }
}

/// A sentence about a stretch whose numbers all read otherwise, if there is one.
fn odd_run(reading: &numbers::Reading, counts: &[usize]) -> Option<Sentence> {
    let readable = reading.agree.0 * 10 > reading.agree.1 * 7;
    let all = numbers::numbers(counts, reading.counting);
    let odd = all.iter().find(|n| n.len() >= 3 && n.iter().all(|v| reading.differ.contains(v)))?;
    readable.then(|| {
        sentence!(
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
