//! The turns of a record, each with the numbers of its facts, and how another history is
//! written into it.

use std::collections::BTreeSet;

use super::line::Turn;
use crate::record::{EventKind, Game, Source, to_fact};
use crate::rules::{GamePosition, Move, SegmentAt};

/// A turn as it is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub turn: Turn,
    /// The numbers of its facts: the tile's, the figure's, the one before which a figure
    /// that was missed belongs, and all in their order.
    pub lay: u64,
    pub claim: Option<u64>,
    pub close: Option<u64>,
    pub end: Option<u64>,
    pub all: Vec<u64>,
    /// The number of the turn, once it has ended.
    pub number: u32,
}

/// The turns of a record, without facts that fit no more; `None` where it holds what no
/// history can, such as a game that was stopped.
pub(crate) fn turns(game: &Game) -> Option<Vec<Recorded>> {
    let conflicts: BTreeSet<u64> = game.conflicts().iter().map(|c| c.0).collect();
    let by_camera: BTreeSet<u64> =
        game.events().iter().filter(|e| e.source != Source::Hand).map(|e| e.seq).collect();
    let mut turns: Vec<Recorded> = Vec::new();
    let mut before: Vec<(u64, Move)> = Vec::new();
    let mut extra = None;
    for (seq, kind) in game.facts() {
        // What fits no more is left out by the game too.
        if conflicts.contains(&seq) {
            continue;
        }
        let open = turns.last_mut().filter(|t| t.end.is_none());
        match (kind, open) {
            (EventKind::TilePlaced { player, tile, cell, rotation }, _) => {
                let tile = game.position().tile_index(&tile)?;
                let mut all: Vec<u64> = before.iter().map(|b| b.0).collect();
                all.push(seq);
                let before = std::mem::take(&mut before).into_iter().map(|b| b.1);
                turns.push(Recorded {
                    turn: Turn {
                        before: before.filter(|m| extra != m.player() || !is_extra(m)).collect(),
                        extra: extra.take(),
                        player,
                        tile,
                        cell,
                        rotation,
                        claim: None,
                        after: Vec::new(),
                        void: false,
                    },
                    lay: seq,
                    claim: None,
                    close: None,
                    end: None,
                    all,
                    number: 0,
                });
            }
            (EventKind::FollowerPlaced { cell, segment, figure, .. }, Some(open))
                if open.turn.cell == cell =>
            {
                open.turn.claim = Some((segment, figure));
                open.claim = Some(seq);
                open.all.push(seq);
            }
            (EventKind::TurnEnded { turn, .. }, Some(open)) => {
                (open.end, open.number) = (Some(seq), turn);
                open.close.get_or_insert(seq);
                open.all.push(seq);
            }
            (EventKind::PlayStopped, _) => return None,
            // Belongs to no turn, and changes nothing before the final scoring.
            (EventKind::WallTileShown { .. }, _) => {}
            (kind, open) => {
                let played = game.as_move(&kind)?;
                match open {
                    Some(open) => {
                        open.close.get_or_insert(seq);
                        open.turn.after.push(played);
                        open.all.push(seq);
                    }
                    None => {
                        if is_extra(&played) && by_camera.contains(&seq) {
                            extra = played.player();
                        }
                        before.push((seq, played));
                    }
                }
            }
        }
    }
    // What was entered for a turn to come stays before it.
    before.is_empty().then_some(turns)
}

fn is_extra(played: &Move) -> bool {
    matches!(played, Move::Use { number: 1, .. })
}

/// The fact that a tile was laid in a turn.
pub(crate) fn laid(position: &dyn GamePosition, turn: &Turn) -> EventKind {
    EventKind::TilePlaced {
        player: turn.player,
        tile: position.tile_id(turn.tile).unwrap_or_default().to_owned(),
        cell: turn.cell,
        rotation: turn.rotation,
    }
}

/// The fact that a figure was put on a turn's tile; `position` has the tile.
pub(crate) fn claimed(position: &dyn GamePosition, turn: &Turn) -> Option<EventKind> {
    let (segment, figure) = turn.claim?;
    let (cell, player) = (turn.cell, turn.player);
    let role = position.role_at(SegmentAt { cell, segment })?;
    Some(EventKind::FollowerPlaced { player, cell, segment, role, figure })
}

/// The facts that make of a recorded turn another one; `position` is that of the other
/// history.
pub(crate) fn corrections(position: &dyn GamePosition, was: &Recorded, now: &Turn) -> Vec<EventKind> {
    let correct = |replaces, instead: Option<EventKind>| EventKind::Correction {
        replaces,
        instead: instead.map(Box::new),
    };
    let mut kinds = Vec::new();
    let (lay, claim) = (laid(position, now), claimed(position, now));
    let own = &was.turn;
    if now.void {
        return was.all.iter().rev().map(|seq| correct(*seq, None)).collect();
    }
    let moved = (now.claim, now.cell, now.player) != (own.claim, own.cell, own.player);
    if lay != laid(position, &was.turn) {
        let clears = was.claim.filter(|_| moved);
        kinds.extend(clears.map(|seq| correct(seq, None)));
        if let Some(player) = now.extra.filter(|_| was.turn.extra.is_none()) {
            let used = EventKind::WallTileUsed { player, number: 1, on: None };
            kinds.push(EventKind::Inserted { before: was.lay, fact: Box::new(used) });
        }
        kinds.push(correct(was.lay, Some(lay)));
        if !moved {
            return kinds;
        }
        kinds.extend(claim.map(|kind| inserted(was.close, kind)));
        return kinds;
    }
    match (was.claim.filter(|_| moved), claim.filter(|_| moved)) {
        (Some(seq), instead) => kinds.push(correct(seq, instead)),
        (None, Some(kind)) => kinds.push(inserted(was.close, kind)),
        (None, None) => {}
    }
    let used = now.after.iter().skip(was.turn.after.len()).filter_map(|played| to_fact(position, played));
    kinds.extend(used.map(|kind| inserted(was.end, kind)));
    kinds
}

/// The facts that make of a record another history: `other` are the turns that it has
/// otherwise, `position` is its own.
pub(crate) fn rewritten(
    position: &dyn GamePosition,
    recorded: &[Recorded],
    other: &[(usize, Turn)],
) -> Vec<EventKind> {
    let both: Vec<(&Recorded, &Turn)> =
        other.iter().filter_map(|(i, turn)| Some((recorded.get(*i)?, turn))).collect();
    // Who ends a turn says whose the next one is.
    let ended = |(was, now): &(&Recorded, &Turn)| {
        let replaces = was.end.filter(|_| !now.void && was.turn.player != now.player)?;
        let instead = Some(Box::new(EventKind::TurnEnded { player: now.player, turn: was.number }));
        Some(EventKind::Correction { replaces, instead })
    };
    if both.iter().all(|(was, now)| was.turn.cell == now.cell) {
        let of_turn = |one: &(&Recorded, &Turn)| {
            let (was, now) = *one;
            corrections(position, was, now).into_iter().chain(ended(one))
        };
        return both.iter().flat_map(of_turn).collect();
    }
    // Tiles change places: no figure stands on one meanwhile.
    let cleared = both.iter().rev().filter_map(|(was, _)| was.claim);
    let mut kinds: Vec<EventKind> =
        cleared.map(|replaces| EventKind::Correction { replaces, instead: None }).collect();
    kinds.extend(both.iter().map(|(was, now)| EventKind::Correction {
        replaces: was.lay,
        instead: Some(Box::new(laid(position, now))),
    }));
    kinds.extend(both.iter().filter_map(|(was, now)| Some(inserted(was.close, claimed(position, now)?))));
    kinds.extend(both.iter().filter_map(ended));
    kinds
}

fn inserted(before: Option<u64>, kind: EventKind) -> EventKind {
    match before {
        Some(before) => EventKind::Inserted { before, fact: Box::new(kind) },
        None => kind,
    }
}
