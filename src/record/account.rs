//! One turn accounted for: the table before and after it, who had how many
//! followers on what, and why it scored as it did and not otherwise.

use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::fold;
use super::game::Game;
use crate::rules::castle::{FeatureView, Phase, Position, cell_name};
use crate::rules::{Cell, Kind, Player, Role, Score};

/// A player's side of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideOfTable {
    /// The player's name.
    pub name: String,
    /// Points on the track, past 99 too.
    pub total: u32,
    /// Followers in the supply.
    pub followers: u32,
    /// The size of the house under the keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
    /// The wall tiles held, as printed; `?` where nobody has said.
    pub wall_tiles: Vec<String>,
}

/// The table at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMoment {
    /// The board, a line a row, as [`Position::board_text`] writes it.
    pub board: Vec<String>,
    /// Both players.
    pub players: Vec<SideOfTable>,
    /// The features with followers on them.
    pub features: Vec<FeatureView>,
}

/// A reading of the rules that does not hold, and the rule that says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The rule, such as `CA-49`.
    pub rule: String,
    /// What holds, in a sentence without a full stop.
    pub sentence: String,
}

/// A turn, accounted for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnAccount {
    /// The turn, from 1.
    pub turn: u32,
    /// Whose it was.
    pub player: Player,
    /// The table before it.
    pub before: TableMoment,
    /// What was done in it, a sentence each.
    pub moves: Vec<String>,
    /// What it scored.
    pub scores: Vec<Score>,
    /// Why it scored this and nothing else.
    pub reasons: Vec<Reason>,
    /// The table after it.
    pub after: TableMoment,
    /// The words for features and followers.
    #[serde(skip)]
    words: crate::rules::castle::Words,
}

impl Game {
    /// Accounts for a turn; `None` when it has not been played.
    pub fn account(&self, turn: u32) -> Option<TurnAccount> {
        let mut position = self.start_position();
        let mut before: Option<Position> = None;
        let mut laid: Option<Position> = None;
        let mut moves = Vec::new();
        let mut brought = Vec::new();
        for (_, kind) in self.facts() {
            if position.turn() > turn {
                break;
            }
            if position.turn() == turn {
                before.get_or_insert_with(|| position.clone());
                laid = Some(position.clone());
            }
            let ended = position.phase() == Phase::Follower
                && matches!(kind, EventKind::TilePlaced { .. } | EventKind::PlayStopped);
            let now = position.turn();
            let Ok((derived, _)) = fold::happen(&mut position, &kind, self.names()) else { continue };
            if now == turn {
                brought.extend(derived);
                if !ended {
                    moves.push(self.describe(&kind));
                }
            }
        }
        let before = before?;
        let laid = laid.filter(|_| position.turn() > turn).unwrap_or_else(|| position.clone());
        let scores: Vec<Score> =
            self.scores().iter().filter(|s| s.turn == turn).map(|s| s.score.clone()).collect();
        let account = Accountant { game: self, laid: &laid };
        Some(TurnAccount {
            turn,
            player: laid.to_move(),
            reasons: account.reasons(&scores, &brought),
            before: self.moment(&before),
            after: self.moment(&position),
            words: position.words().clone(),
            moves,
            scores,
        })
    }

    fn moment(&self, position: &Position) -> TableMoment {
        let players = [Player(0), Player(1)].map(|player| SideOfTable {
            name: self.names().of(player).to_owned(),
            total: position.total(player),
            followers: u32::from(position.supply(player)),
            keep: position.keep(player).map(|k| k.size),
            wall_tiles: position
                .wall_tiles(player)
                .into_iter()
                .map(|(_, n)| n.map_or("?".to_owned(), |n| position.words().wall_tile(n)))
                .collect(),
        });
        TableMoment {
            board: position.board_text(),
            players: players.to_vec(),
            features: position.claimed_features(),
        }
    }
}

/// `C4, D4`.
fn cells(cells: &[Cell]) -> String {
    cells.iter().map(|c| cell_name(*c)).collect::<Vec<_>>().join(", ")
}

fn counted(n: u32, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// Finds the reasons; `laid` is the table after the follower and before the
/// scoring.
struct Accountant<'a> {
    game: &'a Game,
    laid: &'a Position,
}

impl Accountant<'_> {
    fn reasons(&self, scores: &[Score], brought: &[EventKind]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let Some(cell) = self.laid.last_cell() {
            for feature in self.laid.features_around(cell) {
                self.of_feature(&feature, &mut reasons);
            }
        }
        self.of_keeps(scores, brought, &mut reasons);
        self.of_track(brought, &mut reasons);
        reasons
    }

    fn name(&self, player: Player) -> &str {
        self.game.names().of(player)
    }

    fn of_feature(&self, feature: &FeatureView, reasons: &mut Vec<Reason>) {
        let words = self.laid.words();
        let kind = words.kind(feature.kind);
        let role = Role::on(feature.kind).map_or("follower", |role| words.role(role));
        let on = |player| counted(feature.count(player), role);
        let (white, black) = (Player(0), Player(1));
        let where_ = match feature.cells.is_empty() {
            true => format!("the {kind} of a start space"),
            false => format!("the {kind} in {}", cells(&feature.cells)),
        };
        let mut say = |rule: &str, sentence: String| {
            reasons.push(Reason { rule: rule.to_owned(), sentence });
        };
        // The rule for each kind: paths, towers, houses.
        let of = |path: &'static str, tower: &'static str, house: &'static str| match feature.kind {
            Kind::Path => path,
            Kind::Tower => tower,
            _ => house,
        };
        let claimed = !feature.followers.is_empty();
        if feature.kind == Kind::Court {
            if claimed {
                say("CA-104", format!("{where_} scores at the end of the game, not when it is enclosed"));
            }
            return;
        }
        if !feature.open.is_empty() {
            if claimed {
                let sentence =
                    format!("{where_} is still open towards {}: it scores nothing yet", cells(&feature.open));
                say(of("CA-36", "CA-52", "CA-58"), sentence);
            }
            return;
        }
        if !claimed {
            if !feature.cells.is_empty() {
                let sentence = format!(
                    "{where_} is complete, and nobody has a {role} on it: nobody scores, now or later"
                );
                say("CA-51", sentence);
            }
            return;
        }
        let mover = self.laid.to_move();
        match feature.count(white).cmp(&feature.count(black)) {
            std::cmp::Ordering::Equal => {
                let sentence =
                    format!("{where_} has {} of each player: equal numbers score for nobody", on(white));
                say(of("CA-49", "CA-57", "CA-66"), sentence);
                return;
            }
            order => {
                let most = if order == std::cmp::Ordering::Greater { white } else { black };
                let other = most.opponent();
                if feature.count(other) > 0 {
                    let sentence = format!(
                        "{} has {} on {where_}, {} {}: the points go to {} alone, they are not shared",
                        self.name(most),
                        on(most),
                        self.name(other),
                        feature.count(other),
                        self.name(most)
                    );
                    say("CA-49", sentence);
                }
                if most != mover {
                    let sentence = format!(
                        "{} completed {where_}, but {} has the {role}: the majority scores, not who completes",
                        self.name(mover),
                        self.name(most)
                    );
                    say("CA-50", sentence);
                }
            }
        }
        let (segments, tiles) = (feature.segments.len() as u32, feature.cells.len() as u32);
        if segments > tiles {
            let sentence = format!(
                "{where_} has {segments} pieces on {}: tiles count, not pieces",
                counted(tiles, "castle tile")
            );
            say(of("CA-42", "CA-53", "CA-59"), sentence);
        }
        if feature.start_spaces > 0 {
            let spaces = counted(feature.start_spaces, "start space");
            let sentence = format!("{where_} runs into {spaces}, counted like a castle tile");
            say(of("CA-43", "CA-54", "CA-60"), sentence);
        }
        if feature.kind == Kind::Path && feature.fountain {
            let sentence = format!(
                "{where_} has {}: 2 points for every tile of it, and no more for a second one",
                words.fountain
            );
            say("CA-46", sentence);
        }
        if !feature.at_corners.is_empty() {
            let sentence = format!(
                "{where_} touches the {kind} in {} only at a corner: they are two",
                cells(&feature.at_corners)
            );
            say("CA-37", sentence);
        }
    }

    fn of_keeps(&self, scores: &[Score], brought: &[EventKind], reasons: &mut Vec<Reason>) {
        let words = self.laid.words();
        for player in [Player(0), Player(1)] {
            let houses: Vec<u32> = scores
                .iter()
                .filter(|s| s.category == "house" && s.player == Some(player))
                .map(|s| s.items.iter().map(|i| i.count).sum())
                .collect();
            let Some(scored) = houses.iter().max() else { continue };
            let moved = brought.iter().rev().find_map(|k| match k {
                EventKind::KeepPlaced { player: p, size, .. } if *p == player => Some(*size),
                _ => None,
            });
            let (name, keep, house) = (self.name(player), &words.keep, &words.house);
            let (rule, sentence) = match (moved, self.laid.keep(player)) {
                (Some(size), None) => {
                    ("CA-62", format!("{name}'s {keep} goes on the first {house} scored, of {size}"))
                }
                (Some(size), Some(before)) => (
                    "CA-63",
                    format!(
                        "{name}'s {keep} moves: a {house} of {size} is larger than one of {}",
                        before.size
                    ),
                ),
                (None, Some(before)) if *scored <= before.size => (
                    "CA-63",
                    format!(
                        "{name}'s {keep} stays: a {house} of {scored} is not larger than one of {}",
                        before.size
                    ),
                ),
                (None, _) => (
                    "CA-64",
                    format!("{name}'s {keep} stays: here it moves only onto a {house} completed by {name}"),
                ),
            };
            reasons.push(Reason { rule: rule.to_owned(), sentence });
        }
    }

    /// Towers that a marker came to or passed while their wall tile lay there.
    fn of_track(&self, brought: &[EventKind], reasons: &mut Vec<Reason>) {
        let mut lying: Vec<u8> = self.laid.wall_tiles_on_wall().into_iter().map(|t| t.0).collect();
        let mut events = brought.iter().peekable();
        while let Some(event) = events.next() {
            let EventKind::MarkerMoved { player, to, total, .. } = event else { continue };
            let taken = match events.peek() {
                Some(EventKind::WallTileTaken { tower, .. }) => Some(*tower),
                _ => None,
            };
            let name = self.name(*player);
            let before = brought
                .iter()
                .take_while(|e| !std::ptr::eq(*e, event))
                .filter_map(|e| match e {
                    EventKind::MarkerMoved { player: p, total, .. } if p == player => Some(*total),
                    _ => None,
                })
                .last()
                .unwrap_or_else(|| self.laid.total(*player));
            for tower in &lying {
                let passed = (before + 1..*total).any(|space| (space % 100) as u8 == tower + 1);
                if passed && Some(*tower) != taken && *to != tower + 1 {
                    let sentence = format!(
                        "{name}'s marker passes tower {tower}/{} and stops on {to}: no wall tile from it",
                        tower + 1
                    );
                    reasons.push(Reason { rule: "CA-71".to_owned(), sentence });
                }
            }
            if let Some(tower) = taken {
                let sentence = format!(
                    "{name}'s marker stops on {to}, which is tower {tower}/{}",
                    tower.saturating_add(1)
                );
                reasons.push(Reason { rule: "CA-70".to_owned(), sentence });
                lying.retain(|t| *t != tower);
            }
        }
    }
}

impl TurnAccount {
    /// The account as lines of text.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines = vec![format!("turn {}, before:", self.turn)];
        self.moment_lines(&self.before, &mut lines);
        lines.push("moves:".to_owned());
        lines.extend(self.moves.iter().map(|m| format!("  {m}")));
        lines.push("scored:".to_owned());
        if self.scores.is_empty() {
            lines.push("  nothing".to_owned());
        }
        for score in &self.scores {
            let name = score.player.and_then(|p| self.before.players.get(p.index()));
            let points = name.map_or(String::new(), |p| format!("{} +{}: ", p.name, score.points()));
            lines.push(format!("  {points}{}", score.sentence));
        }
        lines.push("because:".to_owned());
        if self.reasons.is_empty() {
            lines.push("  no feature with followers was touched".to_owned());
        }
        lines.extend(self.reasons.iter().map(|r| format!("  {} ({})", r.sentence, r.rule)));
        lines.push("after:".to_owned());
        self.moment_lines(&self.after, &mut lines);
        lines
    }

    fn moment_lines(&self, moment: &TableMoment, lines: &mut Vec<String>) {
        lines.extend(moment.board.iter().map(|line| format!("  {line}")));
        for player in &moment.players {
            let keep = player.keep.map_or(String::new(), |k| format!(", {} of {k}", self.words.keep));
            let tiles = match player.wall_tiles.is_empty() {
                true => String::new(),
                false => format!(", wall tiles {}", player.wall_tiles.join(", ")),
            };
            let followers = counted(player.followers, "follower");
            lines.push(format!("  {}: {} points, {followers} left{keep}{tiles}", player.name, player.total));
        }
        for feature in &moment.features {
            let role = Role::on(feature.kind).map_or("follower", |role| self.words.role(role));
            let of: Vec<String> = [Player(0), Player(1)]
                .into_iter()
                .filter(|p| feature.count(*p) > 0)
                .filter_map(|p| {
                    let name = &moment.players.get(p.index())?.name;
                    Some(format!("{} of {name}", counted(feature.count(p), role)))
                })
                .collect();
            let starts = match feature.start_spaces {
                0 => String::new(),
                n => format!(" and {}", counted(n, "start space")),
            };
            let open = match feature.open.is_empty() {
                true => String::new(),
                false => format!(", open towards {}", cells(&feature.open)),
            };
            let markets = match feature.markets {
                0 => String::new(),
                n => format!(", {}", counted(n, &self.words.market)),
            };
            lines.push(format!(
                "  {} in {}{starts}: {}{markets}{open}",
                self.words.kind(feature.kind),
                cells(&feature.cells),
                of.join(", ")
            ));
        }
    }
}
