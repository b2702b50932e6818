//! Finds the start spaces: the places of the wall's inner edge that look unlike
//! the rest of it.

use super::band::{Rectified, USUAL_WIDTH, on_run};
use super::shown::{DEPTHS, Shown, kind};
use super::tile_edges::{Profile, TileEdges, profile};
use crate::rules::castle::validate::START_SPACES;
use crate::rules::{Cell, Corner, Kind, Side, StartSpace};
use crate::vision::base::colour::lab;

/// How start spaces are told from the rest of the inner edge. Differences of colour are
/// those of CIE L*a*b*.
struct Settings {
    /// Where the first half of a tile side, its middle and its second half begin and end,
    /// as shares of the side.
    parts: [(f32, f32); 3],
    /// Places along a part whose mean colour is taken.
    steps: usize,
    /// Sides to the left and to the right that a side is compared with.
    beside: usize,
    /// Weight of a squared difference of lightness beside one of hue: shadows of the wall
    /// fall on its inner edge.
    lightness: f32,
    /// Least ratio between the start space that differs least from its neighbours and the
    /// other side that differs most; below, the start spaces are in doubt.
    clear: f32,
    /// Least difference of the middle from both halves, and from all mixtures of them, that
    /// shows a path.
    stripe: f32,
}

const SETTINGS: Settings = Settings {
    parts: [(0.06, 0.36), (0.42, 0.58), (0.64, 0.94)],
    steps: 8,
    beside: 4,
    lightness: 0.5,
    clear: 1.6,
    stripe: 9.0,
};

/// A tile side of the inner edge.
struct Unit {
    cell: Cell,
    side: Side,
    /// The colours of its parts along the walk, CIE L*a*b*.
    parts: [[f32; 3]; 3],
    /// The run that it is of, and its place in it.
    at: (usize, usize),
}

/// The start spaces that were found.
#[derive(Clone, Debug)]
pub struct Found {
    /// As many as a wall has, in the order of cells.
    pub starts: Vec<StartSpace>,
    /// Whether they stand out clearly from the rest.
    pub clear: bool,
}

/// Finds the start spaces, unless it is `said` where they are. What they show is told by the edges
/// of the deck's tiles, else guessed by colour.
pub fn find(
    wall: &Rectified,
    ring: &[Corner],
    thickness: f32,
    edges: Option<&TileEdges>,
    said: &[(Cell, Side)],
) -> Found {
    let units = units(wall, ring, thickness);
    let mut scored: Vec<(f32, usize)> = (0..units.len()).map(|i| (oddness(&units, i), i)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let value = |i: usize| scored.get(i).map_or(0.0, |s| s.0);
    let (least, most) = (value(START_SPACES - 1), value(START_SPACES));
    tracing::debug!(scores = ?scored.iter().take(11).collect::<Vec<_>>(), "starts");
    let is_said = |unit: &&Unit| said.contains(&(unit.cell, unit.side));
    let chosen: Vec<&Unit> = if said.is_empty() {
        scored.iter().take(START_SPACES).filter_map(|(_, i)| units.get(*i)).collect()
    } else {
        units.iter().filter(is_said).collect()
    };
    let told = edges.and_then(|edges| {
        let profiles: Vec<Profile> = chosen
            .iter()
            .map(|u| {
                profile(|along, depth| colour(wall, &ring[u.at.0], u.at.1 as f32 + along, depth, thickness))
            })
            .collect();
        edges.likeliest(&profiles)
    });
    let shown = told.unwrap_or_else(|| chosen.iter().map(|u| guess(u)).collect());
    let mut starts: Vec<StartSpace> = chosen
        .iter()
        .zip(shown)
        .map(|(u, shown)| StartSpace { cell: u.cell, side: u.side, face: shown.face(u.side.opposite()) })
        .collect();
    starts.sort_by_key(|s| (s.cell, s.side));
    Found { starts, clear: !said.is_empty() || least > SETTINGS.clear * most.max(1.0) }
}

/// A tile side of the inner edge beside which no tower stands: where a start space can be.
struct Edge {
    cell: Cell,
    side: Side,
    /// The run that it is of, and its place in it.
    at: (usize, usize),
}

/// All of them, in the ring's order.
fn edges_of(ring: &[Corner]) -> Vec<Edge> {
    let mut all = Vec::new();
    for (run, corner) in ring.iter().enumerate() {
        let next_convex = ring[(run + 1) % ring.len()].convex;
        let cells: Vec<Cell> = corner.cells().collect();
        for (i, cell) in cells.iter().enumerate() {
            let towered = i == 0 && !corner.convex || i + 1 == cells.len() && !next_convex;
            if !towered {
                all.push(Edge { cell: *cell, side: corner.side, at: (run, i) });
            }
        }
    }
    all
}

/// Where start spaces can be: the cells and sides of the inner edge beside which no tower stands.
pub fn places(ring: &[Corner]) -> Vec<(Cell, Side)> {
    edges_of(ring).into_iter().map(|edge| (edge.cell, edge.side)).collect()
}

fn units(wall: &Rectified, ring: &[Corner], thickness: f32) -> Vec<Unit> {
    edges_of(ring)
        .into_iter()
        .map(|Edge { cell, side, at: (run, i) }| {
            let corner = &ring[run];
            let parts = SETTINGS.parts.map(|(from, to)| {
                let mut sum = [0.0; 3];
                let mut count = 0.0;
                for step in 0..SETTINGS.steps {
                    for depth in DEPTHS {
                        let along =
                            i as f32 + from + (to - from) * (step as f32 + 0.5) / SETTINGS.steps as f32;
                        let colour = lab(colour(wall, corner, along, depth, thickness));
                        sum.iter_mut().zip(colour).for_each(|(s, c)| *s += c);
                        count += 1.0;
                    }
                }
                sum.map(|s| s / count)
            });
            Unit { cell, side, parts, at: (run, i) }
        })
        .collect()
}

/// The colour of the inner edge at a place along a run; the depth is that of a wall
/// of the usual width.
fn colour(wall: &Rectified, corner: &Corner, along: f32, depth: f32, thickness: f32) -> [f32; 3] {
    let (x, y) = on_run(corner, along, depth * thickness / USUAL_WIDTH);
    wall.at(x, y)
}

/// How unlike the sides near it a side is.
fn oddness(units: &[Unit], i: usize) -> f32 {
    let n = units.len();
    let near: Vec<&Unit> = (1..=SETTINGS.beside)
        .flat_map(|k| [(i + k) % n, (i + n - k % n) % n])
        .filter_map(|j| units.get(j))
        .collect();
    let usual: [f32; 3] = std::array::from_fn(|c| {
        let mut values: Vec<f32> = near.iter().flat_map(|u| u.parts.map(|p| p[c])).collect();
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    });
    let mut off: Vec<f32> = units[i]
        .parts
        .iter()
        .map(|p| {
            let d: [f32; 3] = std::array::from_fn(|c| p[c] - usual[c]);
            (SETTINGS.lightness * d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
        })
        .collect();
    off.sort_by(f32::total_cmp);
    off.get(1).copied().unwrap_or(0.0)
}

/// How far a colour is from all mixtures of two others.
fn from_between(colour: [f32; 3], a: [f32; 3], b: [f32; 3]) -> f32 {
    let dot = |p: [f32; 3], q: [f32; 3]| (0..3).map(|i| p[i] * q[i]).sum::<f32>();
    let minus = |p: [f32; 3], q: [f32; 3]| -> [f32; 3] { std::array::from_fn(|i| p[i] - q[i]) };
    let (along, off) = (minus(b, a), minus(colour, a));
    let share = (dot(off, along) / dot(along, along).max(1e-3)).clamp(0.0, 1.0);
    let rest = minus(off, along.map(|v| v * share));
    dot(rest, rest).sqrt()
}

fn guess(unit: &Unit) -> Shown {
    // Along the walk the first half is the right one as seen from outside.
    let kinds = unit.parts.map(kind);
    let half = |k: Kind| if k == Kind::PATH { Kind::COURT } else { k };
    let crossed = from_between(unit.parts[1], unit.parts[0], unit.parts[2]) > SETTINGS.stripe;
    Shown { right: Some(half(kinds[0])), path: crossed || kinds[1] == Kind::PATH, left: Some(half(kinds[2])) }
}
