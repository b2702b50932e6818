//! The classic game with any of its modules scored by a second, deliberately simple scorer:
//! it knows the tiles as they lie and the figures that stand, floods every feature anew, and
//! shares nothing with the engine but faces and moves.

use std::collections::{BTreeMap, BTreeSet};

use castellan_rules::classic::{Position, Switch, Switches, deck_with, play_out};
use castellan_rules::{
    Attribute, Cell, Deck, Face, FigureKind, Kind, Move, Phase, Player, Port, Rotation, SegmentAt, Side,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Random games that are compared, and how many of them with `CASTELLAN_LONG_TESTS=1`.
const GAMES: u64 = 300;
const LONG_GAMES: u64 = 10_000;

const SETS: [&str; 6] = ["river", "inns", "traders", "king", "cathars", "count"];
const GOODS: [&str; 3] = ["cloth", "grain", "wine"];

/// A segment of the tile in a cell.
type Spot = (Cell, usize);

struct Figure {
    player: usize,
    kind: FigureKind,
    spot: Spot,
}

/// A feature found by flood fill.
struct Area {
    kind: Kind,
    spots: BTreeSet<Spot>,
    open: bool,
}

impl Area {
    fn cells(&self) -> BTreeSet<Cell> {
        self.spots.iter().map(|spot| spot.0).collect()
    }
}

/// The table, the points and what players hold.
struct Table {
    tiles: BTreeMap<Cell, Face>,
    figures: Vec<Figure>,
    totals: Vec<u32>,
    goods: Vec<[u32; 3]>,
    /// The holder and the size, for the king and the robber.
    cards: [Option<(usize, usize)>; 2],
    sets: Vec<&'static str>,
    on: BTreeSet<&'static str>,
    /// Where the last tile lies, whose it is, and whether it is yet to be scored.
    last: (Cell, usize, bool),
}

fn moved(cell: Cell, col: i8, row: i8) -> Cell {
    Cell::new(cell.col + col, cell.row + row)
}

fn across(cell: Cell, side: Side) -> Cell {
    let (col, row) = [(0, -1), (1, 0), (0, 1), (-1, 0)][side.index()];
    moved(cell, col, row)
}

fn around(cell: Cell) -> Vec<Cell> {
    let steps = (-1..=1).flat_map(|row| (-1..=1).map(move |col| (col, row)));
    steps.filter(|step| *step != (0, 0)).map(|(col, row)| moved(cell, col, row)).collect()
}

impl Table {
    fn plays(&self, set: &str) -> bool {
        self.sets.contains(&set)
    }

    fn area(&self, spot: Spot) -> Area {
        let kind = self.tiles[&spot.0].segments()[spot.1].kind;
        let mut area = Area { kind, spots: BTreeSet::new(), open: false };
        let mut due = vec![spot];
        while let Some((cell, segment)) = due.pop() {
            if !area.spots.insert((cell, segment)) {
                continue;
            }
            for port in self.tiles[&cell].segments()[segment].ports.iter() {
                let next = across(cell, port.side());
                let Some(face) = self.tiles.get(&next) else {
                    area.open = true;
                    continue;
                };
                let facing = face.segments().iter().position(|s| s.ports.contains(port.facing()));
                due.extend(facing.filter(|f| face.segments()[*f].kind == kind).map(|f| (next, f)));
            }
        }
        let through = |(cell, s): &Spot| self.tiles[cell].segments()[*s].ports.iter().count() == 2;
        if kind == Kind::ROAD && self.on.contains("ring_roads_stay_open") {
            area.open |= area.spots.iter().all(through);
        }
        if kind == Kind::CLOISTER {
            area.open = around(spot.0).iter().any(|cell| !self.tiles.contains_key(cell));
        }
        area
    }

    /// How many of an attribute are printed on a feature.
    fn printed(&self, area: &Area, name: &str) -> u32 {
        let attribute = Attribute::named(name).unwrap();
        let at = |(cell, segment): &Spot| self.tiles[cell].segments()[*segment].attributes.count(attribute);
        area.spots.iter().map(|spot| u32::from(at(spot))).sum()
    }

    /// What each player's figures weigh on a feature.
    fn leaders(&self, area: &Area) -> Vec<usize> {
        let weigh = |player: usize| -> u32 {
            let on = self.figures.iter().filter(|f| f.player == player && area.spots.contains(&f.spot));
            on.map(|f| match f.kind.name() {
                "follower" => 1,
                "big_follower" => 2,
                _ => 0,
            })
            .sum()
        };
        let weights: Vec<u32> = (0..self.totals.len()).map(weigh).collect();
        let most = weights.iter().copied().max().unwrap_or(0);
        (0..weights.len()).filter(|p| most > 0 && weights[*p] == most).collect()
    }

    fn besieged(&self, area: &Area) -> bool {
        let siege = |cell: &Cell| {
            let besieged = Attribute::named("besieged").unwrap();
            let face = self.tiles.get(cell);
            face.is_some_and(|face| face.segments().iter().any(|s| s.attributes.has(besieged)))
        };
        self.plays("cathars")
            && area.kind == Kind::CITY
            && (self.printed(area, "besieged") > 0
                || self.on.contains("siege_beside_a_city")
                    && area.cells().iter().any(|c| Side::ALL.iter().any(|side| siege(&across(*c, *side)))))
    }

    /// What a road, city or cloister is worth.
    fn worth(&self, area: &Area) -> u32 {
        let (tiles, complete) = (area.cells().len() as u32, !area.open);
        if area.kind == Kind::CLOISTER {
            let cell = area.spots.first().unwrap().0;
            return 1 + around(cell).iter().filter(|c| self.tiles.contains_key(c)).count() as u32;
        }
        let counted = tiles + if area.kind == Kind::CITY { self.printed(area, "pennant") } else { 0 };
        let special = if area.kind == Kind::CITY { "cathedral" } else { "inn" };
        let special = self.plays("inns") && self.printed(area, special) > 0;
        let mut each = match (area.kind, complete) {
            (Kind::CITY, true) if tiles == 2 && self.on.contains("tiny_city_scores_two") => 1,
            (Kind::CITY, true) => 2,
            _ => 1,
        };
        if special && complete {
            each += 1;
        }
        if special && !complete && !self.on.contains("open_inns_and_cathedrals_score") {
            each = 0;
        }
        if self.besieged(area) {
            let open_scores = self.on.contains("open_besieged_cities_score");
            each = match complete {
                true => (each - 1).max(1),
                false if open_scores => each,
                false => 0,
            };
        }
        counted * each
    }

    /// What the last tile completed is scored.
    fn score(&mut self) {
        let (cell, player, due) = self.last;
        if !due {
            return;
        }
        self.last.2 = false;
        let mut spots: Vec<Spot> = (0..self.tiles[&cell].segments().len()).map(|s| (cell, s)).collect();
        for near in around(cell) {
            let Some(face) = self.tiles.get(&near) else { continue };
            let cloister = face.segments().iter().position(|s| s.kind == Kind::CLOISTER);
            spots.extend(cloister.map(|s| (near, s)));
        }
        let mut seen: BTreeSet<Spot> = BTreeSet::new();
        let mut home: BTreeSet<Spot> = BTreeSet::new();
        let mut largest = [0; 2];
        for spot in spots {
            let area = self.area(spot);
            let scores = [Kind::ROAD, Kind::CITY, Kind::CLOISTER].contains(&area.kind);
            if area.open || !scores || !seen.insert(*area.spots.first().unwrap()) {
                continue;
            }
            let leaders = self.leaders(&area);
            let points = self.worth(&area);
            for leader in &leaders {
                self.totals[*leader] += points;
            }
            if self.plays("traders") {
                for (i, good) in GOODS.iter().enumerate() {
                    self.goods[player][i] += self.printed(&area, good);
                }
            }
            for (i, kind) in [Kind::CITY, Kind::ROAD].into_iter().enumerate() {
                if area.kind == kind {
                    largest[i] = largest[i].max(area.cells().len());
                }
            }
            home.extend(area.spots);
        }
        for (card, size) in self.cards.iter_mut().zip(largest) {
            if size > card.map_or(0, |(_, largest)| largest) {
                *card = Some((player, size));
            }
        }
        self.figures.retain(|f| !home.contains(&f.spot));
    }

    /// The cities for which a field scores, each by its first spot.
    fn cities(&self, field: &Area) -> BTreeSet<Spot> {
        let mut cities = BTreeSet::new();
        for (cell, segment) in &field.spots {
            let face = &self.tiles[cell];
            let own = face.segments()[*segment];
            let everywhere = own.ports.iter().next().is_none() || own.attributes.has(Attribute::CITY);
            for (number, city) in face.segments().iter().enumerate().filter(|(_, s)| s.kind == Kind::CITY) {
                let at_corner = (0..4u8).any(|corner| {
                    let [a, b] = [Port::new(3 * corner + 2), Port::new(3 * corner + 3)];
                    (own.ports.contains(a) && city.ports.contains(b))
                        || (own.ports.contains(b) && city.ports.contains(a))
                });
                let area = self.area((*cell, number));
                if (at_corner || everywhere) && (!area.open || self.on.contains("open_cities_feed_fields")) {
                    cities.extend(area.spots.first().copied());
                }
            }
        }
        cities
    }

    fn finals(&self) -> Vec<u32> {
        let mut totals = self.totals.clone();
        let mut seen: BTreeSet<Spot> = BTreeSet::new();
        for figure in &self.figures {
            let area = self.area(figure.spot);
            if !seen.insert(*area.spots.first().unwrap()) {
                continue;
            }
            for leader in self.leaders(&area) {
                totals[leader] += match area.kind {
                    Kind::FIELD => self.field(&area, leader),
                    Kind::ROAD | Kind::CITY | Kind::CLOISTER => self.worth(&area),
                    _ => 0,
                };
            }
        }
        for good in 0..3 {
            let most = self.goods.iter().map(|held| held[good]).max().unwrap();
            let leaders: Vec<usize> =
                (0..totals.len()).filter(|p| most > 0 && self.goods[*p][good] == most).collect();
            if leaders.len() == 1 || !self.on.contains("tied_goods_score_nothing") {
                leaders.into_iter().for_each(|p| totals[p] += 10);
            }
        }
        for (card, kind) in self.cards.iter().zip([Kind::CITY, Kind::ROAD]) {
            let Some((holder, _)) = card.filter(|_| self.plays("king")) else { continue };
            let mut complete = BTreeSet::new();
            for (cell, face) in &self.tiles {
                for segment in (0..face.segments().len()).filter(|s| face.segments()[*s].kind == kind) {
                    let area = self.area((*cell, segment));
                    complete.extend(area.spots.first().filter(|_| !area.open).copied());
                }
            }
            let carcassonne = kind == Kind::CITY
                && self.plays("count")
                && !self.on.contains("carcassonne_is_no_city_for_the_king");
            totals[holder] += complete.len() as u32 + u32::from(carcassonne);
        }
        totals
    }

    /// What a field brings a player who leads on it.
    fn field(&self, area: &Area, player: usize) -> u32 {
        let cities = self.cities(area);
        let besieged = cities.iter().filter(|city| self.besieged(&self.area(**city))).count() as u32;
        let walls =
            |spot: &Spot| self.tiles[&spot.0].segments().iter().any(|s| s.kind.name() == "carcassonne");
        let carcassonne = u32::from(self.plays("count") && area.spots.iter().any(walls));
        let pig = self.plays("traders")
            && self
                .figures
                .iter()
                .any(|f| f.player == player && f.kind == FigureKind::PIG && area.spots.contains(&f.spot));
        let all = cities.len() as u32 + carcassonne;
        3 * all + 3 * besieged + if pig { all } else { 0 }
    }

    fn spot(at: SegmentAt) -> Spot {
        (at.cell, usize::from(at.segment))
    }

    fn find(&self, player: Player, at: SegmentAt, kind: FigureKind) -> usize {
        let is = |f: &Figure| (f.player, f.kind, f.spot) == (player.index(), kind, Table::spot(at));
        self.figures.iter().position(is).expect("the figure stands there")
    }

    fn take(&mut self, played: &Move, deck: &Deck) {
        match *played {
            Move::Lay { player, placement } => {
                self.score();
                let face = deck.tiles[placement.tile].face.as_ref().unwrap().turned(placement.rotation);
                self.tiles.insert(placement.cell, face);
                self.last = (placement.cell, player.index(), true);
            }
            Move::Claim { player, at, figure } => {
                // One that is sent into the city goes there after the scoring.
                if at.cell != self.last.0 {
                    self.score();
                }
                self.figures.push(Figure { player: player.index(), kind: figure, spot: Table::spot(at) });
            }
            Move::Return { player, at, figure } => {
                self.score();
                self.figures.remove(self.find(player, at, figure));
                let area = self.area(Table::spot(at));
                let theirs = |f: &Figure| f.player == player.index() && area.spots.contains(&f.spot);
                if self.figures.iter().filter(|f| theirs(f)).all(|f| f.kind == FigureKind::BUILDER) {
                    self.figures.retain(|f| !theirs(f));
                }
            }
            Move::Redeploy { player, from, to, figure } => {
                let area = self.area(Table::spot(to));
                if area.open || area.kind == Kind::FIELD {
                    self.score();
                }
                let index = self.find(player, from, figure);
                self.figures[index].spot = Table::spot(to);
            }
            _ => {}
        }
    }
}

/// A random game over a random choice of sets and switches; returns its turns.
fn compare(seed: u64) -> u32 {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let sets: Vec<&'static str> = SETS.into_iter().filter(|_| rng.random_range(0..5) < 3).collect();
    let deck = deck_with(&sets).unwrap();
    let mut switches = Switches::default();
    let mut on = BTreeSet::new();
    for switch in Switch::ALL {
        if switch.name != "hand_of_three" && rng.random_range(0..4) == 0 {
            switch.set(&mut switches, true);
            on.insert(switch.name);
        }
    }
    let players = rng.random_range(2..=5);
    let start = Position::new(&deck, players, switches).unwrap();
    let mut moves = Vec::new();
    play_out(&mut start.clone(), &mut rng, |_, played| moves.push(played.clone()));
    let mut position = start.clone();
    let mut table = Table {
        tiles: BTreeMap::new(),
        figures: Vec::new(),
        totals: vec![0; players],
        goods: vec![[0; 3]; players],
        cards: [None; 2],
        sets,
        on,
        last: (Cell::new(0, 0), 0, false),
    };
    for cell in start.cells() {
        let (tile, _) = start.tile_at(cell).unwrap();
        table.tiles.insert(cell, deck.tiles[tile].face.as_ref().unwrap().turned(Rotation::new(0)));
    }
    let all =
        |of: &dyn Fn(Player) -> u32| -> Vec<u32> { (0..players).map(|p| of(Player(p as u8))).collect() };
    for played in &moves {
        let mut before = None;
        if let Move::Lay { .. } = played {
            table.score();
            before = Some(all(&|p| position.total(p)));
        }
        if let Some(totals) = before {
            assert_eq!(totals, table.totals, "seed {seed}, turn {}, {:?}", position.turn(), table.sets);
            assert_eq!(position.final_totals(), table.finals(), "seed {seed}, turn {}", position.turn());
        }
        position.play(played).unwrap_or_else(|e| panic!("seed {seed}: {played:?}: {e}"));
        table.take(played, &deck);
    }
    table.score();
    assert_eq!(position.phase(), Phase::Over, "seed {seed}");
    assert_eq!(all(&|p| position.total(p)), table.totals, "seed {seed}");
    assert_eq!(position.final_totals(), table.finals(), "seed {seed}, {:?}, {:?}", table.sets, table.on);
    // Everything can be taken back, and what is built up step by step is what is played anew.
    let last = position.final_totals();
    while position.undo() {}
    assert_eq!(
        (position.followers(), position.final_totals(), position.tiles_left()),
        (start.followers(), start.final_totals(), start.tiles_left()),
        "seed {seed}"
    );
    for played in &moves {
        position.play(played).unwrap();
    }
    assert_eq!(position.final_totals(), last, "seed {seed}");
    position.turn() - 1
}

#[test]
fn the_engine_agrees_with_a_scorer_that_floods_everything_anew() {
    let long = std::env::var_os("CASTELLAN_LONG_TESTS").is_some();
    let games = if long { LONG_GAMES } else { GAMES };
    let turns: u32 = (0..games).map(compare).sum();
    println!("{games} games, {turns} turns compared");
    assert!(turns > games as u32 * 60);
}
