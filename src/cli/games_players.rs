//! What players do at a table while a film of their game is watched: they enter what no camera
//! can see, and answer doubts.

use std::collections::BTreeMap;

use super::games_judge::shows_same;
use crate::record::{EventKind, Game, Source, likeness};
use crate::rules::{Cell, Deck, Sentence};
use crate::studio::Said;
use crate::table::{Question, Session};

/// So long the players try to enter what no camera can see, seconds: the turn before may
/// not have ended yet.
const SAYS: f64 = 15.0;
/// So long a doubt is open before somebody answers it, seconds of the film.
const ANSWERS: f64 = 10.0;

/// The players of a film.
pub(super) struct Players<'a> {
    truth: &'a Game,
    deck: &'a Deck,
    /// Whether they answer doubts.
    answers: bool,
    said: Vec<Said>,
    /// Since when each question is open.
    asked: BTreeMap<Sentence, f64>,
    /// How much of what they said could not be entered.
    pub not_taken: u32,
    /// How many doubts they answered.
    pub answered: u32,
}

impl<'a> Players<'a> {
    pub(super) fn new(truth: &'a Game, deck: &'a Deck, said: &[Said], answers: bool) -> Players<'a> {
        let asked = BTreeMap::new();
        Players { truth, deck, answers, said: said.to_vec(), asked, not_taken: 0, answered: 0 }
    }

    /// Does what is due at `t`, seconds of the film.
    pub(super) fn act(&mut self, session: &mut Session, t: f64) {
        let not_taken = &mut self.not_taken;
        self.said.retain(|what| {
            if what.t > t {
                return true;
            }
            let entered = session.apply_by_hand(what.fact.clone()).is_ok();
            let late = t > what.t + SAYS;
            *not_taken += u32::from(!entered && late);
            !entered && !late
        });
        if self.answers {
            self.answered += u32::from(self.answer(session, t));
        }
    }

    /// Answers one doubt that has been open for long enough, by the choice with which the
    /// record is likest to what was played; whether there was one.
    fn answer(&mut self, session: &mut Session, t: f64) -> bool {
        let (truth, deck, asked) = (self.truth, self.deck, &mut self.asked);
        let about_table =
            |q: &Question| q.answers.len() > 1 && session.doubts().iter().any(|d| d.sentence == q.sentence);
        let open: Vec<Question> = session.questions().into_iter().filter(about_table).collect();
        asked.retain(|sentence, _| open.iter().any(|q| q.sentence == *sentence));
        for question in open {
            if t - *asked.entry(question.sentence.clone()).or_insert(t) < ANSWERS {
                continue;
            }
            let as_answered = |kinds: &[EventKind]| {
                let mut game = session.game().clone();
                for kind in kinds {
                    game.apply_anyway(kind.clone(), Source::Hand, 1.0, t).ok()?;
                }
                Some(likeness(truth, &game, |a, b| shows_same(deck, a, b)))
            };
            let worth: Vec<Option<i64>> = question.answers.iter().map(|a| as_answered(&a.kinds)).collect();
            // Of equal ones, the record as it is.
            let best = (0..worth.len()).rev().max_by_key(|i| worth[*i]).unwrap_or(0);
            let answer = &question.answers[best];
            // Nobody says that all is right about a tile that does not lie there.
            let is_wrong = |cell: &Cell| !lies_as_played((truth, session.game()), deck, *cell);
            if answer.kinds.is_empty() && question.cell.as_ref().is_some_and(is_wrong) {
                asked.insert(question.sentence.clone(), t);
                continue;
            }
            let key = answer.key;
            asked.remove(&question.sentence);
            return session.answer(&question, key).is_ok();
        }
        false
    }
}

/// Whether a record has in a cell what was laid there, or nothing where nothing ever was.
fn lies_as_played((truth, record): (&Game, &Game), deck: &Deck, cell: Cell) -> bool {
    let there = |game: &Game| game.position().tile_at(cell);
    match (there(truth), there(record)) {
        (Some((a, turned_a)), Some((b, turned_b))) => {
            let id = |tile: usize| deck.tiles.get(tile).map_or("", |tile| tile.id.as_str());
            shows_same(deck, (id(a), turned_a), (id(b), turned_b))
        }
        // It is not laid yet, or was missed.
        (_, None) => true,
        (None, Some(_)) => false,
    }
}
