//! Scenarios in text files: a wall, tiles, moves, and what must come of them.
//!
//! A scenario begins with `== CA-44 CA-41: what it shows`. Then, line by line:
//!
//! | line | means |
//! |---|---|
//! | `wall: ##./###` | the interior, rows separated by `/`; `####/####/####` without it |
//! | `start: A1 west path e` | a start space beyond a side of a cell; `A1 west court e` without any |
//! | `tile: a path e-w`, `tile: a x3 path e-w` | a tile of the deck, or several |
//! | `towers: 12/13 32/33` | the corner towers beyond 0/1 |
//! | `wall tile: 32 is 2` | what lies on a tower |
//! | `totals: 31 0` | points at the start, White's and Black's |
//! | `starts: black` | who begins |
//! | `edition: zamek-2020` | the edition, as in a record's header |
//! | `switch: wall4_fountain on` | a reading of the rules |
//! | `> lay a A1; herald; end` | moves that must be legal |
//! | `! CA-21 CA-22: lay a A1` | a move that must be refused for exactly these rules |
//! | `~ CA-21: lay a A1` | a move that is against exactly these rules and happens all the same |
//! | `= SENTENCE` | the scores of the turn that ended last, one a line, all of them; `= nothing` |
//! | `rule= CA-42 CA-43` | the rules of the items of those scores, in order |
//! | `final= SENTENCE` | the final scores, one a line, all of them |
//! | `? WHAT: VALUE` | something to be seen in the position; see [`Scenario::look`] |
//! | `undo` | takes back the last move |

use std::collections::BTreeMap;
use std::path::Path;

use castellan::rules::castle::{
    Edition, Names, Outcome, Phase, Position, RuleSwitch, RuleSwitches, cell_from_name, cell_name, winners,
};
use castellan::rules::{Deck, Face, Game, Player, Side, StartSpace, Tile, TrackPoint, Wall};

/// A scenario as it stands in the file.
pub struct Scenario {
    pub rules: Vec<String>,
    title: String,
    lines: Vec<(usize, String)>,
}

/// All scenarios under `tests/rules/scenarios/`, with the file each is in.
pub fn all() -> Vec<(String, Scenario)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules/scenarios");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let mut scenarios = Vec::new();
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            let line = line.trim();
            if let Some(head) = line.strip_prefix("== ") {
                let (rules, title) = head.split_once(": ").expect("a scenario has rules and a title");
                let rules = rules.split_whitespace().map(str::to_owned).collect();
                scenarios
                    .push((file.clone(), Scenario { rules, title: title.to_owned(), lines: Vec::new() }));
            } else if !line.is_empty() && !line.starts_with('#') {
                let (_, scenario) = scenarios.last_mut().expect("a line belongs to a scenario");
                scenario.lines.push((number + 1, line.to_owned()));
            }
        }
    }
    scenarios
}

fn names() -> Names {
    Names::new(&["White".to_owned(), "Black".to_owned()])
}

fn player(name: &str) -> Player {
    match name {
        "white" => Player(0),
        "black" => Player(1),
        _ => panic!("`{name}` is neither white nor black"),
    }
}

fn pair(text: &str) -> [u32; 2] {
    let numbers: Vec<u32> = text.split_whitespace().map(|n| n.parse().unwrap()).collect();
    numbers.try_into().expect("two numbers")
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

impl Scenario {
    fn setup(&self) -> Position {
        let mut wall = Wall {
            name: "scenario".to_owned(),
            note: String::new(),
            outline: ["####"; 3].map(str::to_owned).to_vec(),
            towers: vec![(0, 1)],
            thickness: 0.5,
            track: vec![TrackPoint { x: 0.0, y: 0.0 }; 100],
            starts: Vec::new(),
        };
        let mut deck = Deck::new("scenario", Game::Castle, Vec::new());
        let mut edition = Edition::named(Edition::default_name()).unwrap();
        let mut switches: Vec<(RuleSwitch, bool)> = Vec::new();
        let mut wall_tiles = BTreeMap::new();
        let mut totals = [0, 0];
        let mut first = Player(0);
        for (number, line) in &self.lines {
            let Some((key, value)) = line.split_once(": ") else { continue };
            match key {
                "wall" => wall.outline = value.split('/').map(str::to_owned).collect(),
                "start" => {
                    let words: Vec<&str> = value.splitn(3, ' ').collect();
                    let side = Side::ALL[["north", "east", "south", "west"]
                        .iter()
                        .position(|s| *s == words[1])
                        .expect("a side")];
                    let cell = cell_from_name(words[0]).unwrap();
                    wall.starts.push(StartSpace { cell, side, face: words[2].parse().unwrap() });
                }
                "tile" => {
                    let (id, rest) = value.split_once(' ').expect("an id and a face");
                    let (count, face) = match rest.strip_prefix('x').and_then(|r| r.split_once(' ')) {
                        Some((count, face)) => (count.parse().unwrap(), face),
                        None => (1, rest),
                    };
                    let face: Face = face.parse().unwrap_or_else(|e| panic!("line {number}: {e}"));
                    deck.tiles.push(Tile { id: id.to_owned(), face: Some(face), doubts: Vec::new(), count });
                }
                "towers" => wall.towers.extend(value.split_whitespace().map(|t| {
                    let (low, high) = t.split_once('/').unwrap();
                    (low.parse::<u8>().unwrap(), high.parse::<u8>().unwrap())
                })),
                "wall tile" => {
                    let (low, number) = value.split_once(" is ").unwrap();
                    wall_tiles.insert(low.parse().unwrap(), number.parse().unwrap());
                }
                "totals" => totals = pair(value),
                "starts" => first = player(value),
                "edition" => edition = Edition::named(value).unwrap_or_else(|e| panic!("{number}: {e}")),
                "switch" => {
                    let (name, on) = value.split_once(' ').unwrap();
                    switches.push((RuleSwitch::named(name).expect("a switch"), on == "on"));
                }
                _ => {}
            }
        }
        if wall.starts.is_empty() {
            wall.starts.push(StartSpace {
                cell: cell_from_name("A1").unwrap(),
                side: Side::West,
                face: "court e".parse().unwrap(),
            });
        }
        for (switch, on) in switches {
            switch.set(&mut edition.switches, on);
        }
        Position::new(&wall, &deck)
            .unwrap()
            .in_edition(&edition)
            .with_wall_tiles(&wall_tiles)
            .with_totals(totals)
            .starting(first)
    }

    /// Plays the scenario.
    ///
    /// # Panics
    /// Where something is not as the scenario says.
    pub fn play(&self, file: &str) {
        let mut position = self.setup();
        let mut last: Option<Outcome> = None;
        let mut lines = self.lines.iter().peekable();
        while let Some((number, line)) = lines.next() {
            let place = format!("{file}:{number} ({})", self.title);
            if let Some(moves) = line.strip_prefix("> ") {
                for text in moves.split(';') {
                    let played = position.read_move(text).unwrap_or_else(|e| panic!("{place}: {e}"));
                    let written = position.write_move(&played);
                    assert_eq!(position.read_move(&written).as_ref(), Ok(&played), "{place}: {written}");
                    let outcomes = position.play(&played).unwrap_or_else(|e| panic!("{place}: {text}: {e}"));
                    last = outcomes.into_iter().last().or(last);
                }
            } else if let Some(refused) = line.strip_prefix("! ") {
                let (rules, text) = refused.split_once(": ").expect("rules and a move");
                let played = position.read_move(text).unwrap_or_else(|e| panic!("{place}: {e}"));
                let refusal = position.play(&played).expect_err(&place);
                let found: Vec<&str> = refusal.illegalities.iter().map(|i| i.rule).collect();
                assert_eq!(found.join(" "), rules, "{place}: {refusal}");
            } else if let Some(waived) = line.strip_prefix("~ ") {
                let (rules, text) = waived.split_once(": ").expect("rules and a move");
                let played = position.read_move(text).unwrap_or_else(|e| panic!("{place}: {e}"));
                let (outcomes, broken) =
                    position.play_anyway(&played).unwrap_or_else(|e| panic!("{place}: {text}: {e}"));
                let found: Vec<&str> = broken.iter().map(|i| i.rule).collect();
                assert_eq!(found.join(" "), rules, "{place}: {broken:?}");
                last = outcomes.into_iter().last().or(last);
            } else if let Some(sentence) = line.strip_prefix("= ") {
                let mut expected = vec![sentence];
                while let Some((_, next)) = lines.next_if(|(_, l)| l.starts_with("= ")) {
                    expected.push(&next[2..]);
                }
                let outcome = last.as_ref().unwrap_or_else(|| panic!("{place}: no turn has ended"));
                let found: Vec<String> = (0..outcome.scored.len())
                    .map(|i| position.explain(outcome, i, &names()).unwrap().sentence)
                    .collect();
                let expected: Vec<&str> = expected.into_iter().filter(|e| *e != "nothing").collect();
                assert_eq!(found, expected, "{place}");
            } else if let Some(rules) = line.strip_prefix("rule= ") {
                let outcome = last.as_ref().unwrap_or_else(|| panic!("{place}: no turn has ended"));
                let found: Vec<String> = (0..outcome.scored.len())
                    .flat_map(|i| position.explain(outcome, i, &names()).unwrap().items)
                    .map(|item| item.rule)
                    .collect();
                assert_eq!(found.join(" "), rules, "{place}");
            } else if let Some(sentence) = line.strip_prefix("final= ") {
                let mut expected = vec![sentence];
                while let Some((_, next)) = lines.next_if(|(_, l)| l.starts_with("final= ")) {
                    expected.push(&next[7..]);
                }
                let scores = position.final_scores(&names());
                let found: Vec<&str> = scores.iter().map(|s| s.sentence.as_str()).collect();
                let expected: Vec<&str> = expected.into_iter().filter(|e| *e != "nothing").collect();
                assert_eq!(found, expected, "{place}");
                let made: u32 = scores.iter().map(castellan::rules::Score::points).sum();
                let before = position.total(Player(0)) + position.total(Player(1));
                assert_eq!(position.final_totals().iter().sum::<u32>(), before + made, "{place}");
            } else if let Some(look) = line.strip_prefix("? ") {
                let (what, expected) = look.split_once(": ").unwrap_or((look, ""));
                assert_eq!(Scenario::look(&position, last.as_ref(), what), expected, "{place}: {what}");
            } else if line == "undo" {
                assert!(position.undo(), "{place}: nothing to undo");
            } else {
                let key = line.split_once(": ").map(|(key, _)| key).unwrap_or_default();
                let known =
                    ["wall", "start", "tile", "towers", "wall tile", "totals", "starts", "edition", "switch"];
                assert!(known.contains(&key), "{place}: `{line}` is no line of a scenario");
            }
        }
    }

    /// What is to be seen of a position: `total` and `final` (points of White and
    /// Black), `supply`, `keep` (sizes, `-` for none), `turn` (whose), `phase`,
    /// `left` (tiles), `claims` (roles allowed now), `places a` (cells in which
    /// tile a may be laid), `ways a` (how many placements), `holds white` (wall
    /// tiles by number, `?` unknown), `towers` (those with a wall tile),
    /// `options` (orders of scoring that differ), `order open`, `returned`,
    /// `empty` (cells), `winners`.
    fn look(p: &Position, last: Option<&Outcome>, what: &str) -> String {
        let players = [Player(0), Player(1)];
        let both = |f: &dyn Fn(Player) -> String| players.map(f).join(" ");
        let tile = |id: &str| p.tile_index(id).expect("a tile of the deck");
        match what.split_once(' ').unwrap_or((what, "")) {
            ("total", _) => both(&|w| p.total(w).to_string()),
            ("final", _) => p.final_totals().map(|t| t.to_string()).join(" "),
            ("supply", _) => both(&|w| p.supply(w).to_string()),
            ("keep", _) => both(&|w| p.keep(w).map_or("-".to_owned(), |k| k.size.to_string())),
            ("turn", _) => ["white", "black"][p.to_move().index()].to_owned(),
            ("phase", _) => match p.phase() {
                Phase::Tile => "tile",
                Phase::Follower => "follower",
                Phase::Step => "step",
                Phase::Over => "over",
            }
            .to_owned(),
            ("left", _) => p.tiles_left().to_string(),
            ("claims", _) => list(p.claims().iter().map(|c| c.1.name().to_owned())),
            ("places", id) => {
                let mut cells: Vec<String> =
                    p.placements(tile(id)).iter().map(|p| cell_name(p.cell)).collect();
                cells.dedup();
                list(cells)
            }
            ("ways", id) => p.placements(tile(id)).len().to_string(),
            ("holds", who) => list(
                p.wall_tiles(player(who)).iter().map(|(_, n)| n.map_or("?".to_owned(), |n| n.to_string())),
            ),
            ("towers", _) => list(p.wall_tiles_on_wall().iter().map(|(low, _)| low.to_string())),
            ("options", _) => p.order_options().len().to_string(),
            ("order", _) => last.is_some_and(|o| o.order_open).to_string(),
            ("returned", _) => last.map_or([0; 2], |o| o.returned).map(|n| n.to_string()).join(" "),
            ("empty", _) => p.cells().iter().filter(|c| p.tile_at(**c).is_none()).count().to_string(),
            ("winners", _) => {
                let names = winners(&p.final_totals()).into_iter().map(|w| ["white", "black"][w.index()]);
                list(names.map(str::to_owned))
            }
            _ => panic!("`{what}` cannot be looked at"),
        }
    }
}

/// Every switch has a scenario in which it stands otherwise than in the first
/// edition.
#[test]
fn every_switch_has_a_scenario() {
    let lines: Vec<String> = all()
        .into_iter()
        .flat_map(|(_, scenario)| scenario.lines)
        .filter_map(|(_, line)| line.strip_prefix("edition: ").map(str::to_owned))
        .collect();
    for switch in RuleSwitch::ALL {
        let other = |line: &String| {
            let chosen = Edition::named(line).unwrap().switches;
            switch.get(chosen) != switch.get(RuleSwitches::default())
        };
        assert!(lines.iter().any(other), "no scenario turns {}", switch.name);
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
            failed.push(message);
        }
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), scenarios.len(), failed.join("\n"));
}
