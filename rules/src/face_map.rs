//! Where on a tile each segment lies: from its ports alone, or as it is printed.

use super::face::{Face, Segment};
use super::kind::Kind;
use super::port::{Port, PortSet, Side};

/// The layout of a face: which segment holds which place of the tile.
///
/// In the canonical layout ([`FaceMap::new`]) lines, such as roads, run along a canonical
/// line (straight, a quarter circle, or arms to the centre); all other places belong to the
/// segment whose half-side is nearest without crossing such a line. The studio draws by it.
/// A printed tile differs in detail: [`FaceMap::printed`] follows what is seen of its print.
/// A follower's place is read with either; near a border it is doubtful.
#[derive(Clone, Debug)]
pub struct FaceMap {
    labels: Vec<u8>,
    anchors: Vec<(f32, f32)>,
}

/// No segment.
const NONE: u8 = u8::MAX;

/// In the layout of a print: no place is less likely of a kind than this, so that a few
/// places that are seen wrongly don't part a segment.
const LEAST_LIKELY: f32 = 0.02;
/// By how many natural logarithms of likelihood a tile side of way from its ports makes a
/// place less a segment's: it only decides between segments of one kind.
const FARTHER: f32 = 2.0;
/// The same for each tile side of way from where the canonical layout has the segment: what
/// is seen of a print may be wrong, and few prints are far from the canonical layout.
const UNUSUAL: f32 = 12.0;
/// How much longer the way is over a place that surely shows something else.
const DETOUR: f32 = 12.0;
/// A segment with fewer places, of 48 by 48, is not seen on the print.
const LEAST_PLACES: usize = 12;

impl FaceMap {
    /// Places a side of the grid.
    pub const SIZE: usize = 48;
    /// Half the width of a line, in tile sides.
    pub const LINE_HALF_WIDTH: f32 = 0.085;
    /// How far a line runs that is ended by an area that runs through its tile, in tile sides.
    const ENDED_LINE: f32 = 0.21;
    /// The radius of a thing in the middle that has no port, such as a cloister, in tile
    /// sides.
    pub const INNER_RADIUS: f32 = 0.2;
    /// The same where there are several such things on a tile, and how far from the middle
    /// each is then.
    const INNER_OF_SEVERAL: (f32, f32) = (0.12, 0.2);

    /// Lays out a face.
    pub fn new(face: &Face) -> FaceMap {
        const N: usize = FaceMap::SIZE;
        let mut labels = vec![NONE; N * N];
        let centre = |i: usize| (i as f32 + 0.5) / N as f32;
        let inner = FaceMap::inner(face);
        for row in 0..N {
            for col in 0..N {
                let (x, y) = (centre(col), centre(row));
                let nearest = (0..face.segments().len())
                    .filter_map(|i| Some((i, FaceMap::line_distance(face, i, x, y)?)))
                    .min_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((i, distance)) = nearest
                    && distance <= FaceMap::LINE_HALF_WIDTH
                {
                    labels[row * N + col] = i as u8;
                }
                for (i, (mx, my), radius) in &inner {
                    if (x - mx).hypot(y - my) <= *radius {
                        labels[row * N + col] = *i as u8;
                    }
                }
            }
        }
        FaceMap::grow(face, &mut labels);
        let anchors = (0..face.segments().len()).map(|i| FaceMap::pole(&labels, i as u8)).collect();
        FaceMap { labels, anchors }
    }

    /// The segments that have no port, with middle and radius of each: one is in the middle of
    /// the tile, several are round it, clockwise from the upper left.
    fn inner(face: &Face) -> Vec<(usize, (f32, f32), f32)> {
        let without: Vec<usize> =
            (0..face.segments().len()).filter(|i| face.segments()[*i].ports.is_empty()).collect();
        if let [only] = without[..] {
            return vec![(only, (0.5, 0.5), FaceMap::INNER_RADIUS)];
        }
        let (radius, away) = FaceMap::INNER_OF_SEVERAL;
        let turn = std::f32::consts::TAU / without.len().max(1) as f32;
        let middle = |place: usize| {
            let angle = turn * place as f32 - 0.75 * std::f32::consts::PI;
            (0.5 + away * angle.cos(), 0.5 + away * angle.sin())
        };
        without.into_iter().enumerate().map(|(place, i)| (i, middle(place), radius)).collect()
    }

    /// Lays out a face by what is seen of its print: `likely` says how likely the place in a
    /// column and row of [`FaceMap::SIZE`] by as many shows a kind, 0 to 1. Each place belongs
    /// to the segment that it is likeliest to show and that is reached from its ports without
    /// crossing what shows something else. `None` where the print does not show each segment:
    /// then the face is not that of the print, and the canonical layout is as good.
    pub fn printed(face: &Face, likely: impl Fn(usize, usize, Kind) -> f32) -> Option<FaceMap> {
        const N: usize = FaceMap::SIZE;
        let canonical = FaceMap::new(face);
        let mut kinds: Vec<Kind> = face.segments().iter().map(|s| s.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut labels = vec![NONE; N * N];
        let mut best = vec![f32::INFINITY; N * N];
        for kind in kinds {
            let shows: Vec<f32> =
                (0..N * N).map(|i| likely(i % N, i / N, kind).clamp(LEAST_LIKELY, 1.0)).collect();
            for (i, segment) in face.segments().iter().enumerate().filter(|(_, s)| s.kind == kind) {
                let away = walked(&seeds(segment, &canonical, i), &shows);
                let own: Vec<usize> =
                    (0..N * N).filter(|place| usize::from(canonical.labels[*place]) == i).collect();
                let off = walked(&own, &[1.0; N * N]);
                for place in 0..N * N {
                    let cost = FARTHER * away[place] + UNUSUAL * off[place] - shows[place].ln();
                    if cost < best[place] {
                        best[place] = cost;
                        labels[place] = i as u8;
                    }
                }
            }
        }
        let held = |i: usize| labels.iter().filter(|l| usize::from(**l) == i).count();
        if (0..face.segments().len()).any(|i| held(i) < LEAST_PLACES) {
            return None;
        }
        let anchors = (0..face.segments().len()).map(|i| FaceMap::pole(&labels, i as u8)).collect();
        Some(FaceMap { labels, anchors })
    }

    /// How far the arms of a line run into the tile, in tile sides: to its middle, or up to
    /// the area that runs through beside it and ends it ([`Kind::ended_by`]).
    pub fn reach(face: &Face, segment: usize) -> f32 {
        let line = &face.segments()[segment];
        let Some(side) = line.ports.iter().next().map(Port::side).filter(|_| line.ports.len() == 1) else {
            return 0.5;
        };
        let beside = [1, 3].map(|turn| PortSet::halves(Side::from_index(side.index() + turn)));
        let through = beside[0].union(beside[1]);
        let ends = |s: &Segment| line.kind.ended_by() == Some(s.kind) && s.ports == through;
        if face.segments().iter().any(ends) { FaceMap::ENDED_LINE } else { 0.5 }
    }

    /// The distance from a place to the canonical line of a segment, in tile
    /// sides; `None` for a segment that is no line.
    pub fn line_distance(face: &Face, segment: usize, x: f32, y: f32) -> Option<f32> {
        let reach = 2.0 * FaceMap::reach(face, segment);
        let segment = &face.segments()[segment];
        if !segment.kind.is_line() {
            return None;
        }
        let mut sides = segment.ports.iter().map(Port::side);
        if let (Some(a), Some(b), None) = (sides.next(), sides.next(), sides.next())
            && a.opposite() != b
        {
            let (ax, ay) = a.midpoint();
            let (bx, by) = b.midpoint();
            let (cx, cy) = (ax + bx - 0.5, ay + by - 0.5);
            return Some(((x - cx).hypot(y - cy) - 0.5).abs());
        }
        segment
            .ports
            .iter()
            .map(|port| {
                let (mx, my) = port.side().midpoint();
                let (dx, dy) = (0.5 - mx, 0.5 - my);
                let t = (((x - mx) * dx + (y - my) * dy) / 0.25).clamp(0.0, reach);
                (x - mx - t * dx).hypot(y - my - t * dy)
            })
            .min_by(f32::total_cmp)
    }

    /// The segment at a place of the upright tile; x grows right, y down, both
    /// 0 to 1. Places outside give `None`.
    pub fn segment_at(&self, x: f32, y: f32) -> Option<usize> {
        let index = |v: f32| (v * FaceMap::SIZE as f32).floor();
        let (col, row) = (index(x), index(y));
        let inside = 0.0..FaceMap::SIZE as f32;
        if !inside.contains(&col) || !inside.contains(&row) {
            return None;
        }
        let label = self.labels[row as usize * FaceMap::SIZE + col as usize];
        (label != NONE).then_some(label as usize)
    }

    /// The place of a segment that is farthest from all others and from the
    /// tile's border: where a follower is put. x and y in tile sides.
    pub fn anchor(&self, segment: usize) -> (f32, f32) {
        self.anchors[segment]
    }

    /// How many segments the face has.
    pub fn segments(&self) -> usize {
        self.anchors.len()
    }

    /// Gives every free place to the segment of the nearest half-side, walking
    /// round lines; places that no half-side reaches fall to a neighbour.
    fn grow(face: &Face, labels: &mut [u8]) {
        const N: usize = FaceMap::SIZE;
        let mut cost = vec![f32::INFINITY; N * N];
        let mut heap = std::collections::BinaryHeap::new();
        for port in Port::ALL.into_iter().filter(|p| !p.is_middle()) {
            let Some(segment) = face.at(port) else { continue };
            for i in 0..N {
                let along = match port.side() {
                    Side::North | Side::East => i,
                    Side::South | Side::West => N - 1 - i,
                };
                if (along < N / 2) != (port.index() % 3 == 0) {
                    continue;
                }
                let (col, row) = match port.side() {
                    Side::North => (i, 0),
                    Side::East => (N - 1, i),
                    Side::South => (i, N - 1),
                    Side::West => (0, i),
                };
                heap.push(Step { cost: 0.0, place: row * N + col, label: segment as u8 });
            }
        }
        let mut passes = 0;
        loop {
            while let Some(Step { cost: c, place, label }) = heap.pop() {
                if labels[place] != NONE || cost[place] <= c {
                    continue;
                }
                cost[place] = c;
                labels[place] = label;
                let (col, row) = ((place % N) as i32, (place / N) as i32);
                for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
                    let (x, y) = (col + dx, row + dy);
                    if (0..N as i32).contains(&x) && (0..N as i32).contains(&y) {
                        let to = y as usize * N + x as usize;
                        let corner_cut = dx != 0
                            && dy != 0
                            && (line_at(face, labels[row as usize * N + x as usize])
                                || line_at(face, labels[y as usize * N + col as usize]));
                        if labels[to] == NONE && !corner_cut {
                            heap.push(Step { cost: c + (dx as f32).hypot(dy as f32), place: to, label });
                        }
                    }
                }
            }
            passes += 1;
            if passes > 1 || !labels.contains(&NONE) {
                return;
            }
            for place in 0..N * N {
                let col = place % N;
                if labels[place] != NONE {
                    for (ok, to) in [
                        (col > 0, place.wrapping_sub(1)),
                        (col + 1 < N, place + 1),
                        (place >= N, place.wrapping_sub(N)),
                        (place + N < N * N, place + N),
                    ] {
                        if ok && labels[to] == NONE {
                            heap.push(Step { cost: 0.0, place: to, label: labels[place] });
                        }
                    }
                }
            }
        }
    }

    fn pole(labels: &[u8], label: u8) -> (f32, f32) {
        const N: usize = FaceMap::SIZE;
        let mut best = (-1.0, (0.5, 0.5));
        for row in 0..N {
            for col in 0..N {
                if labels[row * N + col] != label {
                    continue;
                }
                let border = col.min(row).min(N - 1 - col).min(N - 1 - row) as f32 + 1.0;
                if border <= best.0 {
                    continue;
                }
                let mut distance = border;
                let reach = 16_usize;
                'near: for y in row.saturating_sub(reach)..(row + reach).min(N) {
                    for x in col.saturating_sub(reach)..(col + reach).min(N) {
                        if labels[y * N + x] != label {
                            distance = distance.min((x as f32 - col as f32).hypot(y as f32 - row as f32));
                            if distance <= best.0 {
                                break 'near;
                            }
                        }
                    }
                }
                if distance > best.0 {
                    best = (distance, ((col as f32 + 0.5) / N as f32, (row as f32 + 0.5) / N as f32));
                }
            }
        }
        best.1
    }
}

/// The places at a segment's ports; of one that has none, those that it has canonically.
fn seeds(segment: &Segment, canonical: &FaceMap, index: usize) -> Vec<usize> {
    const N: usize = FaceMap::SIZE;
    let at = |side: Side, along: usize| match side {
        Side::North => along,
        Side::East => along * N + N - 1,
        Side::South => (N - 1) * N + N - 1 - along,
        Side::West => (N - 1 - along) * N,
    };
    if segment.ports.is_empty() {
        return (0..N * N).filter(|place| usize::from(canonical.labels[*place]) == index).collect();
    }
    let of = |port: Port| {
        // Clockwise along the side.
        let along = match port.index() % 3 {
            0 => 0..N / 2,
            1 => N / 2 - N / 12..N / 2 + N / 12,
            _ => N / 2..N,
        };
        along.map(move |i| at(port.side(), i))
    };
    segment.ports.iter().flat_map(of).collect()
}

/// How far all places are from some, in tile sides, where the way over a place is the longer
/// the less likely it shows what is sought.
fn walked(from: &[usize], shows: &[f32]) -> Vec<f32> {
    const N: usize = FaceMap::SIZE;
    let mut away = vec![f32::INFINITY; N * N];
    let pace = |place: usize| (1.0 + DETOUR * (1.0 - shows[place])) / N as f32;
    let mut heap: std::collections::BinaryHeap<Step> =
        from.iter().map(|place| Step { cost: pace(*place), place: *place, label: NONE }).collect();
    while let Some(Step { cost, place, .. }) = heap.pop() {
        if away[place] <= cost {
            continue;
        }
        away[place] = cost;
        let (col, row) = ((place % N) as i32, (place / N) as i32);
        for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
            let (x, y) = (col + dx, row + dy);
            if (0..N as i32).contains(&x) && (0..N as i32).contains(&y) {
                let to = y as usize * N + x as usize;
                let next = cost + pace(to) * (dx as f32).hypot(dy as f32);
                if next < away[to] {
                    heap.push(Step { cost: next, place: to, label: NONE });
                }
            }
        }
    }
    away
}

fn line_at(face: &Face, label: u8) -> bool {
    label != NONE && face.segments()[label as usize].kind.is_line()
}

/// A place still to be reached, nearest first.
struct Step {
    cost: f32,
    place: usize,
    label: u8,
}

impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Step {}
impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Step) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Step {
    fn cmp(&self, other: &Step) -> std::cmp::Ordering {
        other.cost.total_cmp(&self.cost).then(other.place.cmp(&self.place)).then(other.label.cmp(&self.label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_a_segment_and_every_anchor_is_its_own() {
        for text in [
            "tower n-el-wr; path e-s +fountain; court er-sl +market; court sr-wl",
            "path n +square; path e +square; path s +square; house nr-el; court nl-w-sr; court er-sl",
            "city n; road e-w; field el-wr; field er-s-wl",
            "cloister; road s; field n-e-s-w",
            "house nl; court nr-e-s-w",
            "city e-w; city n-s; field; field",
            "carcassonne n-e-s-w; castle; market; blacksmith; cathedral",
        ] {
            let face: Face = text.parse().unwrap();
            let map = FaceMap::new(&face);
            assert!(!map.labels.contains(&NONE), "{text}");
            for i in 0..face.segments().len() {
                let (x, y) = map.anchor(i);
                assert_eq!(map.segment_at(x, y), Some(i), "{text}: segment {i}");
            }
            assert_eq!(map.segment_at(1.5, 0.5), None);
        }
    }

    #[test]
    fn a_print_that_is_canonical_is_laid_out_canonically() {
        for text in [
            "tower n-el-wr; path e-s +fountain; court er-sl +market; court sr-wl",
            "path n +square; path e +square; path s +square; house nr-el; court nl-w-sr; court er-sl",
            "city n; road e-w; field el-wr; field er-s-wl",
            "cloister; road s; field n-e-s-w",
        ] {
            let face: Face = text.parse().unwrap();
            let map = FaceMap::new(&face);
            let shows = |col: usize, row: usize, kind: Kind| {
                let label = map.labels[row * FaceMap::SIZE + col];
                if face.segments()[usize::from(label)].kind == kind { 0.9 } else { 0.05 }
            };
            let printed = FaceMap::printed(&face, shows).unwrap();
            let other = map.labels.iter().zip(&printed.labels).filter(|(a, b)| a != b).count();
            assert!(other < 60, "{text}: {other} places");
        }
    }

    #[test]
    fn what_is_printed_elsewhere_is_laid_out_there() {
        // Canonically the house has the upper half; it is printed as a small corner only, and
        // the court has the rest.
        let face: Face = "house n; court e-s-w".parse().unwrap();
        let shows = |col: usize, row: usize, kind: Kind| {
            let is_house = row < 10 && col > 4 && col < 44;
            if is_house == (kind == Kind::HOUSE) { 0.95 } else { 0.03 }
        };
        let map = FaceMap::printed(&face, shows).unwrap();
        assert_eq!(FaceMap::new(&face).segment_at(0.5, 0.3), Some(0));
        assert_eq!((map.segment_at(0.5, 0.1), map.segment_at(0.5, 0.3)), (Some(0), Some(1)));
        assert!(map.anchor(0).1 < 0.2);
        // A print without any house is none of this face.
        assert!(FaceMap::printed(&face, |_, _, kind| f32::from(u8::from(kind == Kind::COURT))).is_none());
    }

    #[test]
    fn a_line_ends_before_an_area_that_runs_through() {
        let face: Face = "city e-w; road n; road s; field nl; field nr; field sl; field sr".parse().unwrap();
        let map = FaceMap::new(&face);
        assert_eq!([0.1, 0.9].map(|y| map.segment_at(0.5, y)), [Some(1), Some(2)]);
        assert!(map.anchor(1).1 < 0.25 && map.anchor(2).1 > 0.75);
        let face: Face = "road s; city n-e-w; field sl; field sr".parse().unwrap();
        assert_eq!(FaceMap::new(&face).segment_at(0.5, 0.55), Some(0));
    }

    #[test]
    fn a_curve_parts_its_corner_from_the_rest() {
        let face: Face = "path n-e; court nr-el; house nl-w-s-er".parse().unwrap();
        let map = FaceMap::new(&face);
        assert_eq!(map.segment_at(0.9, 0.1), Some(1));
        assert_eq!(map.segment_at(0.52, 0.48), Some(2));
        assert_eq!(map.segment_at(0.646, 0.354), Some(0));
    }
}
