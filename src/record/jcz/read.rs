//! Saved games as records.

use std::collections::BTreeMap;

use serde_json::Value;

use super::names::{cell, segment_at, tile_name};
use super::tables::{COLOURS, FIGURES, IDLE_RULES, JczError, JczSet, RULES, SETS};
use crate::record::event::{EventKind, Header, Source, VERSION};
use crate::record::fold;
use crate::record::game::Game;
use crate::rules::plain::{LONGEST_NAME, shown};
use crate::rules::{
    self, Deck, FigureKind, GamePosition, Move, Phase, Placement, Player, Rotation, SegmentAt,
};

/// How sure it is that a game is over whose file does not say so.
const UNSAID: f32 = 0.5;
/// Seconds between two messages that have no clock.
const SECONDS_A_MESSAGE: f64 = 2.0;

fn form(what: &str) -> JczError {
    JczError::Form(format!("it has no {what} of the usual form"))
}

/// A saved game that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedGame {
    /// The header of the record that it becomes.
    pub header: Header,
    messages: Vec<Value>,
    /// The tiles in the order in which they were drawn, where the file says so.
    drawn: Vec<String>,
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
        let sets = sets(setup);
        let mut edition = modules(setup, &sets, &mut unknown);
        edition.extend(switches(setup, &mut unknown));
        unknown.extend(other_start(setup, &sets));
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
                deck: rules::classic::deck_name(sets),
                wall: None,
                edition: (!edition.is_empty()).then(|| format!("base {}", edition.join(" "))),
                players,
                colours,
                neutral: None,
                starts: Player(0),
                wall_tiles: BTreeMap::new(),
            },
            messages,
            drawn: value["gameAnnotations"]["drawOrder"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|id| tile_name(id.as_str()?))
                .collect(),
            ends: value["gameAnnotations"]["endTurn"].as_u64(),
        })
    }

    /// Plays it. A game that was saved before its end goes on; tiles that fit nowhere
    /// when all others lie have left the game. Where only tiles are left that fitted nowhere
    /// once, and messages follow that end the game, they have left it then. Where nothing
    /// follows, the file does not tell whether they have or are still to come: the game stops,
    /// which can be taken back, and a doubt says so.
    ///
    /// # Errors
    /// [`JczError::Message`] of the first message that cannot be played.
    pub fn play(&self, deck: &Deck) -> Result<Game, JczError> {
        let mut game = Game::new(self.header.clone(), None, deck)?;
        let mut stuck = BTreeMap::new();
        let played = self.play_in(&mut game, deck, &BTreeMap::new(), &mut stuck);
        let position = game.position();
        let left: Vec<usize> = (0..position.tiles()).filter(|tile| position.remaining(*tile) > 0).collect();
        let dead = |tile: &usize| position.remaining(*tile) == 1 && stuck.contains_key(tile);
        let unsaid = self.drawn.is_empty() && self.ends.is_none() && position.phase() == Phase::Tile;
        if !unsaid || left.is_empty() || !left.iter().all(dead) {
            return played.map(|()| game);
        }
        if played.is_ok() {
            let t = game.events().last().map_or(0.0, |event| event.t);
            let ids: Vec<&str> = left.iter().filter_map(|tile| position.tile_id(*tile)).collect();
            let sentence = format!(
                "the saved game does not say whether it is over: {} fitted nowhere once and may have left \
                 the game; if not, take back that play stopped, and go on",
                ids.join(", ")
            );
            game.apply(EventKind::PlayStopped, Source::Table, UNSAID, t)?;
            game.doubt(sentence, None, t);
            return Ok(game);
        }
        stuck.retain(|tile, _| left.contains(tile));
        let mut again = Game::new(self.header.clone(), None, deck)?;
        self.play_in(&mut again, deck, &stuck, &mut BTreeMap::new())?;
        Ok(again)
    }

    /// Plays it in a game that begins, where tiles leave the game before the messages with
    /// these numbers. Notes before which message each tile that was left fitted nowhere first.
    fn play_in(
        &self,
        game: &mut Game,
        deck: &Deck,
        dead: &BTreeMap<usize, usize>,
        stuck: &mut BTreeMap<usize, usize>,
    ) -> Result<(), JczError> {
        let mut t = 0.0;
        let mut drawn = self.drawn.iter();
        for (message, number) in self.messages.iter().zip(1..) {
            t = message["clock"].as_f64().map_or(t + SECONDS_A_MESSAGE, |ms| (ms / 1000.0).max(t));
            let played = read_message(message, game.position(), deck);
            let fault = |e: String| JczError::Message(number, e);
            if let Ok(Some(Move::Lay { placement, .. })) = &played {
                let fits_nowhere = |tile: &usize| {
                    let position = game.position();
                    let moves = || position.legal_moves(&[*tile]);
                    position.remaining(*tile) > 0
                        && !position.has_placement(*tile)
                        && moves().iter().any(|m| matches!(m, Move::Discard { .. }))
                };
                for tile in (0..game.position().tiles()).filter(fits_nowhere) {
                    stuck.entry(tile).or_insert(number);
                }
                for (tile, _) in dead.iter().filter(|(_, when)| **when == number) {
                    discard(game, *tile, t)?;
                }
                discard_unplaced(game, placement.tile, &mut drawn, t)?;
            }
            let Some(played) = played.map_err(fault)? else { continue };
            let fact = fold::to_fact(game.position(), &played).ok_or_else(|| fault("no move".to_owned()))?;
            game.apply(fact, Source::Hand, 1.0, t).map_err(|e| fault(e.to_string()))?;
            let turns = u64::from(game.position().turn()) - 1;
            let ended = matches!(played, Move::End { .. }) && self.ends.is_some_and(|last| turns >= last);
            if ended && game.position().phase() != Phase::Over {
                game.apply(EventKind::PlayStopped, Source::Hand, 1.0, t)?;
            }
        }
        discard_what_is_left(game, t)
    }
}

/// A tile leaves the game.
fn discard(game: &mut Game, tile: usize, t: f64) -> Result<(), JczError> {
    let position = game.position();
    let tile = position.tile_id(tile).unwrap_or_default().to_owned();
    let player = position.to_move();
    game.apply(EventKind::TileDiscarded { player, tile }, Source::Table, 1.0, t)?;
    Ok(())
}

/// Discards what was drawn before a tile that is laid now, and fits nowhere.
fn discard_unplaced<'a>(
    game: &mut Game,
    laid: usize,
    drawn: &mut impl Iterator<Item = &'a String>,
    t: f64,
) -> Result<(), JczError> {
    for id in drawn {
        let position = game.position();
        let Some(tile) = position.tile_index(id) else { continue };
        if tile == laid || position.has_placement(tile) {
            break;
        }
        discard(game, tile, t)?;
    }
    Ok(())
}

/// Discards the last tiles where none of them fits.
fn discard_what_is_left(game: &mut Game, t: f64) -> Result<(), JczError> {
    loop {
        let position = game.position();
        let left: Vec<usize> = (0..position.tiles()).filter(|tile| position.remaining(*tile) > 0).collect();
        let stuck = position.phase() == Phase::Tile && left.iter().all(|tile| !position.has_placement(*tile));
        let Some(tile) = left.first().filter(|_| stuck) else { return Ok(()) };
        discard(game, *tile, t)?;
    }
}

/// What a list in the file has, and how often.
fn entries(of: &Value) -> Vec<(String, Value)> {
    of.as_object().map(|o| o.iter().map(|(k, v)| (k.clone(), v.clone())).collect()).unwrap_or_default()
}

/// Sets and figures that are not played here, by their names in the file.
fn unknown_sets(setup: &Value) -> Vec<String> {
    let mut unknown = Vec::new();
    for (set, count) in entries(&setup["sets"]) {
        let known = set == "basic:1" || SETS.iter().any(|s| s.name == set);
        match (known, count.as_u64()) {
            (true, Some(1)) => {}
            (true, _) => unknown.push(format!("the set {set} {count} times")),
            _ => unknown.push(format!("the set {set}")),
        }
    }
    for (expansion, _) in entries(&setup["expansions"]) {
        if expansion != "BASIC" && SETS.iter().all(|s| s.expansion != expansion) {
            unknown.push(format!("the expansion {expansion}"));
        }
    }
    let of_sets = |element: &str, value: &Value| {
        let known = SETS.iter().flat_map(|s| s.elements).find(|(name, _)| *name == element);
        known.is_some_and(|(_, count)| count.map_or(value == true, |n| value.as_u64() == Some(n)))
    };
    for (element, value) in entries(&setup["elements"]) {
        match (element.as_str(), &value) {
            ("small-follower", Value::Number(n)) if n.as_u64() == Some(7) => {}
            ("farmers", Value::Bool(true)) => {}
            (_, Value::Bool(false)) | (_, Value::Null) if element != "farmers" => {}
            ("farmers", _) => unknown.push("a game without farmers".to_owned()),
            ("small-follower", n) => unknown.push(format!("{n} followers a player")),
            (element, value) if of_sets(element, value) => {}
            _ => unknown.push(format!("the element {element} = {value}")),
        }
    }
    if setup["elements"].is_object() && setup["elements"]["farmers"].is_null() {
        unknown.push("a game without farmers".to_owned());
    }
    unknown
}

/// The sets whose tiles are played with, by our names.
fn sets(setup: &Value) -> Vec<&'static str> {
    let has =
        |set: &&JczSet| !setup["sets"][set.name].is_null() || !setup["expansions"][set.expansion].is_null();
    SETS.iter().filter(has).map(|set| set.ours).collect()
}

/// The sets whose rules differ from their tiles being there, as words of an edition; what is
/// only part of a set's rules is added to `unknown`.
fn modules(setup: &Value, sets: &[&str], unknown: &mut Vec<String>) -> Vec<String> {
    let mut words = Vec::new();
    if !setup["elements"].is_object() {
        return words;
    }
    for set in &SETS {
        let there = |(name, _): &&(&str, Option<u64>)| {
            !matches!(setup["elements"][*name], Value::Null | Value::Bool(false))
        };
        let some: Vec<&str> = set.elements.iter().filter(there).map(|(name, _)| *name).collect();
        match (some.len() == set.elements.len(), some.is_empty(), sets.contains(&set.ours)) {
            (true, _, false) => words.push(format!("+{}", set.ours)),
            (_, true, true) => words.push(format!("-{}", set.ours)),
            (false, false, _) => {
                unknown.push(format!("the element {} without the others of its set", some.join(", ")));
            }
            _ => {}
        }
    }
    words
}

/// The switches as words of an edition; rules that are not known are added to `unknown`.
fn switches(setup: &Value, unknown: &mut Vec<String>) -> Vec<String> {
    let mut words = Vec::new();
    let played = |set: &str| set.is_empty() || sets(setup).contains(&set);
    let said = |name: &str| -> Option<&Value> {
        // One version wrote it one way, another the other.
        let names = if name == "espace-variant" { vec![name, "escape-variant"] } else { vec![name] };
        names.into_iter().map(|name| &setup["rules"][name]).find(|value| !value.is_null())
    };
    for rule in RULES.iter().filter(|rule| played(rule.set)) {
        let value = said(rule.name);
        let on = value.map_or(rule.unsaid, |value| value == rule.on);
        let others = RULES.iter().filter(|other| other.name == rule.name);
        let known = value.is_none_or(|v| v == rule.off || others.clone().any(|other| v == other.on));
        if on {
            words.push(format!("+{}", rule.switch));
        } else if !known {
            unknown.push(format!("the rule {} = {}", rule.name, value.unwrap_or(&Value::Null)));
        }
    }
    for (rule, value) in setup["rules"].as_object().into_iter().flatten() {
        match rule.as_str() {
            "escape-variant" => {}
            "king-and-robber-scoring" if value == "default" || !played("king") => {}
            name if IDLE_RULES.contains(&name) || RULES.iter().any(|rule| rule.name == name) => {}
            _ => unknown.push(format!("the rule {rule} = {value}")),
        }
    }
    words
}

/// A start that is not the usual one with these sets.
fn other_start(setup: &Value, sets: &[&str]) -> Option<String> {
    let start = setup["start"].as_array()?;
    let deck = rules::classic::deck_with(sets).ok()?;
    let usual = rules::classic::Position::new(&deck, 2, rules::classic::Switches::default()).ok()?;
    let lies = |tile: &Value| {
        let number = |of: &str| tile[of].as_i64().unwrap_or(0);
        let id = tile["tile"].as_str().and_then(tile_name).and_then(|id| usual.tile_index(&id));
        let cell = rules::Cell::new(i8::try_from(number("x")).ok()?, i8::try_from(number("y")).ok()?);
        Some(number("rotation") == 0 && usual.tile_at(cell).map(|(tile, _)| tile) == Some(id?))
    };
    let same = start.len() == usual.cells().len() && start.iter().all(|tile| lies(tile) == Some(true));
    (!same).then(|| "another start than the start tile".to_owned())
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
    let player = position.actor();
    let kind = message["type"].as_str().unwrap_or_default();
    Ok(match kind {
        "PLACE_TILE" => {
            let id = payload["tileId"].as_str().unwrap_or_default();
            let tile = tile_name(id).and_then(|id| position.tile_index(&id));
            let what = if deck.sets.is_empty() { "the base game has" } else { "the sets have" };
            let tile = tile.ok_or_else(|| format!("{what} no tile `{id}`"))?;
            let turns = payload["rotation"].as_str().and_then(|r| r.strip_prefix('R')?.parse::<u16>().ok());
            let turns = turns.filter(|t| t % 90 == 0).ok_or("its rotation is none of R0, R90, R180, R270")?;
            let rotation = Rotation::new((turns / 90 % 4) as u8);
            let placement = Placement { tile, cell: cell(&payload["position"])?, rotation };
            Some(Move::Lay { player, placement })
        }
        "DEPLOY_MEEPLE" => {
            let figure = figure_of(&payload["meepleId"])?;
            let to = segment_at(&payload["pointer"], position, deck)?;
            Some(deployed(position, to, figure))
        }
        "RETURN_MEEPLE" => {
            let pointer = &payload["pointer"];
            let at = segment_at(&pointer["featurePointer"], position, deck)?;
            Some(Move::Return { player, at, figure: figure_of(&pointer["meepleId"])? })
        }
        "MOVE_NEUTRAL_FIGURE" => {
            Some(Move::MoveNeutral { player, to: segment_at(&payload["to"], position, deck)? })
        }
        "COMMIT" | "PASS" if position.phase() == Phase::Step => Some(Move::Pass { player }),
        "COMMIT" => Some(Move::End { player }),
        "PASS" => None,
        "GAME_OVER" => Some(Move::Stop),
        other => return Err(format!("`{other}` is no message that is known")),
    })
}

/// A figure by its id.
fn figure_of(id: &Value) -> Result<FigureKind, String> {
    let id = id.as_str().unwrap_or_default();
    let kind = id.split('.').nth(1).unwrap_or_default();
    let known = FIGURES.iter().find(|(name, _)| *name == kind);
    known.map(|(_, figure)| *figure).ok_or_else(|| format!("`{id}` is no figure that is known"))
}

/// A figure that was put somewhere: from the supply, or in a step from where it stood.
fn deployed(position: &dyn GamePosition, to: SegmentAt, figure: FigureKind) -> Move {
    let moves = position.legal_moves(&[]).into_iter();
    let mut there = moves.filter(|played| match played {
        Move::Redeploy { to: at, figure: kind, .. } => (*at, *kind) == (to, figure),
        _ => false,
    });
    there.next().unwrap_or(Move::Claim { player: position.actor(), at: to, figure })
}
