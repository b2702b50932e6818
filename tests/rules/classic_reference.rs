//! The classic game scored by a slow scorer that works everything out anew from the
//! tiles that lie, by flood fill, and held against the engine. It shares only faces with
//! it.

use std::collections::{BTreeMap, BTreeSet};

use castellan::rules::classic::{Position, Switches, base_deck, play_out};
use castellan::rules::{
    Attribute, Attributes, Boundary, Cell, Deck, Face, FeatureView, Game, Kind, Move, Names, Phase, Player,
    Port, PortSet, Rotation, Score, Segment, SegmentAt, Side, Tile,
};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Random games that are compared, and how many of them with
/// `CASTELLAN_LONG_TESTS=1`.
const GAMES: u64 = 120;
const LONG_GAMES: u64 = 5_000;

/// A segment of the tile in a cell.
pub type Spot = (Cell, usize);

/// A feature found by flood fill.
pub struct Area {
    pub kind: Kind,
    pub spots: BTreeSet<Spot>,
    /// Empty cells that it runs into; round a cloister, those that wait for a tile.
    pub open: BTreeSet<Cell>,
    pub pennants: u32,
}

impl Area {
    pub fn cells(&self) -> BTreeSet<Cell> {
        self.spots.iter().map(|spot| spot.0).collect()
    }
}

/// The tiles as they lie, faces already turned, who stands where, and the points.
pub struct Ledger {
    pub tiles: BTreeMap<Cell, Face>,
    /// Player and where; in the order in which they were put.
    pub followers: Vec<(usize, Spot)>,
    pub totals: Vec<u32>,
    pub switches: Switches,
}

fn beside(cell: Cell, col: i8, row: i8) -> Cell {
    Cell::new(cell.col + col, cell.row + row)
}

/// The eight cells round a cell.
fn around(cell: Cell) -> impl Iterator<Item = Cell> {
    (-1..=1).flat_map(move |row| (-1..=1).map(move |col| beside(cell, col, row))).filter(move |c| *c != cell)
}

fn across(cell: Cell, side: Side) -> Cell {
    match side {
        Side::North => beside(cell, 0, -1),
        Side::East => beside(cell, 1, 0),
        Side::South => beside(cell, 0, 1),
        Side::West => beside(cell, -1, 0),
    }
}

/// What is printed at a port.
fn printed(face: &Face, port: Port) -> Option<Kind> {
    face.segments().iter().find(|s| s.ports.contains(port)).map(|s| s.kind)
}

impl Ledger {
    pub fn new(players: usize, switches: Switches) -> Ledger {
        Ledger { tiles: BTreeMap::new(), followers: Vec::new(), totals: vec![0; players], switches }
    }

    /// Whether a tile, already turned, may lie there (BA-08).
    pub fn may_lie(&self, cell: Cell, face: &Face) -> bool {
        let mut touches = false;
        for side in Side::ALL {
            let Some(other) = self.tiles.get(&across(cell, side)) else { continue };
            touches = true;
            for port in Port::ALL.into_iter().filter(|p| p.side() == side) {
                if printed(face, port) != printed(other, port.facing()) {
                    return false;
                }
            }
        }
        touches && !self.tiles.contains_key(&cell)
    }

    /// The feature of a segment.
    pub fn area(&self, spot: Spot) -> Area {
        let kind = self.tiles[&spot.0].segments()[spot.1].kind;
        let mut area = Area { kind, spots: BTreeSet::new(), open: BTreeSet::new(), pennants: 0 };
        let mut due = vec![spot];
        while let Some((cell, segment)) = due.pop() {
            if !area.spots.insert((cell, segment)) {
                continue;
            }
            let segment = &self.tiles[&cell].segments()[segment];
            area.pennants += u32::from(segment.attributes.count(Attribute::PENNANT));
            for port in segment.ports.iter() {
                let next = across(cell, port.side());
                match self.tiles.get(&next) {
                    None => {
                        area.open.insert(next);
                    }
                    Some(face) => {
                        let facing = face
                            .segments()
                            .iter()
                            .position(|s| s.kind == kind && s.ports.contains(port.facing()));
                        due.extend(facing.map(|f| (next, f)));
                    }
                }
            }
        }
        let through = |(cell, s): &Spot| self.tiles[cell].segments()[*s].ports.iter().count() == 2;
        let ring = kind == Kind::ROAD && area.open.is_empty() && area.spots.iter().all(through);
        if ring && self.switches.ring_roads_stay_open {
            area.open = area.cells();
        }
        if kind == Kind::CLOISTER {
            area.open.extend(around(spot.0).filter(|c| !self.tiles.contains_key(c)));
        }
        area
    }

    /// The followers of each player on a feature.
    fn counts(&self, area: &Area) -> Vec<usize> {
        let on = |p| self.followers.iter().filter(|f| f.0 == p && area.spots.contains(&f.1)).count();
        (0..self.totals.len()).map(on).collect()
    }

    /// Who has most followers on it: all who are tied (BA-19); nobody if none is there.
    fn leaders(&self, area: &Area) -> Vec<usize> {
        let counts = self.counts(area);
        let most = counts.iter().copied().max().unwrap_or(0);
        (0..counts.len()).filter(|p| most > 0 && counts[*p] == most).collect()
    }

    /// The segments of a tile on which no follower stands, however far off.
    pub fn free(&self, cell: Cell) -> Vec<u8> {
        let free = |s: &usize| {
            let area = self.area((cell, *s));
            area.kind != Kind::RIVER && self.counts(&area).iter().sum::<usize>() == 0
        };
        (0..self.tiles[&cell].segments().len()).filter(free).map(|s| s as u8).collect()
    }

    /// Scores what the tile in a cell completed: kind, players and points of each, sorted.
    pub fn end(&mut self, cell: Cell) -> Vec<(Kind, Vec<usize>, u32)> {
        let mut spots: Vec<Spot> = (0..self.tiles[&cell].segments().len()).map(|s| (cell, s)).collect();
        for near in around(cell) {
            let Some(face) = self.tiles.get(&near) else { continue };
            let cloister = face.segments().iter().position(|s| s.kind == Kind::CLOISTER);
            spots.extend(cloister.map(|s| (near, s)));
        }
        let mut seen = BTreeSet::new();
        let mut scored = Vec::new();
        let mut home = BTreeSet::new();
        for spot in spots {
            if seen.contains(&spot) {
                continue;
            }
            let area = self.area(spot);
            seen.extend(area.spots.iter().copied());
            let leaders = self.leaders(&area);
            let tiles = area.cells().len() as u32;
            let points = match area.kind {
                Kind::ROAD => tiles,
                Kind::CITY if tiles == 2 && self.switches.tiny_city_scores_two => tiles + area.pennants,
                Kind::CITY => 2 * (tiles + area.pennants),
                Kind::CLOISTER => 9,
                _ => continue,
            };
            if !area.open.is_empty() || leaders.is_empty() {
                continue;
            }
            for player in &leaders {
                self.totals[*player] += points;
            }
            scored.push((area.kind, leaders, points));
            home.extend(area.spots);
        }
        self.followers.retain(|f| !home.contains(&f.1));
        scored.sort_unstable_by_key(|s| (s.0.name(), s.1.clone(), s.2));
        scored
    }

    /// The cities that a field touches, each by its first segment: round a corner of one of
    /// its tiles lies a half of a side that is the field's beside one that is the city's.
    fn cities(&self, field: &Area) -> BTreeSet<Spot> {
        let mut cities = BTreeSet::new();
        for (cell, segment) in &field.spots {
            let face = &self.tiles[cell];
            for corner in 0..4u8 {
                let halves = [Port::new(3 * corner + 2), Port::new(3 * corner + 3)];
                for (ours, theirs) in [(halves[0], halves[1]), (halves[1], halves[0])] {
                    let other = face.segments().iter().position(|s| s.ports.contains(theirs));
                    let Some(city) = other.filter(|o| face.segments()[*o].kind == Kind::CITY) else {
                        continue;
                    };
                    if face.segments()[*segment].ports.contains(ours) {
                        let area = self.area((*cell, city));
                        if area.open.is_empty() || self.switches.open_cities_feed_fields {
                            cities.extend(area.spots.first().copied());
                        }
                    }
                }
            }
        }
        cities
    }

    /// The final scoring: kind, players and points of each, sorted.
    pub fn finals(&self) -> Vec<(Kind, Vec<usize>, u32)> {
        let mut seen: BTreeSet<Spot> = BTreeSet::new();
        let mut scored = Vec::new();
        for (_, spot) in &self.followers {
            if seen.contains(spot) {
                continue;
            }
            let area = self.area(*spot);
            let points = match area.kind {
                Kind::FIELD => 3 * self.cities(&area).len() as u32,
                Kind::CLOISTER => 9 - area.open.len() as u32,
                _ => area.cells().len() as u32 + area.pennants,
            };
            scored.push((area.kind, self.leaders(&area), points));
            seen.extend(area.spots);
        }
        scored.sort_unstable_by_key(|s| (s.0.name(), s.1.clone(), s.2));
        scored
    }

    /// Holds the engine's view of a feature against the flood fill.
    ///
    /// # Panics
    /// Where they differ.
    pub fn hold(&self, view: &FeatureView) {
        let first = view.segments[0];
        let area = self.area((first.cell, usize::from(first.segment)));
        let spots: BTreeSet<Spot> = view.segments.iter().map(|s| (s.cell, usize::from(s.segment))).collect();
        assert_eq!((view.kind, &spots), (area.kind, &area.spots));
        assert_eq!(view.segments.len(), spots.len(), "{view:?}");
        assert_eq!(view.cells.iter().copied().collect::<BTreeSet<_>>(), area.cells(), "{view:?}");
        assert_eq!(view.cells.len(), area.cells().len(), "{view:?}");
        // A ring that is never complete is open in no cell.
        let is_ring = !area.open.is_empty() && area.open == area.cells();
        assert_eq!(view.bounds.contains(&Boundary::Endless), is_ring, "{view:?}");
        let open = if is_ring { BTreeSet::new() } else { area.open.clone() };
        assert_eq!(view.open.iter().copied().collect::<BTreeSet<_>>(), open, "{view:?}");
        assert_eq!(view.open.len(), open.len(), "{view:?}");
        assert_eq!(u32::from(view.attributes.count(Attribute::PENNANT)), area.pennants, "{view:?}");
        let counts: Vec<usize> =
            (0..self.totals.len()).map(|p| view.count(Player(p as u8)) as usize).collect();
        assert_eq!(counts, self.counts(&area), "{view:?}");
        assert_eq!(view.followers.len(), counts.iter().sum::<usize>(), "{view:?}");
    }

    /// Holds every feature of the engine against the flood fill.
    ///
    /// # Panics
    /// Where they differ.
    pub fn hold_all(&self, position: &Position) {
        for (cell, face) in &self.tiles {
            let segments = 0..face.segments().len() as u8;
            let found = position.features_around(*cell);
            for segment in segments {
                let at = SegmentAt { cell: *cell, segment };
                let view = position.feature_at(at).expect("the segment is there");
                assert!(view.segments.contains(&at), "{at:?} in {view:?}");
                assert!(found.contains(&view), "{view:?} round {cell:?}");
                self.hold(&view);
            }
            for near in around(*cell).filter(|c| self.tiles.contains_key(c)) {
                let cloister = self.tiles[&near].segments().iter().position(|s| s.kind == Kind::CLOISTER);
                let at = cloister.map(|s| SegmentAt { cell: near, segment: s as u8 });
                assert!(at.is_none_or(|at| found.iter().any(|view| view.segments.contains(&at))), "{near:?}");
            }
        }
        let claimed: usize = position.claimed_features().iter().map(|view| view.followers.len()).sum();
        assert_eq!(claimed, self.followers.len());
    }
}

/// A face with any arrangement of roads, cities and fields on its sides.
fn random_face(rng: &mut impl Rng) -> Face {
    let mut segments: Vec<Segment> = Vec::new();
    let mut put = |kind: Kind, ports: &[Port], joins: u32, rng: &mut dyn rand::RngCore| {
        let same: Vec<usize> = (0..segments.len()).filter(|i| segments[*i].kind == kind).collect();
        let joined = same.choose(rng).copied().filter(|_| rng.random_range(0..100) < joins);
        let at = joined.unwrap_or_else(|| {
            segments.push(Segment { kind, ports: PortSet::EMPTY, attributes: Attributes::default() });
            segments.len() - 1
        });
        for port in ports {
            segments[at].ports = segments[at].ports.with(*port);
        }
        if kind == Kind::CITY && rng.random_range(0..100) < 15 {
            segments[at].attributes = Attributes::NONE.with(Attribute::PENNANT, 1);
        }
    };
    for side in Side::ALL {
        let kind = *[Kind::FIELD, Kind::FIELD, Kind::ROAD, Kind::ROAD, Kind::CITY].choose(rng).unwrap();
        let halves = [Port::left(side), Port::right(side)];
        match kind {
            Kind::CITY => put(kind, &halves, 60, rng),
            Kind::ROAD => {
                put(kind, &[Port::middle(side)], 60, rng);
                put(Kind::FIELD, &halves[..1], 60, rng);
                put(Kind::FIELD, &halves[1..], 60, rng);
            }
            _ => put(kind, &halves, 80, rng),
        }
    }
    if rng.random_range(0..100) < 12 {
        put(Kind::CLOISTER, &[], 0, rng);
    }
    Face::new(segments).expect("its ports are told apart")
}

/// The base game's tiles, or as many of wild faces.
pub fn random_deck(wild: bool, rng: &mut impl Rng) -> Deck {
    if !wild {
        return base_deck();
    }
    let tile = |i: usize, rng: &mut _| Tile {
        id: format!("w{i:02}"),
        face: Some(random_face(rng)),
        doubts: Vec::new(),
        count: 1 + i as u32 % 3,
    };
    let mut tiles: Vec<Tile> = (0..36).map(|i| tile(i, rng)).collect();
    tiles.shuffle(rng);
    let mut deck = Deck::new("wild", Game::Classic, tiles);
    deck.start = Some(deck.tiles[0].id.clone());
    deck
}

/// Switches by the bits of a number.
pub fn switches(bits: u64) -> Switches {
    let mut chosen = Switches::default();
    for (switch, i) in castellan::rules::classic::Switch::ALL.iter().zip(0..) {
        switch.set(&mut chosen, bits >> i & 1 == 1);
    }
    chosen
}

/// Plays a random game to its end in which tiles are laid where most others lie round
/// them, so that more is completed than by [`play_out`]; gives its moves.
pub fn play_close(start: &Position, rng: &mut impl Rng) -> Vec<Move> {
    let mut position = start.clone();
    let copies = |t: usize| std::iter::repeat_n(t, start.remaining(t) as usize);
    let mut bag: Vec<usize> = (0..start.tiles()).flat_map(copies).collect();
    bag.shuffle(rng);
    let mut moves = Vec::new();
    let mut play = |position: &mut Position, played: Move| {
        position.play(&played).unwrap();
        moves.push(played);
    };
    while let (Phase::Tile, Some(tile)) = (position.phase(), bag.pop()) {
        let player = position.to_move();
        let mut placements = position.placements(tile);
        placements.shuffle(rng);
        let company = |cell: Cell| around(cell).filter(|c| position.tile_at(*c).is_some()).count();
        let Some(placement) = placements.into_iter().max_by_key(|p| company(p.cell)) else {
            play(&mut position, Move::Discard { player, tile });
            continue;
        };
        play(&mut position, Move::Lay { player, placement });
        let claims = position.claims();
        if let Some((segment, _)) = claims.choose(rng).filter(|_| rng.random_range(0..3) > 0) {
            let at = SegmentAt { cell: placement.cell, segment: *segment };
            play(&mut position, Move::follower(player, at));
        }
        play(&mut position, Move::End { player });
    }
    moves
}

/// The start of a random game, its deck and its moves; in every other game tiles are laid
/// close together.
pub fn random_game(seed: u64) -> (Position, Deck, Vec<Move>) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let deck = random_deck(rng.random(), &mut rng);
    let chosen = switches(rng.random());
    let players = rng.random_range(2..=if chosen.six_players { 6 } else { 5 });
    let start = Position::new(&deck, players, chosen).unwrap();
    let start = start.starting(Player(rng.random_range(0..players as u8)));
    let mut moves = Vec::new();
    if rng.random() {
        moves = play_close(&start, &mut rng);
    } else {
        play_out(&mut start.clone(), &mut rng, |_, played| moves.push(played.clone()));
    }
    (start, deck, moves)
}

/// A face of a deck as it lies.
pub fn turned(deck: &Deck, tile: usize, rotation: Rotation) -> Face {
    deck.tiles[tile].face.as_ref().unwrap().turned(rotation)
}

/// The ledger of a game that begins.
pub fn ledger(start: &Position, deck: &Deck) -> Ledger {
    let mut ledger = Ledger::new(start.players(), start.switches());
    let tile = deck.index(deck.start.as_deref().unwrap()).unwrap();
    ledger.tiles.insert(Cell::new(0, 0), turned(deck, tile, Rotation::new(0)));
    ledger
}

/// Writes a move into the ledger; gives what it scores.
pub fn keep(
    ledger: &mut Ledger,
    deck: &Deck,
    played: &Move,
    last: &mut Option<Cell>,
) -> Vec<(Kind, Vec<usize>, u32)> {
    match *played {
        Move::Lay { placement, .. } => {
            ledger.tiles.insert(placement.cell, turned(deck, placement.tile, placement.rotation));
            *last = Some(placement.cell);
        }
        Move::Claim { player, at, .. } => {
            ledger.followers.push((player.index(), (at.cell, usize::from(at.segment))));
        }
        Move::End { .. } => return ledger.end(last.unwrap()),
        _ => {}
    }
    Vec::new()
}

/// A score of the engine as the ledger says it.
fn line(score: &Score) -> (Kind, Vec<usize>, u32) {
    let kind = [Kind::ROAD, Kind::CITY, Kind::CLOISTER, Kind::FIELD]
        .into_iter()
        .find(|k| k.name() == score.category)
        .unwrap();
    (kind, score.players.iter().map(|p| p.index()).collect(), score.points())
}

fn lines(scores: &[Score]) -> Vec<(Kind, Vec<usize>, u32)> {
    let mut lines: Vec<_> = scores.iter().map(line).collect();
    lines.sort_unstable_by_key(|s| (s.0.name(), s.1.clone(), s.2));
    lines
}

/// Plays a random game and holds every placement of the drawn tile, every claim, every
/// score, all totals and supplies and the final scoring against the ledger. Returns how
/// many scores of turns were compared, and of the end.
fn compare(seed: u64) -> [usize; 2] {
    let (mut position, deck, moves) = random_game(seed);
    let names = Names::default();
    let mut ledger = ledger(&position, &deck);
    let mut last = None;
    let mut compared = 0;
    for played in &moves {
        if let Move::Lay { placement: laid, .. } = *played {
            let near: BTreeSet<Cell> = ledger.tiles.keys().flat_map(|cell| around(*cell)).collect();
            let mut expected = Vec::new();
            for rotation in Rotation::ALL {
                let face = turned(&deck, laid.tile, rotation);
                expected.extend(near.iter().filter(|c| ledger.may_lie(**c, &face)).map(|c| (*c, rotation)));
            }
            let mut legal: Vec<_> =
                position.placements(laid.tile).iter().map(|p| (p.cell, p.rotation)).collect();
            legal.sort_unstable();
            expected.sort_unstable();
            assert_eq!(legal, expected, "seed {seed}");
        }
        let outcomes = position.play(played).unwrap();
        let mover = position.to_move();
        let expected = keep(&mut ledger, &deck, played, &mut last);
        let scores: Vec<Score> = outcomes
            .iter()
            .flat_map(|o| (0..o.scored.len()).filter_map(|i| position.explain(o, i, &names)))
            .collect();
        assert_eq!(lines(&scores), expected, "seed {seed}");
        compared += scores.len();
        if let Move::Lay { placement, .. } = *played {
            let claims: Vec<u8> = position.claims().iter().map(|c| c.0).collect();
            let free = if position.supply(mover) > 0 { ledger.free(placement.cell) } else { Vec::new() };
            assert_eq!(claims, free, "seed {seed}");
        }
        for (player, total) in ledger.totals.iter().enumerate() {
            assert_eq!(position.total(Player(player as u8)), *total, "seed {seed}");
            let standing = ledger.followers.iter().filter(|f| f.0 == player).count();
            assert_eq!(usize::from(position.supply(Player(player as u8))), 7 - standing, "seed {seed}");
        }
    }
    assert_eq!(position.phase(), Phase::Over, "seed {seed}");
    let finals = ledger.finals();
    assert_eq!(lines(&position.final_scores(&names)), finals, "seed {seed}");
    let mut totals = ledger.totals.clone();
    for (_, players, points) in &finals {
        players.iter().for_each(|p| totals[*p] += points);
    }
    assert_eq!(position.final_totals(), totals, "seed {seed}");
    let most = totals.iter().max().copied();
    let winners: Vec<usize> = (0..totals.len()).filter(|p| Some(totals[*p]) == most).collect();
    assert_eq!(position.winners().iter().map(|p| p.index()).collect::<Vec<_>>(), winners, "seed {seed}");
    [compared, finals.len()]
}

#[test]
fn the_engine_agrees_with_a_scorer_from_scratch() {
    let long = std::env::var("CASTELLAN_LONG_TESTS").is_ok_and(|v| v == "1");
    let games = if long { LONG_GAMES } else { GAMES };
    let compared = (0..games).map(compare).fold([0, 0], |all, n| [all[0] + n[0], all[1] + n[1]]);
    println!("{games} games, {} scores of turns and {} of the end agree", compared[0], compared[1]);
    assert!(compared.iter().all(|n| *n as u64 > 8 * games), "too few scores: {compared:?} in {games} games");
}
