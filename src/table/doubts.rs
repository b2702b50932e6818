//! What does not fit, and since when: said to the players once it has stayed.

use std::collections::{BTreeMap, BTreeSet};

use super::saying::{Asks, Saying};
use super::steady::Candidate;
use crate::record::EventKind;
use crate::record::turned;
use crate::rules::{Cell, Player, Sentence, cell_name, sentence};

/// So many times longer than of anything else it is waited whether what may be no tile is one: it
/// comes and goes with hands and shadows.
const BEFORE_DOUBTFUL: f64 = 3.0;

/// A question that waits for the players.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDoubt {
    /// The question.
    pub sentence: Sentence,
    /// What it asks.
    pub asks: Asks,
    /// Where, if in one cell.
    pub cell: Option<Cell>,
    /// What it may be, the record's own first; empty where that cannot be told.
    pub choices: Vec<DoubtChoice>,
    /// Whether the record may stand as it is.
    pub may_stand: bool,
    /// Whether what its cell reads as may answer it.
    pub(super) by_reading: bool,
}

/// One of the things that something doubted may be.
#[derive(Clone, Debug, PartialEq)]
pub struct DoubtChoice {
    /// What, one thing after the other.
    pub says: Vec<Saying>,
    /// The facts that make it so; none where the record has it so.
    pub kinds: Vec<EventKind>,
}

/// What does not fit, while it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Problem {
    /// A new tile that cannot be named or placed.
    Tile(Cell),
    /// Something that may be no tile at all.
    Doubtful(Cell),
    /// A tile of an earlier turn that reads differently.
    Reread(Cell),
    /// A turn that may have been another, by what was seen in its cell.
    Unsure(Cell),
    /// Turns that came at once, the first of them in this cell: in which order is a guess.
    Order(Cell),
    /// Turns that others may have laid, from the one with the tile in this cell on.
    Shift(Cell),
    /// A turn whose tile may have been none.
    Void(Cell),
    /// A tile or a follower that is recorded against the rules.
    Against(Cell),
    /// A follower where the record has none.
    Follower(Cell, Player),
    /// A scored follower that stays.
    Lingering(Cell, Player),
    /// A marker that stands where the record does not have it.
    Marker(Player),
    /// A marker that is read where the record does not have it, not surely: never said.
    Hint(Player),
    /// The rules ask somebody something before the game goes on.
    Asked,
    /// Table and record differ beyond that.
    Step,
    /// Many tiles of the record are gone.
    Gone,
}

#[derive(Clone, Debug)]
struct Open {
    sentence: Sentence,
    since: f64,
    said: bool,
}

/// The doubts of a live game.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts {
    open: BTreeMap<Problem, Open>,
    /// Those that stay until a person has looked at them.
    lasting: Vec<OpenDoubt>,
    /// What was said of a table that differs from the record.
    out_of_step: Option<Sentence>,
    /// What may be chosen from, with the sentence and the number of events for which it
    /// was found.
    choices: BTreeMap<Problem, (Sentence, usize, Vec<DoubtChoice>)>,
    /// What was said before: it is not said twice.
    told: BTreeSet<Problem>,
    /// What the players let stand.
    accepted: BTreeMap<Problem, Sentence>,
    /// The cells whose turn nobody saw, as long as that is in doubt.
    unseen: BTreeSet<Cell>,
}

impl Problem {
    /// Where it is, if in one cell.
    pub(super) fn cell(self) -> Option<Cell> {
        match self {
            Problem::Tile(cell)
            | Problem::Doubtful(cell)
            | Problem::Reread(cell)
            | Problem::Unsure(cell)
            | Problem::Order(cell)
            | Problem::Shift(cell)
            | Problem::Void(cell)
            | Problem::Against(cell)
            | Problem::Follower(cell, _)
            | Problem::Lingering(cell, _) => Some(cell),
            Problem::Marker(_) | Problem::Hint(_) | Problem::Asked | Problem::Step | Problem::Gone => None,
        }
    }

    /// What is asked of it.
    fn asks(self) -> Asks {
        match self {
            Problem::Tile(_) | Problem::Doubtful(_) => Asks::NewTile,
            Problem::Reread(_) => Asks::Reread,
            Problem::Unsure(_) | Problem::Void(_) => Asks::What,
            Problem::Order(_) => Asks::Order,
            Problem::Shift(_) => Asks::WhoLaid,
            Problem::Against(_) => Asks::Against,
            Problem::Follower(_, player) => Asks::Follower { player: player.index() },
            Problem::Lingering(_, player) => Asks::Lingering { player: player.index() },
            Problem::Marker(player) => Asks::Marker { player: player.index() },
            Problem::Hint(_) | Problem::Asked | Problem::Step | Problem::Gone => Asks::Said,
        }
    }

    /// Whether it is told anew when it comes back after a while.
    fn is_said_once(self) -> bool {
        // Each score moves a marker: another difference is another question.
        let marker = matches!(self, Problem::Marker(_));
        let seldom = matches!(self, Problem::Follower(..) | Problem::Lingering(..) | Problem::Doubtful(_));
        self.may_stand() && !marker || seldom
    }

    /// Whether the players may leave it once they have looked at it: what the camera sees there
    /// counts for nothing then.
    fn may_be_left(self) -> bool {
        !matches!(self, Problem::Step | Problem::Gone)
    }

    /// Whether it stands as it is recorded once all open doubts are accepted.
    fn may_stand(self) -> bool {
        matches!(
            self,
            Problem::Unsure(_)
                | Problem::Order(_)
                | Problem::Shift(_)
                | Problem::Void(_)
                | Problem::Against(_)
                | Problem::Marker(_)
        )
    }
}

impl Doubts {
    /// Takes in what does not fit at `now`, in seconds; gives what has not fitted for so
    /// long that it is to be said.
    pub(super) fn note(
        &mut self,
        problems: Vec<(Problem, Sentence)>,
        now: f64,
        before_doubt: f64,
    ) -> Vec<Problem> {
        let mut kept = BTreeMap::new();
        for (problem, sentence) in problems {
            if self.is_left(problem, &sentence) {
                continue;
            }
            let open = self.open.remove(&problem).unwrap_or(Open {
                sentence: sentence.clone(),
                since: now,
                said: problem.is_said_once() && self.told.contains(&problem),
            });
            kept.insert(problem, Open { sentence, ..open });
        }
        self.open = kept;
        if !self.open.contains_key(&Problem::Step) {
            self.out_of_step = None;
        }
        let patience = |p: &Problem| match p {
            Problem::Against(_) | Problem::Order(_) => 0.0,
            Problem::Doubtful(_) => BEFORE_DOUBTFUL * before_doubt,
            _ => before_doubt,
        };
        let due = self.open.iter().filter(|(p, o)| !o.said && now - o.since >= patience(p));
        due.map(|(p, _)| *p).collect()
    }

    /// Has an open problem count as said; its sentence.
    pub(super) fn say(&mut self, problem: Problem) -> Option<Sentence> {
        let open = self.open.get_mut(&problem)?;
        open.said = true;
        self.told.insert(problem);
        if problem == Problem::Step {
            self.out_of_step = Some(open.sentence.clone());
        }
        Some(open.sentence.clone())
    }

    /// Adds a doubt that stays until a person has looked at it.
    pub(super) fn lasts(&mut self, sentence: Sentence, cell: Option<Cell>) {
        self.lasts_with(sentence, cell, Asks::Said, Vec::new());
    }

    /// Adds a doubt that stays until a person has looked at it, with what it may be.
    pub(super) fn lasts_with(
        &mut self,
        sentence: Sentence,
        cell: Option<Cell>,
        asks: Asks,
        choices: Vec<DoubtChoice>,
    ) {
        let doubt = OpenDoubt { sentence, asks, cell, choices, may_stand: true, by_reading: true };
        if !self.lasting.iter().any(|d| (&d.sentence, d.cell) == (&doubt.sentence, doubt.cell)) {
            self.lasting.push(doubt);
        }
    }

    /// Whether something that does not fit has been told.
    pub(super) fn is_told(&self, problem: Problem) -> bool {
        self.told.contains(&problem)
    }

    /// Whether something that does not fit by now has been told.
    pub(super) fn is_said(&self, problem: Problem) -> bool {
        self.open.get(&problem).is_some_and(|open| open.said)
    }

    /// Since when something has not fitted; `None` while it fits.
    pub(super) fn since(&self, problem: Problem) -> Option<f64> {
        self.open.get(&problem).map(|open| open.since)
    }

    /// Whether it is known what may be chosen from in a doubt of a record of so many events.
    pub(super) fn offers(&self, problem: Problem, sentence: &Sentence, events: usize) -> bool {
        self.choices.get(&problem).is_some_and(|c| c.0 == *sentence && c.1 == events)
    }

    /// Whether the players have left a doubt with this sentence as it is.
    pub(super) fn is_left(&self, problem: Problem, sentence: &Sentence) -> bool {
        self.accepted.get(&problem).is_some_and(|known| known == sentence)
    }

    /// Has a doubt offer something to choose from.
    pub(super) fn offer(
        &mut self,
        problem: Problem,
        sentence: &Sentence,
        events: usize,
        choices: Vec<DoubtChoice>,
    ) {
        self.choices.insert(problem, (sentence.clone(), events, choices));
    }

    /// The cell of an open doubt about a turn that offers these facts beside the record's own.
    pub(super) fn unsure_of(&self, kinds: &[EventKind]) -> Option<Cell> {
        let offers = |problem: &&Problem| self.choices(**problem).iter().skip(1).any(|c| c.kinds == kinds);
        let unsure = self.open.keys().filter(|problem| matches!(problem, Problem::Unsure(_)));
        unsure.filter(offers).find_map(|problem| problem.cell())
    }

    /// Whether a doubt about a turn is open.
    pub(super) fn is_unsure(&self) -> bool {
        self.open.keys().any(|problem| matches!(problem, Problem::Unsure(_)))
    }

    /// What may be chosen from in a doubt.
    pub(super) fn choices(&self, problem: Problem) -> &[DoubtChoice] {
        self.choices.get(&problem).map_or(&[], |c| &c.2)
    }

    /// A turn was not seen: what was done in it beside its tile is not known.
    pub(super) fn not_seen(&mut self, cell: Cell) {
        self.unseen.insert(cell);
    }

    /// Whether the turn that laid the tile in a cell was not seen, and that is in doubt.
    pub(super) fn is_unseen(&self, cell: Cell) -> bool {
        self.unseen.contains(&cell)
    }

    /// Takes away doubts that stay, by what they say.
    pub(super) fn unsay(&mut self, sentences: &[String]) {
        self.lasting.retain(|d| !sentences.contains(&d.sentence.to_string()));
    }

    /// Takes away the doubts that stay about some cells.
    pub(super) fn settle(&mut self, cells: &[Cell]) {
        self.lasting.retain(|d| d.cell.is_none_or(|c| !cells.contains(&c)));
        self.unseen.retain(|c| !cells.contains(c));
    }

    /// Takes away all that is open about some cells.
    pub(super) fn forget(&mut self, cells: &[Cell]) {
        self.settle(cells);
        self.open.retain(|p, _| p.cell().is_none_or(|c| !cells.contains(&c)));
    }

    /// The players have looked at what stays.
    pub(super) fn accept(&mut self) {
        self.lasting.clear();
        self.unseen.clear();
        let stand: Vec<Problem> =
            self.open.iter().filter(|(p, o)| o.said && p.may_stand()).map(|(p, _)| *p).collect();
        stand.into_iter().for_each(|problem| self.stands(problem));
    }

    /// The players let one doubt stand, by what it says.
    pub(super) fn let_stand(&mut self, sentence: &Sentence) {
        let left = self.lasting.iter().filter(|d| d.sentence == *sentence).filter_map(|d| d.cell);
        left.for_each(|cell| {
            self.unseen.remove(&cell);
        });
        self.lasting.retain(|d| d.sentence != *sentence);
        let problem = self.open.iter().find(|(p, o)| p.may_be_left() && o.sentence == *sentence);
        if let Some(problem) = problem.map(|(p, _)| *p) {
            self.stands(problem);
        }
    }

    fn stands(&mut self, problem: Problem) {
        if let Some(open) = self.open.remove(&problem) {
            self.accepted.insert(problem, open.sentence);
        }
    }

    /// A problem is none any more.
    pub(super) fn close(&mut self, problem: Problem) {
        self.open.remove(&problem);
    }

    /// What is said while table and record differ.
    pub(super) fn out_of_step(&self) -> Option<&Sentence> {
        self.out_of_step.as_ref()
    }

    /// Table and record agree again, as far as can be seen: play goes on.
    pub(super) fn in_step(&mut self) {
        self.out_of_step = None;
    }

    /// Table and record agree: what was open about that is open no more.
    pub(super) fn agreed(&mut self) {
        self.in_step();
        self.open.remove(&Problem::Step);
    }

    /// The players go on without what is gone.
    pub(super) fn let_go(&mut self) {
        self.agreed();
        self.open.remove(&Problem::Gone);
    }

    /// What was said about many tiles that are gone.
    pub(super) fn gone(&self) -> Option<&Sentence> {
        self.open.get(&Problem::Gone).filter(|o| o.said).map(|o| &o.sentence)
    }

    /// Whether the players have been asked about tiles that are gone.
    pub(super) fn asks_for_tiles(&self) -> bool {
        self.open.iter().any(|(p, o)| o.said && matches!(p, Problem::Gone | Problem::Step))
    }

    /// The open problems that nobody has been told.
    pub(super) fn unsaid(&self) -> Vec<Problem> {
        self.open.iter().filter(|(_, o)| !o.said).map(|(p, _)| *p).collect()
    }

    /// The doubts that wait for the players.
    pub(super) fn all(&self) -> Vec<OpenDoubt> {
        let now = self.open.iter().filter(|(_, o)| o.said);
        let now = now.map(|(p, o)| OpenDoubt {
            sentence: o.sentence.clone(),
            asks: p.asks(),
            cell: p.cell(),
            choices: self.choices.get(p).map(|c| c.2.clone()).unwrap_or_default(),
            may_stand: p.may_be_left(),
            by_reading: !matches!(p, Problem::Lingering(..)),
        });
        self.lasting.iter().cloned().chain(now).collect()
    }
}

/// What is asked when many of the tiles laid are gone.
pub(super) fn gone_words(gone: &[Cell], laid: usize) -> Sentence {
    let first = gone.first().map_or_else(String::new, |cell| cell_name(*cell));
    match gone.len() {
        1 => sentence!(
            "1 of {} tiles is gone from the table, in {}; the record stays: put back what is missing, end the \
             game or go on without",
            laid,
            first
        ),
        n => sentence!(
            "{} of {} tiles are gone from the table, the first in {}; the record stays: put back what is \
             missing, end the game or go on without",
            n,
            laid,
            first
        ),
    }
}

/// A few cells by their words, and how many more there are.
pub(super) fn listed(cells: &[Cell]) -> Sentence {
    match *cells {
        [first, second, ref rest @ ..] if rest.len() > 1 => {
            sentence!("{}, {} and {} more places", first, second, rest.len())
        }
        [first, second, third] => sentence!("{}, {} and {}", first, second, third),
        [first, second] => sentence!("{} and {}", first, second),
        _ => Sentence::word(&cells.first().map_or_else(String::new, |cell| cell_name(*cell))),
    }
}

/// A reading in words.
pub(super) fn read_as(candidate: &Candidate) -> Sentence {
    turned(&candidate.tile, candidate.rotation)
}

/// One reading or another in words.
pub(super) fn either<'a>(candidates: impl Iterator<Item = &'a Candidate>) -> Sentence {
    let words: Vec<Sentence> = candidates.map(read_as).collect();
    if words.is_empty() { sentence!("another") } else { Sentence::either(words) }
}
