//! How far a place on a tile is from each of its segments, and from where followers stand
//! on them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::rules::{Deck, FaceMap, Kind, Role, Rotation};
use crate::table::standing::upright;

/// Places are told apart to this part of a tile side.
const STEPS: f32 = 64.0;
/// So many answers are remembered.
const REMEMBERED: usize = 4096;

/// A tile, how it is turned, and a place on it in steps.
type Asked = (usize, u8, i32, i32);

/// The faces of a deck, ready to be asked.
#[derive(Debug, Default)]
pub(crate) struct Faces {
    tiles: Vec<Vec<Segment>>,
    /// What was asked before: of which tile, turned how, and where in steps.
    known: RefCell<BTreeMap<Asked, Vec<Distance>>>,
}

#[derive(Debug)]
struct Segment {
    kind: Kind,
    anchor: (f32, f32),
    /// Whether followers lie down on it.
    lies: bool,
    /// The middles of the places of the map that belong to it.
    places: Vec<(f32, f32)>,
}

/// How far a figure is from a segment, in tile sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Distance {
    pub segment: u8,
    /// From the nearest place of it.
    pub area: f32,
    /// From where followers stand on it.
    pub anchor: f32,
}

impl Faces {
    /// The faces of a deck with their layouts, in the deck's order.
    pub(crate) fn new(deck: &Deck, layouts: &[Option<FaceMap>]) -> Faces {
        let faces = deck.tiles.iter().zip(layouts).map(|(tile, map)| {
            let (Some(face), Some(map)) = (&tile.face, map) else { return Vec::new() };
            let lies = |kind| Role::on(kind).is_some_and(Role::lies);
            let mut segments: Vec<Segment> = face
                .segments()
                .iter()
                .enumerate()
                .map(|(i, s)| Segment {
                    kind: s.kind,
                    anchor: map.anchor(i),
                    lies: lies(s.kind),
                    places: Vec::new(),
                })
                .collect();
            let centre = |i: usize| (i as f32 + 0.5) / FaceMap::SIZE as f32;
            for row in 0..FaceMap::SIZE {
                for col in 0..FaceMap::SIZE {
                    let (x, y) = (centre(col), centre(row));
                    if let Some(segment) = map.segment_at(x, y).and_then(|i| segments.get_mut(i)) {
                        segment.places.push((x, y));
                    }
                }
            }
            segments
        });
        Faces { tiles: faces.collect(), known: RefCell::default() }
    }

    /// How far a place on a tile as it lies is from each segment, in the face's order.
    pub(crate) fn distances(&self, tile: usize, rotation: Rotation, x: f32, y: f32) -> Vec<Distance> {
        let step = |v: f32| (v * STEPS).round();
        let key = (tile, rotation.quarters(), step(x) as i32, step(y) as i32);
        let mut known = self.known.borrow_mut();
        if known.len() > REMEMBERED {
            known.clear();
        }
        known
            .entry(key)
            .or_insert_with(|| self.measure(tile, rotation, step(x) / STEPS, step(y) / STEPS))
            .clone()
    }

    /// What a segment of a tile is.
    pub(crate) fn kind(&self, tile: usize, segment: u8) -> Option<Kind> {
        Some(self.tiles.get(tile)?.get(usize::from(segment))?.kind)
    }

    /// Whether followers lie down on a segment of a tile.
    pub(crate) fn lies(&self, tile: usize, segment: u8) -> bool {
        let segment = self.tiles.get(tile).and_then(|segments| segments.get(usize::from(segment)));
        segment.is_some_and(|s| s.lies)
    }

    /// Which part of a tile a segment takes, of 1.
    pub(crate) fn size(&self, tile: usize, segment: u8) -> f32 {
        let segment = self.tiles.get(tile).and_then(|segments| segments.get(usize::from(segment)));
        let places = segment.map_or(0, |s| s.places.len());
        places.max(1) as f32 / (FaceMap::SIZE * FaceMap::SIZE) as f32
    }

    fn measure(&self, tile: usize, rotation: Rotation, x: f32, y: f32) -> Vec<Distance> {
        let (x, y) = upright(x, y, rotation);
        let half = 0.5 / FaceMap::SIZE as f32;
        let away = |p: &(f32, f32)| ((p.0 - x) * (p.0 - x) + (p.1 - y) * (p.1 - y)).sqrt();
        let of = |(i, segment): (usize, &Segment)| Distance {
            segment: i as u8,
            // Within a place of the map nothing is away.
            area: (segment.places.iter().map(away).fold(f32::INFINITY, f32::min) - 1.5 * half).max(0.0),
            anchor: away(&segment.anchor),
        };
        self.tiles.get(tile).map_or_else(Vec::new, |segments| segments.iter().enumerate().map(of).collect())
    }
}
