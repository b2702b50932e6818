//! One turn accounted for: the table before and after it, who had how many
//! followers on what, and why it scored as it did and not otherwise.

use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::fold;
use super::game::Game;
use crate::rules::words::{cells, so_many};
use crate::rules::{Consequence, FeatureView, GamePosition, Phase, Player, Reason, Role, Score};

/// A player's side of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideOfTable {
    /// The player's name.
    pub name: String,
    /// Points on the track, past its end too.
    pub total: u32,
    /// Followers in the supply.
    pub followers: u32,
    /// The size of the house under the keep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u32>,
    /// The tokens and cards held, such as `2 wine` or `king`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<String>,
    /// The wall tiles held, as printed; `?` where nobody has said.
    pub wall_tiles: Vec<String>,
}

/// The table at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableMoment {
    /// The board, a line a row, as [`GamePosition::board_text`] writes it.
    pub board: Vec<String>,
    /// All players.
    pub players: Vec<SideOfTable>,
    /// The features with followers on them.
    pub features: Vec<FeatureView>,
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
    /// The lines of the tables before and after, in the edition's words.
    #[serde(skip)]
    lines: [Vec<String>; 2],
}

impl Game {
    /// Accounts for a turn; `None` when it has not been played.
    pub fn account(&self, turn: u32) -> Option<TurnAccount> {
        let mut position = self.start_position();
        let mut before: Option<Box<dyn GamePosition>> = None;
        let mut laid: Option<Box<dyn GamePosition>> = None;
        let mut moves = Vec::new();
        let mut brought: Vec<Consequence> = Vec::new();
        for (_, kind) in self.facts() {
            if position.turn() > turn {
                break;
            }
            if position.turn() == turn {
                before.get_or_insert_with(|| position.clone());
                // Steps may follow the scoring; its reasons are those before it.
                if !brought.iter().any(|c| matches!(c, Consequence::Scored(_))) {
                    laid = Some(position.clone());
                }
            }
            let ended = matches!(position.phase(), Phase::Follower | Phase::Step)
                && matches!(kind, EventKind::TilePlaced { .. } | EventKind::PlayStopped);
            let now = position.turn();
            let Ok(Some(played)) = fold::to_move(&*position, &kind) else { continue };
            let Ok((consequences, _)) = position.happen(&played, self.names()) else { continue };
            if now == turn {
                brought.extend(consequences);
                if !ended {
                    moves.push(self.describe(&kind).to_string());
                }
            }
        }
        let before = before?;
        let laid = laid.filter(|_| position.turn() > turn).unwrap_or_else(|| position.clone());
        let scores: Vec<Score> =
            self.scores().iter().filter(|s| s.turn == turn).map(|s| s.score.clone()).collect();
        let over = position.phase() == Phase::Over;
        let finals = if over { self.final_scores() } else { Vec::new() };
        let final_reasons = if over { position.final_reasons(&finals, self.names()) } else { Vec::new() };
        let (before, after) = (self.moment(&*before), self.moment(&*position));
        let lines = [&before, &after].map(|moment| moment_lines(moment, &*position));
        Some(TurnAccount {
            turn,
            player: laid.to_move(),
            reasons: laid.reasons(&scores, &brought, self.names()),
            finals,
            final_reasons,
            before,
            after,
            lines,
            moves,
            scores,
        })
    }

    fn moment(&self, position: &dyn GamePosition) -> TableMoment {
        let side = |player: Player| SideOfTable {
            name: self.names().of(player).to_owned(),
            total: position.total(player),
            followers: u32::from(position.supply(player)),
            keep: position.largest(player).map(|k| k.size),
            tokens: position
                .tokens(player)
                .into_iter()
                .map(|(token, n)| match token.is_single() {
                    true => token.word().to_owned(),
                    false => format!("{n} {}", token.word()),
                })
                .collect(),
            wall_tiles: position
                .prizes(player)
                .into_iter()
                .map(|(_, n)| n.map_or("?".to_owned(), |n| position.prize_word(n)))
                .collect(),
        };
        TableMoment {
            board: position.board_text(),
            players: self.players().map(side).collect(),
            features: position.claimed_features(),
        }
    }
}

impl TurnAccount {
    /// The account as lines of text.
    pub fn to_lines(&self) -> Vec<String> {
        let mut lines = vec![format!("turn {}, before:", self.turn)];
        lines.extend(self.lines[0].iter().cloned());
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
        lines.extend(self.lines[1].iter().cloned());
        if !self.final_reasons.is_empty() {
            lines.push("final scoring:".to_owned());
            lines.extend(self.finals.iter().map(|score| self.score_line(score)));
            lines.push("because:".to_owned());
            lines.extend(self.final_reasons.iter().map(|r| format!("  {} ({})", r.sentence, r.rule)));
        }
        lines
    }

    fn score_line(&self, score: &Score) -> String {
        let names: Vec<&str> = score
            .players
            .iter()
            .filter_map(|p| Some(self.before.players.get(p.index())?.name.as_str()))
            .collect();
        match names.is_empty() {
            true => format!("  {}", score.sentence),
            false => format!("  {} +{}: {}", names.join(", "), score.points(), score.sentence),
        }
    }
}

/// The table at a moment as lines, in the words of the edition that is played.
fn moment_lines(moment: &TableMoment, position: &dyn GamePosition) -> Vec<String> {
    let mut lines: Vec<String> = moment.board.iter().map(|line| format!("  {line}")).collect();
    for player in &moment.players {
        let keep = player.keep.map_or(String::new(), |k| format!(", {} of {k}", position.largest_word()));
        let tiles = match player.wall_tiles.is_empty() {
            true => String::new(),
            false => format!(", wall tiles {}", player.wall_tiles.join(", ")),
        };
        let tokens = match player.tokens.is_empty() {
            true => String::new(),
            false => format!(", holds {}", player.tokens.join(", ")),
        };
        let followers = so_many(player.followers, "follower");
        lines.push(format!(
            "  {}: {} points, {followers} left{keep}{tiles}{tokens}",
            player.name, player.total
        ));
    }
    for feature in &moment.features {
        let role = Role::on(feature.kind).map_or("follower".to_owned(), |role| position.role_word(role));
        let of: Vec<String> = moment
            .players
            .iter()
            .zip(0u8..)
            .filter(|(_, p)| feature.count(Player(*p)) > 0)
            .map(|(side, p)| format!("{} of {}", so_many(feature.count(Player(p)), &role), side.name))
            .collect();
        let starts = match feature.start_spaces {
            0 => String::new(),
            n => format!(" and {}", so_many(n, "start space")),
        };
        let open = match feature.open.is_empty() {
            true => String::new(),
            false => format!(", open towards {}", cells(&feature.open)),
        };
        let counted = feature.attributes.iter().filter(|(attribute, _)| attribute.is_counted());
        let printed: String = counted
            .map(|(attribute, n)| format!(", {}", so_many(u32::from(n), &position.attribute_word(attribute))))
            .collect();
        lines.push(format!(
            "  {} in {}{starts}: {}{printed}{open}",
            position.kind_word(feature.kind),
            cells(&feature.cells),
            of.join(", ")
        ));
    }
    lines
}
