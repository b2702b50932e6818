//! A recorded game as a row of moments at the table.

use super::arrangement::PrintedSet;
use super::random_scene::Board;
use crate::record::{EventKind, Game, RecordError, Source};
use crate::rules::{Cell, Deck, Wall};

/// The table after a fact.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The number of the event; 0 for the empty board before the first.
    pub seq: u64,
    /// Seconds since the record began.
    pub t: f64,
    /// Whether a turn ends here.
    pub turn_ends: bool,
    /// What lies on the table now.
    pub board: Board,
    /// Where something was done.
    pub about: Option<Cell>,
}

/// Replays a record and gives the table after every fact, in order, to `show`;
/// it begins with the board before the first turn. What was corrected is shown as it really
/// happened. An error of `show` ends it.
///
/// # Errors
/// [`RecordError`] when the record cannot be replayed, or what `show` gives.
pub fn moments<E: From<RecordError>>(
    game: &Game,
    (wall, deck): (Option<&Wall>, &Deck),
    set: &PrintedSet,
    colours: &[[u8; 3]],
    seed: u64,
    mut show: impl FnMut(Moment) -> Result<(), E>,
) -> Result<(), E> {
    let mut replay = Game::new(game.header().clone(), wall, deck)?;
    let room = game.position().cells();
    let arranged =
        |replay: &Game| Board { room: room.clone(), ..set.board(replay.position(), colours, seed) };
    let board = arranged(&replay);
    show(Moment { seq: 0, t: 0.0, turn_ends: false, board, about: None })?;
    for (seq, kind) in game.facts() {
        if game.conflicts().iter().any(|(s, _)| *s == seq) {
            continue;
        }
        let t = game.events().iter().find(|e| e.seq == seq).map_or(0.0, |e| e.t);
        let about = match &kind {
            EventKind::TilePlaced { cell, .. } | EventKind::FollowerPlaced { cell, .. } => Some(*cell),
            _ => replay.position().last_cell(),
        };
        let turn_ends = matches!(kind, EventKind::TurnEnded { .. });
        replay.apply_anyway(kind, Source::Hand, 1.0, t)?;
        let board = arranged(&replay);
        show(Moment { seq, t, turn_ends, board, about })?;
    }
    Ok(())
}
