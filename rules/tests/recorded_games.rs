//! Plays the recorded games of `tests/vectors` message by message and compares points,
//! supplies, tokens, the phase and the complete list of legal options after each, and
//! what every turn scored.
//!
//! The last line is `N games, M messages compared, D differ`; a difference fails.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use castellan_rules::classic::{Outcome, Position, Switch, Switches, deck_with};
use castellan_rules::{
    Cell, Deck, FigureKind, Kind, Move, Names, Phase, Placement, Player, Port, PortSet, Rotation, SegmentAt,
    Side,
};
use serde_json::Value;

/// The sets that can be played, as JCloisterZone calls them, and as we do.
const SETS: [(&str, &str); 7] = [
    ("basic:1", ""),
    ("river/1:1", "river"),
    ("inns-and-cathedrals:1", "inns"),
    ("traders-and-builders:1", "traders"),
    ("king-and-robber:1", "king"),
    ("siege/cathars", "cathars"),
    ("count", "count"),
];

/// Values of rules that are switches here: the rule, its value, and the switch.
const RULES: [(&str, &str, &str); 6] = [
    ("tiny-city-scoring", "2", "tiny_city_scores_two"),
    ("espace-variant", "any-tile", "escape_by_any_tile"),
    ("coc-final-scoring", "market-only", "only_the_market_at_the_end"),
    ("count-move", "clockwise", "count_goes_clockwise"),
    ("count-move", "follow-meeple", "count_follows_the_follower"),
    ("count-move", "follow", "count_follows_the_follower"),
];

/// The figures, as JCloisterZone calls them.
const FIGURES: [(&str, FigureKind); 4] = [
    ("SmallFollower", FigureKind::FOLLOWER),
    ("BigFollower", FigureKind::BIG_FOLLOWER),
    ("Builder", FigureKind::BUILDER),
    ("Pig", FigureKind::PIG),
];

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
            let other: Vec<&str> =
                sets.map(String::as_str).filter(|s| SETS.iter().all(|k| k.0 != *s)).collect();
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
    /// Tokens that were taken: the turn, the player, what and how many.
    taken: Vec<(Option<u64>, u64, String, u64)>,
}

impl Compared {
    fn start(game: &Value, name: String) -> Compared {
        let players = game["players"].as_u64().unwrap() as usize;
        let rules = &game["setup"]["rules"];
        let mut switches = Switches::default();
        for (_, _, switch) in RULES.iter().filter(|(rule, value, _)| rules[*rule] == *value) {
            Switch::named(switch).unwrap().set(&mut switches, true);
        }
        let sets = game["setup"]["sets"].as_object().unwrap().keys();
        let sets =
            sets.filter_map(|set| SETS.iter().find(|(theirs, _)| theirs == set).map(|(_, ours)| *ours));
        let deck = deck_with(&sets.filter(|set| !set.is_empty()).collect::<Vec<_>>()).unwrap();
        let position = Position::new(&deck, players, switches).unwrap();
        let names = Names::new(&vec![String::new(); players]);
        let (scored, taken) = (Vec::new(), Vec::new());
        Compared { name, deck, position, names, acted: false, messages: 0, differ: 0, scored, taken }
    }

    fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, ours: &T, theirs: &T) {
        if ours != theirs {
            self.differ += 1;
            println!("{}, message {}: {what} {ours:?}, not {theirs:?}", self.name, self.messages);
        }
    }

    fn play(&mut self, game: &Value) {
        self.compare(&game["initial"]);
        // The list is of the whole game.
        let mut known = 0;
        for step in game["steps"].as_array().unwrap() {
            self.messages += 1;
            let discarded = step["after"].get("discarded").and_then(Value::as_array);
            self.message(&step["msg"]);
            for id in discarded.into_iter().flatten().skip(known) {
                known += 1;
                let tile = self.tile(id);
                let player = self.position.to_move();
                self.position.play(&Move::Discard { player, tile }).unwrap();
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
        let (mut theirs, mut tokens) = (Vec::new(), Vec::new());
        for turn in game["events"].as_array().unwrap() {
            let number = turn["turn"].as_u64();
            for event in turn["points"].as_array().unwrap() {
                match event["type"].as_str().unwrap() {
                    "points" => {
                        for points in event["points"].as_array().unwrap() {
                            let (player, points) = (points["player"].as_u64(), points["points"].as_u64());
                            theirs.push((number, player.unwrap(), points.unwrap()));
                        }
                    }
                    "token-received" => {
                        let (player, count) = (event["player"].as_u64(), event["count"].as_u64());
                        let token = event["token"].as_str().unwrap().to_lowercase();
                        tokens.push((number, player.unwrap(), token, count.unwrap()));
                    }
                    // Who is where is compared after each message.
                    "meeple-returned" | "neutral-moved" => {}
                    other => panic!("{other} is no event that is known"),
                }
            }
        }
        let mut ours = std::mem::take(&mut self.scored);
        ours.retain(|s| s.2 > 0);
        theirs.retain(|s| s.2 > 0);
        ours.sort_unstable();
        theirs.sort_unstable();
        self.same("scores", &ours, &theirs);
        let mut taken = std::mem::take(&mut self.taken);
        taken.sort_unstable();
        tokens.sort_unstable();
        self.same("tokens taken", &taken, &tokens);
    }

    /// A tile by the name that JCloisterZone has for it.
    fn tile(&self, id: &Value) -> usize {
        let id = id.as_str().unwrap();
        let plain = id.replace('+', "-p").replace('!', "-x").replace("RI.1/", "RI/").replace("SI.CA/", "CA/");
        let plain = plain.strip_prefix("BA/").unwrap_or(&plain).replace(['.', '/'], "-");
        self.deck.index(&plain).unwrap_or_else(|| panic!("no tile {id}"))
    }

    fn message(&mut self, message: &Value) {
        let payload = &message["payload"];
        let (player, step) = (self.position.actor(), self.position.phase() == Phase::Step);
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
                self.acted = !step;
                let figure = figure_of(&payload["meepleId"]);
                self.chosen(&Pointer::read(&payload["pointer"]), figure)
            }
            "RETURN_MEEPLE" => {
                let pointer = &payload["pointer"];
                self.chosen(&Pointer::read(&pointer["featurePointer"]), figure_of(&pointer["meepleId"]))
            }
            "MOVE_NEUTRAL_FIGURE" => self.chosen(&Pointer::read(&payload["to"]), FigureKind::FOLLOWER),
            "PASS" | "COMMIT" if step => Move::Pass { player },
            "PASS" => {
                self.acted = true;
                return;
            }
            "COMMIT" => Move::End { player },
            other => panic!("{other} is no message that is known"),
        };
        let outcomes = self.position.play(&played).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        if let Move::End { .. } = played {
            self.acted = false;
        }
        for outcome in &outcomes {
            self.note(outcome);
        }
        // What was played can be taken back and played again.
        let after = (self.position.final_totals(), self.position.followers(), self.position.to_move());
        assert!(self.position.undo());
        let text = self.position.write_move(&played);
        assert_eq!(self.position.read_move(&text), Ok(played.clone()), "{}: {text}", self.name);
        self.position.play(&played).unwrap();
        let again = (self.position.final_totals(), self.position.followers(), self.position.to_move());
        assert_eq!(again, after);
    }

    /// The legal move that points there with a figure. Which of several quarters a follower
    /// leaves follows from where it goes.
    fn chosen(&self, wanted: &Pointer, figure: FigureKind) -> Move {
        let moves = self.position.legal_moves(&[]).into_iter();
        let same = |m: &Move| self.pointer(m) == Some((figure, wanted.clone()));
        let found = moves.filter(same).collect::<Vec<_>>();
        let [played] = &found[..] else { panic!("{}: {wanted:?} is {found:?}", self.name) };
        played.clone()
    }

    fn note(&mut self, outcome: &Outcome) {
        let turn = Some(u64::from(outcome.turn));
        for (index, scored) in outcome.scored.iter().enumerate() {
            let explained = self.position.explain(outcome, index, &self.names).unwrap();
            assert_eq!((explained.points(), &explained.players), (scored.points(), &scored.players()));
            for player in scored.players() {
                self.scored.push((turn, player.index() as u64, u64::from(scored.points())));
            }
        }
        for taken in &outcome.tokens {
            let (player, count) = (taken.player.index() as u64, u64::from(taken.count));
            self.taken.push((turn, player, taken.token.name().to_owned(), count));
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
            let told = theirs["supply"].as_array().unwrap();
            for (name, figure) in FIGURES {
                let supply: Vec<u64> = (0..players)
                    .map(|p| u64::from(self.position.supply_of(Player(p as u8), figure)))
                    .collect();
                let count = |v: &Value| v.get(name).and_then(Value::as_u64).unwrap_or(0);
                self.same(name, &supply, &told.iter().map(count).collect());
            }
            let known = |k: &&String| FIGURES.iter().all(|(name, _)| name != k);
            let other: Vec<&String> =
                told.iter().flat_map(|v| v.as_object().unwrap().keys()).filter(known).collect();
            self.same("other figures", &Vec::new(), &other);
        }
        let held = |player: usize| -> BTreeMap<String, u64> {
            let held = self.position.tokens(Player(player as u8)).into_iter();
            held.map(|(token, n)| (token.name().to_uppercase(), u64::from(n))).collect()
        };
        let ours: Vec<BTreeMap<String, u64>> = (0..players).map(held).collect();
        let told = |v: &Value| -> BTreeMap<String, u64> {
            v.as_object().unwrap().iter().map(|(k, n)| (k.clone(), n.as_u64().unwrap())).collect()
        };
        self.same("tokens", &ours, &theirs["tokens"].as_array().unwrap().iter().map(told).collect());
        let can_act = self.position.legal_moves(&[]).iter().any(|m| matches!(m, Move::Claim { .. }));
        let phase = match self.position.phase() {
            Phase::Tile => "TilePhase",
            Phase::Follower if self.acted || !can_act => "CommitActionPhase",
            Phase::Follower => "ActionPhase",
            Phase::Step => match self.position.step_rule() {
                Some("PL-10") => "EscapePhase",
                Some("CO-12") => "CocScoringPhase",
                Some("CO-06") => "CocFollowerPhase",
                Some("CO-20") => "CocCountPhase",
                Some("CO-30") => "CocFinalScoringPhase",
                other => panic!("{other:?} is no step that is known"),
            },
            Phase::Over => "GameOverPhase",
        };
        self.same("phase", &phase, &theirs["phase"].as_str().unwrap());
        let mover = (!over).then(|| self.position.to_move().index() as u64);
        self.same("player to move", &mover, &theirs["turnPlayer"].as_u64());
        if let Some(actor) = theirs["action"]["player"].as_u64() {
            self.same("player to act", &(self.position.actor().index() as u64), &actor);
        }
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
                        let (_, figure) = *FIGURES.iter().find(|(name, _)| item["meeple"] == *name).unwrap();
                        let origin = item.get("origin").map(Pointer::read);
                        puts.insert((figure, Pointer::read(option), origin));
                    }
                    "ReturnMeeple" => {
                        let at = Pointer::read(&option["featurePointer"]);
                        puts.insert((figure_of(&option["meepleId"]), at, None));
                    }
                    "NeutralFigure" => {
                        puts.insert((FigureKind::FOLLOWER, Pointer::read(option), None));
                    }
                    other => panic!("{other} is no item that is known"),
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
                Move::End { .. } | Move::Pass { .. } => ends = true,
                Move::Discard { .. } => self.same("move", played, &Move::Stop),
                _ => {
                    let origin = match played {
                        Move::Redeploy { from, .. } => self.place(*from),
                        _ => None,
                    };
                    our_puts.extend(self.pointer(played).map(|(figure, at)| (figure, at, origin)));
                }
            }
        }
        self.same("placements", &our_lays, &lays);
        self.same("places for a figure", &our_puts, &puts);
        if action["canPass"] == true {
            self.same("passing", &ends, &true);
        }
    }

    /// Which figure a move puts or takes, and what it points at, as JCloisterZone says it.
    fn pointer(&self, played: &Move) -> Option<(FigureKind, Pointer)> {
        let (figure, at) = match *played {
            Move::Claim { at, figure, .. } | Move::Return { at, figure, .. } => (figure, at),
            Move::Redeploy { to, figure, .. } => (figure, to),
            Move::MoveNeutral { to, .. } => (FigureKind::FOLLOWER, to),
            _ => return None,
        };
        Some((figure, self.place(at)?))
    }

    fn place(&self, SegmentAt { cell, segment }: SegmentAt) -> Option<Pointer> {
        let (tile, rotation) = self.position.tile_at(cell)?;
        let segments = self.deck.tiles[tile].face.as_ref()?.segments();
        let ours = segments[segment as usize];
        let (feature, ports) = match ours.kind {
            Kind::CLOISTER => ("Monastery", 0),
            Kind::ROAD => ("Road", ours.ports.turned(rotation).bits()),
            Kind::CITY => ("City", ours.ports.turned(rotation).bits()),
            Kind::FIELD if ours.ports == PortSet::EMPTY => {
                let before = segments[..segment as usize].iter();
                (
                    "Field",
                    INNER
                        + before.filter(|s| s.kind == Kind::FIELD && s.ports == PortSet::EMPTY).count()
                            as u16,
                )
            }
            Kind::FIELD => ("Field", ours.ports.turned(rotation).bits()),
            other => ("Quarter", QUARTERS.iter().position(|q| *q == other.name())? as u16),
        };
        Some(Pointer { cell, feature: feature.to_owned(), ports })
    }
}

/// What stands for the ports of a field that reaches no side.
const INNER: u16 = 1 << 15;
/// The quarters of the city, by our names.
const QUARTERS: [&str; 4] = ["castle", "market", "blacksmith", "cathedral"];

/// A figure by its id: `0.small.3`.
fn figure_of(id: &Value) -> FigureKind {
    match id.as_str().unwrap().split('.').nth(1) {
        Some("small") => FigureKind::FOLLOWER,
        Some("big") => FigureKind::BIG_FOLLOWER,
        Some("builder") => FigureKind::BUILDER,
        Some("pig") => FigureKind::PIG,
        _ => panic!("{id} is no figure that is known"),
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
        let inner = match (feature.as_str(), location) {
            ("Field", "I" | "INNER_FARM" | "INNER_FIELD") => Some(INNER),
            ("Field", "II" | "INNER_FARM_B" | "INNER_FIELD_2") => Some(INNER + 1),
            ("Quarter", _) => {
                let name = location.trim_start_matches("QUARTER_").to_lowercase();
                QUARTERS.iter().position(|q| *q == name).map(|q| q as u16)
            }
            _ => None,
        };
        if let Some(ports) = inner {
            return Pointer { cell: cell(&pointer["position"]), feature, ports };
        }
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
