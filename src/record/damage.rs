//! Plays a log of which lines are lost. What is written beside the facts, scores
//! and moves of markers, tells whether the facts that are left still hold.

use std::collections::VecDeque;

use super::event::{Event, EventKind, Header, Source, same};
use super::fold;
use super::game::{Game, RecordError};
use crate::rules::{Deck, GamePosition, Move, Player, Sentence, Wall, sentence};

/// For so many lost lines one looks for the fact that stood there; each takes some
/// hundred games played on.
const SOUGHT: usize = 12;

/// Lines of a log, one after another, that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostLines {
    /// The first, from 1.
    pub first: usize,
    /// The last.
    pub last: usize,
    /// How many events could be read before them.
    pub before: usize,
    /// What is wrong with the first, in words.
    pub why: String,
}

impl LostLines {
    /// What is wrong, as the beginning of a sentence.
    pub fn sentence(&self) -> Sentence {
        if self.first == self.last {
            sentence!("line {} of the record cannot be read ({})", self.first, &self.why)
        } else {
            sentence!("lines {} to {} of the record cannot be read ({})", self.first, self.last, &self.why)
        }
    }
}

/// Plays so much of a log as holds without its lost lines. A single fact that is
/// lost is taken for one with which all that follows agrees, if there is one.
///
/// # Errors
/// As [`Game::replay`].
pub(super) fn replay<'a>(
    header: Header,
    events: &[Event],
    lost: &[LostLines],
    wall: impl Into<Option<&'a Wall>>,
    deck: &Deck,
) -> Result<Game, RecordError> {
    let wall = wall.into();
    let mut walk = Walk { game: Game::new(header.clone(), wall, deck)?, due: VecDeque::new() };
    let mut sound = Vec::new();
    let mut sentences = Vec::new();
    let mut sought = 0;
    let first = lost.first().map_or(events.len(), |l| l.before);
    for event in events.iter().take(first) {
        walk.trust(event);
        sound.push(event.clone());
    }
    let mut gaps = lost.iter().peekable();
    while let Some(gap) = gaps.next() {
        let end = gaps.peek().map_or(events.len(), |next| next.before);
        let after = events.get(gap.before..end).unwrap_or_default();
        let missing = missing(events, gap.before);
        let mut ahead = walk.clone();
        let mut reached = ahead.follow(after, missing);
        let mut guess = None;
        if reached < after.len() && missing == 1 && sought < SOUGHT {
            sought += 1;
            let seq = after.first().map_or(1, |e| e.seq.saturating_sub(1));
            guess = walk.seek(after, seq);
        }
        let mut said = gap.sentence();
        if let Some(guess) = guess {
            let what = walk.game.wording().sentence(&guess.event.kind);
            said = match guess.others {
                0 => sentence!("{}; by all that follows it said that {}", said, what),
                n => sentence!(
                    "{}; it is taken to say that {}: that or one of {} others agrees with what follows",
                    said,
                    what,
                    n
                ),
            };
            sound.push(guess.event);
            (ahead, reached) = (guess.walk, after.len());
        } else if after.is_empty() {
            said = sentence!("{}; what it said is lost", said);
        } else if reached == after.len() {
            said = sentence!("{}; what follows holds without it", said);
        }
        sound.extend(after.iter().take(reached).cloned());
        walk = ahead;
        let rest = events.len() - gap.before - reached;
        if reached < after.len() {
            let turn = walk.game.position().turn();
            sentences.push(sentence!(
                "{}; what follows does not hold without it, so {} events are left out and the score is that in turn {}",
                said,
                rest,
                turn
            ));
            break;
        }
        sentences.push(said);
    }
    sentences.extend(gaps.map(|gap| sentence!("{}; it is among what is left out", gap.sentence())));
    Ok(Game::replay(header, sound, wall, deck)?.with_lost(sentences))
}

/// How many events are missing before the one at an index, by their numbers.
fn missing(events: &[Event], at: usize) -> usize {
    let before = at.checked_sub(1).and_then(|i| events.get(i)).map_or(0, |e| e.seq);
    let after = events.get(at).map_or(0, |e| e.seq);
    usize::try_from(after.saturating_sub(before).saturating_sub(1)).unwrap_or(usize::MAX)
}

/// A game as far as it was walked, and what has to be written next.
#[derive(Clone)]
struct Walk {
    game: Game,
    due: VecDeque<EventKind>,
}

/// A fact with which all that follows agrees.
struct Guess {
    event: Event,
    walk: Walk,
    /// How many other facts would do as well.
    others: usize,
}

impl Walk {
    /// Takes an event as it stands.
    fn trust(&mut self, event: &Event) {
        if event.kind.is_fact() {
            self.play(event);
        } else if let Some(at) = self.due.iter().position(|kind| same(kind, &event.kind, true)) {
            self.due.drain(..=at);
        }
    }

    /// Plays a fact; `false` when it cannot have happened.
    fn play(&mut self, fact: &Event) -> bool {
        self.due.clear();
        let Ok(derived) = self.game.carry_on(fact.clone()) else { return false };
        self.due =
            derived.into_iter().map(|e| e.kind).filter(|k| !matches!(k, EventKind::Doubt { .. })).collect();
        true
    }

    /// Walks on as far as what is written follows from the facts; of what is due
    /// `spare` events may be missing. Gives how many events that is.
    fn follow(&mut self, events: &[Event], mut spare: usize) -> usize {
        for (i, event) in events.iter().enumerate() {
            let follows = match &event.kind {
                EventKind::Doubt { .. } => true,
                kind if kind.is_fact() => {
                    let left = std::mem::take(&mut self.due).len();
                    let conflicts = self.game.conflicts().len();
                    let allowed = left <= spare && self.is_allowed(event);
                    spare = spare.saturating_sub(left);
                    allowed && self.play(event) && self.game.conflicts().len() <= conflicts
                }
                kind => match self.due.iter().position(|due| same(due, kind, true)) {
                    Some(at) if at <= spare => {
                        spare -= at;
                        self.due.drain(..=at);
                        true
                    }
                    _ => false,
                },
            };
            if !follows {
                return i;
            }
        }
        events.len()
    }

    /// Whether a fact is by the rules, but for those that the table waived.
    fn is_allowed(&self, fact: &Event) -> bool {
        if matches!(fact.kind, EventKind::Correction { .. } | EventKind::Inserted { .. }) {
            return true;
        }
        let broken = self.game.illegalities(&fact.kind);
        broken.is_ok_and(|all| all.iter().all(|b| fact.waived.iter().any(|w| w == b.rule)))
    }

    /// Looks for a fact with which all the events follow.
    fn seek(&self, events: &[Event], seq: u64) -> Option<Guess> {
        let t = events.first().map_or(0.0, |e| e.t);
        let mut found: Option<Guess> = None;
        for kind in possible(self.game.position()) {
            let event = Event { seq, ..Event::new(kind, Source::Table, 0.0, t) };
            let mut walk = self.clone();
            let fits = walk.due.is_empty() && walk.is_allowed(&event) && walk.play(&event);
            if !fits || walk.follow(events, 0) < events.len() {
                continue;
            }
            match &mut found {
                Some(guess) => guess.others += 1,
                None => found = Some(Guess { event, walk, others: 0 }),
            }
        }
        found
    }
}

/// The facts that may come next by the rules.
fn possible(position: &dyn GamePosition) -> Vec<EventKind> {
    let moves = position.legal_moves(&[]);
    let usual = moves.iter().filter(|m| {
        matches!(m, Move::Lay { .. } | Move::Claim { .. } | Move::Discard { .. } | Move::End { .. })
    });
    let mut kinds: Vec<EventKind> = usual.filter_map(|m| fold::to_fact(position, m)).collect();
    let player = position.to_move();
    for number in 1..=7 {
        kinds.push(EventKind::WallTileUsed { player, number, on: None });
    }
    for (tower, _) in
        Player::first(position.players()).flat_map(|p| position.prizes(p)).filter(|t| t.1.is_none())
    {
        kinds.extend((1..=9).map(|number| EventKind::WallTileShown { tower, number }));
    }
    kinds
}
