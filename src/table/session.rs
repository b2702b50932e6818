//! A live game: what the camera sees, held against the rules, becomes events.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::asked::Asked;
use super::bearings::Bearings;
use super::colour_check::{Checked, ColourCheck};
use super::compare::Difference;
use super::doubts::{OpenDoubt, Problem, gone_words};
use super::face_up::{FaceUp, Named};
use super::lag::Lag;
use super::markers::{Markers, space_of};
use super::saying::Asks;
use super::scribe::{Scribe, Turn};
use super::standing::anchors;
use super::steady::{Memory, Patience};
use super::view::{LagView, Status};
use crate::observation::{CellReading, Figure, Observation};
use crate::record::{
    Change, Clocks, CorrectionError, Event, EventKind, Game, Header, RecordError, Source, TextError, moves_in,
};
use crate::rules::{
    Cell, Deck, FaceMap, GamePosition, Phase, Player, Role, Rotation, SegmentAt, Sentence, Side, Wall,
    sentence,
};

/// Cells that must be covered at once for a hand.
const HAND_CELLS: usize = 2;
/// What covers a cell for so many times the patience before a doubt lies there.
const HIDDEN: f64 = 2.0;
/// How often the table is compared after one observation: more changes than
/// this wait for the next.
const STEPS: usize = 12;
/// So many tiles that hands take within [`AT_ONCE`] seconds are no turn taken back: the table is being
/// cleared, or the camera sees another one. Of fewer tiles on the table, half.
const MANY_GONE: usize = 3;
/// See [`MANY_GONE`]. What was a tile by mistake, and is none, goes now and then.
const AT_ONCE: f64 = 60.0;

/// How what is seen becomes turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracker {
    /// The newest turn is followed reading by reading; what does not fit is mended later.
    Incremental,
    /// Whole histories are weighed by all that was seen.
    #[default]
    Histories,
}

/// A live game.
///
/// A reading counts when it stays; a hand over the table suspends judging. A
/// turn is one new tile, perhaps one follower, perhaps followers going home
/// after a scoring. It ends when its follower stands, when a completed feature
/// has been calm for [`Patience::settle`], when the next tile is laid, or by
/// hand. What is found out later corrects the record.
#[derive(Debug)]
pub struct Session {
    pub(super) scribe: Scribe,
    /// For each tile of the deck, where a follower stands on each segment of
    /// the upright tile.
    pub(super) anchors: Vec<Vec<(f32, f32)>>,
    pub(super) colours: Vec<[u8; 3]>,
    /// Record time at which observations begin.
    base: f64,
    /// Whether nothing was watched for a while before the next frame.
    held: bool,
    pub(super) hand: bool,
    pub(super) no_board: Option<Sentence>,
    /// Why what lies there is not read, where the picture tells.
    pub(super) unread_because: Option<Sentence>,
    /// Where the board lies, for games without a wall.
    bearings: Option<Bearings>,
    /// The tiles of the record that are gone, and since when, record seconds.
    gone: BTreeMap<Cell, f64>,
    /// The cells in which something lies that runs out of the picture, and since when, record seconds.
    cut_off: BTreeMap<Cell, f64>,
    /// Tiles that the players go on without: they count as lying there until
    /// they are seen again.
    excused: BTreeSet<Cell>,
    /// Cells that people have said are empty, and what they read as when they said so.
    pub(super) none: BTreeMap<Cell, (String, Rotation)>,
    tracker: Tracker,
    lag: Lag,
    markers: Markers,
    face_up: FaceUp,
    colour_check: ColourCheck,
    /// The players' colours as they look here, in words, where the record has others.
    colour_words: Vec<String>,
    /// The towers whose wall tiles the players leave without a number.
    pub(super) left_unnamed: BTreeSet<u8>,
    pub(super) asked: RefCell<Asked>,
    /// What a person has entered: from which event on, and before which.
    by_hand: Vec<(usize, usize)>,
}

impl Session {
    /// A new game.
    ///
    /// # Errors
    /// [`RecordError`] when the header, wall and deck make no game.
    pub fn new<'a>(
        header: Header,
        wall: impl Into<Option<&'a Wall>>,
        deck: Deck,
    ) -> Result<Session, RecordError> {
        Ok(Session::resume(Game::new(header, wall, &deck)?, deck))
    }

    /// Goes on with a game that was recorded before.
    pub fn resume(game: Game, deck: Deck) -> Session {
        let bearings = game.header().wall.is_none().then(Bearings::default);
        let scribe = Scribe::new(game, deck);
        let anchors = anchors_of(&scribe.layouts);
        Session {
            base: scribe.now,
            held: false,
            scribe,
            anchors,
            colours: Vec::new(),
            hand: false,
            no_board: None,
            unread_because: None,
            bearings,
            gone: BTreeMap::new(),
            cut_off: BTreeMap::new(),
            excused: BTreeSet::new(),
            none: BTreeMap::new(),
            tracker: Tracker::default(),
            lag: Lag::default(),
            markers: Markers::default(),
            face_up: FaceUp::default(),
            colour_check: ColourCheck::default(),
            colour_words: Vec::new(),
            left_unnamed: BTreeSet::new(),
            asked: RefCell::default(),
            by_hand: Vec::new(),
        }
    }

    /// The same game followed in another way.
    #[must_use]
    pub fn with_tracker(mut self, tracker: Tracker) -> Session {
        self.tracker = tracker;
        self
    }

    /// The same game with another patience.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Session {
        self.scribe.patience = patience;
        self.scribe.memory = Memory::new(patience);
        self
    }

    /// The same game with the players' colours as they look here, sRGB, not as
    /// their words say.
    #[must_use]
    pub fn with_colours(mut self, colours: &[[u8; 3]]) -> Session {
        self.colours = colours.to_vec();
        self
    }

    /// The same game with the layouts of its deck's tiles as they are printed
    /// ([`crate::vision::faces::layouts`]), in the deck's order: which segment a figure stands
    /// on is told by them, and by the canonical layout where there is none.
    #[must_use]
    pub fn with_layouts(mut self, printed: Vec<Option<FaceMap>>) -> Session {
        self.scribe.lay_out(printed);
        self.anchors = anchors_of(&self.scribe.layouts);
        self
    }

    /// The same game with other words for the players' colours than the record has.
    #[must_use]
    pub fn with_colour_words(mut self, words: Vec<String>) -> Session {
        self.colour_words = words;
        self
    }

    /// The players' colours in words.
    pub(super) fn colour_words(&self) -> &[String] {
        if self.colour_words.is_empty() { &self.game().header().colours } else { &self.colour_words }
    }

    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.scribe.game
    }

    /// The cells in which the record has tiles.
    pub fn laid(&self) -> Vec<Cell> {
        let position = self.game().position();
        position.cells().into_iter().filter(|cell| position.tile_at(*cell).is_some()).collect()
    }

    /// The spaces of the score track on which the players' markers belong (CA-69).
    pub fn marker_spaces(&self) -> Vec<u8> {
        self.game()
            .players()
            .map(|player| space_of(self.game().position().total(player), self.game()))
            .collect()
    }

    /// Nothing is watched for a while, as in a pause: no time of the record passes until the next frame.
    pub fn hold(&mut self) {
        self.held = true;
    }

    /// So many seconds pass in which the game goes on and nothing is watched, as when it is entered by hand.
    pub fn pass(&mut self, seconds: f64) {
        self.scribe.now += seconds.max(0.0);
        self.held = true;
    }

    /// Seconds that each player's turns have taken until now.
    pub fn clocks(&self) -> Vec<f64> {
        Clocks::of(self.game()).at(self.scribe.now)
    }

    /// Takes in what a frame shows and gives the events that it decided; `t` is
    /// in seconds since the source began.
    pub fn observe(&mut self, observation: &Observation, t: f64) -> Vec<Event> {
        let scribe = &mut self.scribe;
        if std::mem::take(&mut self.held) {
            self.base = scribe.now - t;
        }
        scribe.now = scribe.now.max(self.base + t);
        let position = scribe.game.position();
        let named;
        let observation = match &mut self.bearings {
            None => observation,
            Some(bearings) => {
                match bearings.named(observation, position, scribe.now, scribe.patience.before_doubt) {
                    Some(board) => {
                        named = board;
                        &named
                    }
                    None => {
                        self.lose_bearings(observation);
                        return Vec::new();
                    }
                }
            }
        };
        self.no_board = None;
        let told;
        let observation = match without_misplaced_keeps(observation, position) {
            Some(other) => {
                told = other;
                &told
            }
            None => observation,
        };
        scribe.memory.expect(position.cells().iter().copied().filter(|c| position.tile_at(*c).is_some()));
        scribe.memory.take(observation, scribe.now);
        if self.tracker == Tracker::Histories {
            let unseen = self.bearings.as_ref().map_or_else(BTreeSet::new, Bearings::unseen);
            scribe.histories.evidence.take(observation, &unseen, scribe.now, &scribe.patience);
        }
        let cut_off = observation.cut_off.iter().map(|(col, row)| Cell::new(*col, *row));
        let cut_off: BTreeSet<Cell> = cut_off.filter(|cell| position.tile_at(*cell).is_none()).collect();
        self.cut_off.retain(|cell, _| cut_off.contains(cell));
        for cell in cut_off {
            self.cut_off.entry(cell).or_insert(scribe.now);
        }
        let first = scribe.game.events().len();
        self.lag.take(observation, &scribe.game, scribe.now, &scribe.patience);
        self.markers.take(&observation.markers, &scribe.game, scribe.now, &scribe.patience);
        self.judge();
        let scribe = &mut self.scribe;
        self.face_up.take(&observation.wall_tiles, &scribe.game, scribe.now);
        for Named { tower, number, confidence } in
            self.face_up.named(&scribe.game, scribe.now, &scribe.patience)
        {
            scribe.record_if_better(&[EventKind::WallTileShown { tower, number }], confidence);
        }
        for seq in self.face_up.taken_back(&scribe.game, scribe.now, &scribe.patience) {
            scribe.correct(seq, None, 1.0);
        }
        for (sentence, cell) in self.lag.judged(&scribe.since(first), &scribe.game) {
            scribe.doubt_now(sentence, cell, Asks::Missed);
            scribe.doubts.not_seen(cell);
        }
        let words = self.colour_words().to_vec();
        let scribe = &mut self.scribe;
        let (game, patience) = (&scribe.game, &scribe.patience);
        match self.colour_check.take(observation, game, &words, scribe.now, patience) {
            Some(Checked::Doubt(sentence, cell)) => scribe.doubt_once(sentence, cell),
            Some(Checked::Settled(sentence)) => scribe.doubts.unsay(&[sentence.to_string()]),
            None => {}
        }
        scribe.since(first)
    }

    /// The cells in which something has lain for a while that runs out of the picture: what comes in
    /// from there for a moment is an arm.
    pub(super) fn cut_off(&self) -> impl Iterator<Item = Cell> + '_ {
        let patience = self.scribe.patience.before_doubt;
        self.cut_off
            .iter()
            .filter(move |(_, since)| self.scribe.now - **since >= patience)
            .map(|(cell, _)| *cell)
    }

    /// Says that the board is not in the frame, and why.
    pub fn lost_sight(&mut self, sentence: Sentence) {
        self.no_board = Some(sentence);
        self.scribe.calm_since = None;
    }

    /// The cells in which something lies that nobody can name.
    #[cfg(feature = "vision")]
    pub(super) fn unread(&self) -> Vec<Cell> {
        let open = self.doubts().into_iter().filter(|doubt| doubt.asks == Asks::NewTile);
        open.filter_map(|doubt| doubt.cell).collect()
    }

    /// Says why what lies there is not read, or that nothing is known of it.
    #[cfg(feature = "vision")]
    pub(super) fn unread_because(&mut self, why: Option<Sentence>) {
        self.unread_because = why;
    }

    /// What is seen is not the board of the record. Before the first tile is laid a table
    /// may be empty.
    fn lose_bearings(&mut self, seen: &Observation) {
        match (seen.cells.is_empty(), self.scribe.turn().is_some()) {
            (true, false) => self.no_board = None,
            (true, true) => {
                self.lost_sight(sentence!("no tile of the board is seen; show the camera the board"))
            }
            (false, _) => self.lost_sight(sentence!(
                "the tiles that are seen do not lie as the record has them; show the camera the whole board, \
                 or put back what was moved"
            )),
        }
    }

    /// Records a fact that a person entered, also one that is against the rules.
    /// A follower, a wall tile or an order of scoring that belongs to the turn
    /// just ended is put into it. What another player begins a turn with ends the running one.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot have happened.
    pub fn apply_by_hand(&mut self, kind: EventKind) -> Result<Vec<Event>, RecordError> {
        self.apply_all(vec![kind])
    }

    /// Records facts that a person entered and that belong together: all of them, or none.
    ///
    /// # Errors
    /// [`RecordError`] when one of them cannot have happened.
    pub fn apply_all(&mut self, kinds: Vec<EventKind>) -> Result<Vec<Event>, RecordError> {
        let first = self.game().events().len();
        self.all_or_none(|session| kinds.into_iter().try_for_each(|kind| session.apply_one(kind)))?;
        self.keep_by_hand(first);
        Ok(self.scribe.since(first))
    }

    /// Does something that a person says; where it fails halfway nothing has changed.
    fn all_or_none<E>(&mut self, act: impl FnOnce(&mut Session) -> Result<(), E>) -> Result<(), E> {
        let before = self.scribe.snapshot();
        let done = act(self);
        if done.is_err() {
            self.scribe.go_back(before);
            self.asked = RefCell::default();
        }
        done
    }

    /// The game ends here by itself: it is scored with tiles left.
    ///
    /// # Errors
    /// [`RecordError`] when it is over.
    pub fn stop(&mut self) -> Result<Vec<Event>, RecordError> {
        let first = self.game().events().len();
        self.apply_one(EventKind::PlayStopped)?;
        Ok(self.scribe.since(first))
    }

    fn apply_one(&mut self, kind: EventKind) -> Result<(), RecordError> {
        let scribe = &mut self.scribe;
        let first = scribe.game.events().len();
        if begins_after(scribe.position(), &kind) {
            scribe.end_turn();
        }
        let cells = scribe.game.cells_of(&kind);
        let in_step = scribe.position().phase() == Phase::Step;
        let into_turn = match (&kind, scribe.turn()) {
            // What is put elsewhere in a step is no follower that was forgotten on the tile.
            (EventKind::FollowerPlaced { cell, .. }, Some(turn)) if in_step && *cell != turn.cell => None,
            (
                EventKind::FollowerPlaced { player, .. }
                | EventKind::WallTileUsed { player, number: 2 | 3, .. }
                | EventKind::OrderChosen { player, .. },
                Some(turn),
            ) if *player == turn.player => turn.end,
            _ => None,
        };
        let kind = match into_turn {
            Some(before) => EventKind::Inserted { before, fact: Box::new(kind) },
            None => kind,
        };
        let was = match &kind {
            EventKind::Correction { replaces, .. } => {
                scribe.game.facts().into_iter().find(|f| f.0 == *replaces)
            }
            _ => None,
        };
        scribe.game.apply_anyway(kind.clone(), Source::Hand, 1.0, scribe.now)?;
        scribe.histories.told(&kind, was.map(|w| w.1).as_ref());
        scribe.said_by_people(first, &cells);
        Ok(())
    }

    /// Enters moves in their notation, as [`Game::enter_text`] has it: all of them, or none;
    /// what is against the rules stands. `undo` takes back what was entered last.
    ///
    /// # Errors
    /// [`TextError`] in a sentence.
    pub fn enter_text(&mut self, text: &str) -> Result<Vec<Event>, TextError> {
        if text.trim() == "undo" {
            return Ok(self.undo()?);
        }
        let first = self.game().events().len();
        self.all_or_none(|session| {
            moves_in(text).try_for_each(|text| {
                match session.game().read_fact(text.trim_start_matches('!'))? {
                    Some(kind) => session.apply_one(kind).map_err(TextError::from),
                    None => Ok(()),
                }
            })
        })?;
        self.keep_by_hand(first);
        Ok(self.scribe.since(first))
    }

    /// Keeps what a person has entered, from an event on, for [`Session::undo`].
    fn keep_by_hand(&mut self, first: usize) {
        let end = self.game().events().len();
        if first < end {
            self.by_hand.push((first, end));
        }
    }

    /// Keeps that a person has said something that leaves the record as it is.
    pub(super) fn keep_unchanged(&mut self) {
        let events = self.game().events().len();
        self.by_hand.push((events, events));
    }

    /// Whether a person has entered something that can be taken back.
    pub fn can_undo(&self) -> bool {
        !self.by_hand.is_empty()
    }

    /// Takes back what was entered by a person last, as corrections: the facts that held before
    /// hold again, as far as nothing else has changed them since, and what is seen of their
    /// cells is weighed again.
    ///
    /// # Errors
    /// [`RecordError`] when there is nothing to take back, or what was said last left the record
    /// as it was: the next undo then goes further back.
    pub fn undo(&mut self) -> Result<Vec<Event>, RecordError> {
        let Some(&(first, end)) = self.by_hand.last() else {
            return Err(RecordError::Unknown(sentence!("nothing was entered that could be taken back")));
        };
        let now = self.game().events().len();
        let kinds = self.game().undoing(first, end)?;
        if kinds.is_empty() {
            self.by_hand.pop();
            return Err(RecordError::Unknown(sentence!(
                "what was said last has left the record as it is; undo again for what was said before"
            )));
        }
        let cells: Vec<Cell> = kinds.iter().flat_map(|kind| self.game().cells_of(kind)).collect();
        self.all_or_none(|session| kinds.into_iter().try_for_each(|kind| session.apply_one(kind)))?;
        self.by_hand.pop();
        cells.into_iter().for_each(|cell| self.scribe.histories.forget(cell));
        Ok(self.scribe.since(now))
    }

    /// Takes a correction of any turn: all of it, or nothing. What was in doubt about the
    /// cells of that turn is settled by it. [`Game::preview`] shows before what it changes.
    ///
    /// # Errors
    /// [`CorrectionError`]; nothing has changed.
    pub fn correct(&mut self, change: &Change) -> Result<Vec<Event>, CorrectionError> {
        let scribe = &mut self.scribe;
        let first = scribe.game.events().len();
        let mut cells = change.cells(&scribe.game);
        scribe.game.correct(change, scribe.now)?;
        if matches!(change, Change::Turn(..)) {
            cells.extend(change.cells(&scribe.game));
        }
        scribe.said_by_people(first, &cells);
        cells.into_iter().for_each(|cell| scribe.histories.settle(cell));
        self.keep_by_hand(first);
        Ok(self.scribe.since(first))
    }

    /// The players have looked at the open doubts and let the record stand.
    pub fn accept_doubts(&mut self) {
        self.scribe.doubts.accept();
    }

    /// The players go on although tiles are gone from the table: the record has
    /// them, and they count as lying there until they are seen again.
    pub fn go_on(&mut self) {
        self.excused.extend(self.compare().gone);
        self.scribe.doubts.let_go();
    }

    /// The tiles of the record that are not on the table, while the players are
    /// asked about them.
    pub fn missing(&self) -> Vec<Cell> {
        if self.scribe.doubts.asks_for_tiles() { self.compare().gone } else { Vec::new() }
    }

    /// The doubts that wait for the players.
    pub fn doubts(&self) -> Vec<OpenDoubt> {
        self.scribe.doubts.all()
    }

    /// A cell as it is numbered in the picture that was observed last; `None` where the board is
    /// not in it.
    pub fn in_picture(&self, cell: Cell) -> Option<Cell> {
        match &self.bearings {
            Some(bearings) => bearings.in_picture(cell),
            None => Some(cell),
        }
    }

    /// What a camera's pictures can show of some events: for each, the cells that it is about,
    /// as they are numbered in the picture that was observed last.
    pub fn pictured(&self, events: &[Event]) -> Vec<(u64, Vec<Cell>)> {
        let cells = |event: &Event| {
            let mut cells = match &event.kind {
                EventKind::Doubt { cell, .. } => cell.iter().copied().collect(),
                kind if kind.is_fact() => self.game().cells_of(kind),
                _ => Vec::new(),
            };
            cells.sort_unstable();
            cells.dedup();
            (event.seq, cells.into_iter().filter_map(|cell| self.in_picture(cell)).collect::<Vec<Cell>>())
        };
        events.iter().map(cells).filter(|(_, cells)| !cells.is_empty()).collect()
    }

    /// Names the pictures that show events; they must not have been written yet.
    pub fn attach_evidence(&mut self, named: Vec<(u64, Vec<String>)>) {
        for (seq, names) in named {
            self.scribe.game.attach_evidence(seq, names);
        }
    }

    /// Ends the running turn: the source is at its end. A game whose last tile
    /// lies is then over; what its players may have done before the end is scored, and nobody told, was not.
    pub fn finish(&mut self) -> Vec<Event> {
        let first = self.game().events().len();
        if self.tracker == Tracker::Histories {
            // Nothing more will be seen that could tell otherwise.
            self.scribe.histories.hasty = true;
            self.judge();
            self.scribe.histories.hasty = false;
        }
        self.scribe.end_turn();
        self.scribe.leave_last_steps();
        for problem in self.scribe.doubts.unsaid() {
            if !matches!(problem, Problem::Lingering(..)) {
                self.scribe.say(problem);
            }
        }
        self.scribe.since(first)
    }

    /// What the table is doing.
    pub fn status(&self) -> Status {
        let doubts = &self.scribe.doubts;
        if self.game().position().phase() == Phase::Over {
            return Status::Finished;
        }
        if let Some(sentence) = &self.no_board {
            return Status::NoBoard(sentence.clone());
        }
        if let Some(sentence) = doubts.gone() {
            return Status::TilesGone(sentence.clone());
        }
        if let Some(sentence) = doubts.out_of_step() {
            return Status::OutOfStep(sentence.clone());
        }
        if self.hand {
            return Status::HandOverTable;
        }
        match doubts.all().pop() {
            Some(doubt) => Status::Doubt(doubt.sentence),
            None => Status::Playing,
        }
    }

    /// That the table is read so rarely that something can be missed.
    pub(super) fn lag(&self) -> Option<LagView> {
        let seconds = self.lag.slow()?.round();
        let sentence = sentence!(
            "the table is read every {} s only; leave scored followers standing until they are counted",
            seconds.to_string()
        );
        Some(LagView { seconds: seconds as u32, sentence })
    }

    /// Scored followers that are still seen on the table: whose, and where.
    pub(super) fn lingering(&self) -> impl Iterator<Item = (Player, Cell)> + '_ {
        self.scribe.lingering.iter().map(|(p, c, _)| (*p, *c))
    }

    fn compare(&self) -> Difference {
        Difference::between(self.game().position(), &self.scribe.memory, &self.excused, &self.none)
    }

    fn judge(&mut self) {
        let scribe = &mut self.scribe;
        if scribe.position().phase() == Phase::Over {
            self.hand = false;
            for player in scribe.game.players() {
                if self.markers.agrees(player, &scribe.game) {
                    scribe.doubts.close(Problem::Marker(player));
                }
            }
            match self.tracker {
                Tracker::Incremental => scribe.follow_after_end(),
                Tracker::Histories => scribe.weigh_after_end(),
            }
            return;
        }
        self.hand = scribe.memory.freshly_covered() >= HAND_CELLS;
        if scribe.memory.freshly_covered() > 0 {
            scribe.calm_since = None;
        } else {
            scribe.calm_since.get_or_insert(scribe.now);
        }
        if self.hand {
            return;
        }
        let mut problems = Vec::new();
        for _ in 0..STEPS {
            problems.clear();
            if !self.step(&mut problems) || self.game().position().phase() == Phase::Over {
                break;
            }
        }
        self.doubt_what_is_hidden(&mut problems);
        let scribe = &mut self.scribe;
        if scribe.position().phase() != Phase::Over {
            let elsewhere = self.markers.differences(&scribe.game, scribe.now, &scribe.patience);
            scribe.doubt_markers(&elsewhere, &mut problems);
        }
        scribe.note(problems);
    }

    /// Says where something lies on the board that no tile of the record is under and that is
    /// not read: a tile that its follower hides, or what belongs elsewhere.
    fn doubt_what_is_hidden(&self, problems: &mut Vec<(Problem, Sentence)>) {
        let position = self.game().position();
        let wall = self.bearings.is_none();
        for cell in self.scribe.memory.covered_for(HIDDEN * self.scribe.patience.before_doubt) {
            let beside = || Side::ALL.into_iter().any(|s| position.tile_at(cell.neighbour(s)).is_some());
            let noted = problems.iter().any(|p| p.0.cell() == Some(cell));
            if position.tile_at(cell).is_none() && !noted && (wall || beside()) {
                let sentence = sentence!(
                    "something lies in {} that cannot be read; say which tile it is, or take it away",
                    cell
                );
                problems.push((Problem::Tile(cell), sentence));
            }
        }
    }

    /// Looks for one thing to record; `true` when it was found, and the table
    /// must be compared anew.
    fn step(&mut self, problems: &mut Vec<(Problem, Sentence)>) -> bool {
        let difference = self.compare();
        let tracker = self.tracker;
        let scribe = &mut self.scribe;
        let turn = scribe.turn();
        let newest = turn.as_ref().map(|t| t.cell);
        self.excused.retain(|cell| !scribe.memory.is_occupied(*cell));
        let is_free = |cell: Cell| scribe.position().tile_at(cell).is_none();
        self.none.retain(|cell, _| is_free(*cell) && scribe.memory.is_occupied(*cell));
        let position = scribe.position();
        let laid = position.cells().iter().filter(|c| position.tile_at(**c).is_some()).count();
        let is_lost = |scribe: &Scribe, cell: Cell| {
            tracker == Tracker::Histories && scribe.is_lost(cell, &difference.new)
        };
        self.gone.retain(|cell, _| !scribe.memory.is_occupied(*cell));
        for cell in &difference.gone {
            self.gone.entry(*cell).or_insert(scribe.now);
        }
        // What no hand took away may lie there, or never did.
        let is_taken = |cell: Cell| {
            tracker == Tracker::Incremental
                || scribe.histories.evidence.of(cell).is_some_and(|seen| seen.is_taken(&scribe.patience))
        };
        let taken = difference.gone.iter().filter(|cell| is_taken(**cell));
        let mut taken: Vec<f64> = taken.filter_map(|cell| self.gone.get(cell).copied()).collect();
        taken.sort_by(f64::total_cmp);
        let half = difference.gone.len() >= 2 && 2 * difference.gone.len() >= laid;
        if half || taken.windows(MANY_GONE).any(|at| at[MANY_GONE - 1] - at[0] <= AT_ONCE) {
            scribe.restore();
            problems.push((Problem::Gone, gone_words(&difference.gone, laid)));
            return false;
        }
        // One turn may be taken back by a hand. When the tile before it goes too, the
        // players are asked.
        if tracker == Tracker::Histories && scribe.restore_lost(&difference.new) {
            return true;
        }
        let newest = newest.filter(|cell| scribe.taken_back.is_empty() && !is_lost(scribe, *cell));
        let gone: Vec<Cell> = difference.gone.iter().copied().filter(|c| Some(*c) != newest).collect();
        if let Some(cell) = gone.first() {
            let tile = scribe.tile_id(*cell);
            let sentence =
                sentence!("tile {} is in the record in {}, but not on the table; put it back", tile, *cell);
            problems.push((Problem::Step, sentence));
        }
        if tracker == Tracker::Histories {
            return self.weigh(turn.as_ref(), difference, &gone, problems);
        }
        if scribe.doubts.out_of_step().is_some() {
            if gone.is_empty() && difference.new.len() < 2 {
                scribe.doubts.agreed();
                return true;
            }
            if gone.is_empty() {
                scribe.place_many(&difference, problems);
            }
            return false;
        }
        if let Some(turn) = &turn {
            let lies = !difference.gone.contains(&turn.cell) && !self.excused.contains(&turn.cell);
            if (lies || gone.is_empty()) && scribe.revise(turn, &difference) {
                return true;
            }
            if lies && scribe.follow(turn, problems) {
                return true;
            }
            // Where the newest tile can't be seen it may be on its way elsewhere.
            if scribe.memory.cell(turn.cell).is_none() {
                return false;
            }
        }
        let placed = match &difference.new[..] {
            [] => false,
            [new] => scribe.place_one(new, problems),
            _ => scribe.place_many(&difference, problems),
        };
        if placed {
            return true;
        }
        for (cell, candidates, since) in &difference.changed {
            if Some(*cell) != newest && scribe.reread(*cell, candidates, *since, problems) {
                return true;
            }
        }
        if scribe.stray_followers(newest, problems) {
            return true;
        }
        turn.is_some_and(|turn| difference.new.is_empty() && scribe.settle(&turn))
    }

    /// Looks for one thing to record by weighing histories; `gone` are the tiles that are
    /// missed.
    fn weigh(
        &mut self,
        turn: Option<&Turn>,
        mut difference: Difference,
        gone: &[Cell],
        problems: &mut Vec<(Problem, Sentence)>,
    ) -> bool {
        let scribe = &mut self.scribe;
        scribe.set_aside(&mut difference.new, problems);
        let newest = turn.map(|turn| turn.cell);
        let taken = newest.filter(|cell| difference.gone.contains(cell) && !gone.contains(cell));
        // What was missed before the newest tile was laid is no turn that is taken back with it.
        let before =
            |cell: &Cell| turn.zip(self.gone.get(cell)).is_some_and(|(newest, since)| *since < newest.t);
        let alone = gone.iter().all(|cell| scribe.is_lost(*cell, &difference.new) || before(cell));
        if scribe.doubts.out_of_step().is_some() {
            let may_be_new = |cell: &Cell| {
                let since = self.gone.get(cell).copied().unwrap_or(scribe.now);
                scribe.holds_up(*cell, since + AT_ONCE, &difference.new)
            };
            if gone.is_empty() && difference.new.len() < 2 {
                scribe.doubts.agreed();
            } else if match taken {
                None => gone.iter().any(may_be_new),
                Some(cell) => {
                    !alone && (difference.new.is_empty() || gone.iter().chain([&cell]).any(may_be_new))
                }
            } {
                return false;
            }
        }
        // What a tile reads as is weighed with all else.
        difference.changed.clear();
        if let Some(turn) = turn {
            let lies = !difference.gone.contains(&turn.cell) && !self.excused.contains(&turn.cell);
            if !lies && alone && !gone.contains(&turn.cell) {
                if scribe.revise(turn, &difference) {
                    scribe.histories.forget(turn.cell);
                    scribe.doubts.settle(&[turn.cell]);
                    return true;
                }
                let new = std::mem::take(&mut difference.new);
                if scribe.revise(turn, &difference) {
                    scribe.histories.forget(turn.cell);
                    scribe.doubts.settle(&[turn.cell]);
                    return true;
                }
                difference.new = new;
            }
            // Where the newest tile can't be seen it may be on its way elsewhere.
            if scribe.memory.cell(turn.cell).is_none() {
                return false;
            }
        }
        if scribe.take_step(&difference, problems)
            || scribe.take_new(&difference, problems)
            || scribe.weigh(problems)
        {
            return true;
        }
        turn.is_some_and(|turn| difference.new.is_empty() && scribe.settle(turn))
    }

    /// Takes one of the things that a doubt offers for what happened.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot have happened, or is offered no more.
    pub fn choose(&mut self, doubt: &OpenDoubt, choice: usize) -> Result<Vec<Event>, RecordError> {
        let open =
            self.scribe.doubts.all().into_iter().find(|d| d.cell == doubt.cell && d.choices == doubt.choices);
        let Some(choice) = open.and_then(|open| open.choices.into_iter().nth(choice)) else {
            return Err(RecordError::Unknown(sentence!("the doubt is open no more; look at those that are")));
        };
        if doubt.cell.is_none() && choice.kinds.is_empty() {
            self.scribe.doubts.let_stand(&doubt.sentence);
        }
        let events = self.apply_all(choice.kinds)?;
        self.settle(doubt);
        Ok(events)
    }

    /// The players have said how it is in a doubt: it is weighed no more.
    pub(super) fn settle(&mut self, doubt: &OpenDoubt) {
        if let Some(cell) = doubt.cell {
            self.scribe.histories.settle(cell);
            self.scribe.histories.settle_order(&doubt.sentence);
            self.scribe.doubts.forget(&[cell]);
        } else {
            self.scribe.doubts.let_stand(&doubt.sentence);
        }
    }
}

/// For each tile, where a follower stands on each segment; nothing of one without a layout.
fn anchors_of(layouts: &[Option<FaceMap>]) -> Vec<Vec<(f32, f32)>> {
    layouts.iter().map(|layout| layout.as_ref().map_or_else(Vec::new, anchors)).collect()
}

/// What is seen, with followers for keeps that stand where none can: on a tile of the record
/// without a complete house (CA-55). `None` where there is no such keep.
fn without_misplaced_keeps(seen: &Observation, position: &dyn GamePosition) -> Option<Observation> {
    let holds = |cell: Cell| {
        position.tile_at(cell).is_none()
            || position.features_around(cell).iter().any(|f| {
                f.is_complete()
                    && f.segments.iter().any(|at: &SegmentAt| at.cell == cell)
                    && Role::on(f.kind) == Some(Role::SQUIRE)
            })
    };
    let misplaced = |c: &CellReading| {
        c.figures.iter().any(|f| f.figure == Figure::Keep) && !holds(Cell::new(c.col, c.row))
    };
    if !seen.cells.iter().any(misplaced) {
        return None;
    }
    let mut other = seen.clone();
    for cell in other.cells.iter_mut().filter(|c| misplaced(c)) {
        cell.figures.iter_mut().for_each(|f| f.figure = Figure::Follower);
    }
    Some(other)
}

/// Whether a fact begins a player's turn while another's is running.
fn begins_after(position: &dyn GamePosition, kind: &EventKind) -> bool {
    match kind {
        EventKind::TilePlaced { player, .. }
        | EventKind::TileDiscarded { player, .. }
        | EventKind::WallTileUsed { player, number: 1, .. } => {
            position.phase() == Phase::Follower && position.to_move() != *player
        }
        _ => false,
    }
}
