//! Scenarios of the classic game in text files: tiles, moves, and what must come of
//! them.
//!
//! A scenario begins with `== BA-15: what it shows`; `#` begins a comment. Then, line by
//! line:
//!
//! | line | means |
//! |---|---|
//! | `players: 3` | how many play; two without it |
//! | `starts: 2` | who begins, from 1 |
//! | `switch: tiny_city_scores_two on` | a reading of the rules |
//! | `totals: 49 0` | points at the start, a player each |
//! | `sets: inns traders` | the modules that are played with; `count` and `count15` bring the city |
//! | `start tile: s` | the tile of the deck that lies at A1 from the start, unturned |
//! | `tile: a road e-w; field …`, `tile: a x3 road e-w; …` | a tile of the deck, or several |
//! | `no game: BA-01` | the game cannot be begun by this rule; no move may follow |
//! | `> lay a B1 1; knight; end` | moves that must be legal |
//! | `! BA-08: lay a B2` | a move that must be refused for exactly these rules, each named once |
//! | `? WHAT: VALUE` | something to be seen in the position; see [`look`] |
//! | `final totals: 5 0` | all totals with the final scoring, and the sums of its items |

use std::collections::BTreeSet;
use std::path::Path;

use castellan_rules::classic::{Position, Switch, Switches, deck_with};
use castellan_rules::{
    Deck, Face, FigureKind, Game, GamePosition, Move, Names, Phase, Player, Score, SegmentAt, Tile, book,
    cell_from_name, cell_name,
};

/// A scenario as it stands in the file.
struct Scenario {
    rules: Vec<String>,
    title: String,
    lines: Vec<(usize, String)>,
}

/// All scenarios under `tests/scenarios/`, with the file each is in.
fn all() -> Vec<(String, Scenario)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut scenarios: Vec<(String, Scenario)> = Vec::new();
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        for (line, number) in std::fs::read_to_string(&path).unwrap().lines().zip(1..) {
            let line = line.trim();
            if let Some(head) = line.strip_prefix("== ") {
                let (rules, title) = head.split_once(": ").expect("a scenario has rules and a title");
                let rules = rules.split_whitespace().map(str::to_owned).collect();
                let scenario = Scenario { rules, title: title.to_owned(), lines: Vec::new() };
                scenarios.push((file.clone(), scenario));
            } else if !line.is_empty() && !line.starts_with('#') {
                let (_, scenario) = scenarios.last_mut().expect("a line belongs to a scenario");
                scenario.lines.push((number, line.to_owned()));
            }
        }
    }
    scenarios
}

fn numbers(text: &str) -> Vec<u32> {
    text.split_whitespace().map(|n| n.parse().unwrap()).collect()
}

fn spaced(items: impl IntoIterator<Item = u32>) -> String {
    items.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

fn players(position: &Position) -> impl Iterator<Item = Player> + use<> {
    (0..position.players()).map(|p| Player(p as u8))
}

/// How a scenario begins.
struct Start {
    deck: Deck,
    switches: Switches,
    players: usize,
    first: Player,
    totals: Vec<u32>,
}

impl Start {
    fn position(&self) -> Result<Position, castellan_rules::classic::SetupError> {
        let position = Position::new(&self.deck, self.players, self.switches)?;
        Ok(position.starting(self.first).with_totals(&self.totals))
    }
}

impl Scenario {
    /// Reads what the game begins with, and gives the lines that come after it.
    fn start(&self, file: &str) -> (Start, &[(usize, String)]) {
        let mut start = Start {
            deck: Deck::new("scenario", Game::Classic, Vec::new()),
            switches: Switches::default(),
            players: 2,
            first: Player(0),
            totals: Vec::new(),
        };
        for (at, (number, line)) in self.lines.iter().enumerate() {
            let Some((key, value)) = line.split_once(": ") else { return (start, &self.lines[at..]) };
            match key {
                "players" => start.players = value.parse().unwrap(),
                "starts" => start.first = Player(value.parse::<u8>().unwrap() - 1),
                "totals" => start.totals = numbers(value),
                "sets" => {
                    for set in value.split_whitespace() {
                        if let "count" | "count15" = set {
                            let city = deck_with(&[set]).unwrap();
                            let tiles = city.tiles.into_iter().filter(|t| t.id.starts_with("CO"));
                            start.deck.tiles.extend(tiles);
                            start.deck.start = city.start;
                            start.deck.sets.extend(city.sets);
                        } else {
                            start.deck.sets.push(set.to_owned());
                        }
                    }
                }
                "start tile" => start.deck.start = Some(value.to_owned()),
                "switch" => {
                    let (name, on) = value.split_once(' ').unwrap();
                    let switch = Switch::named(name).unwrap_or_else(|| panic!("{file}:{number}: {name}"));
                    switch.set(&mut start.switches, on == "on");
                }
                "tile" => {
                    let (id, rest) = value.split_once(' ').expect("an id and a face");
                    let (count, face) = match rest.strip_prefix('x').and_then(|r| r.split_once(' ')) {
                        Some((count, face)) => (count.parse().unwrap(), face),
                        None => (1, rest),
                    };
                    let face: Face = face.parse().unwrap_or_else(|e| panic!("{file}:{number}: {e}"));
                    let tile = Tile { id: id.to_owned(), face: Some(face), doubts: Vec::new(), count };
                    start.deck.tiles.push(tile);
                }
                _ => return (start, &self.lines[at..]),
            }
        }
        (start, &[])
    }

    /// Plays the scenario.
    ///
    /// # Panics
    /// Where something is not as the scenario says.
    fn play(&self, file: &str) {
        let (start, lines) = self.start(file);
        let mut begun: Option<Position> = None;
        for (number, line) in lines {
            let place = format!("{file}:{number} ({})", self.title);
            if let Some(rule) = line.strip_prefix("no game: ") {
                let error = start.position().expect_err(&place).to_string();
                assert!(error.contains(&format!("({rule})")), "{place}: {error}");
                assert!(lines.len() == 1, "{place}: more lines than can follow");
                return;
            }
            let position =
                begun.get_or_insert_with(|| start.position().unwrap_or_else(|e| panic!("{place}: {e}")));
            if let Some(moves) = line.strip_prefix("> ") {
                for text in moves.split(';') {
                    let played = position.read_move(text).unwrap_or_else(|e| panic!("{place}: {e}"));
                    let written = position.write_move(&played);
                    assert_eq!(position.read_move(&written).as_ref(), Ok(&played), "{place}: {written}");
                    position.play(&played).unwrap_or_else(|e| panic!("{place}: {text}: {e}"));
                }
            } else if let Some(refused) = line.strip_prefix("! ") {
                let (rules, text) = refused.split_once(": ").expect("rules and a move");
                let played = position.read_move(text).unwrap_or_else(|e| panic!("{place}: {e}"));
                let refusal = position.play(&played).expect_err(&place);
                let found: BTreeSet<&str> = refusal.illegalities.iter().map(|i| i.rule).collect();
                let found: Vec<&str> = found.into_iter().collect();
                assert_eq!(found.join(" "), rules, "{place}: {refusal}");
            } else if let Some(look_at) = line.strip_prefix("? ") {
                let (what, expected) = look_at.split_once(": ").expect("a look has a value");
                assert_eq!(look(position, what), expected, "{place}: {what}");
            } else if let Some(expected) = line.strip_prefix("final totals: ") {
                let found = position.final_totals();
                assert_eq!(spaced(found.iter().copied()), expected, "{place}");
                let finals = position.final_scores(&Names::default());
                let made = |p: Player| -> u32 {
                    finals.iter().filter(|s| s.players.contains(&p)).map(Score::points).sum()
                };
                let summed: Vec<u32> = players(position).map(|p| position.total(p) + made(p)).collect();
                assert_eq!(summed, found, "{place}: the items of {finals:?}");
            } else {
                panic!("{place}: `{line}` is no line of a scenario");
            }
        }
        assert!(begun.is_some(), "{file}: `{}` looks at nothing", self.title);
    }
}

/// What is to be seen of a position: `totals` and `supply` (a player each), `turn` (whose,
/// from 1), `winners` (from 1), `phase`, `left` (tiles), `claims` (roles allowed now, in
/// the order of the segments), `supply pig` (of a figure, a player each), `step` (the rule of
/// what is open), `actor` (who may act, from 1), `moves` (all legal ones), `figures`, `tokens`
/// (a player each), `count` (the quarter of the count), `markers` (where each stands on the score
/// track), `open D5 1` (the cells towards which a feature is open, or `complete`), `places a` (cells in which tile a may be laid),
/// `lays a b` and `discards a b` (which of the drawn tiles may be laid, and discarded).
fn look(position: &Position, what: &str) -> String {
    let (what, ids) = what.split_once(' ').unwrap_or((what, ""));
    if what == "open" {
        let (cell, segment) = ids.split_once(' ').expect("a cell and a segment");
        let cell = cell_from_name(cell).expect("a cell");
        let feature = position.feature_at(SegmentAt { cell, segment: segment.parse().unwrap() });
        let feature = feature.expect("a feature");
        let open = list(feature.open.iter().map(|c| cell_name(*c)));
        return if feature.is_complete() { "complete".to_owned() } else { open };
    }
    if let Some(figure) = FigureKind::named(ids) {
        return spaced(players(position).map(|p| u32::from(position.supply_of(p, figure))));
    }
    let drawn: Vec<usize> =
        ids.split_whitespace().map(|id| position.tile_index(id).expect("a tile of the deck")).collect();
    let of_drawn = |chosen: fn(&Move) -> Option<usize>| {
        let mut ids: Vec<String> = position
            .legal_moves(&drawn)
            .iter()
            .filter_map(chosen)
            .map(|tile| position.tile_id(tile).unwrap().to_owned())
            .collect();
        ids.dedup();
        list(ids)
    };
    match what {
        "totals" => spaced(players(position).map(|p| position.total(p))),
        "markers" => spaced(players(position).map(|p| position.total(p) % position.track())),
        "supply" => spaced(players(position).map(|p| u32::from(position.supply(p)))),
        "turn" => (position.to_move().index() + 1).to_string(),
        "winners" => list(position.winners().iter().map(|p| (p.index() + 1).to_string())),
        "phase" => match position.phase() {
            Phase::Tile => "tile",
            Phase::Follower => "follower",
            Phase::Step => "step",
            Phase::Over => "over",
        }
        .to_owned(),
        "step" => position.step_rule().unwrap_or("none").to_owned(),
        "actor" => (position.actor().index() + 1).to_string(),
        "moves" => list(position.legal_moves(&[]).iter().map(|m| position.write_move(m))),
        "figures" => list(position.figures().iter().map(|f| f.name().to_owned())),
        "tokens" => {
            let held =
                |p: Player| list(position.tokens(p).iter().map(|(token, n)| format!("{n} {}", token.name())));
            players(position).map(held).collect::<Vec<_>>().join("; ")
        }
        "count" => {
            let (_, at) = position.neutral().expect("there is a count");
            position.place_name(at).expect("he stands in a quarter").to_owned()
        }
        "left" => position.tiles_left().to_string(),
        "claims" => list(position.claims().iter().map(|(_, role)| role.name().to_owned())),
        "places" => {
            let mut cells: Vec<String> =
                drawn.iter().flat_map(|t| position.placements(*t)).map(|p| cell_name(p.cell)).collect();
            cells.dedup();
            list(cells)
        }
        "lays" => of_drawn(|m| if let Move::Lay { placement, .. } = m { Some(placement.tile) } else { None }),
        "discards" => of_drawn(|m| if let Move::Discard { tile, .. } = m { Some(*tile) } else { None }),
        _ => panic!("`{what}` is nothing to look at"),
    }
}

#[test]
fn every_scenario_comes_out_as_written() {
    let scenarios = all();
    let mut failed = Vec::new();
    for (file, scenario) in &scenarios {
        if let Err(error) = std::panic::catch_unwind(|| scenario.play(file)) {
            let message = error
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| error.downcast_ref::<&str>().map(|s| (*s).to_owned()))
                .unwrap_or_default();
            failed.push(format!("[{}] {message}", scenario.rules.join(" ")));
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), scenarios.len(), failed.join("\n"));
}

#[test]
fn every_rule_has_a_scenario() {
    let named: BTreeSet<String> = all().into_iter().flat_map(|(_, scenario)| scenario.rules).collect();
    let rules: BTreeSet<String> =
        book::rules().iter().filter(|r| r.game() == Game::Classic).map(|r| r.id.clone()).collect();
    assert!(rules.len() >= 36, "{rules:?}");
    let missing: Vec<&String> = rules.difference(&named).collect();
    assert!(missing.is_empty(), "no scenario names {missing:?}");
    let unknown: Vec<&String> = named.difference(&rules).collect();
    assert!(unknown.is_empty(), "there is no rule {unknown:?}");
}

/// The book and the engine name each other's switches, and each is turned on in a
/// scenario of its rule.
#[test]
fn every_switch_is_in_the_book_and_in_a_scenario() {
    let in_book: BTreeSet<(&str, &str)> = book::rules()
        .iter()
        .filter(|r| r.game() == Game::Classic)
        .flat_map(|r| r.switches.iter().map(|s| (s.as_str(), r.id.as_str())))
        .collect();
    let in_engine: BTreeSet<(&str, &str)> = Switch::ALL.iter().map(|s| (s.name, s.rule)).collect();
    assert_eq!(in_book, in_engine);
    let scenarios = all();
    for switch in Switch::ALL {
        let turns = |(_, scenario): &(String, Scenario)| {
            scenario.rules.iter().any(|r| r == switch.rule)
                && scenario.lines.iter().any(|(_, line)| *line == format!("switch: {} on", switch.name))
        };
        assert!(scenarios.iter().any(turns), "no scenario of {} turns {}", switch.rule, switch.name);
        assert_ne!(switch.says(true), switch.says(false), "{}", switch.name);
    }
}

/// What the texts leave open and no table can choose, and why.
const DECIDED: [(&str, &str); 6] = [
    ("BA-32", "the text names an older way to count fields without saying how it counts"),
    ("PL-00", "each number that no text gives has a rule of its own, with its switch"),
    ("PL-29", "one player completes both, so every order gives the same holder and the same size"),
    ("CO-02", "the city is chosen with the tiles: the later one is a set of its own, count15"),
    ("CO-25", "only a completed road, city or cloister scores when a tile is laid, so both are the same"),
    ("CO-36", "followers come before anything is counted, so both words mean the same moment"),
];

/// Where the texts disagree, are silent or are damaged, a table can choose by a switch that
/// says why it stands as it does, or the decision is written down.
#[test]
fn what_the_texts_leave_open_is_a_switch_or_decided() {
    for rule in book::rules().iter().filter(|r| r.game() == Game::Classic) {
        let decided = DECIDED.iter().any(|(id, _)| *id == rule.id);
        assert_eq!(rule.open && rule.switches.is_empty(), decided, "{}", rule.id);
    }
    for switch in Switch::ALL {
        let (on, off) = (switch.says(true), switch.says(false));
        assert!(!switch.get(Switches::default()), "{}", switch.name);
        let variant = ["CO-22"].contains(&switch.rule);
        assert!(variant || off.contains(": "), "{} says no reason: {off}", switch.name);
        assert_ne!(on, off);
    }
}
