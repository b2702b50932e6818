//! What people tell the program, and what becomes of it in the game.

use crate::record::{Change, EventKind, TurnFacts, to_fact};
use crate::rules::castle::Phase;
use crate::rules::{Move, Sentence, sentence};
use crate::table::{QuestionView, Session, Status};

/// What people at the table tell the program.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Stop looking at the table, or go on.
    Pause,
    /// The game is entered by hand from now on, or the camera goes on.
    ByHand,
    /// A move that is made by hand; a figure that is put down ends the turn.
    Play(Move),
    /// The turn whose tile lies is over: nobody waits for a follower. In a step nothing more is done.
    EndTurn,
    /// The answer to a question, by its key.
    Answer(QuestionView, u8),
    /// A question is left as it is.
    Leave(QuestionView),
    /// Play goes on although tiles are gone from the table.
    GoOn,
    /// The game ends here: it is scored with tiles left.
    ScoreNow,
    /// Something that the camera did not see, as [`Session::unseen`] offered it, by its key.
    Unseen(QuestionView, u8),
    /// The same as moves in their notation.
    Enter(String),
    /// A turn was otherwise; it was one with these facts.
    Correct(Change, TurnFacts),
    /// What the table has decided about a disputed turn, in its own words: that it stands, or
    /// that it was otherwise.
    Rule(TurnFacts, Option<Change>, String),
    /// What was told last is taken back.
    Undo,
}

/// What became of a [`Command`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// It is done.
    Done,
    /// What was done before is undone.
    Undone,
    /// It cannot be done; the sentence says why.
    Refused(Sentence),
}

/// Has the game take what people say.
///
/// # Errors
/// A sentence that says why it cannot be; nothing has changed.
pub fn tell(session: &mut Session, command: &Command) -> Result<(), Sentence> {
    let asked = |session: &Session, view: &QuestionView| {
        let open = session.questions().into_iter().find(|q| q.view() == *view);
        open.ok_or_else(|| sentence!("the question is open no more; look at those that are"))
    };
    match command {
        Command::Pause | Command::ByHand => {}
        Command::Play(played) => play(session, played)?,
        Command::EndTurn => {
            let position = session.game().position();
            if position.phase() == Phase::Step {
                return play(session, &Move::Pass { player: position.actor() });
            }
            if !turn_open(session) {
                return Err(sentence!("no tile of this turn lies; lay one first"));
            }
            let kind = EventKind::TurnEnded { player: position.to_move(), turn: position.turn() };
            session.apply_by_hand(kind).map_err(|e| Sentence::from(&e))?;
        }
        Command::Answer(question, key) => {
            let open = asked(session, question)?;
            session.answer(&open, *key).map_err(|e| Sentence::from(&e))?;
        }
        Command::Leave(question) => {
            let open = asked(session, question)?;
            session.leave(&open).map_err(|e| Sentence::from(&e))?;
        }
        Command::GoOn => session.go_on(),
        Command::ScoreNow => {
            session.finish();
            if session.status() != Status::Finished {
                session.apply_by_hand(EventKind::PlayStopped).map_err(|e| Sentence::from(&e))?;
            }
        }
        Command::Unseen(offered, key) => {
            let unseen = session.unseen();
            if unseen.view() != *offered {
                return Err(sentence!("the game has gone on meanwhile; look again at what can be told"));
            }
            session.answer(&unseen, *key).map_err(|e| Sentence::from(&e))?;
        }
        Command::Enter(moves) => drop(session.enter_text(moves).map_err(|e| Sentence::from(&e))?),
        Command::Correct(change, turn) => {
            if !session.game().turns().contains(turn) {
                return Err(sentence!("the turn has changed meanwhile; look at it again"));
            }
            session.correct(change).map_err(|e| Sentence::from(&e))?;
        }
        Command::Rule(turn, change, words) => {
            if !session.game().turns().contains(turn) {
                return Err(sentence!("the turn has changed meanwhile; look at it again"));
            }
            session.rule(turn, change.as_ref(), words).map_err(|e| Sentence::from(&e))?;
        }
        Command::Undo => drop(session.undo().map_err(|e| Sentence::from(&e))?),
    }
    Ok(())
}

/// Records a move by the rules; who puts a figure down on the turn's tile has ended the turn.
fn play(session: &mut Session, played: &Move) -> Result<(), Sentence> {
    let position = session.game().position();
    if let Some(why) = position.illegalities(played).into_iter().next() {
        return Err(sentence!(
            "{}; if it was played all the same, say it as moves with I",
            Sentence::from(&why.named(session.game().names()))
        ));
    }
    let Some(kind) = to_fact(position, played) else { return Ok(()) };
    let ends = EventKind::TurnEnded { player: position.to_move(), turn: position.turn() };
    // A figure that is put down in a step ends no turn: the step goes on.
    let put_down = matches!(played, Move::Claim { .. }) && position.phase() == Phase::Follower;
    let mut kinds = if put_down { vec![kind, ends] } else { vec![kind] };
    let mut after = position.boxed();
    let end = Move::End { player: position.to_move() };
    let mut went_on = after.play(played).is_ok() && (!put_down || after.play(&end).is_ok());
    // Who can do nothing but nothing is not asked.
    while went_on && after.phase() == Phase::Step {
        let moves = after.legal_moves(&[]);
        let [only] = &moves[..] else { break };
        kinds.extend(to_fact(&*after, only));
        went_on = after.play(only).is_ok();
    }
    session.apply_all(kinds).map(drop).map_err(|e| Sentence::from(&e))
}

/// Whether a tile lies whose turn could be ended by hand.
pub fn turn_open(session: &Session) -> bool {
    session.game().position().phase() == Phase::Follower
}
