//! Finds the figures by shape: a network says where feet are and what figures cover, the
//! colours under a figure say whose it is.

use rayon::prelude::*;

use super::board::{BOARD_PX, Board, Ground, SeenSize, Standing};
use super::bulk::{Bulk, Bulks};
use super::evidence::{Evidence, MARGIN};
use super::network::{FigureNetwork, GRID, Seen};
use super::shape::Covered;
use crate::observation::{Figure, FigureReading};
use crate::rules::Cell;
use crate::vision::base::error::VisionError;

/// Pixels of the board picture a place of the network's maps.
const STEP: usize = 4;
/// Places a tile side.
const PER_TILE: f32 = BOARD_PX as f32 / STEP as f32;

/// What is believed of what the network sees.
///
/// `least` and `nobody` are chosen on rendered boards (`models/figures/README.md` says which
/// and what others give), the rest are guesses.
struct Settings {
    /// Least height of a peak. Lower finds more, and more that is not there.
    least: f32,
    /// How far outside its cell a foot may seem to be, tile sides, to be brought back to it.
    outside: f32,
    /// Feet nearer than this are one figure's, tile sides.
    apart: f32,
    /// From which share on a place is covered.
    covered: f32,
    /// How much a mean distance of colours tells, in the units of
    /// [`crate::vision::base::colour::distance`]. Larger leaves more doubt whose it is.
    telling: f32,
    /// Distances of colours beyond this tell no more.
    farthest: f32,
    /// Mean distance from which on a thing has nobody's colour.
    nobody: f32,
}

const SETTINGS: Settings = Settings {
    least: 0.45,
    outside: 0.06,
    apart: 0.24,
    covered: 0.4,
    telling: 3.0,
    farthest: 48.0,
    nobody: 28.0,
};

/// How far the largest figures reach: by what they cover of it sizes are told.
const ROUND: Bulk = Bulk { round: 0.36, high: 0.5 };

/// A foot that the network sees.
#[derive(Clone)]
struct Foot {
    /// Where in the patch's maps, in places.
    x: f32,
    y: f32,
    /// How likely something stands there, and how likely it is a keep if so.
    sure: f32,
    keep: f32,
    /// How likely it lies, if it is a follower.
    lying: f32,
    bulk: Bulk,
}

/// Finds the figures. `colours` are the players', sRGB; `grounds` what each cell holds,
/// without the cells that are hidden.
///
/// # Errors
/// [`VisionError::OpenCv`] or [`VisionError::Recogniser`].
pub(super) fn find(
    network: &FigureNetwork,
    board: &Board<'_>,
    grounds: &[(Cell, Ground<'_>)],
    colours: &[[u8; 3]],
) -> Result<Vec<Standing>, VisionError> {
    if colours.is_empty() {
        return Ok(Vec::new());
    }
    let evidence = Evidence::new(board, grounds, colours)?;
    let tiles: Vec<Cell> =
        grounds.iter().filter(|(_, g)| matches!(g, Ground::Tile(..))).map(|(cell, _)| *cell).collect();
    let bulks = Bulks::of(board.pieces);
    let found = tiles
        .par_iter()
        .filter(|cell| board.noted.contains(*cell) || !evidence.is_quiet(**cell))
        .map(|cell| round_cell(network, &evidence, &bulks, &tiles, *cell))
        .collect::<Result<Vec<_>, VisionError>>()?;
    Ok(agreed(found.concat(), board.inside.is_some(), board.crowded))
}

/// A foot that is seen on a wall's top.
#[derive(Clone, Copy, Debug)]
pub(super) struct OnWall {
    pub player: u8,
    /// Tile sides.
    pub place: (f32, f32),
    /// How likely something of that player's stands there.
    pub sure: f32,
}

/// The feet that are seen on the squares of a wall.
///
/// # Errors
/// [`VisionError::Recogniser`] when the network does not run.
pub(super) fn on_wall(
    network: &FigureNetwork,
    evidence: &Evidence<'_>,
    squares: &[Cell],
) -> Result<Vec<OnWall>, VisionError> {
    let bulks = Bulks::of(evidence.pieces());
    let round_square = |cell: &Cell| -> Result<Vec<OnWall>, VisionError> {
        let patch = evidence.patch(*cell);
        let seen = network.see(&patch)?;
        let feet = feet(&seen, &bulks);
        let on = |(i, foot): (usize, &Foot)| {
            let (x, y) = place_of(foot);
            let near = |v: f32| (-SETTINGS.outside..1.0 + SETTINGS.outside).contains(&v);
            let (player, share) =
                owner(evidence, *cell, &seen, &feet, i, patch.lean).filter(|_| near(x) && near(y))?;
            let place = (f32::from(cell.col) + x, f32::from(cell.row) + y);
            Some(OnWall { player, place, sure: foot.sure * share })
        };
        Ok(feet.iter().enumerate().filter_map(on).collect())
    };
    let found = squares
        .par_iter()
        .filter(|cell| !evidence.is_quiet(**cell))
        .map(round_square)
        .collect::<Result<Vec<_>, VisionError>>()?;
    let mut found = found.concat();
    found.sort_by(|a, b| b.sure.total_cmp(&a.sure));
    let mut kept: Vec<OnWall> = Vec::new();
    for foot in found {
        let far = |k: &OnWall| (k.place.0 - foot.place.0).hypot(k.place.1 - foot.place.1);
        if kept.iter().all(|k| far(k) >= SETTINGS.apart) {
            kept.push(foot);
        }
    }
    Ok(kept)
}

/// Where a foot is in its cell, tile sides.
fn place_of(foot: &Foot) -> (f32, f32) {
    let along = |v: f32| ((v + 0.5) * STEP as f32 - MARGIN as f32) / BOARD_PX as f32;
    (along(foot.x), along(foot.y))
}

/// A figure that may be there, and how likely it is a keep.
#[derive(Clone, Debug)]
struct Likely {
    standing: Standing,
    keep: f32,
}

impl Likely {
    fn place(&self) -> (f32, f32) {
        let Standing { cell, figure, .. } = &self.standing;
        (f32::from(cell.col) + figure.x, f32::from(cell.row) + figure.y)
    }
}

/// The figures that are seen in the patch of a cell with their feet on it, or so little
/// beside it that they may be on it.
fn round_cell(
    network: &FigureNetwork,
    evidence: &Evidence<'_>,
    bulks: &Bulks,
    tiles: &[Cell],
    cell: Cell,
) -> Result<Vec<Likely>, VisionError> {
    let patch = evidence.patch(cell);
    let seen = network.see(&patch)?;
    let feet = feet(&seen, bulks);
    let mut found = Vec::new();
    for (i, foot) in feet.iter().enumerate() {
        let place = place_of(foot);
        // What is seen to stand where the wall hides the tiles stands on the wall.
        if evidence.is_hidden(cell, place) {
            continue;
        }
        let Some((on, (x, y))) = standing_on(tiles, cell, place) else { continue };
        let Some((player, share)) = owner(evidence, cell, &seen, &feet, i, patch.lean) else { continue };
        let pieces = evidence.pieces().get(usize::from(player));
        let (keep, lying) = pieces.map_or((foot.keep, foot.lying), |pieces| {
            let others = others(&feet, i, patch.lean);
            let covered = Covered {
                cover: &seen.cover,
                others: &others,
                foot: (foot.x, foot.y),
                per_tile: PER_TILE,
                lean: patch.lean,
            };
            covered.kinds(pieces, foot.keep, foot.lying)
        });
        let figure = FigureReading {
            figure: Figure::Follower,
            player,
            x,
            y,
            confidence: foot.sure * share,
            lying: Some(lying),
            size: None,
            there: Some(foot.sure),
        };
        let seen = seen_size(&seen.cover, &feet, i, patch.lean);
        found.push(Likely { standing: Standing { cell: on, figure, seen }, keep });
    }
    Ok(found)
}

/// How large a figure is seen by what is covered round its foot and nearer to it than to others;
/// `None` where it reaches out of the patch.
fn seen_size(cover: &[f32], feet: &[Foot], which: usize, lean: (f32, f32)) -> Option<SeenSize> {
    let mut area = 0.0;
    let foot = Foot { bulk: ROUND, ..feet[which].clone() };
    for (x, y) in covered_by(&foot, cover, feet, which, lean) {
        if [x, y].into_iter().any(|v| v == 0 || v == GRID - 1) {
            return None;
        }
        area += 1.0 / (PER_TILE * PER_TILE);
    }
    Some(SeenSize { area, lean: lean.0.hypot(lean.1) })
}

/// The tile that a foot stands on which is seen at (x, y) of a cell, and where on that tile.
/// A foot beside the cell is its neighbour's if a tile lies there; on the wall and on the
/// table no figure stands, but what is hardly off the cell's tile is on it.
fn standing_on(tiles: &[Cell], cell: Cell, (x, y): (f32, f32)) -> Option<(Cell, (f32, f32))> {
    let beyond = |v: f32| (-v).max(v - 1.0);
    if beyond(x).max(beyond(y)) > SETTINGS.outside {
        return None;
    }
    let next = |at: i8, v: f32| at.checked_add(v.floor() as i8);
    let there = next(cell.col, x).zip(next(cell.row, y)).map(|(col, row)| Cell::new(col, row));
    let on = |v: f32| v.clamp(0.0, 0.999);
    match there.filter(|there| tiles.contains(there)) {
        Some(there) => Some((there, (on(x - x.floor()), on(y - y.floor())))),
        None => Some((cell, (on(x), on(y)))),
    }
}

/// The peaks of what the network sees.
fn feet(seen: &Seen, bulks: &Bulks) -> Vec<Foot> {
    let total = |at: usize| (seen.standing[at] + seen.lying[at] + seen.keep[at]).min(1.0);
    let map: Vec<f32> = (0..GRID * GRID).map(total).collect();
    let mut feet = Vec::new();
    for y in 0..GRID {
        for x in 0..GRID {
            let here = map[y * GRID + x];
            if here < SETTINGS.least {
                continue;
            }
            let (left, right) = (x.saturating_sub(1), (x + 1).min(GRID - 1));
            let (top, bottom) = (y.saturating_sub(1), (y + 1).min(GRID - 1));
            let (mut highest, mut sums) = (true, [0.0_f32; 6]);
            for v in top..=bottom {
                for u in left..=right {
                    let at = v * GRID + u;
                    // Of places that are equal, the first is the peak.
                    highest &= if at < y * GRID + x { map[at] < here } else { map[at] <= here };
                    let parts = [seen.standing[at], seen.lying[at], seen.keep[at]];
                    for (sum, part) in sums.iter_mut().zip(parts) {
                        *sum += part;
                    }
                    sums[3] += map[at];
                    sums[4] += map[at] * u as f32;
                    sums[5] += map[at] * v as f32;
                }
            }
            if !highest {
                continue;
            }
            let [standing, lying, keep, all, u, v] = sums;
            let bulk = if keep > standing.max(lying) {
                bulks.keep
            } else if lying > standing {
                bulks.lying
            } else {
                bulks.standing
            };
            let keep = keep / (standing + lying + keep).max(1e-6);
            let lying = lying / (standing + lying).max(1e-6);
            feet.push(Foot { x: u / all, y: v / all, sure: here, keep, lying, bulk });
        }
    }
    feet
}

/// The distance, in how far the figure reaches, of a place of the maps from the line that a
/// figure stands along.
fn off(foot: &Foot, lean: (f32, f32), x: f32, y: f32) -> f32 {
    foot.bulk.off(((x - foot.x) / PER_TILE, (y - foot.y) / PER_TILE), lean)
}

/// Which places of the maps are nearer to another foot than to one of them.
fn others(feet: &[Foot], which: usize, lean: (f32, f32)) -> Vec<bool> {
    let is_others = |at: usize| {
        let (x, y) = ((at % GRID) as f32, (at / GRID) as f32);
        let own = off(&feet[which], lean, x, y);
        feet.iter().enumerate().any(|(i, foot)| i != which && off(foot, lean, x, y) < own)
    };
    (0..GRID * GRID).map(is_others).collect()
}

/// The covered places of the maps within the reach of a foot, which is one of `feet`, that are no
/// nearer to another, row by row.
fn covered_by(
    foot: &Foot,
    cover: &[f32],
    feet: &[Foot],
    which: usize,
    lean: (f32, f32),
) -> impl Iterator<Item = (usize, usize)> {
    let is_its_own = move |(x, y): &(usize, usize)| {
        let off = |foot: &Foot| off(foot, lean, *x as f32, *y as f32);
        let far = off(foot);
        let mut others = feet.iter().enumerate().filter(|(i, _)| *i != which);
        cover[y * GRID + x] >= SETTINGS.covered && far <= 1.0 && !others.any(|(_, other)| off(other) < far)
    };
    (0..GRID * GRID).map(|at| (at % GRID, at / GRID)).filter(is_its_own)
}

/// Whose a figure is, and how surely: what it covers has that player's colour.
fn owner(
    evidence: &Evidence<'_>,
    cell: Cell,
    seen: &Seen,
    feet: &[Foot],
    which: usize,
    lean: (f32, f32),
) -> Option<(u8, f32)> {
    let mut sums: Vec<f32> = Vec::new();
    let mut weight = 0.0;
    for (x, y) in covered_by(&feet[which], &seen.cover, feet, which, lean) {
        let cover = seen.cover[y * GRID + x];
        for (dx, dy) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            let from = evidence.distances_to_players(cell, x * STEP + dx, y * STEP + dy);
            sums.resize(from.len(), 0.0);
            for (sum, far) in sums.iter_mut().zip(from) {
                *sum += cover * far.min(SETTINGS.farthest);
            }
            weight += cover;
        }
    }
    let (player, least) =
        sums.iter().map(|sum| sum / weight).enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
    if least > SETTINGS.nobody {
        return None;
    }
    let all: f32 = sums.iter().map(|sum| ((least - sum / weight) / SETTINGS.telling).exp()).sum();
    Some((player as u8, 1.0 / all.max(1.0)))
}

/// What all figures that may be there leave of one another, row by row: the surest first, no
/// two in one place, one follower a tile where they are not crowded, and where there are keeps at most
/// one a player.
fn agreed(mut found: Vec<Likely>, keeps: bool, crowded: bool) -> Vec<Standing> {
    found.sort_by(|a, b| b.standing.figure.confidence.total_cmp(&a.standing.figure.confidence));
    let mut kept: Vec<Likely> = Vec::new();
    for likely in found {
        let (x, y) = likely.place();
        let near = |k: &Likely| (k.place().0 - x).hypot(k.place().1 - y) < SETTINGS.apart;
        if !kept.iter().any(near) {
            kept.push(likely);
        }
    }
    let players: Vec<u8> = kept.iter().map(|k| k.standing.figure.player).collect();
    for player in 0..=players.iter().copied().max().unwrap_or(0) {
        let likeliest = kept
            .iter_mut()
            .filter(|k| k.standing.figure.player == player && k.keep > 0.5)
            .max_by(|a, b| a.keep.total_cmp(&b.keep));
        if let Some(likely) = likeliest.filter(|_| keeps) {
            likely.standing.figure.figure = Figure::Keep;
        }
    }
    let mut out: Vec<Standing> = Vec::new();
    for Likely { standing, .. } in kept {
        let taken = !crowded
            && out.iter().any(|s| {
                s.cell == standing.cell && [s, &standing].iter().all(|s| s.figure.figure == Figure::Follower)
            });
        if !taken {
            out.push(standing);
        }
    }
    out.sort_by_key(|standing| (standing.cell.row, standing.cell.col));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A figure that may be there: player, column, place, confidence, how likely a keep.
    fn likely(player: u8, col: i8, (x, y): (f32, f32), confidence: f32, keep: f32) -> Likely {
        let figure = FigureReading {
            figure: Figure::Follower,
            player,
            x,
            y,
            confidence,
            lying: None,
            size: None,
            there: None,
        };
        Likely { standing: Standing { cell: Cell::new(col, 0), figure, seen: None }, keep }
    }

    fn told(found: Vec<Likely>, keeps: bool) -> Vec<(i8, u8, Figure)> {
        agreed(found, keeps, false).iter().map(|s| (s.cell.col, s.figure.player, s.figure.figure)).collect()
    }

    #[test]
    fn one_thing_seen_from_two_cells_is_one_figure() {
        let at_a_border = vec![likely(0, 1, (0.02, 0.5), 0.6, 0.0), likely(0, 0, (0.97, 0.5), 0.8, 0.0)];
        assert_eq!(told(at_a_border, true), [(0, 0, Figure::Follower)]);
        let apart = vec![likely(0, 0, (0.5, 0.5), 0.8, 0.0), likely(0, 1, (0.5, 0.5), 0.6, 0.0)];
        assert_eq!(told(apart, true).len(), 2);
    }

    #[test]
    fn a_foot_beside_its_cell_is_on_the_tile_there_or_on_none() {
        let (here, there) = (Cell::new(2, 3), Cell::new(1, 3));
        let on = |tiles: &[Cell], x: f32, y: f32| standing_on(tiles, here, (x, y));
        let near = |a: (f32, f32), b: (f32, f32)| (a.0 - b.0).hypot(a.1 - b.1) < 1e-3;
        let (cell, at) = on(&[here, there], -0.04, 0.5).unwrap();
        assert!(cell == there && near(at, (0.96, 0.5)));
        let (cell, at) = on(&[here], -0.04, 0.5).unwrap();
        assert!(cell == here && near(at, (0.0, 0.5)));
        let (cell, at) = on(&[here, there], 0.3, 0.9).unwrap();
        assert!(cell == here && near(at, (0.3, 0.9)));
        assert_eq!(on(&[here, there], -0.1, 0.5), None);
        assert_eq!(on(&[here], 0.5, 1.1), None);
    }

    #[test]
    fn a_player_has_one_keep_and_a_tile_one_follower() {
        let two = || vec![likely(0, 0, (0.5, 0.5), 0.9, 0.7), likely(0, 2, (0.5, 0.5), 0.8, 0.95)];
        assert_eq!(told(two(), true), [(0, 0, Figure::Follower), (2, 0, Figure::Keep)]);
        assert_eq!(told(two(), false), [(0, 0, Figure::Follower), (2, 0, Figure::Follower)]);
        let on_one = vec![
            likely(0, 0, (0.2, 0.2), 0.6, 0.0),
            likely(1, 0, (0.7, 0.7), 0.9, 0.0),
            likely(1, 0, (0.3, 0.7), 0.8, 0.9),
        ];
        assert_eq!(told(on_one, true), [(0, 1, Figure::Follower), (0, 1, Figure::Keep)]);
    }

    #[test]
    fn on_a_crowded_tile_stand_several_followers() {
        let found = vec![
            likely(0, 2, (0.2, 0.2), 0.6, 0.0),
            likely(1, 2, (0.7, 0.7), 0.9, 0.0),
            likely(1, 2, (0.25, 0.7), 0.8, 0.0),
            likely(0, 2, (0.3, 0.7), 0.7, 0.0),
        ];
        let on = |crowded: bool| -> Vec<u8> {
            agreed(found.clone(), false, crowded).iter().map(|s| s.figure.player).collect()
        };
        assert_eq!(on(true), [1, 1, 0]);
        assert_eq!(on(false), [1]);
    }

    #[test]
    fn a_peak_is_a_foot_of_the_likeliest_kind() {
        let mut seen = Seen {
            standing: vec![0.01; GRID * GRID],
            lying: vec![0.01; GRID * GRID],
            keep: vec![0.01; GRID * GRID],
            cover: vec![0.0; GRID * GRID],
        };
        seen.keep[5 * GRID + 6] = 0.9;
        seen.keep[5 * GRID + 7] = 0.5;
        seen.lying[15 * GRID + 15] = 0.3;
        seen.standing[15 * GRID + 15] = 0.2;
        seen.standing[20 * GRID + 3] = 0.2;
        let feet = feet(&seen, &Bulks::of(&[]));
        assert_eq!(feet.len(), 2);
        assert!((feet[0].x - 6.3).abs() < 0.15 && (feet[0].y - 5.0).abs() < 0.1);
        assert!(feet[0].keep > 0.85 && feet[1].keep < 0.3);
        assert!((feet[1].lying - 0.6).abs() < 0.03 && (feet[0].lying - 0.5).abs() < 0.01);
        assert!((feet[1].sure - 0.51).abs() < 1e-3);
    }
}
