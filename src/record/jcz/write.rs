//! Games as saved games.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::names::{Location, location_name, location_of, quarter_name, saved_kind, saved_name};
use super::tables::{APP_VERSION, COLOURS, FIGURES, JczError, RULES, SETS, UNSAID_SWITCHES};
use crate::record::event::EventKind;
use crate::record::fold;
use crate::record::game::Game;
use crate::rules::classic::{Position, Switch};
use crate::rules::{
    self, Cell, Deck, FigureKind, GamePosition, Illegality, Move, Phase, Player, Rotation, SegmentAt,
};

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
    let start = game.start_position();
    let played = start.as_any().downcast_ref::<Position>();
    let played = played.ok_or_else(|| JczError::Unsaved("it is not the classic game".to_owned()))?;
    let rule_values = rule_values(played)?;
    let (sets, elements) = sets_and_elements(played, deck)?;
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
            "sets": sets,
            "elements": elements,
            "rules": rule_values,
            "timer": null,
            "start": writer.start(),
        },
        "players": players,
        "replay": writer.replay,
        "gameAnnotations": annotations,
    });
    let text = serde_json::to_string_pretty(&saved).map_err(|e| JczError::Unsaved(e.to_string()))?;
    Ok((text + "\n", writer.faults))
}

/// The rules by which a game is played, as the other program names them.
fn rule_values(played: &Position) -> Result<serde_json::Map<String, Value>, JczError> {
    let mut values = serde_json::Map::new();
    let sets = played.sets();
    for switch in Switch::ALL {
        let on = switch.get(played.switches());
        let known = RULES.iter().find(|rule| rule.switch == switch.name);
        match known {
            Some(rule) if on => drop(values.insert(rule.name.into(), json!(rule.on))),
            Some(rule) if sets.contains(&rule.set) && !values.contains_key(rule.name) => {
                values.insert(rule.name.into(), json!(rule.off));
            }
            None if on && !UNSAID_SWITCHES.contains(&switch.name) => {
                return Err(JczError::Unsaved(format!("it is played with +{}", switch.name)));
            }
            _ => {}
        }
    }
    Ok(values)
}

/// The sets of tiles and the elements of a game, as the other program names them.
fn sets_and_elements(played: &Position, deck: &Deck) -> Result<(Value, Value), JczError> {
    let (mut sets, mut elements) = (json!({ "basic:1": 1 }), json!({ "small-follower": 7, "farmers": true }));
    for set in &SETS {
        if deck.sets.iter().any(|s| s == set.ours) {
            sets[set.name] = json!(1);
        }
        if played.sets().contains(&set.ours) {
            for (name, value) in set.elements {
                elements[*name] = value.map_or(json!(true), |n| json!(n));
            }
        }
    }
    Ok((sets, elements))
}

/// The tiles of a deck as the other program knows them: the name of each, and how its
/// upright is turned against theirs.
fn saved_tiles(deck: &Deck) -> Result<Vec<(String, Rotation)>, JczError> {
    let sets: Vec<&str> = deck.sets.iter().map(String::as_str).collect();
    let base = rules::classic::deck_with(&sets)
        .map_err(|set| JczError::Unsaved(format!("the set `{set}` is not one of the other program")))?;
    // Several of their tiles can show the same: one of the same name is meant first, then one
    // that no tile stands for yet.
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut known = |tile: &rules::Tile| {
        let face = tile.face.clone()?.ordered();
        let turned = |known: &rules::Tile, by: Rotation| {
            known.face.as_ref().is_some_and(|known| known.turned(by).ordered() == face)
        };
        let all = base.tiles.iter().flat_map(|known| Rotation::ALL.map(|by| (known, by)));
        let fit = all.filter(|(known, by)| turned(known, *by));
        let (known, by) = fit.min_by_key(|(k, _)| (k.id != tile.id, used.contains(k.id.as_str())))?;
        used.insert(&known.id);
        Some((saved_name(&known.id), by))
    };
    let game = if sets.is_empty() { "the base game" } else { "its sets" };
    let unsaved = |id: &str| JczError::Unsaved(format!("tile `{id}` is not one of {game}"));
    deck.tiles.iter().map(|tile| known(tile).ok_or_else(|| unsaved(&tile.id))).collect()
}

/// A figure with its number among those of its player and kind.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Numbered {
    player: Player,
    figure: FigureKind,
    at: SegmentAt,
    number: u32,
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
    /// The figures that stand, with their numbers.
    standing: Vec<Numbered>,
    /// The tiles that lie from the start.
    block: Vec<Cell>,
}

impl<'a> Writer<'a> {
    fn new(game: &'a Game, deck: &'a Deck) -> Result<Writer<'a>, JczError> {
        let tiles = saved_tiles(deck)?;
        let start = deck.start.as_deref().and_then(|id| deck.index(id)).and_then(|i| tiles.get(i));
        let (_, upright) = start
            .filter(|(id, _)| ["BA/RCr", "RI/s", "CO/7"].contains(&id.as_str()))
            .ok_or_else(|| JczError::Unsaved("its start tile is not that of the base game".to_owned()))?;
        Ok(Writer {
            block: game.start_position().cells(),
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
            standing: Vec::new(),
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

    /// The tiles that lie from the start.
    fn start(&self) -> Vec<Value> {
        let start = self.game.start_position();
        let mut cells = self.block.clone();
        cells.sort_unstable_by_key(|cell| (cell.row, cell.col));
        let laid = cells.into_iter().filter_map(|cell| Some((cell, start.tile_at(cell)?)));
        let value = |(cell, (tile, rotation)): (Cell, (usize, Rotation))| {
            let place = self.place(cell);
            let degrees = 90 * u16::from(self.upright(tile).then(rotation).then(self.turn).quarters());
            json!({ "tile": self.tile(tile), "x": place[0], "y": place[1], "rotation": degrees })
        };
        laid.map(value).collect()
    }

    /// How a tile's upright is turned against theirs.
    fn upright(&self, tile: usize) -> Rotation {
        self.tiles.get(tile).map_or(Rotation::new(0), |(_, by)| *by)
    }

    fn take(&mut self, kind: &EventKind) {
        let Ok(Some(played)) = fold::to_move(&*self.position, kind) else { return };
        // A tile that is laid, and the end of play, end what is open before.
        let over = matches!(played, Move::Lay { .. } | Move::Stop | Move::Discard { .. });
        let ends = over && self.position.phase() == Phase::Follower;
        let against: Vec<Illegality> = self.position.illegalities(&played);
        self.faults.extend(against.iter().map(|i| format!("{}: {i}", self.game.describe(kind))));
        if ends {
            self.end_turn();
            let player = self.position.to_move();
            let _ = self.position.happen(&Move::End { player }, self.game.names());
        }
        while (over || matches!(played, Move::End { .. })) && self.position.phase() == Phase::Step {
            let pass = Move::Pass { player: self.position.actor() };
            self.pass();
            let _ = self.position.happen(&pass, self.game.names());
        }
        let mut asks = false;
        match &played {
            Move::Lay { placement: p, .. } => {
                let id = self.tile(p.tile);
                let rotation = self.upright(p.tile).then(p.rotation).then(self.turn);
                let rotation = format!("R{}", 90 * u16::from(rotation.quarters()));
                let place = self.place(p.cell);
                self.drawn.push(id.clone());
                let payload = json!({ "tileId": id, "rotation": rotation, "position": place });
                self.message("PLACE_TILE", payload);
                asks = true;
            }
            Move::Claim { player, at, figure } => self.put(*player, *at, *figure),
            Move::Return { player, at, figure } => self.take_home(*player, *at, *figure),
            Move::Redeploy { player, from, to, figure } => self.redeploy(*player, *from, *to, *figure),
            Move::MoveNeutral { to, .. } => {
                let to = self.pointer(*to);
                self.message("MOVE_NEUTRAL_FIGURE", json!({ "figureId": "count.1", "to": to }));
            }
            Move::Pass { .. } => self.pass(),
            Move::Discard { tile, .. } => self.drawn.push(self.tile(*tile)),
            Move::End { .. } => self.end_turn(),
            _ => {}
        }
        if self.position.happen(&played, self.game.names()).is_err() {
            return;
        }
        let claims = || self.position.legal_moves(&[]).iter().any(|m| matches!(m, Move::Claim { .. }));
        self.asks = asks && self.position.phase() == Phase::Follower && claims();
        let mut stand: Vec<(Player, FigureKind, SegmentAt)> = self
            .position
            .followers()
            .into_iter()
            .map(|f| (f.player, f.figure, SegmentAt { cell: f.cell, segment: f.segment }))
            .collect();
        self.standing.retain(|s| {
            let found = stand.iter().position(|other| *other == (s.player, s.figure, s.at));
            found.map(|i| stand.swap_remove(i)).is_some()
        });
    }

    fn end_turn(&mut self) {
        if self.asks {
            self.message("PASS", json!({}));
            self.asks = false;
        }
        self.commit();
        self.turns += 1;
    }

    fn commit(&mut self) {
        self.message("COMMIT", json!({ "random": 0.5 }));
    }

    /// A player does nothing more in a step; where nothing is left to be done, the other
    /// program has it confirmed.
    fn pass(&mut self) {
        match self.position.legal_moves(&[]).as_slice() {
            [Move::Pass { .. }] => self.commit(),
            _ => self.message("PASS", json!({})),
        }
    }

    fn put(&mut self, player: Player, at: SegmentAt, figure: FigureKind) {
        let used: BTreeSet<u32> = self
            .standing
            .iter()
            .filter(|s| s.player == player && s.figure == figure)
            .map(|s| s.number)
            .collect();
        let number = (1..=7).find(|n| !used.contains(n)).unwrap_or(7);
        self.standing.push(Numbered { player, figure, at, number });
        let (pointer, id) = (self.pointer(at), self.meeple(player, figure, number));
        self.message("DEPLOY_MEEPLE", json!({ "pointer": pointer, "meepleId": id }));
    }

    fn take_home(&mut self, player: Player, at: SegmentAt, figure: FigureKind) {
        let number = self.find(player, at, figure).map_or(1, |i| self.standing[i].number);
        let feature = self.pointer(at);
        let pointer = json!({ "featurePointer": feature, "meepleId": self.meeple(player, figure, number) });
        self.message("RETURN_MEEPLE", json!({ "pointer": pointer, "source": "SIEGE_ESCAPE" }));
    }

    fn redeploy(&mut self, player: Player, from: SegmentAt, to: SegmentAt, figure: FigureKind) {
        let number = match self.find(player, from, figure) {
            Some(i) => {
                self.standing[i].at = to;
                self.standing[i].number
            }
            None => 1,
        };
        let (pointer, id) = (self.pointer(to), self.meeple(player, figure, number));
        self.message("DEPLOY_MEEPLE", json!({ "pointer": pointer, "meepleId": id }));
    }

    fn find(&self, player: Player, at: SegmentAt, figure: FigureKind) -> Option<usize> {
        self.standing.iter().position(|s| (s.player, s.figure, s.at) == (player, figure, at))
    }

    /// The id of a figure: `0.small.3`.
    fn meeple(&self, player: Player, figure: FigureKind, number: u32) -> String {
        let (players, first) = (self.game.header().players.len(), self.game.header().starts.index());
        let index = (player.index() + players - first) % players;
        let kind = FIGURES.iter().find(|(_, ours)| *ours == figure).map_or("small", |(name, _)| *name);
        format!("{index}.{kind}.{number}")
    }

    /// A segment of a tile that lies, or a quarter of the city.
    fn pointer(&self, at: SegmentAt) -> Value {
        let place = self.place(at.cell);
        let laid = self.position.tile_at(at.cell);
        let face = laid.and_then(|(tile, _)| self.deck.tiles.get(tile)?.face.as_ref());
        let segments = face.map(|f| f.segments()).unwrap_or_default();
        let Some(kind) = segments.get(at.segment as usize).map(|s| s.kind) else { return Value::Null };
        if let Some(quarter) = quarter_name(kind) {
            return json!({ "position": place, "feature": "Quarter", "location": quarter });
        }
        let rotation = laid.map_or(Rotation::new(0), |(_, rotation)| rotation).then(self.turn);
        let location = location_of(segments, at.segment, rotation).unwrap_or(Location::Middle);
        let feature = saved_kind(kind).unwrap_or("Field");
        json!({ "position": place, "feature": feature, "location": location_name(location) })
    }
}
