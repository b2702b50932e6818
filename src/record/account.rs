//! One turn accounted for: the table before and after it, who had how many
//! followers on what, and why it scored as it did and not otherwise.

use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::final_reasons;
use super::fold;
use super::game::Game;
use super::reasons::{Accountant, cells, counted};
use crate::rules::castle::{FeatureView, Phase, Position};
use crate::rules::{Player, Role, Score};

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

/// Why something scored or did not, and the rule that says so.
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
    /// The final scoring, if the game ended in this turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finals: Vec<Score>,
    /// Why the final scoring counted this and nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub final_reasons: Vec<Reason>,
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
        // What the final scoring moved is told with it.
        let of_turn =
            |kind: &EventKind| !matches!(kind, EventKind::FeatureScored { score, .. } if score.is_final());
        let made = brought.iter().position(|kind| !of_turn(kind)).unwrap_or(brought.len());
        brought.truncate(made);
        let finals = if position.phase() == Phase::Over { self.final_scores() } else { Vec::new() };
        let final_reasons = match position.phase() {
            Phase::Over => final_reasons::of(self, &finals),
            _ => Vec::new(),
        };
        let account = Accountant { game: self, laid: &laid };
        Some(TurnAccount {
            turn,
            player: laid.to_move(),
            reasons: account.reasons(&scores, &brought),
            finals,
            final_reasons,
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
        lines.extend(self.scores.iter().map(|score| self.score_line(score)));
        lines.push("because:".to_owned());
        if self.reasons.is_empty() {
            lines.push("  no feature with followers was touched".to_owned());
        }
        lines.extend(self.reasons.iter().map(|r| format!("  {} ({})", r.sentence, r.rule)));
        lines.push("after:".to_owned());
        self.moment_lines(&self.after, &mut lines);
        if !self.final_reasons.is_empty() {
            lines.push("final scoring:".to_owned());
            lines.extend(self.finals.iter().map(|score| self.score_line(score)));
            lines.push("because:".to_owned());
            lines.extend(self.final_reasons.iter().map(|r| format!("  {} ({})", r.sentence, r.rule)));
        }
        lines
    }

    fn score_line(&self, score: &Score) -> String {
        let player = score.player.and_then(|p| self.before.players.get(p.index()));
        let points = player.map_or(String::new(), |p| format!("{} +{}: ", p.name, score.points()));
        format!("  {points}{}", score.sentence)
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
