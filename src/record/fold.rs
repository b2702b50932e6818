//! Facts to moves, and what moves bring to derived events.

use std::collections::BTreeMap;

use super::event::{EventKind, Tally};
use crate::rules::{
    Consequence, GamePosition, Illegality, Move, Names, Phase, Placement, Player, Role, Score, SegmentAt,
    Sentence, sentence, winners,
};

/// Why a fact cannot have happened where it stands.
pub(super) type Conflict = Sentence;

/// The move that a fact is; `None` for a correction or insertion, and for
/// derived events.
///
/// # Errors
/// A sentence when the fact names a tile that the deck has not.
pub(super) fn to_move(position: &dyn GamePosition, kind: &EventKind) -> Result<Option<Move>, Conflict> {
    let tile = |id: &str| {
        position
            .tile_index(id)
            .ok_or_else(|| sentence!("the deck has no tile `{}`; name one of its tiles", id))
    };
    Ok(Some(match *kind {
        EventKind::TilePlaced { player, tile: ref id, cell, rotation } => {
            Move::Lay { player, placement: Placement { tile: tile(id)?, cell, rotation } }
        }
        EventKind::FollowerPlaced { figure, .. } if !position.figures().contains(&figure) => {
            let figure = Sentence::word(figure.word());
            return Err(sentence!("this game is played without a {}; name a follower", figure));
        }
        EventKind::FollowerPlaced { player, cell, segment, figure, .. } => {
            Move::Claim { player, at: SegmentAt { cell, segment }, figure }
        }
        EventKind::TileDiscarded { player, tile: ref id } => Move::Discard { player, tile: tile(id)? },
        EventKind::WallTileUsed { player, number, on } => Move::Use { player, number, on },
        EventKind::OrderChosen { player, ref features } => Move::Order { player, features: features.clone() },
        EventKind::WallTileShown { tower, number } => Move::Show { space: tower, number },
        EventKind::FigureReturned { player, at, figure } => Move::Return { player, at, figure },
        EventKind::FigureMoved { player, from, to, figure, .. } => {
            Move::Redeploy { player, from, to, figure }
        }
        EventKind::NeutralMoved { player, to } => Move::MoveNeutral { player, to },
        EventKind::Passed { player } => Move::Pass { player },
        EventKind::TurnEnded { player, .. } => Move::End { player },
        EventKind::PlayStopped => Move::Stop,
        _ => return Ok(None),
    }))
}

/// A move as a fact; `position` is the one before it.
pub(crate) fn to_fact(position: &dyn GamePosition, played: &Move) -> Option<EventKind> {
    Some(match *played {
        Move::Lay { player, placement } => EventKind::TilePlaced {
            player,
            tile: position.tile_id(placement.tile)?.to_owned(),
            cell: placement.cell,
            rotation: placement.rotation,
        },
        Move::Claim { player, at, figure } => EventKind::FollowerPlaced {
            player,
            cell: at.cell,
            segment: at.segment,
            role: position.role_at(at).unwrap_or(Role::KNIGHT),
            figure,
        },
        Move::Discard { player, tile } => {
            EventKind::TileDiscarded { player, tile: position.tile_id(tile)?.to_owned() }
        }
        Move::Use { player, number, on } => EventKind::WallTileUsed { player, number, on },
        Move::Show { space, number } => EventKind::WallTileShown { tower: space, number },
        Move::Order { player, ref features } => EventKind::OrderChosen { player, features: features.clone() },
        Move::Return { player, at, figure } => EventKind::FigureReturned { player, at, figure },
        Move::Redeploy { player, from, to, figure } => EventKind::FigureMoved {
            player,
            from,
            to,
            role: position.role_at(to).unwrap_or(Role::KNIGHT),
            figure,
        },
        Move::MoveNeutral { player, to } => EventKind::NeutralMoved { player, to },
        Move::Pass { player } => EventKind::Passed { player },
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
    position: &mut dyn GamePosition,
    kind: &EventKind,
    names: &Names,
) -> Result<(Vec<EventKind>, Vec<Illegality>), Conflict> {
    let Some(played) = to_move(position, kind)? else { return Ok((Vec::new(), Vec::new())) };
    let was_over = position.phase() == Phase::Over;
    let (brought, broken) = position.happen(&played, names).map_err(|refusal| Sentence::from(&refusal))?;
    let track = position.track();
    let of_turn = of_turn(&brought);
    let mut derived: Vec<EventKind> = brought.into_iter().map(|c| event(c, track)).collect();
    if position.phase() == Phase::Over && !was_over {
        let doubts = derived.split_off(of_turn);
        final_events(position, names, &mut derived);
        derived.extend(doubts);
    }
    Ok((derived, broken))
}

/// How many consequences of a turn's end are of the turn itself: doubts that nothing
/// of the turn follows are about the final scoring, and stand after it.
fn of_turn(brought: &[Consequence]) -> usize {
    brought.iter().rposition(|c| !matches!(c, Consequence::Unclear(_))).map_or(0, |last| last + 1)
}

/// A consequence as an event; totals go round a track of so many spaces.
fn event(consequence: Consequence, track: u32) -> EventKind {
    match consequence {
        Consequence::Scored(score) => EventKind::FeatureScored { points: score.points(), score },
        Consequence::Moved { player, from, to } => moved(player, from, to, track),
        Consequence::Taken { player, from, number } => {
            EventKind::WallTileTaken { player, tower: from, number }
        }
        Consequence::Largest(player, largest) => {
            EventKind::KeepPlaced { player, size: largest.size, cell: largest.cell }
        }
        Consequence::Returned(counts) => EventKind::FollowersReturned { counts },
        Consequence::Token { player, token, count, from, sentence } => {
            EventKind::TokensTaken { player, token, count, from, sentence }
        }
        Consequence::Noted(sentence) => EventKind::Noted { sentence },
        Consequence::Unclear(sentence) => EventKind::Doubt { sentence, cell: None },
    }
}

fn moved(player: Player, from: u32, to: u32, track: u32) -> EventKind {
    EventKind::MarkerMoved { player, from: (from % track) as u8, to: (to % track) as u8, total: to }
}

/// The final scoring.
fn final_events(position: &dyn GamePosition, names: &Names, derived: &mut Vec<EventKind>) {
    let mut totals = totals(position);
    for score in position.final_scores(names) {
        let points = score.points();
        let players = score.players.clone();
        derived.push(EventKind::FeatureScored { points, score });
        for player in players {
            let total = &mut totals[player.index()];
            derived.push(moved(player, *total, *total + points, position.track()));
            *total += points;
        }
    }
}

/// All players' totals: with the final scoring once the game is over.
pub(super) fn totals_now(position: &dyn GamePosition) -> Vec<u32> {
    if position.phase() == Phase::Over { position.final_totals() } else { totals(position) }
}

/// All players' totals without the final scoring.
fn totals(position: &dyn GamePosition) -> Vec<u32> {
    Player::first(position.players()).map(|p| position.total(p)).collect()
}

/// Points by category, a player each.
pub(super) fn tallies<'a>(
    position: &dyn GamePosition,
    scores: impl IntoIterator<Item = &'a Score>,
) -> Vec<Tally> {
    let empty: BTreeMap<String, u32> = position.categories().iter().map(|c| ((*c).to_owned(), 0)).collect();
    let mut tallies = vec![Tally { by_category: empty, total: 0 }; position.players()];
    for score in scores {
        let points = score.points();
        for player in &score.players {
            let Some(tally) = tallies.get_mut(player.index()) else { continue };
            *tally.by_category.entry(position.category(score).to_owned()).or_default() += points;
            tally.total += points;
        }
    }
    tallies
}

/// The end of the game as an event, from all scores.
pub(super) fn ended<'a>(
    position: &dyn GamePosition,
    scores: impl IntoIterator<Item = &'a Score>,
) -> EventKind {
    let tallies = tallies(position, scores);
    let winners = winners(&tallies.iter().map(|t| t.total).collect::<Vec<_>>());
    EventKind::GameEnded { tallies, winners }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unclear_in_the_last_turn_stands_with_it_and_not_after_the_final_scoring() {
        let unclear = |what: &str| Consequence::Unclear(what.to_owned());
        let home = Consequence::Returned(vec![1, 0]);
        assert_eq!(of_turn(&[unclear("the order"), home.clone(), unclear("a number")]), 2);
        assert_eq!(of_turn(&[home, unclear("a number"), unclear("another")]), 1);
        assert_eq!(of_turn(&[unclear("a number")]), 0);
    }
}
