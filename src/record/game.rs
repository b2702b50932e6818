//! A game as a fold over its record: facts in, derived events out.

use std::collections::BTreeMap;

use thiserror::Error;

use super::event::{Event, EventKind, Header, Source};
use super::fold;
use crate::rules::{
    self, Cell, Deck, EditionNotes, GamePosition, Illegality, Move, Names, Phase, Player, Refusal, Score,
    Sentence, Setup, SetupFault, Wall, sentence,
};

/// Why a fact was not recorded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum RecordError {
    /// The header names a game that cannot be begun: with too many players, in an
    /// edition that is not known, with a wall or a deck that cannot be played with.
    #[error(transparent)]
    Setup(#[from] SetupFault),
    /// It is against the rules, or cannot have happened.
    #[error(transparent)]
    Illegal(#[from] Refusal),
    /// It names something that is not there.
    Unknown(Sentence),
    /// It follows from facts and cannot be entered.
    Derived,
    /// There is no fact with that number to correct.
    NoFact(u64),
    /// A correction within a correction.
    Nested,
}

impl From<&RecordError> for Sentence {
    fn from(error: &RecordError) -> Sentence {
        match error {
            RecordError::Setup(SetupFault(sentence)) | RecordError::Unknown(sentence) => sentence.clone(),
            RecordError::Illegal(refusal) => Sentence::from(refusal),
            RecordError::Derived => {
                sentence!("only facts can be recorded; scores and moves of markers follow from them")
            }
            RecordError::NoFact(number) => sentence!(
                "no fact has the number {}; correct or insert before one of the facts of the record",
                *number
            ),
            RecordError::Nested => {
                sentence!("a correction cannot stand in for a fact; say what happened instead")
            }
        }
    }
}

/// A score and the turn that it was made in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreAt {
    /// The turn, from 1; the last turn for the final scoring.
    pub turn: u32,
    /// The fact that brought it.
    pub seq: u64,
    /// The score.
    pub score: Score,
}

/// A fact as it holds after all corrections.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fact {
    /// The event that carries it: the original one, or the insertion.
    pub seq: u64,
    pub kind: EventKind,
}

/// What folding the facts gives.
#[derive(Clone, Debug)]
struct Folded {
    position: Box<dyn GamePosition>,
    scores: Vec<ScoreAt>,
    /// Facts that cannot have happened, after a correction of an earlier one.
    conflicts: Vec<(u64, Sentence)>,
    /// Facts that were against the rules.
    broken: Vec<(u64, Illegality)>,
    /// See [`Game::newest`].
    newest: Vec<EventKind>,
}

/// A live or replayed game.
#[derive(Clone, Debug)]
pub struct Game {
    header: Header,
    edition: EditionNotes,
    names: Names,
    start: Box<dyn GamePosition>,
    events: Vec<Event>,
    folded: Folded,
    /// See [`Game::lost`].
    lost: Vec<Sentence>,
    /// Whether facts are recorded that belong together: what does not fit meanwhile is not said.
    together: bool,
}

impl Game {
    /// The start of a game; only games that are played inside a wall need one.
    ///
    /// # Errors
    /// [`RecordError::Setup`], also when something is said to lie on the track where
    /// nothing can (CA-04 to CA-09).
    pub fn new<'a>(
        header: Header,
        wall: impl Into<Option<&'a Wall>>,
        deck: &Deck,
    ) -> Result<Game, RecordError> {
        let setup = Setup {
            wall: wall.into(),
            deck,
            edition: header.edition.as_deref(),
            players: header.players.len(),
            starts: header.starts,
            prizes: &header.wall_tiles,
        };
        let (start, edition) = rules::begin(header.game, &setup)?;
        let folded = Folded {
            position: start.clone(),
            scores: Vec::new(),
            conflicts: Vec::new(),
            broken: Vec::new(),
            newest: Vec::new(),
        };
        let names = Names::new(&header.players);
        Ok(Game {
            names,
            edition,
            header,
            start,
            events: Vec::new(),
            folded,
            lost: Vec::new(),
            together: false,
        })
    }

    /// A game from a record that was read. What the record lacks after its last
    /// fact (it was cut off there) is derived anew and stands at the end of
    /// [`Game::events`].
    ///
    /// # Errors
    /// As [`Game::new`], and for corrections of facts that are not there.
    pub fn replay<'a>(
        header: Header,
        events: Vec<Event>,
        wall: impl Into<Option<&'a Wall>>,
        deck: &Deck,
    ) -> Result<Game, RecordError> {
        let mut game = Game::new(header, wall, deck)?;
        let Some(last) = events.iter().rposition(|e| e.kind.is_fact()) else {
            game.events = events;
            return Ok(game);
        };
        game.events = events[..last].to_vec();
        game.folded = game.fold()?;
        let derived = match game.record(events[last].clone(), true) {
            Ok(derived) => derived,
            Err(error @ (RecordError::Illegal(_) | RecordError::Unknown(_))) => {
                game.folded.conflicts.push((events[last].seq, Sentence::from(&error)));
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        let written = events.len() - last;
        game.events.truncate(last);
        game.events.extend(events[last..].iter().cloned());
        game.events.extend(derived.into_iter().skip(written));
        Ok(game)
    }

    /// What the record that this game was read from has lost, and what of it does
    /// not count for that, a sentence each.
    pub fn lost(&self) -> &[Sentence] {
        &self.lost
    }

    /// The same game with what its record has lost.
    pub(super) fn with_lost(mut self, lost: Vec<Sentence>) -> Game {
        self.lost = lost;
        self
    }

    /// The first line of the record.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The edition that is played.
    pub fn edition(&self) -> &EditionNotes {
        &self.edition
    }

    /// The players' names.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Where the game stands.
    pub fn position(&self) -> &dyn GamePosition {
        &*self.folded.position
    }

    /// The players, in order.
    pub fn players(&self) -> impl Iterator<Item = Player> + use<> {
        Player::first(self.position().players())
    }

    /// The position at the start.
    pub(crate) fn start_position(&self) -> Box<dyn GamePosition> {
        self.start.clone()
    }

    /// All events, facts and what followed from them, as recorded.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The facts that hold after all corrections, with the number of the event
    /// that carries each.
    ///
    /// Corrections name these numbers.
    pub fn facts(&self) -> Vec<(u64, EventKind)> {
        self.effective_facts().unwrap_or_default().into_iter().map(|f| (f.seq, f.kind)).collect()
    }

    /// The cells that a fact is about, with those of the fact that it corrects.
    pub fn cells_of(&self, kind: &EventKind) -> Vec<Cell> {
        match kind {
            EventKind::TilePlaced { cell, .. } | EventKind::FollowerPlaced { cell, .. } => vec![*cell],
            EventKind::Inserted { fact, .. } => self.cells_of(fact),
            EventKind::Correction { replaces, instead } => {
                let old = self.facts().into_iter().find(|(seq, _)| seq == replaces);
                let mut cells = old.map(|(_, kind)| self.cells_of(&kind)).unwrap_or_default();
                cells.extend(instead.iter().flat_map(|kind| self.cells_of(kind)));
                cells
            }
            _ => Vec::new(),
        }
    }

    /// All scores of the turns, in order; not the final scoring.
    pub fn scores(&self) -> &[ScoreAt] {
        &self.folded.scores
    }

    /// The final scoring as it is now; empty before the end of the game.
    pub fn final_scores(&self) -> Vec<Score> {
        if self.position().phase() == Phase::Over {
            self.position().final_scores(&self.names)
        } else {
            Vec::new()
        }
    }

    /// What has followed from the newest turn, as it holds after all corrections: its scores,
    /// wall tiles taken, keeps placed, followers that go home.
    pub fn newest(&self) -> &[EventKind] {
        &self.folded.newest
    }

    /// Facts that no longer fit, after a correction of an earlier one: their
    /// numbers and why. They are left out until they are corrected too.
    pub fn conflicts(&self) -> &[(u64, Sentence)] {
        &self.folded.conflicts
    }

    /// Facts that were against the rules: their numbers and why.
    pub fn broken(&self) -> &[(u64, Illegality)] {
        &self.folded.broken
    }

    /// Every reason why a fact would be illegal now. Corrections have none.
    ///
    /// # Errors
    /// [`RecordError::Unknown`] or [`RecordError::Derived`].
    pub fn illegalities(&self, kind: &EventKind) -> Result<Vec<Illegality>, RecordError> {
        if !kind.is_fact() {
            return Err(RecordError::Derived);
        }
        let played = fold::to_move(self.position(), kind).map_err(RecordError::Unknown)?;
        let all = played.map_or_else(Vec::new, |m| self.position().illegalities(&m));
        Ok(all.into_iter().map(|why| why.named(&self.names)).collect())
    }

    /// Records a fact that is by the rules: returns the fact's event and what
    /// follows from it. A tile laid while the turn before has not ended ends
    /// that turn first.
    ///
    /// # Errors
    /// [`RecordError`]; nothing has changed.
    pub fn apply(
        &mut self,
        kind: EventKind,
        source: Source,
        confidence: f32,
        t: f64,
    ) -> Result<Vec<Event>, RecordError> {
        self.enter(kind, source, confidence, t, false)
    }

    /// Records a fact that happened at the table, legal or not; the rules that
    /// were broken stand in the event as waived.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot have happened; nothing has changed.
    pub fn apply_anyway(
        &mut self,
        kind: EventKind,
        source: Source,
        confidence: f32,
        t: f64,
    ) -> Result<Vec<Event>, RecordError> {
        self.enter(kind, source, confidence, t, true)
    }

    /// Records facts that belong together as [`Game::apply_anyway`] does one: all of them, or none.
    /// What does not fit on the way and does in the end is not said.
    ///
    /// # Errors
    /// As [`Game::apply_anyway`]; nothing has changed.
    pub fn apply_together(
        &mut self,
        kinds: &[EventKind],
        source: Source,
        confidence: f32,
        t: f64,
    ) -> Result<Vec<Event>, RecordError> {
        let first = self.events.len();
        *self = self.with_together(kinds, source, confidence, t)?;
        Ok(self.events[first..].to_vec())
    }

    /// The game as it would be after [`Game::apply_together`].
    ///
    /// # Errors
    /// As [`Game::apply_anyway`].
    pub fn with_together(
        &self,
        kinds: &[EventKind],
        source: Source,
        confidence: f32,
        t: f64,
    ) -> Result<Game, RecordError> {
        let first = self.events.len();
        let mut game = Game { together: true, ..self.clone() };
        for kind in kinds {
            game.apply_anyway(kind.clone(), source, confidence, t)?;
        }
        game.together = false;
        if game.events[first..].iter().any(|e| matches!(e.kind, EventKind::Recomputed { .. })) {
            for sentence in game.unfit() {
                game.doubt(sentence, None, t);
            }
        }
        Ok(game)
    }

    /// Names the pictures that show an event, as files in the folder of the record's
    /// evidence. An event that is not there has none.
    pub fn attach_evidence(&mut self, seq: u64, names: Vec<String>) {
        if let Some(event) = self.events.iter_mut().rev().find(|e| e.seq == seq) {
            event.evidence = names;
        }
    }

    /// Writes down what the table decided, in its own words, beside the facts from the event with
    /// this index on; they must not have been written yet.
    pub fn attach_ruling(&mut self, first: usize, words: &str) {
        let facts = self.events.iter_mut().skip(first).filter(|e| e.kind.is_fact());
        facts.for_each(|event| event.ruling = Some(words.to_owned()));
    }

    /// Writes down something unclear that waits for the players; it changes
    /// nothing else.
    pub fn doubt(&mut self, sentence: String, cell: Option<Cell>, t: f64) -> Event {
        let seq = self.next_seq();
        let event = Event { seq, ..Event::new(EventKind::Doubt { sentence, cell }, Source::Table, 1.0, t) };
        self.events.push(event.clone());
        event
    }

    fn enter(
        &mut self,
        kind: EventKind,
        source: Source,
        confidence: f32,
        t: f64,
        anyway: bool,
    ) -> Result<Vec<Event>, RecordError> {
        let event = |kind, source, confidence| Event::new(kind, source, confidence, t);
        let ends_turn = matches!(kind, EventKind::TilePlaced { .. } | EventKind::PlayStopped)
            && self.position().phase() == Phase::Follower;
        if !ends_turn {
            return self.record(event(kind, source, confidence), anyway);
        }
        let before = (self.events.len(), self.folded.clone());
        let position = self.position();
        let end = EventKind::TurnEnded { player: position.to_move(), turn: position.turn() };
        let mut all = self.record(event(end, Source::Table, 1.0), anyway)?;
        match self.record(event(kind, source, confidence), anyway) {
            Ok(more) => {
                all.extend(more);
                Ok(all)
            }
            Err(error) => {
                self.events.truncate(before.0);
                self.folded = before.1;
                Err(error)
            }
        }
    }

    /// The move that a fact is; `None` for corrections and for what follows from facts.
    pub(crate) fn as_move(&self, kind: &EventKind) -> Option<Move> {
        fold::to_move(self.position(), kind).ok().flatten()
    }

    /// Plays the next fact of a record that is being read and gives what follows
    /// from it.
    pub(super) fn carry_on(&mut self, fact: Event) -> Result<Vec<Event>, RecordError> {
        let seq = fact.seq;
        if let Some(last) = self.events.last_mut() {
            last.seq = seq.saturating_sub(1);
        }
        self.record(fact, true).map(|events| events.into_iter().skip(1).collect())
    }

    fn record(&mut self, mut event: Event, anyway: bool) -> Result<Vec<Event>, RecordError> {
        if !event.kind.is_fact() {
            return Err(RecordError::Derived);
        }
        event.seq = self.next_seq();
        let first = self.events.len();
        let derived = if matches!(event.kind, EventKind::Correction { .. } | EventKind::Inserted { .. }) {
            self.events.push(event.clone());
            match self.fold().and_then(|folded| self.judge_correction(&event, folded, anyway)) {
                Ok((folded, waived)) => {
                    self.events[first].waived = waived;
                    self.refolded(folded)
                }
                Err(error) => {
                    self.events.pop();
                    return Err(error);
                }
            }
        } else {
            let illegalities = self.illegalities(&event.kind)?;
            if illegalities.iter().any(|i| !anyway || !i.waivable) {
                return Err(Refusal { illegalities }.into());
            }
            event.waived = illegalities.iter().map(|i| i.rule.to_owned()).collect();
            let seq = event.seq;
            let derived = self.folded.happen(seq, &event.kind, &self.names).map_err(RecordError::Unknown)?;
            self.events.push(event.clone());
            derived
        };
        for kind in derived {
            let seq = self.next_seq();
            self.events.push(Event { seq, ..Event::new(kind, Source::Table, 1.0, event.t) });
        }
        let mut recorded = self.events[first..].to_vec();
        if self.position().phase() == Phase::Over {
            recorded.extend(self.end(event.t));
        }
        Ok(recorded)
    }

    /// Holds what a correction or insertion says happened against the rules:
    /// gives the rules that are waived for it.
    fn judge_correction(
        &self,
        event: &Event,
        folded: Folded,
        anyway: bool,
    ) -> Result<(Folded, Vec<String>), RecordError> {
        let about = match event.kind {
            EventKind::Correction { replaces, .. } => self.corrected(replaces),
            _ => event.seq,
        };
        if let Some((_, why)) = folded.conflicts.iter().find(|(seq, _)| *seq == about) {
            return Err(RecordError::Unknown(why.clone()));
        }
        let broken: Vec<Illegality> =
            folded.broken.iter().filter(|(seq, _)| *seq == about).map(|(_, b)| b.clone()).collect();
        if !anyway && !broken.is_empty() {
            return Err(Refusal { illegalities: broken }.into());
        }
        let waived = broken.iter().map(|i| i.rule.to_owned()).collect();
        Ok((folded, waived))
    }

    /// The fact that is meant by the number of a fact or of a correction of it.
    fn corrected(&self, replaces: u64) -> u64 {
        self.events
            .iter()
            .find_map(|e| match e.kind {
                EventKind::Correction { replaces: earlier, .. } if e.seq == replaces => Some(earlier),
                _ => None,
            })
            .map_or(replaces, |earlier| if earlier < replaces { self.corrected(earlier) } else { earlier })
    }

    /// The number of the next event.
    fn next_seq(&self) -> u64 {
        self.events.last().map_or(0, |e| e.seq).saturating_add(1)
    }

    /// Adds the end of the game to the events.
    fn end(&mut self, t: f64) -> Option<Event> {
        let finals = self.final_scores();
        let scores = self.folded.scores.iter().map(|s| &s.score).chain(&finals);
        let kind = fold::ended(self.position(), scores);
        let seq = self.next_seq();
        self.events.push(Event { seq, ..Event::new(kind, Source::Table, 1.0, t) });
        self.events.last().cloned()
    }

    /// Takes over a new fold and says what it changed.
    fn refolded(&mut self, folded: Folded) -> Vec<EventKind> {
        let names = &self.names;
        let changes = changes(&self.folded.all_scores(names), &folded.all_scores(names), names);
        let changes = changes.iter().map(Sentence::to_string).collect();
        let totals = fold::totals_now(&*folded.position);
        let mut derived = vec![EventKind::Recomputed { changes, totals }];
        self.folded = folded;
        if !self.together {
            derived
                .extend(self.unfit().into_iter().map(|sentence| EventKind::Doubt { sentence, cell: None }));
        }
        derived
    }

    /// What is said of the facts that no longer fit, a sentence each.
    pub(crate) fn unfit(&self) -> Vec<String> {
        let say = |(seq, why): &(u64, Sentence)| {
            format!("event {seq} no longer fits and is left out: {why}; correct it too")
        };
        self.conflicts().iter().map(say).collect()
    }

    /// What the scores of another course of this game differ in, in sentences. A score that
    /// both have is none of them, also where turns before it were left out or put in.
    pub(super) fn scores_changed(&self, other: &Game) -> Vec<Sentence> {
        let names = &self.names;
        let (mut old, mut new) = (self.folded.all_scores(names), other.folded.all_scores(names));
        old.retain(|(turn, score)| {
            let same = |(t, s): &(u32, Score)| (*t == u32::MAX) == (*turn == u32::MAX) && s == score;
            let found = new.iter().position(same);
            found.map(|i| new.remove(i)).is_none()
        });
        changes(&old, &new, names)
    }

    /// The corrections that undo what some of the events, from `first` on and before `end`,
    /// have brought, as far as it still holds.
    pub(crate) fn undoing(&self, first: usize, end: usize) -> Result<Vec<EventKind>, RecordError> {
        let facts = |events: &[Event]| -> Result<BTreeMap<u64, EventKind>, RecordError> {
            Ok(effective_facts(events)?.into_iter().map(|f| (f.seq, f.kind)).collect())
        };
        let upto = |n: usize| self.events.get(..n).unwrap_or(&self.events);
        let (before, after, now) = (facts(upto(first))?, facts(upto(end))?, facts(&self.events)?);
        let correct = |replaces: &u64, instead: Option<&EventKind>| EventKind::Correction {
            replaces: *replaces,
            instead: instead.map(|kind| Box::new(kind.clone())),
        };
        let came =
            after.iter().rev().filter(|(seq, kind)| !before.contains_key(seq) && now.get(seq) == Some(kind));
        let mut undo: Vec<EventKind> = came.map(|(seq, _)| correct(seq, None)).collect();
        let was = before
            .iter()
            .filter(|(seq, kind)| after.get(seq) != Some(kind) && now.get(seq) == after.get(seq));
        undo.extend(was.map(|(seq, kind)| correct(seq, Some(kind))));
        Ok(undo)
    }

    /// The facts that hold, in the order in which they hold.
    fn effective_facts(&self) -> Result<Vec<Fact>, RecordError> {
        effective_facts(&self.events)
    }

    fn fold(&self) -> Result<Folded, RecordError> {
        let mut folded = Folded {
            position: self.start.clone(),
            scores: Vec::new(),
            conflicts: Vec::new(),
            broken: Vec::new(),
            newest: Vec::new(),
        };
        for fact in self.effective_facts()? {
            if let Err(why) = folded.happen(fact.seq, &fact.kind, &self.names) {
                folded.conflicts.push((fact.seq, why));
            }
        }
        Ok(folded)
    }
}

impl Folded {
    /// The scores with their turns; those of the end, once the game is over, with
    /// [`u32::MAX`].
    fn all_scores(&self, names: &Names) -> Vec<(u32, Score)> {
        let mut scores: Vec<(u32, Score)> = self.scores.iter().map(|s| (s.turn, s.score.clone())).collect();
        if self.position.phase() == Phase::Over {
            scores.extend(self.position.final_scores(names).into_iter().map(|s| (u32::MAX, s)));
        }
        scores
    }

    fn happen(&mut self, seq: u64, kind: &EventKind, names: &Names) -> Result<Vec<EventKind>, Sentence> {
        let was_over = self.position.phase() == Phase::Over;
        let turn = self.position.turn();
        let (derived, broken) = fold::happen(&mut *self.position, kind, names)?;
        self.broken.extend(broken.into_iter().map(|b| (seq, b)));
        if matches!(kind, EventKind::TilePlaced { .. } | EventKind::TileDiscarded { .. }) {
            self.newest.clear();
        }
        self.newest.extend(derived.iter().cloned());
        let finals = if self.position.phase() == Phase::Over && !was_over {
            self.position.final_scores(names).len()
        } else {
            0
        };
        let scored: Vec<&Score> = derived
            .iter()
            .filter_map(|k| if let EventKind::FeatureScored { score, .. } = k { Some(score) } else { None })
            .collect();
        let in_turn = scored.len() - finals;
        self.scores.extend(scored[..in_turn].iter().map(|s| ScoreAt { turn, seq, score: (*s).clone() }));
        Ok(derived)
    }
}

/// The facts that hold after some events, in the order in which they hold.
fn effective_facts(events: &[Event]) -> Result<Vec<Fact>, RecordError> {
    let mut facts: Vec<(Fact, bool)> = Vec::new();
    let mut index: BTreeMap<u64, u64> = BTreeMap::new();
    for event in events.iter().filter(|e| e.kind.is_fact()) {
        match &event.kind {
            EventKind::Correction { replaces, instead } => {
                if instead.as_deref().is_some_and(|k| !is_plain(k)) {
                    return Err(RecordError::Nested);
                }
                let replaces = index.get(replaces).copied().unwrap_or(*replaces);
                let (fact, holds) =
                    facts.iter_mut().find(|(f, _)| f.seq == replaces).ok_or(RecordError::NoFact(replaces))?;
                *holds = instead.is_some();
                if let Some(kind) = instead {
                    fact.kind = (**kind).clone();
                }
                index.insert(event.seq, replaces);
            }
            EventKind::Inserted { before, fact } => {
                if !is_plain(fact) {
                    return Err(RecordError::Nested);
                }
                let at =
                    facts.iter().position(|(f, _)| f.seq == *before).ok_or(RecordError::NoFact(*before))?;
                facts.insert(at, (Fact { seq: event.seq, kind: (**fact).clone() }, true));
            }
            kind => facts.push((Fact { seq: event.seq, kind: kind.clone() }, true)),
        }
    }
    Ok(facts.into_iter().filter(|(_, holds)| *holds).map(|(fact, _)| fact).collect())
}

/// Whether a kind is a fact of its own, not one about another.
fn is_plain(kind: &EventKind) -> bool {
    kind.is_fact() && !matches!(kind, EventKind::Correction { .. } | EventKind::Inserted { .. })
}

/// What two lists of scores differ in, in sentences; turn [`u32::MAX`] is the
/// final scoring.
fn changes(before: &[(u32, Score)], after: &[(u32, Score)], names: &Names) -> Vec<Sentence> {
    type Key = (u32, String, Player);
    let by_key = |scores: &[(u32, Score)]| {
        let mut map: BTreeMap<Key, Vec<u32>> = BTreeMap::new();
        for (turn, score) in scores {
            for player in &score.players {
                map.entry((*turn, score.category.clone(), *player)).or_default().push(score.points());
            }
        }
        map
    };
    let (before, after) = (by_key(before), by_key(after));
    let mut keys: Vec<&Key> = before.keys().chain(after.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let mut sentences = Vec::new();
    for key in keys {
        let mut old = before.get(key).cloned().unwrap_or_default();
        let mut new = after.get(key).cloned().unwrap_or_default();
        old.retain(|points| match new.iter().position(|p| p == points) {
            Some(same) => {
                new.remove(same);
                false
            }
            None => true,
        });
        let words = |points: Option<&u32>| match points {
            Some(points) => Sentence::word(&points.to_string()),
            None => sentence!("nothing"),
        };
        for i in 0..old.len().max(new.len()) {
            let category = match key.1.strip_prefix("wall tile ") {
                Some(number) => sentence!("wall tile {}", number),
                None => Sentence::word(&key.1),
            };
            let name = names.of(key.2);
            let (old, new) = (words(old.get(i)), words(new.get(i)));
            sentences.push(match key.0 {
                u32::MAX => sentence!("{}'s {} at the end: {} → {}", name, category, old, new),
                turn => sentence!("{}'s {} in turn {}: {} → {}", name, category, turn, old, new),
            });
        }
    }
    sentences
}
