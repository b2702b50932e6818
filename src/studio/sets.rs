//! Random decks and walls that obey every rule for decks and walls.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::rules::castle::validate::{
    CORNER_TOWERS, DECK_MARKETS, DECK_TILES, START_SPACES, TRACK_SPACES, WALL_CELLS, canonical,
};
use crate::rules::{
    Attribute, Attributes, Cell, Corner, Deck, Face, FaceMap, Game, Kind, Port, PortSet, Rotation, Segment,
    Side, StartSpace, Tile, TrackPoint, Wall,
};

/// A deck of 60 castle tiles, no two alike in any rotation. The same seed gives
/// the same deck.
pub fn random_deck(seed: u64) -> Deck {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut seen = std::collections::HashSet::new();
    let mut tiles = Vec::new();
    while tiles.len() < DECK_TILES {
        let face = random_face(&mut rng);
        if seen.insert(canonical(&face)) {
            tiles.push(Tile {
                id: format!("t{:02}", tiles.len() + 1),
                face: Some(face),
                doubts: Vec::new(),
                count: 1,
            });
        }
    }
    let mut at = 0;
    while markets(&tiles) < DECK_MARKETS && at < tiles.len() {
        if let Some(face) = tiles[at].face.as_ref().and_then(with_market)
            && seen.insert(canonical(&face))
        {
            tiles[at].face = Some(face);
        }
        at += 1;
    }
    Deck::new(format!("random {seed}"), Game::Castle, tiles)
}

fn markets(tiles: &[Tile]) -> u32 {
    let segments = tiles.iter().filter_map(|t| t.face.as_ref()).flat_map(|f| f.segments());
    segments.map(|s| u32::from(s.attributes.count(Attribute::MARKET))).sum()
}

fn with_market(face: &Face) -> Option<Face> {
    let mut segments = face.segments().to_vec();
    let court = segments.iter_mut().find(|s| s.kind == Kind::COURT)?;
    court.attributes = court.attributes.with(Attribute::MARKET, 1);
    Face::new(segments).ok()
}

/// A face: paths first, then the halves between them cut into runs of houses,
/// towers and courts.
fn random_face(rng: &mut Pcg64Mcg) -> Face {
    let mut segments = Vec::new();
    let mut sides = Side::ALL;
    sides.shuffle(rng);
    let arms = *[0, 1, 1, 2, 2, 2, 2, 3, 3, 4].choose(rng).unwrap_or(&2);
    let middles = |sides: &[Side]| sides.iter().map(|s| Port::middle(*s)).collect::<PortSet>();
    let path = |ports, attributes| Segment { kind: Kind::PATH, ports, attributes };
    let square = Attributes::NONE.with(Attribute::SQUARE, 1);
    match arms {
        0 => {}
        1 | 2 => {
            let fountain = u8::from(rng.random_bool(0.2));
            let attributes = Attributes::NONE.with(Attribute::FOUNTAIN, fountain);
            segments.push(path(middles(&sides[..arms]), attributes));
        }
        _ if rng.random_bool(0.65) => {
            segments.extend(sides[..arms].iter().map(|s| path(middles(&[*s]), square)));
        }
        _ => {
            let fountain = u8::from(rng.random_bool(0.2));
            let attributes = Attributes::NONE.with(Attribute::FOUNTAIN, fountain);
            segments.push(path(middles(&sides[..arms]), attributes));
        }
    }
    let cuts_at: Vec<Port> = segments.iter().flat_map(|s| s.ports.iter()).collect();
    let halves: Vec<Port> = Port::ALL.into_iter().filter(|p| !p.is_middle()).collect();
    let mut groups: Vec<PortSet> = Vec::new();
    let first = rng.random_range(0..halves.len());
    for i in 0..halves.len() {
        let port = halves[(first + i) % halves.len()];
        let by_path = port.index() % 3 == 2 && cuts_at.contains(&Port::middle(port.side()));
        let cut = if by_path {
            arms != 1
        } else if port.index() % 3 == 2 {
            rng.random_bool(0.2)
        } else {
            rng.random_bool(0.4)
        };
        match groups.last_mut() {
            Some(group) if !cut => *group = group.with(port),
            _ => groups.push(PortSet::EMPTY.with(port)),
        }
    }
    let mut last = None;
    for ports in groups {
        let kinds =
            [Kind::HOUSE, Kind::HOUSE, Kind::TOWER, Kind::TOWER, Kind::COURT, Kind::COURT, Kind::COURT];
        let kind = match kinds.choose(rng) {
            Some(k) if Some(*k) != last => *k,
            _ => Kind::COURT,
        };
        last = Some(kind);
        let markets = u8::from(kind == Kind::COURT && rng.random_bool(0.18));
        segments.push(Segment { kind, ports, attributes: Attributes::NONE.with(Attribute::MARKET, markets) });
    }
    parted(&Face::new(segments).unwrap_or_default())
}

/// The face with each area cut into the pieces that hang together: a path that ends
/// at another area parts what lies on its two sides (CA-102). What is printed on an
/// area stays with its first piece.
fn parted(face: &Face) -> Face {
    const N: usize = FaceMap::SIZE;
    let map = FaceMap::new(face);
    let at = |i: usize| (i as f32 + 0.5) / N as f32;
    let labels: Vec<Option<usize>> = (0..N * N).map(|i| map.segment_at(at(i % N), at(i / N))).collect();
    let mut pieces = vec![None; N * N];
    for start in 0..N * N {
        if pieces[start].is_some() {
            continue;
        }
        pieces[start] = Some(start);
        let mut open = vec![start];
        while let Some(i) = open.pop() {
            let near = [
                (i % N > 0).then(|| i - 1),
                (i % N + 1 < N).then_some(i + 1),
                i.checked_sub(N),
                Some(i + N).filter(|j| *j < N * N),
            ];
            for j in near.into_iter().flatten() {
                if pieces[j].is_none() && labels[j] == labels[i] {
                    pieces[j] = Some(start);
                    open.push(j);
                }
            }
        }
    }
    let piece = |port: Port| {
        let along = if port.index().is_multiple_of(3) { N / 4 } else { N - 1 - N / 4 };
        let (col, row) = match port.side() {
            Side::North => (along, 0),
            Side::East => (N - 1, along),
            Side::South => (N - 1 - along, N - 1),
            Side::West => (0, N - 1 - along),
        };
        pieces[row * N + col]
    };
    let mut segments: Vec<Segment> = Vec::new();
    for segment in face.segments() {
        if segment.kind.is_line() {
            segments.push(*segment);
            continue;
        }
        let (mut rest, mut attributes) = (segment.ports, segment.attributes);
        while let Some(first) = rest.iter().next() {
            let ports: PortSet = rest.iter().filter(|p| piece(*p) == piece(first)).collect();
            segments.push(Segment { kind: segment.kind, ports, attributes });
            rest = rest.iter().filter(|p| !ports.contains(*p)).collect();
            attributes = Attributes::default();
        }
    }
    Face::new(segments).unwrap_or_default()
}

/// A wall of 76 cells with 9 convex and 5 reflex corners, its score track and 7
/// start spaces. The same seed gives the same wall.
pub fn random_wall(seed: u64) -> Wall {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    loop {
        let outline = random_outline(&mut rng);
        if let Some(wall) = build_wall(&mut rng, seed, outline) {
            return wall;
        }
    }
}

/// A rectangle with corners cut off and nooks cut in.
fn random_outline(rng: &mut Pcg64Mcg) -> Vec<String> {
    let (cols, rows) = (rng.random_range(8..=11_usize), rng.random_range(8..=11_usize));
    let mut grid = vec![vec![true; cols]; rows];
    let mut clear = |left: usize, top: usize, width: usize, height: usize| {
        for line in grid.iter_mut().skip(top).take(height) {
            for cell in line.iter_mut().skip(left).take(width) {
                *cell = false;
            }
        }
    };
    let nooks = rng.random_range(0..=2);
    let mut corners = [0, 1, 2, 3];
    corners.shuffle(rng);
    for corner in corners.into_iter().take(5 - 2 * nooks) {
        let (w, h) = (rng.random_range(1..=4), rng.random_range(1..=4));
        let left = if corner % 2 == 0 { 0 } else { cols - w };
        let top = if corner < 2 { 0 } else { rows - h };
        clear(left, top, w, h);
    }
    for _ in 0..nooks {
        let (w, d) = (rng.random_range(2..=4_usize), rng.random_range(1..=2_usize));
        let (across, down) = (rng.random_range(1..cols - w), rng.random_range(1..rows - w));
        match rng.random_range(0..4) {
            0 => clear(across, 0, w, d),
            1 => clear(across, rows - d, w, d),
            2 => clear(0, down, d, w),
            _ => clear(cols - d, down, d, w),
        }
    }
    grid.iter().map(|l| l.iter().map(|c| if *c { '#' } else { '.' }).collect()).collect()
}

fn build_wall(rng: &mut Pcg64Mcg, seed: u64, outline: Vec<String>) -> Option<Wall> {
    let thickness = rng.random_range(0.5..0.62_f32);
    let mut wall = Wall {
        name: format!("random {seed}"),
        note: String::new(),
        outline,
        towers: Vec::new(),
        thickness,
        track: Vec::new(),
        starts: Vec::new(),
    };
    let mut ring = wall.ring();
    let border: usize = ring.iter().map(|c| c.length as usize).sum();
    let cells = wall.cells();
    let in_all = cells.iter().flat_map(|c| Side::ALL.map(|s| c.neighbour(s)));
    if cells.len() != WALL_CELLS
        || ring.len() != CORNER_TOWERS
        || ring.iter().filter(|c| c.convex).count() != 9
        || border != in_all.filter(|c| !wall.contains(*c)).count()
        || pinched(&wall)
    {
        return None;
    }
    let first = rng.random_range(0..ring.len());
    ring.rotate_left(first);
    let spaces = share_spaces(&ring, thickness)?;
    let depth = thickness * rng.random_range(0.5..0.62);
    lay_track(&mut wall, &ring, &spaces, depth, |spread| rng.random_range(-spread..=spread));
    wall.starts = random_starts(rng, &ring)?;
    Some(wall)
}

/// Whether two parts of the wall would overlap: a gap one cell wide outside, or
/// cells that touch by a corner only.
fn pinched(wall: &Wall) -> bool {
    let (cols, rows) = wall.size();
    let inside = |c: i32, r: i32| wall.contains(Cell::new(c as i8, r as i8));
    (-1..=rows as i32).any(|r| {
        (-1..=cols as i32).any(|c| {
            let gap = !inside(c, r)
                && (inside(c - 1, r) && inside(c + 1, r) || inside(c, r - 1) && inside(c, r + 1));
            let diagonal = inside(c, r) == inside(c + 1, r + 1)
                && inside(c + 1, r) == inside(c, r + 1)
                && inside(c, r) != inside(c + 1, r);
            gap || diagonal
        })
    })
}

/// How much of a run is left for plain spaces: a reflex corner's tower stands
/// on the first or last bit of it.
fn free_length(ring: &[Corner], run: usize, thickness: f32) -> f32 {
    let next = &ring[(run + 1) % ring.len()];
    let taken = [ring[run].convex, next.convex].into_iter().filter(|convex| !convex).count();
    f32::from(ring[run].length) - taken as f32 * thickness
}

/// Shares the plain spaces out over the runs by their length, at least one each.
fn share_spaces(ring: &[Corner], thickness: f32) -> Option<Vec<usize>> {
    let lengths: Vec<f32> = (0..ring.len()).map(|i| free_length(ring, i, thickness)).collect();
    if lengths.iter().any(|l| *l < 0.35) {
        return None;
    }
    let mut spaces = vec![1; ring.len()];
    for _ in 0..TRACK_SPACES - 2 * CORNER_TOWERS - ring.len() {
        let longest = |i: &usize| lengths[*i] / (spaces[*i] as f32 + 0.5);
        let run = (0..ring.len()).max_by(|a, b| longest(a).total_cmp(&longest(b)))?;
        spaces[run] += 1;
    }
    Some(spaces)
}

/// Lays towers and track points: `depth` is how far outside the inner border
/// the middles lie, `jitter` gives a number between minus and plus its argument.
fn lay_track(
    wall: &mut Wall,
    ring: &[Corner],
    spaces: &[usize],
    depth: f32,
    mut jitter: impl FnMut(f32) -> f32,
) {
    let thickness = wall.thickness;
    for (run, corner) in ring.iter().enumerate() {
        let (dx, dy) = corner.direction();
        let (dx, dy) = (f32::from(dx), f32::from(dy));
        let (ox, oy) = corner.side.step();
        let (ox, oy) = (f32::from(ox), f32::from(oy));
        let (x, y) = (f32::from(corner.x), f32::from(corner.y));
        let space = wall.track.len() as u8;
        wall.towers.push((space, space + 1));
        let along = if corner.convex { -0.5 } else { 0.5 } * thickness;
        let (cx, cy) = (x + along * dx + 0.5 * thickness * ox, y + along * dy + 0.5 * thickness * oy);
        let off = 0.24 * thickness;
        // The first of the pair lies towards the run that ends here.
        let before = if corner.convex { (-ox, -oy) } else { (ox, oy) };
        wall.track.push(TrackPoint { x: cx + off * before.0, y: cy + off * before.1 });
        wall.track.push(TrackPoint { x: cx + off * dx, y: cy + off * dy });
        let begin = if corner.convex { 0.0 } else { thickness };
        let length = free_length(ring, run, thickness) / spaces[run] as f32;
        for i in 0..spaces[run] {
            let t = begin + (i as f32 + 0.5) * length + jitter(0.05 * length);
            let d = depth + jitter(0.02 * thickness);
            wall.track.push(TrackPoint { x: x + t * dx + d * ox, y: y + t * dy + d * oy });
        }
    }
    for p in &mut wall.track {
        p.x = (p.x * 1000.0).round() / 1000.0;
        p.y = (p.y * 1000.0).round() / 1000.0;
    }
}

/// Seven start spaces on different sides of different cells, in runs that have
/// room for them.
fn random_starts(rng: &mut Pcg64Mcg, ring: &[Corner]) -> Option<Vec<StartSpace>> {
    let mut contents = [
        "path n; court nl +market; court nr",
        "tower n",
        "house n",
        "court n +market",
        "path n; tower nl; house nr",
    ]
    .map(str::to_owned)
    .to_vec();
    let kinds = ["path n", "tower n", "house n", "court n", "tower nl; court nr", "house nl; court nr"];
    contents.extend((0..2).filter_map(|_| kinds.choose(rng)).map(|t| (*t).to_owned()));
    contents.shuffle(rng);
    let mut places: Vec<(Cell, Side)> = Vec::new();
    for (run, corner) in ring.iter().enumerate() {
        let end_convex = ring[(run + 1) % ring.len()].convex;
        let cells: Vec<Cell> = corner.cells().collect();
        let from = usize::from(!corner.convex);
        let to = cells.len() - usize::from(!end_convex);
        places.extend(cells.get(from..to).unwrap_or_default().iter().map(|c| (*c, corner.side)));
    }
    places.shuffle(rng);
    let mut starts: Vec<StartSpace> = Vec::new();
    for (cell, side) in places {
        let near = |s: &StartSpace| (s.cell.col - cell.col).abs().max((s.cell.row - cell.row).abs()) < 2;
        if starts.iter().any(near) {
            continue;
        }
        let Some(text) = contents.pop() else { break };
        let face: Face = text.parse().ok()?;
        let face = face.turned(Rotation::new(side.opposite().index() as u8));
        starts.push(StartSpace { cell, side, face });
    }
    starts.sort_by_key(|s| (s.cell, s.side));
    (starts.len() == START_SPACES).then_some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::castle::validate::{check_deck, check_wall};

    #[test]
    fn a_path_that_ends_at_a_building_parts_what_lies_beside_it() {
        for (face, laid) in [
            ("path n; court n +market; house e-s-w", "path n; court nl +market; court nr; house e-s-w"),
            ("path s; tower n; court e-s-w", "path s; tower n; court el-er-sl; court sr-w"),
            ("path s; house n-e-s-w", "path s; house n-e-s-w"),
            ("path n-s; court nr-e-sl; tower sr-w-nl", "path n-s; court nr-e-sl; tower sr-w-nl"),
        ] {
            let parted = parted(&face.parse().unwrap());
            assert_eq!(canonical(&parted), canonical(&laid.parse().unwrap()), "{face}: {parted}");
        }
    }

    #[test]
    fn random_sets_are_whole() {
        for seed in 0..20 {
            let wall = random_wall(seed);
            assert_eq!(check_wall(&wall), []);
            assert_eq!(wall, random_wall(seed));
            let deck = random_deck(seed);
            assert_eq!(check_deck(&deck), []);
            assert_eq!(deck, random_deck(seed));
        }
        assert_ne!(random_wall(1), random_wall(2));
    }
}
