//! Plays the recorded games of `tests/vectors` message by message and compares points,
//! supplies, tokens, the phase and the complete list of legal options after each, and
//! what every turn scored.
//!
//! The last line is `N games, M messages compared, D differ`; a difference fails.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use castellan_rules::classic::{Outcome, Position, Switches, base_deck};
use castellan_rules::{
    Cell, Deck, Kind, Move, Names, Phase, Placement, Player, Port, PortSet, Rotation, SegmentAt, Side,
};
use serde_json::Value;

/// The sets that can be played, as JCloisterZone calls them.
const SETS: [&str; 1] = ["basic:1"];

fn main() -> ExitCode {
    let folder = std::env::var_os("CASTELLAN_VECTORS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"), PathBuf::from);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "gz"))
        .collect();
    files.sort();
    let (mut games, mut messages, mut differ) = (0, 0, 0);
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut text = String::new();
        let bytes = std::fs::read(&file).unwrap();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
        let mut skipped = BTreeMap::new();
        for (line, number) in text.lines().zip(1..) {
            let game: Value = serde_json::from_str(line).unwrap();
            let sets = game["setup"]["sets"].as_object().unwrap().keys();
            let other: Vec<&str> = sets.map(String::as_str).filter(|s| !SETS.contains(s)).collect();
            if !other.is_empty() {
                *skipped.entry(other.join(", ")).or_insert(0) += 1;
                continue;
            }
            let mut compared = Compared::start(&game, format!("{name}, game {number}"));
            compared.play(&game);
            games += 1;
            messages += compared.messages;
            differ += compared.differ;
        }
        for (sets, n) in skipped {
            println!("{name}: {n} games skipped, not played yet: {sets}");
        }
    }
    println!("{games} games, {messages} messages compared, {differ} differ");
    if differ == 0 && games > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A game that is compared.
struct Compared {
    name: String,
    deck: Deck,
    position: Position,
    names: Names,
    /// Whether the player has put a follower or passed in this turn.
    acted: bool,
    messages: usize,
    differ: usize,
    /// What turns scored: the turn, the player and the points, `None` for the end.
    scored: Vec<(Option<u64>, u64, u64)>,
}

impl Compared {
    fn start(game: &Value, name: String) -> Compared {
        let players = game["players"].as_u64().unwrap() as usize;
        let rules = &game["setup"]["rules"];
        let switches =
            Switches { tiny_city_scores_two: rules["tiny-city-scoring"] == "2", ..Switches::default() };
        let deck = base_deck();
        let position = Position::new(&deck, players, switches).unwrap();
        let names = Names::new(&vec![String::new(); players]);
        Compared { name, deck, position, names, acted: false, messages: 0, differ: 0, scored: Vec::new() }
    }

    fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, ours: &T, theirs: &T) {
        if ours != theirs {
            self.differ += 1;
            println!("{}, message {}: {what} {ours:?}, not {theirs:?}", self.name, self.messages);
        }
    }

    fn play(&mut self, game: &Value) {
        self.compare(&game["initial"]);
        for step in game["steps"].as_array().unwrap() {
            self.messages += 1;
            let discarded = step["after"].get("discarded").and_then(Value::as_array);
            self.message(&step["msg"]);
            for id in discarded.into_iter().flatten() {
                let tile = self.tile(id);
                let player = self.position.to_move();
                if self.position.remaining(tile) > 0 && !self.position.has_placement(tile) {
                    self.position.play(&Move::Discard { player, tile }).unwrap();
                }
            }
            self.compare(&step["after"]);
        }
        if self.position.phase() == Phase::Over {
            for score in self.position.final_scores(&self.names) {
                for player in &score.players {
                    self.scored.push((None, player.index() as u64, u64::from(score.points())));
                }
            }
        }
        let mut theirs = Vec::new();
        for turn in game["events"].as_array().unwrap() {
            for points in turn["points"].as_array().unwrap().iter().filter(|p| p["type"] == "points") {
                for points in points["points"].as_array().unwrap() {
                    let (player, points) = (points["player"].as_u64(), points["points"].as_u64());
                    theirs.push((turn["turn"].as_u64(), player.unwrap(), points.unwrap()));
                }
            }
        }
        let mut ours = std::mem::take(&mut self.scored);
        ours.retain(|s| s.2 > 0);
        theirs.retain(|s| s.2 > 0);
        ours.sort_unstable();
        theirs.sort_unstable();
        self.same("scores", &ours, &theirs);
    }

    /// A tile by the name that JCloisterZone has for it.
    fn tile(&self, id: &Value) -> usize {
        let id = id.as_str().unwrap().strip_prefix("BA/").unwrap().replace('+', "-p").replace('.', "-");
        self.deck.index(&id).unwrap_or_else(|| panic!("no tile {id}"))
    }

    fn message(&mut self, message: &Value) {
        let payload = &message["payload"];
        let player = self.position.to_move();
        let played = match message["type"].as_str().unwrap() {
            "PLACE_TILE" => {
                let turns = payload["rotation"].as_str().unwrap()[1..].parse::<u16>().unwrap() / 90;
                Move::Lay {
                    player,
                    placement: Placement {
                        tile: self.tile(&payload["tileId"]),
                        cell: cell(&payload["position"]),
                        rotation: Rotation::new(turns as u8),
                    },
                }
            }
            "DEPLOY_MEEPLE" => {
                self.acted = true;
                let wanted = Pointer::read(&payload["pointer"]);
                let claims = self.position.legal_moves(&[]).into_iter();
                let found = claims.filter(|m| self.pointer(m).as_ref() == Some(&wanted)).collect::<Vec<_>>();
                let [claim] = &found[..] else { panic!("{}: {wanted:?} is {found:?}", self.name) };
                claim.clone()
            }
            "PASS" => {
                self.acted = true;
                return;
            }
            "COMMIT" => Move::End { player },
            other => panic!("{other} is no message of the base game"),
        };
        let outcomes = self.position.play(&played).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        if let Move::End { .. } = played {
            self.acted = false;
        }
        for outcome in &outcomes {
            self.note(outcome);
        }
        // What was played can be taken back and played again.
        let (after, text) = (self.position.final_totals(), self.position.followers());
        assert!(self.position.undo());
        self.position.play(&played).unwrap();
        assert_eq!((self.position.final_totals(), self.position.followers()), (after, text));
    }

    fn note(&mut self, outcome: &Outcome) {
        for (index, scored) in outcome.scored.iter().enumerate() {
            let explained = self.position.explain(outcome, index, &self.names).unwrap();
            assert_eq!((explained.points(), &explained.players), (scored.points(), &scored.players()));
            for player in scored.players() {
                let turn = u64::from(outcome.turn);
                self.scored.push((Some(turn), player.index() as u64, u64::from(scored.points())));
            }
        }
    }

    fn compare(&mut self, theirs: &Value) {
        let players = self.position.players();
        let over = self.position.phase() == Phase::Over;
        let points: Vec<u64> = if over {
            self.position.final_totals().into_iter().map(u64::from).collect()
        } else {
            (0..players).map(|p| u64::from(self.position.total(Player(p as u8)))).collect()
        };
        let read =
            |v: &Value| -> Vec<u64> { v.as_array().unwrap().iter().filter_map(Value::as_u64).collect() };
        self.same("points", &points, &read(&theirs["points"]));
        // After the end nobody has a supply any more.
        if !over {
            let supply: Vec<u64> =
                (0..players).map(|p| u64::from(self.position.supply(Player(p as u8)))).collect();
            let small = |v: &Value| v.get("SmallFollower").and_then(Value::as_u64).unwrap_or(0);
            let told = theirs["supply"].as_array().unwrap();
            self.same("supply", &supply, &told.iter().map(small).collect());
            let kinds: Vec<&String> = told
                .iter()
                .flat_map(|v| v.as_object().unwrap().keys())
                .filter(|k| *k != "SmallFollower")
                .collect();
            self.same("other figures", &Vec::new(), &kinds);
        }
        let tokens: Vec<&String> =
            theirs["tokens"].as_array().unwrap().iter().flat_map(|v| v.as_object().unwrap().keys()).collect();
        self.same("tokens", &Vec::new(), &tokens);
        let claims = self.position.claims();
        let phase = match self.position.phase() {
            Phase::Tile => "TilePhase",
            Phase::Follower if self.acted || claims.is_empty() => "CommitActionPhase",
            Phase::Follower => "ActionPhase",
            Phase::Over => "GameOverPhase",
        };
        self.same("phase", &phase, &theirs["phase"].as_str().unwrap());
        let mover = (!over).then(|| self.position.to_move().index() as u64);
        self.same("player to move", &mover, &theirs["turnPlayer"].as_u64());
        let left = u64::from(self.position.tiles_left());
        // The tile that is drawn is no longer in their pack.
        let drawn = u64::from(self.position.phase() == Phase::Tile);
        self.same("tiles left", &(left - drawn), &theirs["pack"].as_u64().unwrap());
        self.options(&theirs["action"]);
    }

    /// Compares the complete lists of options.
    fn options(&mut self, action: &Value) {
        let none = Vec::new();
        let items = action["items"].as_array().unwrap_or(&none);
        let drawn: Vec<usize> =
            items.iter().filter(|i| i["type"] == "TilePlacement").map(|i| self.tile(&i["tileId"])).collect();
        let (mut lays, mut puts) = (BTreeSet::new(), BTreeSet::new());
        for item in items {
            for option in item["options"].as_array().unwrap_or(&none) {
                match item["type"].as_str().unwrap() {
                    "TilePlacement" => {
                        for rotation in option["rotations"].as_array().unwrap() {
                            let turns = (rotation.as_u64().unwrap() / 90) as u8;
                            lays.insert((self.tile(&item["tileId"]), cell(&option["position"]), turns));
                        }
                    }
                    "Meeple" => {
                        assert_eq!(item["meeple"], "SmallFollower");
                        puts.insert(Pointer::read(option));
                    }
                    other => panic!("{other} is no item of the base game"),
                }
            }
        }
        let (mut our_lays, mut our_puts, mut ends) = (BTreeSet::new(), BTreeSet::new(), false);
        let moves = match self.position.phase() {
            Phase::Tile if drawn.is_empty() => Vec::new(),
            Phase::Follower if self.acted => Vec::new(),
            _ => self.position.legal_moves(&drawn),
        };
        for played in &moves {
            self.position.clone().play(played).unwrap_or_else(|e| panic!("{}: {played:?}: {e}", self.name));
            match played {
                Move::Lay { placement: p, .. } => {
                    our_lays.insert((p.tile, p.cell, p.rotation.quarters()));
                }
                Move::Claim { .. } => our_puts.extend(self.pointer(played)),
                Move::End { .. } => ends = true,
                _ => self.same("move", played, &Move::Stop),
            }
        }
        self.same("placements", &our_lays, &lays);
        self.same("places for a follower", &our_puts, &puts);
        if action["canPass"] == true {
            self.same("passing", &ends, &true);
        }
    }

    /// What a claim points at, as JCloisterZone says it.
    fn pointer(&self, played: &Move) -> Option<Pointer> {
        let Move::Claim { at: SegmentAt { cell, segment }, .. } = *played else { return None };
        let (tile, rotation) = self.position.tile_at(cell)?;
        let segment = self.deck.tiles[tile].face.as_ref()?.segments()[segment as usize];
        let feature = match segment.kind {
            Kind::CLOISTER => "Monastery",
            Kind::ROAD => "Road",
            Kind::CITY => "City",
            Kind::FIELD => "Field",
            other => panic!("a follower on a {other}"),
        };
        Some(Pointer { cell, feature: feature.to_owned(), ports: segment.ports.turned(rotation).bits() })
    }
}

fn cell(position: &Value) -> Cell {
    let at = |i: usize| position[i].as_i64().unwrap() as i8;
    Cell::new(at(0), at(1))
}

/// A feature on a tile: its cell, its kind, and its ports as bits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pointer {
    cell: Cell,
    feature: String,
    ports: u16,
}

impl Pointer {
    fn read(pointer: &Value) -> Pointer {
        let feature = pointer["feature"].as_str().unwrap().to_owned();
        let location = pointer["location"].as_str().unwrap();
        let side = |c: char| Side::ALL["NESW".find(c).unwrap_or_else(|| panic!("{location}"))];
        let line = feature == "Road";
        let whole = |side| if line { PortSet::EMPTY.with(Port::middle(side)) } else { PortSet::halves(side) };
        let all =
            |sides: &str| sides.chars().map(side).fold(PortSet::EMPTY, |ports, s| ports.union(whole(s)));
        let ports = match location {
            "I" => PortSet::EMPTY,
            _ if location.ends_with(['L', 'R']) => location
                .split('.')
                .map(|half| Port::from_name(&half.to_lowercase()).unwrap_or_else(|| panic!("{location}")))
                .collect(),
            _ => match location.strip_prefix('_') {
                Some(but) => all(&"NESW".replace(but, "")),
                None => all(location),
            },
        };
        Pointer { cell: cell(&pointer["position"]), feature, ports: ports.bits() }
    }
}
