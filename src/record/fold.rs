//! Facts to moves, and what moves bring to derived events.

use std::collections::BTreeMap;

use super::event::{EventKind, Tally};
use crate::rules::castle::{
    Illegality, Move, Names, Outcome, Phase, Placement, Position, SegmentAt, winners,
};
use crate::rules::{Player, Role, Score};

/// Why a fact cannot have happened where it stands.
pub(super) type Conflict = String;

/// The move that a fact is; `None` for a correction or insertion, and for
/// derived events.
///
/// # Errors
/// A sentence when the fact names a tile that the deck has not.
pub(super) fn to_move(position: &Position, kind: &EventKind) -> Result<Option<Move>, Conflict> {
    let tile = |id: &str| {
        position.tile_index(id).ok_or_else(|| format!("the deck has no tile `{id}`; name one of its tiles"))
    };
    Ok(Some(match *kind {
        EventKind::TilePlaced { player, tile: ref id, cell, rotation } => {
            Move::Lay { player, placement: Placement { tile: tile(id)?, cell, rotation } }
        }
        EventKind::FollowerPlaced { player, cell, segment, .. } => {
            Move::Claim { player, at: SegmentAt { cell, segment } }
        }
        EventKind::TileDiscarded { player, tile: ref id } => Move::Discard { player, tile: tile(id)? },
        EventKind::WallTileUsed { player, number, on } => Move::Use { player, number, on },
        EventKind::OrderChosen { player, ref features } => Move::Order { player, features: features.clone() },
        EventKind::WallTileShown { tower, number } => Move::Show { tower, number },
        EventKind::TurnEnded { player, .. } => Move::End { player },
        EventKind::PlayStopped => Move::Stop,
        _ => return Ok(None),
    }))
}

/// A move as a fact; `position` is the one before it.
pub(super) fn to_fact(position: &Position, played: &Move) -> Option<EventKind> {
    Some(match *played {
        Move::Lay { player, placement } => EventKind::TilePlaced {
            player,
            tile: position.tile_id(placement.tile)?.to_owned(),
            cell: placement.cell,
            rotation: placement.rotation,
        },
        Move::Claim { player, at } => EventKind::FollowerPlaced {
            player,
            cell: at.cell,
            segment: at.segment,
            role: position.role_at(at).unwrap_or(Role::Herald),
        },
        Move::Discard { player, tile } => {
            EventKind::TileDiscarded { player, tile: position.tile_id(tile)?.to_owned() }
        }
        Move::Use { player, number, on } => EventKind::WallTileUsed { player, number, on },
        Move::Show { tower, number } => EventKind::WallTileShown { tower, number },
        Move::Order { player, ref features } => EventKind::OrderChosen { player, features: features.clone() },
        Move::End { player } => EventKind::TurnEnded { player, turn: position.turn() },
        Move::Stop => EventKind::PlayStopped,
    })
}

/// Plays a fact that happened, and gives what follows from it and what was
/// against the rules.
///
/// # Errors
/// A sentence when it cannot have happened here; the position is unchanged.
pub(super) fn happen(
    position: &mut Position,
    kind: &EventKind,
    names: &Names,
) -> Result<(Vec<EventKind>, Vec<Illegality>), Conflict> {
    let Some(played) = to_move(position, kind)? else { return Ok((Vec::new(), Vec::new())) };
    let was_over = position.phase() == Phase::Over;
    let (outcomes, broken) = position.play_anyway(&played).map_err(|r| r.to_string())?;
    let mut derived = Vec::new();
    for outcome in &outcomes {
        turn_events(position, outcome, names, &mut derived);
    }
    if position.phase() == Phase::Over {
        end_events(position, names, was_over, &mut derived);
    }
    Ok((derived, broken))
}

fn turn_events(position: &Position, outcome: &Outcome, names: &Names, derived: &mut Vec<EventKind>) {
    for (index, scored) in outcome.scored.iter().enumerate() {
        if let Some(score) = position.explain(outcome, index, names) {
            derived.push(EventKind::FeatureScored { points: score.points(), score });
        }
        if let Some(player) = scored.player {
            let step = scored.points() / scored.moves;
            for from in (0..scored.moves).map(|i| scored.from + i * step) {
                derived.push(moved(player, from, from + step));
            }
        }
        for pickup in outcome.pickups.iter().filter(|p| p.after == index) {
            derived.push(EventKind::WallTileTaken {
                player: pickup.player,
                tower: pickup.tower,
                number: pickup.number,
            });
        }
        if let (Some(player), Some(keep)) = (scored.player, scored.keep) {
            derived.push(EventKind::KeepPlaced { player, size: keep.size, cell: keep.cell });
        }
    }
    if outcome.order_open {
        derived.push(EventKind::Doubt {
            sentence: format!(
                "the order in which the features of turn {} are scored decides who takes which wall tile; \
                 the order best for {} was taken",
                outcome.turn,
                names.of(outcome.player)
            ),
            cell: None,
        });
    }
    if outcome.returned != [0, 0] {
        derived.push(EventKind::FollowersReturned {
            counts: outcome.returned.iter().map(|n| u32::from(*n)).collect(),
        });
    }
}

fn moved(player: Player, from: u32, to: u32) -> EventKind {
    EventKind::MarkerMoved { player, from: (from % 100) as u8, to: (to % 100) as u8, total: to }
}

/// The final scoring; once the game was over, only its result anew.
fn end_events(position: &Position, names: &Names, was_over: bool, derived: &mut Vec<EventKind>) {
    if !was_over {
        let mut totals = [position.total(Player(0)), position.total(Player(1))];
        for score in position.final_scores(names) {
            let player = score.player;
            let points = score.points();
            derived.push(EventKind::FeatureScored { points, score });
            if let Some(player) = player {
                let total = &mut totals[player.index()];
                derived.push(moved(player, *total, *total + points));
                *total += points;
            }
        }
    }
    for player in [Player(0), Player(1)] {
        let unknown = position.wall_tiles(player).iter().filter(|t| t.1.is_none()).count();
        if unknown > 0 {
            derived.push(EventKind::Doubt {
                sentence: format!(
                    "{} holds {unknown} wall tile{} whose number nobody has said; say it for the final scoring",
                    names.of(player),
                    if unknown == 1 { "" } else { "s" }
                ),
                cell: None,
            });
        }
    }
}

/// The category of the final sheet that a score belongs to.
pub(super) fn category(score: &Score) -> &str {
    if score.category.starts_with("wall tile") { "wall tiles" } else { &score.category }
}

/// Points by category, a player each.
pub(super) fn tallies<'a>(scores: impl IntoIterator<Item = &'a Score>) -> Vec<Tally> {
    let empty: BTreeMap<String, u32> =
        ["path", "tower", "house", "keep", "court", "wall tiles"].map(|c| (c.to_owned(), 0)).into();
    let mut tallies = vec![Tally { by_category: empty, total: 0 }; 2];
    for score in scores {
        let points = score.points();
        if let Some(tally) = score.player.and_then(|p| tallies.get_mut(p.index())) {
            *tally.by_category.entry(category(score).to_owned()).or_default() += points;
            tally.total += points;
        }
    }
    tallies
}

/// The end of the game as an event, from all scores.
pub(super) fn ended<'a>(scores: impl IntoIterator<Item = &'a Score>) -> EventKind {
    let tallies = tallies(scores);
    let winners = winners(&[tallies[0].total, tallies[1].total]);
    EventKind::GameEnded { tallies, winners }
}
