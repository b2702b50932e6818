//! Saved games of JCloisterZone (`.jcz`): read as records of the classic game, and
//! written from them.
//!
//! Version 5.7 and newer, and the older form of version 4, whose tile names have a dot
//! and whose pointers name no feature. Only what is played here is read; sets, figures
//! and rules that are not are refused by name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use thiserror::Error;

use super::event::{EventKind, Header, Source, VERSION};
use super::fold;
use super::game::{Game, RecordError};
use crate::rules::plain::{LONGEST_NAME, shown};
use crate::rules::{
    self, Cell, Deck, GamePosition, Illegality, Kind, Move, Phase, Placement, Player, Port, PortSet,
    Rotation, SegmentAt, cell_name,
};

/// The colours of JCloisterZone's slots, in order.
const COLOURS: [&str; 9] = ["red", "blue", "yellow", "green", "orange", "purple", "pink", "white", "black"];
/// Rules of sets that are not played here; without their set they change nothing.
const IDLE_RULES: [&str; 20] = [
    "princess-action",
    "fairy-placement",
    "dragon-move",
    "wagon-move",
    "barn-placement",
    "bazaar-no-auction",
    "hill-tiebreaker",
    "espace-variant",
    "escape-variant",
    "gq11-pig-herd",
    "tunnelize-other-expansions",
    "more-tunnel-tokens",
    "festival-return",
    "keep-monasteries",
    "labyrinth-variant",
    "little-buildings-scoring",
    "king-and-robber-scoring",
    "coc-final-scoring",
    "count-move",
    "clock-move",
];
/// Seconds between two messages that have no clock.
const SECONDS_A_MESSAGE: f64 = 2.0;
/// The version that is written.
const APP_VERSION: &str = "5.7.0";

/// Why a text is not a saved game that can be played here, or a game cannot be saved so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JczError {
    /// Not JSON, or not of the form.
    #[error("the file is not a saved game of JCloisterZone: {0}")]
    Form(String),
    /// Sets, figures or rules that are not played here.
    #[error("the saved game has what is not played here yet: {0}; only the base game is read")]
    Unknown(String),
    /// A message that cannot be played.
    #[error("message {0} of the saved game cannot be played: {1}")]
    Message(usize, String),
    /// The game cannot be begun.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The game is of another kind, or played by rules that the other program has not.
    #[error("the game cannot be saved for JCloisterZone: {0}")]
    Unsaved(String),
}

fn form(what: &str) -> JczError {
    JczError::Form(format!("it has no {what} of the usual form"))
}

/// A saved game that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedGame {
    /// The header of the record that it becomes.
    pub header: Header,
    messages: Vec<Value>,
    /// The game ended after so many turns.
    ends: Option<u64>,
}

impl SavedGame {
    /// Whether a text can only be a saved game, not a record.
    pub fn is_one(text: &str) -> bool {
        text.trim_start().starts_with('{') && text.contains("\"appVersion\"") && text.contains("\"replay\"")
    }

    /// Reads a saved game; whether its moves can be made is seen when it is played.
    ///
    /// # Errors
    /// [`JczError::Form`] and [`JczError::Unknown`].
    pub fn read(text: &str) -> Result<SavedGame, JczError> {
        let value: Value =
            serde_json::from_str(text).map_err(|e| JczError::Form(e.to_string().replace('\n', " ")))?;
        let setup = &value["setup"];
        let mut unknown = unknown_sets(setup);
        let switches = switches(setup, &mut unknown);
        unknown.extend(other_start(setup));
        if !unknown.is_empty() {
            return Err(JczError::Unknown(unknown.join(", ")));
        }
        let (players, colours) = players(&value)?;
        let messages = value["replay"].as_array().ok_or_else(|| form("list of messages"))?.clone();
        Ok(SavedGame {
            header: Header {
                format: "castellan".to_owned(),
                version: VERSION,
                game: rules::Game::Classic,
                deck: "classic".to_owned(),
                wall: None,
                edition: switches,
                players,
                colours,
                starts: Player(0),
                wall_tiles: BTreeMap::new(),
            },
            messages,
            ends: value["gameAnnotations"]["endTurn"].as_u64(),
        })
    }

    /// Plays it. A game that was saved before its end goes on; tiles that fit nowhere
    /// when all others lie have left the game.
    ///
    /// # Errors
    /// [`JczError::Message`] of the first message that cannot be played.
    pub fn play(&self, deck: &Deck) -> Result<Game, JczError> {
        let mut game = Game::new(self.header.clone(), None, deck)?;
        let mut t = 0.0;
        for (message, number) in self.messages.iter().zip(1..) {
            t = message["clock"].as_f64().map_or(t + SECONDS_A_MESSAGE, |ms| (ms / 1000.0).max(t));
            let played = read_message(message, game.position(), deck);
            let fault = |e: String| JczError::Message(number, e);
            let Some(played) = played.map_err(fault)? else { continue };
            let fact = fold::to_fact(game.position(), &played).ok_or_else(|| fault("no move".to_owned()))?;
            game.apply(fact, Source::Hand, 1.0, t).map_err(|e| fault(e.to_string()))?;
            let turns = u64::from(game.position().turn()) - 1;
            let ended = matches!(played, Move::End { .. }) && self.ends.is_some_and(|last| turns >= last);
            if ended && game.position().phase() != Phase::Over {
                game.apply(EventKind::PlayStopped, Source::Hand, 1.0, t)?;
            }
        }
        discard_what_is_left(&mut game, t)?;
        Ok(game)
    }
}

/// Discards the last tiles where none of them fits.
fn discard_what_is_left(game: &mut Game, t: f64) -> Result<(), JczError> {
    loop {
        let position = game.position();
        let left: Vec<usize> = (0..position.tiles()).filter(|tile| position.remaining(*tile) > 0).collect();
        let stuck = position.phase() == Phase::Tile && left.iter().all(|tile| !position.has_placement(*tile));
        let Some(tile) = left.first().filter(|_| stuck) else { return Ok(()) };
        let tile = position.tile_id(*tile).unwrap_or_default().to_owned();
        let player = position.to_move();
        game.apply(EventKind::TileDiscarded { player, tile }, Source::Table, 1.0, t)?;
    }
}

/// Sets and figures that are not played here, by their names in the file.
fn unknown_sets(setup: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    let entries = |of: &Value| -> Vec<(String, Value)> {
        of.as_object().map(|o| o.iter().map(|(k, v)| (k.clone(), v.clone())).collect()).unwrap_or_default()
    };
    for (set, count) in entries(&setup["sets"]) {
        match (set.as_str(), count.as_u64()) {
            ("basic:1", Some(1)) => {}
            ("basic:1", _) => unknown.push(format!("the set {set} {count} times")),
            _ => unknown.push(format!("the set {set}")),
        }
    }
    for (expansion, _) in entries(&setup["expansions"]) {
        if expansion != "BASIC" {
            unknown.push(format!("the expansion {expansion}"));
        }
    }
    for (element, value) in entries(&setup["elements"]) {
        match (element.as_str(), &value) {
            ("small-follower", Value::Number(n)) if n.as_u64() == Some(7) => {}
            ("farmers", Value::Bool(true)) => {}
            (_, Value::Bool(false)) | (_, Value::Null) if element != "farmers" => {}
            ("farmers", _) => unknown.push("a game without farmers".to_owned()),
            ("small-follower", n) => unknown.push(format!("{n} followers a player")),
            _ => unknown.push(format!("the element {element}")),
        }
    }
    if setup["elements"].is_object() && setup["elements"]["farmers"].is_null() {
        unknown.push("a game without farmers".to_owned());
    }
    unknown
}

/// The edition with its switches; rules that are not known are added to `unknown`.
fn switches(setup: &Value, unknown: &mut Vec<String>) -> Option<String> {
    let mut edition = None;
    for (rule, value) in setup["rules"].as_object().into_iter().flatten() {
        match (rule.as_str(), value.as_str()) {
            ("tiny-city-scoring", Some("2")) => edition = Some("base +tiny_city_scores_two".to_owned()),
            ("tiny-city-scoring", Some("4")) => {}
            (name, _) if IDLE_RULES.contains(&name) => {}
            _ => unknown.push(format!("the rule {rule} = {value}")),
        }
    }
    edition
}

/// A start that is not the usual start tile.
fn other_start(setup: &Value) -> Option<String> {
    let start = setup["start"].as_array()?;
    let usual = match start.as_slice() {
        [one] => {
            let zero = |of: &str| one[of].as_i64().unwrap_or(0) == 0;
            one["tile"] == "BA/RCr" && zero("x") && zero("y") && zero("rotation")
        }
        _ => false,
    };
    (!usual).then(|| "another start than the start tile".to_owned())
}

/// Names and colours of the players.
fn players(value: &Value) -> Result<(Vec<String>, Vec<String>), JczError> {
    let list = value["players"].as_array().or(value["slots"].as_array()).ok_or_else(|| form("players"))?;
    let name = |p: &Value| {
        let name = p["name"].as_str().or(p["nickname"].as_str()).unwrap_or_default();
        shown(name, LONGEST_NAME)
    };
    let colour = |(i, p): (usize, &Value)| {
        let slot = p["slot"].as_u64().or(p["number"].as_u64()).map_or(i, |slot| slot as usize);
        COLOURS.get(slot).copied().unwrap_or("grey").to_owned()
    };
    Ok((list.iter().map(name).collect(), list.iter().enumerate().map(colour).collect()))
}

/// A message as a move; nothing for one that only passes.
fn read_message(message: &Value, position: &dyn GamePosition, deck: &Deck) -> Result<Option<Move>, String> {
    let payload = &message["payload"];
    let player = position.to_move();
    let kind = message["type"].as_str().unwrap_or_default();
    Ok(match kind {
        "PLACE_TILE" => {
            let id = payload["tileId"].as_str().unwrap_or_default();
            let tile = tile_name(id).and_then(|id| position.tile_index(&id));
            let tile = tile.ok_or_else(|| format!("the base game has no tile `{id}`"))?;
            let turns = payload["rotation"].as_str().and_then(|r| r.strip_prefix('R')?.parse::<u16>().ok());
            let turns = turns.filter(|t| t % 90 == 0).ok_or("its rotation is none of R0, R90, R180, R270")?;
            let rotation = Rotation::new((turns / 90 % 4) as u8);
            let placement = Placement { tile, cell: cell(&payload["position"])?, rotation };
            Some(Move::Lay { player, placement })
        }
        "DEPLOY_MEEPLE" => {
            let figure = payload["meepleId"].as_str().unwrap_or_default();
            if figure.split('.').nth(1) != Some("small") {
                return Err(format!("`{figure}` is not an ordinary follower"));
            }
            let at = segment_at(&payload["pointer"], position, deck)?;
            Some(Move::follower(player, at))
        }
        "COMMIT" => Some(Move::End { player }),
        "PASS" => None,
        "GAME_OVER" => Some(Move::Stop),
        other => return Err(format!("`{other}` is no message of the base game")),
    })
}

fn cell(position: &Value) -> Result<Cell, String> {
    let at = |i: usize| position[i].as_i64().and_then(|v| i8::try_from(v).ok());
    at(0)
        .zip(at(1))
        .map(|(x, y)| Cell::new(x, y))
        .ok_or_else(|| format!("`{position}` is no place of a tile"))
}

/// The name of a tile here, by that in a saved game: `BA/CFc+`, or `BA.CFc+` before
/// version 5.
fn tile_name(id: &str) -> Option<String> {
    let rest = id.strip_prefix("BA/").or(id.strip_prefix("BA."))?;
    Some(rest.replace('+', "-p").replace('.', "-"))
}

/// The name of a tile in a saved game.
fn saved_name(id: &str) -> String {
    let plain = id.strip_suffix("-p").map_or_else(|| id.replace('-', "."), |rest| format!("{rest}+"));
    format!("BA/{plain}")
}

/// The segment that a pointer means.
fn segment_at(pointer: &Value, position: &dyn GamePosition, deck: &Deck) -> Result<SegmentAt, String> {
    let cell = cell(&pointer["position"])?;
    let location = pointer["location"].as_str().unwrap_or_default();
    let (tile, rotation) =
        position.tile_at(cell).ok_or_else(|| format!("no tile lies in {}", cell_name(cell)))?;
    let face = deck.tiles.get(tile).and_then(|t| t.face.as_ref());
    let segments = face.map(|f| f.segments()).unwrap_or_default();
    let wanted = sides(location).ok_or_else(|| format!("`{location}` is no part of a tile"))?;
    let feature = pointer["feature"].as_str();
    let fits = |s: &&(&rules::Segment, u8)| {
        let named = feature.is_none_or(|f| saved_kind(s.0.kind) == Some(f));
        named && location_ports(s.0.kind, s.0.ports.turned(rotation)) == wanted
    };
    let all: Vec<(&rules::Segment, u8)> = segments.iter().zip(0u8..).collect();
    let found = all.iter().find(fits).map(|(_, segment)| SegmentAt { cell, segment: *segment });
    found.ok_or_else(|| format!("the tile in {} has no part `{location}`", cell_name(cell)))
}

/// What a location says: whole sides as bits from north, half-sides as a set of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Location {
    Sides(u8),
    Halves(PortSet),
    Middle,
}

const LETTERS: &str = "NESW";

fn sides(location: &str) -> Option<Location> {
    if ["I", "CLOISTER", "MONASTERY"].contains(&location) {
        return Some(Location::Middle);
    }
    if location.ends_with(['L', 'R']) {
        let halves = location.split('.').map(|half| Port::from_name(&half.to_lowercase()));
        return Some(Location::Halves(halves.collect::<Option<PortSet>>()?));
    }
    let bits = |letters: &str| {
        letters.chars().try_fold(0u8, |bits, c| Some(bits | 1 << LETTERS.find(c)?)).filter(|b| *b > 0)
    };
    match location.strip_prefix('_') {
        Some(but) => Some(Location::Sides(0b1111 & !bits(but)?)),
        None => Some(Location::Sides(bits(location)?)),
    }
}

/// A segment's location, its ports as they lie on the table.
fn location_ports(kind: Kind, ports: PortSet) -> Location {
    match kind {
        Kind::CLOISTER => Location::Middle,
        Kind::FIELD => Location::Halves(ports),
        _ => Location::Sides(ports.iter().fold(0, |bits, port| bits | 1 << port.side().index())),
    }
}

fn saved_kind(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::ROAD => Some("Road"),
        Kind::CITY => Some("City"),
        Kind::FIELD => Some("Field"),
        Kind::CLOISTER => Some("Monastery"),
        _ => None,
    }
}

/// A location as the other program writes it.
fn location_name(location: Location) -> String {
    match location {
        Location::Middle => "I".to_owned(),
        Location::Halves(ports) => {
            let names: Vec<String> = ports.iter().map(|port| port.name().to_uppercase()).collect();
            names.join(".")
        }
        Location::Sides(bits) => {
            let missing = 0b1111 & !bits;
            if bits.count_ones() == 3
                && let Some(side) = LETTERS.chars().nth(missing.trailing_zeros() as usize)
            {
                return format!("_{side}");
            }
            // Pairs are written as the other program names them.
            let order = if bits == 0b1111 { "NWSE" } else { "NSWE" };
            order.chars().filter(|c| LETTERS.find(*c).is_some_and(|i| bits >> i & 1 == 1)).collect()
        }
    }
}

/// A game as a saved game of JCloisterZone, and what that program will not take as it
/// happened, a sentence each.
///
/// # Errors
/// [`JczError::Unsaved`] for other games and for readings of the rules that the other
/// program does not have.
pub fn to_jcz(game: &Game, deck: &Deck) -> Result<(String, Vec<String>), JczError> {
    let header = game.header();
    if header.game != rules::Game::Classic {
        return Err(JczError::Unsaved("it is not the classic game".to_owned()));
    }
    let mut rule_values = serde_json::Map::new();
    for switch in header.edition.as_deref().unwrap_or_default().split_whitespace().skip(1) {
        match switch {
            "+tiny_city_scores_two" => drop(rule_values.insert("tiny-city-scoring".into(), json!("2"))),
            off if off.starts_with('-') => {}
            other => return Err(JczError::Unsaved(format!("it is played with {other}"))),
        }
    }
    let mut writer = Writer::new(game, deck)?;
    for (_, kind) in game.facts() {
        writer.take(&kind);
    }
    // In a saved game the first player begins.
    let (count, first) = (header.players.len(), header.starts.index());
    let players: Vec<Value> = (0..count)
        .map(|turn| (first + turn) % count)
        .map(|i| {
            let colour = header.colours.get(i).map(String::as_str);
            let slot = COLOURS.iter().position(|c| Some(*c) == colour).unwrap_or(i);
            json!({ "name": game.names().of(Player(i as u8)), "slot": slot, "clientId": "" })
        })
        .collect();
    let mut annotations = json!({ "drawOrder": writer.drawn });
    // Without it a game that is not over goes on there.
    if game.position().phase() == Phase::Over {
        annotations["endTurn"] = json!(writer.turns);
    }
    let saved = json!({
        "appVersion": APP_VERSION,
        "gameId": "1",
        "name": "",
        "initialRandom": 0.5,
        // When the game was begun is not in a record.
        "created": "1970-01-01T00:00:00.000Z",
        "clock": 0,
        "setup": {
            "sets": { "basic:1": 1 },
            "elements": { "small-follower": 7, "farmers": true },
            "rules": rule_values,
            "timer": null,
            "start": [{ "tile": "BA/RCr", "x": 0, "y": 0, "rotation": 0 }],
        },
        "players": players,
        "replay": writer.replay,
        "gameAnnotations": annotations,
    });
    let text = serde_json::to_string_pretty(&saved).map_err(|e| JczError::Unsaved(e.to_string()))?;
    Ok((text + "\n", writer.faults))
}

/// The tiles of a deck as the other program knows them: the name of each, and how its
/// upright is turned against theirs.
fn saved_tiles(deck: &Deck) -> Result<Vec<(String, Rotation)>, JczError> {
    let base = rules::classic::base_deck();
    let known = |tile: &rules::Tile| {
        let face = tile.face.clone()?.ordered();
        let turned = |known: &rules::Tile, by: Rotation| {
            known.face.as_ref().is_some_and(|known| known.turned(by).ordered() == face)
        };
        let mut all = base.tiles.iter().flat_map(|known| Rotation::ALL.map(|by| (known, by)));
        let (known, by) = all.find(|(known, by)| turned(known, *by))?;
        Some((saved_name(&known.id), by))
    };
    let unsaved = |id: &str| JczError::Unsaved(format!("tile `{id}` is not one of the base game"));
    deck.tiles.iter().map(|tile| known(tile).ok_or_else(|| unsaved(&tile.id))).collect()
}

/// Writes messages as facts come.
struct Writer<'a> {
    game: &'a Game,
    deck: &'a Deck,
    tiles: Vec<(String, Rotation)>,
    /// How the table is turned so that the start tile lies as the other program has it.
    turn: Rotation,
    position: Box<dyn GamePosition>,
    replay: Vec<Value>,
    drawn: Vec<String>,
    turns: u64,
    faults: Vec<String>,
    /// Whether the other program waits for a follower or a pass.
    asks: bool,
    /// The numbers of followers that stand, by player and segment.
    standing: BTreeMap<(Player, SegmentAt), u32>,
}

impl<'a> Writer<'a> {
    fn new(game: &'a Game, deck: &'a Deck) -> Result<Writer<'a>, JczError> {
        let tiles = saved_tiles(deck)?;
        let start = deck.start.as_deref().and_then(|id| deck.index(id)).and_then(|i| tiles.get(i));
        let (_, upright) = start
            .filter(|(id, _)| id == "BA/RCr")
            .ok_or_else(|| JczError::Unsaved("its start tile is not that of the base game".to_owned()))?;
        Ok(Writer {
            game,
            deck,
            turn: upright.inverse(),
            tiles,
            position: game.start_position(),
            replay: Vec::new(),
            drawn: Vec::new(),
            turns: 0,
            faults: Vec::new(),
            asks: false,
            standing: BTreeMap::new(),
        })
    }

    /// A cell as the other program numbers it.
    fn place(&self, cell: Cell) -> Value {
        let turned = (0..self.turn.quarters()).fold(cell, |c, _| Cell::new(-c.row, c.col));
        json!([turned.col, turned.row])
    }

    /// The name of a tile in a saved game.
    fn tile(&self, tile: usize) -> String {
        self.tiles.get(tile).map(|(id, _)| id.clone()).unwrap_or_default()
    }

    fn message(&mut self, kind: &str, payload: Value) {
        self.replay.push(json!({ "type": kind, "payload": payload }));
    }

    fn take(&mut self, kind: &EventKind) {
        let Ok(Some(played)) = fold::to_move(&*self.position, kind) else { return };
        // A tile that is laid, and the end of play, end the turn before.
        let ends =
            matches!(played, Move::Lay { .. } | Move::Stop) && self.position.phase() == Phase::Follower;
        if ends || matches!(played, Move::End { .. }) {
            self.end_turn();
        }
        let against: Vec<Illegality> = self.position.illegalities(&played);
        self.faults.extend(against.iter().map(|i| format!("{}: {i}", self.game.describe(kind))));
        match &played {
            Move::Lay { placement: p, .. } => {
                let id = self.tile(p.tile);
                let upright = self.tiles.get(p.tile).map_or(Rotation::new(0), |(_, by)| *by);
                let rotation = upright.then(p.rotation).then(self.turn);
                let rotation = format!("R{}", 90 * u16::from(rotation.quarters()));
                let place = self.place(p.cell);
                self.drawn.push(id.clone());
                let payload = json!({ "tileId": id, "rotation": rotation, "position": place });
                self.message("PLACE_TILE", payload);
            }
            Move::Claim { player, at, .. } => self.put(*player, *at),
            Move::Discard { tile, .. } => {
                self.drawn.push(self.tile(*tile));
            }
            _ => {}
        }
        if self.position.happen(&played, self.game.names()).is_err() {
            return;
        }
        self.asks = match played {
            Move::Lay { .. } => !self.position.claims().is_empty(),
            _ => false,
        };
        let stand: BTreeSet<(Player, SegmentAt)> = self
            .position
            .followers()
            .into_iter()
            .map(|f| (f.player, SegmentAt { cell: f.cell, segment: f.segment }))
            .collect();
        self.standing.retain(|at, _| stand.contains(at));
    }

    fn end_turn(&mut self) {
        if self.asks {
            self.message("PASS", json!({}));
            self.asks = false;
        }
        self.message("COMMIT", json!({ "random": 0.5 }));
        self.turns += 1;
    }

    fn put(&mut self, player: Player, at: SegmentAt) {
        let Some((tile, rotation)) = self.position.tile_at(at.cell) else { return };
        let face = self.deck.tiles.get(tile).and_then(|t| t.face.as_ref());
        let Some(segment) = face.and_then(|f| f.segments().get(at.segment as usize)) else { return };
        let used: BTreeSet<u32> =
            self.standing.iter().filter(|((p, _), _)| *p == player).map(|(_, n)| *n).collect();
        let number = (1..=7).find(|n| !used.contains(n)).unwrap_or(7);
        self.standing.insert((player, at), number);
        let (players, first) = (self.game.header().players.len(), self.game.header().starts.index());
        let index = (player.index() + players - first) % players;
        let location =
            location_name(location_ports(segment.kind, segment.ports.turned(rotation.then(self.turn))));
        let feature = saved_kind(segment.kind).unwrap_or("Field");
        let place = self.place(at.cell);
        let pointer = json!({ "position": place, "feature": feature, "location": location });
        self.message(
            "DEPLOY_MEEPLE",
            json!({ "pointer": pointer, "meepleId": format!("{index}.small.{number}") }),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Side;

    #[test]
    fn names_of_tiles_and_places_go_both_ways() {
        for tile in rules::classic::base_deck().tiles {
            assert_eq!(tile_name(&saved_name(&tile.id)).as_deref(), Some(tile.id.as_str()));
        }
        assert_eq!(saved_name("CFc-p"), "BA/CFc+");
        assert_eq!(tile_name("BA.CC.2").as_deref(), Some("CC-2"));
        assert_eq!(tile_name("IC/CCCC"), None);
        for bits in 1..16 {
            let location = Location::Sides(bits);
            assert_eq!(sides(&location_name(location)), Some(location), "{bits:04b}");
        }
        let ports: PortSet = [Port::left(Side::North), Port::right(Side::West)].into_iter().collect();
        assert_eq!(location_name(Location::Halves(ports)), "NL.WR");
        assert_eq!(sides("NL.WR"), Some(Location::Halves(ports)));
        assert_eq!(sides("QUARTER_CASTLE"), None);
    }
}
