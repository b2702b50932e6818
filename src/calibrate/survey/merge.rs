//! Several photos of one wall: what they agree on, and where they do not.

use super::Proposal;
use crate::rules::{Cell, Rotation, Side, TrackPoint, Wall, sentence};

/// Track points of different photos that lie farther apart, in tile sides, are
/// a doubt.
const APART: f32 = 0.12;

/// Of several surveys of one wall the best, its track points put in the middle
/// of what all of them measured, and as wide. `photos` names them, in order. `None` without
/// any.
pub fn merged(mut surveys: Vec<Proposal>, photos: &[String]) -> Option<Proposal> {
    let rank = |p: &Proposal| (p.numbered, -p.error * if p.doubts.is_empty() { 1.0 } else { 1.5 });
    let best = (0..surveys.len()).max_by(|a, b| {
        rank(&surveys[*a]).partial_cmp(&rank(&surveys[*b])).unwrap_or(std::cmp::Ordering::Equal)
    })?;
    if surveys.len() == 1 {
        return surveys.pop();
    }
    let mut chosen = surveys.swap_remove(best);
    let mut names: Vec<&str> = photos.iter().map(String::as_str).collect();
    let name = if best < names.len() { names.swap_remove(best) } else { "" };
    let mut places: Vec<Vec<TrackPoint>> = chosen.wall.track.iter().map(|p| vec![*p]).collect();
    let mut widths = vec![chosen.wall.thickness];
    let mut agreeing = 0;
    for (other, photo) in surveys.iter().zip(&names) {
        let turned = (0..4).map(|q| turned(&other.wall, q)).find(|w| w.outline == chosen.wall.outline);
        let Some(turned) = turned else {
            chosen.doubts.push(sentence!(
                "{} shows another outline than {}; is it the same wall?",
                *photo,
                name
            ));
            continue;
        };
        if !other.numbered {
            continue;
        }
        if turned.towers != chosen.wall.towers || !near(&turned, &chosen.wall) {
            chosen.doubts.push(sentence!(
                "the track is numbered otherwise in {} than in {}; hold the numbers against the wall",
                *photo,
                name
            ));
            continue;
        }
        agreeing += 1;
        widths.push(turned.thickness);
        for (list, p) in places.iter_mut().zip(&turned.track) {
            list.push(*p);
        }
        let same =
            |s: &crate::rules::StartSpace| turned.starts.iter().any(|t| (t.cell, t.side) == (s.cell, s.side));
        if !chosen.wall.starts.iter().all(same) {
            chosen.doubts.push(sentence!(
                "the start spaces are not at the same places in {} as in {}; hold them against the wall",
                *photo,
                name
            ));
        }
    }
    for (p, list) in chosen.wall.track.iter_mut().zip(&places) {
        *p = TrackPoint { x: middle(list.iter().map(|p| p.x)), y: middle(list.iter().map(|p| p.y)) };
    }
    chosen.wall.thickness = (middle(widths.into_iter()) * 100.0).round() / 100.0;
    chosen.notes.push(format!("measured in {name}; {agreeing} more of {} photos agree", photos.len() - 1));
    Some(chosen)
}

fn middle(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    let n = values.len();
    let of = |i: usize| values.get(i).copied().unwrap_or(0.0);
    let exact = (of((n.max(1) - 1) / 2) + of(n / 2)) / 2.0;
    (exact * 1000.0).round() / 1000.0
}

fn near(a: &Wall, b: &Wall) -> bool {
    let far = a.track.iter().zip(&b.track).filter(|(p, q)| (p.x - q.x).hypot(p.y - q.y) > APART).count();
    far * 10 < a.track.len().max(1)
}

/// The wall after so many clockwise quarter turns.
pub fn turned(wall: &Wall, quarters: u8) -> Wall {
    let mut wall = wall.clone();
    for _ in 0..quarters % 4 {
        let (cols, rows) = wall.size();
        let cells = wall.cells();
        let to = |c: Cell| Cell::new(rows as i8 - 1 - c.row, c.col);
        let mut grid = vec![vec!['.'; rows]; cols];
        for cell in cells.into_iter().map(to) {
            if let Some(place) = grid.get_mut(cell.row as usize).and_then(|r| r.get_mut(cell.col as usize)) {
                *place = '#';
            }
        }
        wall.outline = grid.into_iter().map(|r| r.into_iter().collect()).collect();
        for p in &mut wall.track {
            *p = TrackPoint { x: rows as f32 - p.y, y: p.x };
        }
        for start in &mut wall.starts {
            start.cell = to(start.cell);
            start.side = Side::from_index(start.side.index() + 1);
            start.face = start.face.turned(Rotation::new(1));
        }
        wall.starts.sort_by_key(|s| (s.cell, s.side));
    }
    wall
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::castle::validate::check_wall;

    #[test]
    fn a_turned_wall_is_whole_and_four_turns_are_none() {
        let house = crate::library::wall("house").unwrap();
        for q in 0..4 {
            assert_eq!(check_wall(&turned(&house, q)), []);
        }
        let round = (0..4).fold(house.clone(), |w, _| turned(&w, 1));
        assert_eq!(round.outline, house.outline);
        assert!(near(&round, &house));
        assert!(!near(&turned(&house, 1), &house));
    }
}
