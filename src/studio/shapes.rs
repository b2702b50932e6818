//! Which area holds which place of a tile before its borders are smoothed: as the face map
//! lays it out, or with cities behind curved walls.

use std::collections::VecDeque;

use crate::rules::{Face, FaceMap, Kind, Port, PortSet, Segment, Side};

/// The label of a place that no area holds.
pub(super) const NONE: u8 = u8::MAX;
/// Places a side of the grid of areas.
pub(super) const COARSE: usize = FaceMap::SIZE;
/// How far a city of one side reaches into its tile, in tile sides.
const CITY_DEPTH: f32 = 0.29;
/// How far a field before a city that has both sides beside it reaches into its tile; and
/// where another city lies opposite.
const FIELD_DEPTH: f32 = 0.27;
const NARROW_DEPTH: f32 = 0.2;
/// Where a field that reaches no side begins below a city that runs past it.
const INNER_FIELD_FROM: f32 = 0.43;
/// How steeply a curved wall rises from its corners; 2 is a parabola.
const BEND: f32 = 2.4;
/// Where a road that crosses a river to a city ends, from the side of the city.
const BRIDGE_END: f32 = 0.4;

/// How far from the wall a road ends, as its end is round, in tile sides.
const ROAD_END: f32 = 0.06;

/// A road's way beyond what its ports say: from one place to another.
pub(super) type Stretch = ((f32, f32), (f32, f32));

/// The shapes of one face: a label for each place of the coarse grid, `NONE` under lines, and
/// the ends of roads.
pub(super) struct Shapes {
    pub labels: Vec<u8>,
    /// How far the road from each side runs to the middle, in tile sides.
    pub reach: [f32; 4],
    /// Roads that run on from the middle to a city.
    pub stubs: Vec<Stretch>,
    /// Where roads meet the wall of a city, and the step towards it.
    pub gates: Vec<Stretch>,
}

impl Shapes {
    /// Lays out a face; with `curved`, cities have curved walls. Without it the face map is
    /// kept, but where it parts a city that runs through its tile beside other things.
    pub(super) fn new(face: &Face, curved: bool) -> Shapes {
        let map = FaceMap::new(face);
        let at = |v: usize| (v as f32 + 0.5) / COARSE as f32;
        let whole = face.segments().iter().position(|s| s.kind == Kind::CARCASSONNE).unwrap_or(0);
        let labels = (0..COARSE * COARSE)
            .map(|i| match map.segment_at(at(i % COARSE), at(i / COARSE)) {
                Some(s) if is_quarter(face.segments()[s].kind) => whole as u8,
                Some(s) if !face.segments()[s].kind.is_line() => s as u8,
                _ => NONE,
            })
            .collect();
        let mut shapes = Shapes { labels, reach: [0.5; 4], stubs: Vec::new(), gates: Vec::new() };
        let crossed = [Side::North, Side::East].iter().all(|side| crossing(face, *side).is_some());
        let runs_through = Side::ALL.into_iter().any(|side| before(face, side).is_some());
        if (runs_through || crossed) && (curved || !is_plain(face)) {
            shapes.open_cities(face);
        }
        if curved {
            shapes.curve_walls(face);
        }
        shapes.lead_roads(face, curved);
        shapes
    }

    /// Cities that have two opposite sides run through their tile.
    fn open_cities(&mut self, face: &Face) {
        let segments = face.segments();
        for side in Side::ALL {
            let Some(city) = before(face, side) else { continue };
            let road = segments.iter().position(|s| s.kind == Kind::ROAD && s.ports == only(side));
            let depth = match road {
                Some(road) => FaceMap::reach(face, road) + ROAD_END,
                None if one_side(face, side.opposite()).is_some() => NARROW_DEPTH,
                None => FIELD_DEPTH,
            };
            let ours = PortSet::halves(side);
            let field = |s: &Segment| {
                s.kind == Kind::FIELD && !s.ports.is_empty() && s.ports.intersection(ours) == s.ports
            };
            self.free(
                |label, x, y| field(&segments[label]) && !in_cap(side, depth, x, y),
                |label| label == city,
            );
            self.free(
                |label, x, y| {
                    let inner = segments[label].kind == Kind::FIELD && segments[label].ports.is_empty();
                    inner && along_and_away(side, x, y).1 < INNER_FIELD_FROM
                },
                |label| label == city,
            );
            if road.is_some() {
                self.reach[side.index()] = depth - ROAD_END;
                self.gates.push((on(side, depth), inward(side)));
            }
        }
        // Two cities that cross: one runs below the other.
        if let [Some(east_west), Some(north_south)] = [Side::North, Side::East].map(|s| crossing(face, s)) {
            for (i, label) in self.labels.iter_mut().enumerate() {
                let (x, y) = place(i);
                if usize::from(*label) == east_west && (x - 0.5).abs() < 0.13 && (y - 0.5).abs() < 0.3 {
                    *label = north_south as u8;
                }
            }
        }
    }

    /// Cities of one side lie behind a curved wall.
    fn curve_walls(&mut self, face: &Face) {
        let segments = face.segments();
        let alone = Side::ALL.map(|side| (side, one_side(face, side)));
        self.free(
            |label, x, y| {
                let mut theirs = alone.iter().filter(|(_, city)| *city == Some(label));
                theirs.any(|(side, _)| !in_cap(*side, CITY_DEPTH, x, y))
            },
            |label| segments[label].kind == Kind::FIELD,
        );
    }

    /// Roads that part the fields before a city of one side run up to its wall.
    fn lead_roads(&mut self, face: &Face, curved: bool) {
        let segments = face.segments();
        let ends = |s: &&Segment| s.kind == Kind::ROAD && s.ports.len() == 1;
        if segments.iter().any(|s| s.kind == Kind::CARCASSONNE) {
            for port in segments.iter().filter(ends).flat_map(|s| s.ports.iter()) {
                self.gates.push(((0.5, 0.5), inward(port.side())));
                self.reach[port.side().index()] -= ROAD_END;
            }
            return;
        }
        let crosses = segments.iter().any(|s| s.kind == Kind::RIVER)
            && segments.iter().all(|s| s.kind != Kind::CLOISTER);
        if !segments.iter().any(|s| ends(&s)) || !(curved || crosses) {
            return;
        }
        for side in Side::ALL {
            if one_side(face, side).is_none() {
                continue;
            }
            let beside = [
                Port::right(Side::from_index(side.index() + 3)),
                Port::left(Side::from_index(side.index() + 1)),
            ];
            if let [Some(a), Some(b)] = beside.map(|port| face.at(port))
                && a != b
                && [a, b].iter().all(|i| segments[*i].kind == Kind::FIELD)
            {
                let away = if curved { CITY_DEPTH } else { BRIDGE_END };
                let end = on(side, away);
                self.stubs.push(((0.5, 0.5), on(side, away + ROAD_END)));
                self.gates.push((end, inward(side.opposite())));
            }
        }
        let ended: Vec<Side> =
            segments.iter().filter(ends).flat_map(|s| s.ports.iter().map(Port::side)).collect();
        if let [side] = ended[..]
            && self.gates.is_empty()
            && curved
            && let Some((dx, dy)) = to_corner_city(face, side)
        {
            self.gates.push(((0.5, 0.5), (dx, dy)));
            self.reach[side.index()] -= ROAD_END;
        }
    }

    /// Takes the places for which `which` holds from their areas and gives them to the
    /// nearest of those that `to` takes; where none is reached, all stays.
    fn free(&mut self, which: impl Fn(usize, f32, f32) -> bool, to: impl Fn(usize) -> bool) {
        let old = self.labels.clone();
        let is_free: Vec<bool> = old
            .iter()
            .enumerate()
            .map(|(i, label)| {
                let (x, y) = place(i);
                *label != NONE && which(usize::from(*label), x, y)
            })
            .collect();
        let mut queue: VecDeque<usize> =
            (0..old.len()).filter(|i| old[*i] != NONE && !is_free[*i] && to(usize::from(old[*i]))).collect();
        let mut given = vec![false; old.len()];
        while let Some(from) = queue.pop_front() {
            for next in beside(from).into_iter().flatten() {
                if is_free[next] && !given[next] {
                    given[next] = true;
                    self.labels[next] = self.labels[from];
                    queue.push_back(next);
                }
            }
        }
    }
}

/// Whether a face shows what the base game's do where a city runs through: fields on both
/// sides of it and nothing else. Decks of such faces keep the layout of the face map, unless
/// their walls are curved.
fn is_plain(face: &Face) -> bool {
    face.segments().len() <= 4
        && face.segments().iter().all(|s| match s.kind {
            Kind::CITY => s.ports.len() != 2 && (s.ports.len() != 4 || face.segments().len() == 3),
            Kind::FIELD => !s.ports.is_empty(),
            Kind::ROAD => true,
            _ => false,
        })
}

/// Whether a kind is a quarter of the City of Carcassonne.
pub(super) fn is_quarter(kind: Kind) -> bool {
    matches!(kind, Kind::CASTLE | Kind::MARKET | Kind::BLACKSMITH | Kind::CATHEDRAL)
}

fn only(side: Side) -> PortSet {
    PortSet::EMPTY.with(Port::middle(side))
}

/// The city that holds the sides before and after a side that no city holds.
fn before(face: &Face, side: Side) -> Option<usize> {
    let city = crossing(face, side)?;
    let held = |port| face.at(port).is_some_and(|i| face.segments()[i].kind == Kind::CITY);
    (!held(Port::left(side)) && !held(Port::right(side))).then_some(city)
}

/// The city that holds both sides beside a side.
fn crossing(face: &Face, side: Side) -> Option<usize> {
    let [a, b] = [1, 3].map(|turn| face.at(Port::left(Side::from_index(side.index() + turn))));
    a.filter(|i| a == b && face.segments()[*i].kind == Kind::CITY)
}

/// The city that holds this side and no other.
fn one_side(face: &Face, side: Side) -> Option<usize> {
    let city = face.at(Port::left(side))?;
    let segment = &face.segments()[city];
    (segment.kind == Kind::CITY && segment.ports == PortSet::halves(side)).then_some(city)
}

/// The step towards a city of two sides that meet at a corner, opposite the road that comes
/// from a side.
fn to_corner_city(face: &Face, road: Side) -> Option<(f32, f32)> {
    let city = face.segments().iter().find(|s| {
        s.kind == Kind::CITY
            && s.ports.len() == 4
            && !s.ports.iter().any(|p| p.side() == road)
            && s.ports.iter().any(|p| p.side() == road.opposite())
    })?;
    let (dx, dy) = city.ports.iter().fold((0.0, 0.0), |(dx, dy), port| {
        let (mx, my) = port.side().midpoint();
        (dx + mx - 0.5, dy + my - 0.5)
    });
    let length = f32::hypot(dx, dy);
    (length > 0.1).then(|| (dx / length, dy / length))
}

/// How far along a side and how far away from it a place is.
fn along_and_away(side: Side, x: f32, y: f32) -> (f32, f32) {
    match side {
        Side::North => (x, y),
        Side::East => (y, 1.0 - x),
        Side::South => (1.0 - x, 1.0 - y),
        Side::West => (1.0 - y, x),
    }
}

fn in_cap(side: Side, depth: f32, x: f32, y: f32) -> bool {
    let (along, away) = along_and_away(side, x, y);
    away < depth * (1.0 - (2.0 * along - 1.0).abs().powf(BEND))
}

/// The place before the middle of a side, so far away from it.
fn on(side: Side, away: f32) -> (f32, f32) {
    let ((mx, my), (dx, dy)) = (side.midpoint(), inward(side));
    (mx + away * dx, my + away * dy)
}

/// The step from a side into the tile.
fn inward(side: Side) -> (f32, f32) {
    let (mx, my) = side.midpoint();
    ((0.5 - mx) * 2.0, (0.5 - my) * 2.0)
}

/// The middle of a place of the coarse grid.
fn place(i: usize) -> (f32, f32) {
    let at = |v: usize| (v as f32 + 0.5) / COARSE as f32;
    (at(i % COARSE), at(i / COARSE))
}

/// The places beside a place of the coarse grid.
fn beside(i: usize) -> [Option<usize>; 4] {
    let (c, r) = (i % COARSE, i / COARSE);
    [
        (c > 0).then(|| i - 1),
        (c + 1 < COARSE).then(|| i + 1),
        (r > 0).then(|| i - COARSE),
        (r + 1 < COARSE).then(|| i + COARSE),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::classic::base_deck;
    use crate::studio::random_deck;

    #[test]
    fn without_curved_walls_decks_are_laid_out_as_the_face_map_has_them() {
        for tile in base_deck().tiles.into_iter().chain(random_deck(3).tiles) {
            let face = tile.face.unwrap();
            let (map, shapes) = (FaceMap::new(&face), Shapes::new(&face, false));
            for (i, label) in shapes.labels.iter().enumerate() {
                let (x, y) = place(i);
                let area = map.segment_at(x, y).filter(|s| !face.segments()[*s].kind.is_line());
                assert_eq!(area, (*label != NONE).then_some(usize::from(*label)), "{}", tile.id);
            }
            assert_eq!((shapes.reach, shapes.stubs.len(), shapes.gates.len()), ([0.5; 4], 0, 0));
        }
    }

    #[test]
    fn a_road_that_parts_fields_before_a_city_leads_to_its_gate() {
        let shapes = |text: &str| Shapes::new(&text.parse().unwrap(), true);
        assert_eq!(shapes("city n; road e; field el; field er-s-w").stubs.len(), 1);
        let junction = "road e; road s; road w; city n; field el-wr; field sr-wl; field er-sl";
        assert_eq!(shapes(junction).gates.len(), 0);
        assert_eq!(shapes("road s; city n-e-w; field sl; field sr").gates.len(), 1);
    }
}
