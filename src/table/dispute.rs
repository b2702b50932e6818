//! What there is to look at when players disagree about a turn, and what the table decides.

use super::questions::as_put;
use super::session::Session;
use super::show::score_view;
use super::steady::Steady;
use super::view::{CellView, FigureView, ScoreView};
use crate::observation::Figure;
use crate::record::{Change, CorrectionError, Edit, Event, EventKind, Game, TurnFacts, turned};
use crate::rules::plain::{LONGEST_SENTENCE, shown};
use crate::rules::{Cell, FigureKind, Player, Sentence, book, sentence};

/// A turn that is disputed.
#[derive(Clone, Debug, PartialEq)]
pub struct DisputeView {
    /// The turn as the record has it.
    pub facts: TurnFacts,
    /// What was done in it, a sentence each.
    pub told: Vec<Sentence>,
    /// Where its tile lies.
    pub cell: Option<Cell>,
    /// The cell as it was recorded.
    pub recorded: Option<CellView>,
    /// The same in words.
    pub recorded_words: Sentence,
    /// The cell as the camera reads it now; `None` where it is not watched or bare.
    pub seen: Option<CellView>,
    /// The same in words, or why there is nothing.
    pub seen_words: Sentence,
    /// What makes the turn as the camera reads it, where that is otherwise.
    pub as_seen: Option<Change>,
    /// What was counted, one after the other.
    pub counts: Vec<CountView>,
    /// The rules that say so.
    pub rules: Vec<RuleView>,
    /// The names of the pictures of its events, before and after, in the folder of the record's
    /// evidence.
    pub pictures: Vec<String>,
}

/// Something that was counted.
#[derive(Clone, Debug, PartialEq)]
pub struct CountView {
    /// What, and how much it makes.
    pub words: Sentence,
    /// The score, where this is the whole of it.
    pub score: Option<ScoreView>,
    /// The cells to light up.
    pub cells: Vec<Cell>,
}

/// A rule, and why it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleView {
    /// Its id, such as `CA-49`.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// What it says.
    pub text: String,
    /// What holds here, a sentence each; empty where the count says it.
    pub here: Vec<Sentence>,
}

impl Session {
    /// What there is to look at about a turn; `None` where there is no such turn.
    pub fn dispute(&self, turn: u32) -> Option<DisputeView> {
        let game = self.game();
        let facts = game.turns().into_iter().find(|t| t.turn == turn)?;
        let laid =
            |kind: &EventKind| if let EventKind::TilePlaced { cell, .. } = kind { Some(*cell) } else { None };
        let cell = facts.facts.iter().find_map(|(_, kind)| laid(kind));
        let recorded = cell.and_then(|cell| as_put(game, &self.anchors, cell));
        let seen = cell.and_then(|cell| self.seen_in(cell));
        let about = facts.facts.iter().map(|f| f.0);
        let pictures = game.events().iter().filter(|e| about.clone().any(|seq| concerns(e, seq)));
        let told = facts.facts.iter().filter(|(_, kind)| !matches!(kind, EventKind::TurnEnded { .. }));
        Some(DisputeView {
            told: told.map(|(_, kind)| game.wording().told(kind)).collect(),
            recorded_words: recorded.as_ref().map_or_else(Sentence::default, |view| self.cell_words(view)),
            seen_words: match (&seen, cell) {
                (Some(seen), _) => self.cell_words(seen),
                (None, Some(cell)) if matches!(self.scribe.memory.cell(cell), Some((Steady::Empty, _))) => {
                    sentence!("no tile is seen there")
                }
                _ => sentence!("it is not read now"),
            },
            as_seen: cell.and_then(|cell| self.as_seen(turn, cell, seen.as_ref()?)),
            counts: counts(game, turn),
            rules: rules(game, turn),
            pictures: pictures.flat_map(|e| e.evidence.iter().cloned()).collect(),
            facts,
            cell,
            recorded,
            seen,
        })
    }

    /// Records what the table decided about a turn, in its own words: that the turn stands as it
    /// is, or a correction of it.
    ///
    /// # Errors
    /// [`CorrectionError`]; nothing has changed.
    pub fn rule(
        &mut self,
        facts: &TurnFacts,
        change: Option<&Change>,
        words: &str,
    ) -> Result<Vec<Event>, CorrectionError> {
        let first = self.game().events().len();
        match change {
            Some(change) => drop(self.correct(change)?),
            None => {
                let Some((seq, kind)) = facts.facts.first() else { return Err(CorrectionError::Nothing) };
                let stands = EventKind::Correction { replaces: *seq, instead: Some(Box::new(kind.clone())) };
                let cells = self.game().cells_of(kind);
                self.apply_all(vec![stands])?;
                cells.into_iter().for_each(|cell| self.scribe.histories.settle(cell));
            }
        }
        let words = shown(words, LONGEST_SENTENCE);
        let words = if words.is_empty() { "the table has decided so".to_owned() } else { words };
        self.scribe.game.attach_ruling(first, &words);
        Ok(self.game().events().iter().skip(first).cloned().collect())
    }

    /// What the camera reads in a cell now.
    fn seen_in(&self, cell: Cell) -> Option<CellView> {
        let Some((Steady::Tile(read), _)) = self.scribe.memory.cell(cell) else { return None };
        let best = read.first()?;
        let figures = self.scribe.memory.figures(cell).into_iter().map(|f| FigureView {
            player: usize::from(f.player),
            figure: f.figure,
            kind: FigureKind::FOLLOWER,
            x: f.x,
            y: f.y,
        });
        Some(CellView {
            cell,
            tile: best.tile.clone(),
            rotation: best.rotation,
            figures: figures.collect(),
            confidence: best.confidence,
            fresh: false,
        })
    }

    /// A tile and what stands on it, in words.
    fn cell_words(&self, view: &CellView) -> Sentence {
        let name = |f: &FigureView| u8::try_from(f.player).map_or("", |p| self.scribe.name(Player(p)));
        let figure = |f: &FigureView| match f.figure {
            Figure::Follower => sentence!("a follower of {}", name(f)),
            Figure::Keep => {
                sentence!("{}'s {}", name(f), Sentence::word(&self.game().position().largest_word()))
            }
            Figure::Neutral => {
                let word = self.game().position().neutral().map_or("figure of nobody", |(word, _)| word);
                sentence!("the {}", Sentence::word(word))
            }
        };
        let figures = view.figures.iter().map(figure);
        figures.fold(turned(&view.tile, view.rotation), |all, figure| sentence!("{}, {}", all, figure))
    }

    /// What makes a turn as its cell is read now; `None` where that changes nothing, or cannot be.
    fn as_seen(&self, turn: u32, cell: Cell, seen: &CellView) -> Option<Change> {
        let position = self.game().position();
        let (tile, rotation) = position.tile_at(cell)?;
        let mut edits = Vec::new();
        if position.tile_id(tile) != Some(&seen.tile) {
            edits.push(Edit::Tile(seen.tile.clone()));
        }
        if rotation != seen.rotation {
            edits.push(Edit::Rotation(seen.rotation));
        }
        let stands = position.followers().into_iter().find(|f| f.cell == cell);
        let steady = self.scribe.memory.figures(cell).into_iter().find(|f| f.figure == Figure::Follower);
        match (stands, steady) {
            // Of another tile than the record's it is not known on what it stands.
            (_, Some(figure)) if edits.is_empty() => {
                let (segment, _) = self.scribe.nearest(cell, &figure).into_iter().next()?;
                let same =
                    |s: &crate::rules::StandingFollower| s.segment == segment && s.player.0 == figure.player;
                if !stands.as_ref().is_some_and(same) {
                    edits.push(Edit::Figure(Some((FigureKind::FOLLOWER, segment))));
                }
            }
            (Some(_), None) => edits.push(Edit::Figure(None)),
            _ => {}
        }
        let change = (!edits.is_empty()).then_some(Change::Turn(turn, edits))?;
        self.game().preview(&change).is_ok().then_some(change)
    }
}

/// Whether an event is a fact with this number, or corrects it.
fn concerns(event: &Event, seq: u64) -> bool {
    event.seq == seq || matches!(event.kind, EventKind::Correction { replaces, .. } if replaces == seq)
}

/// What was counted in a turn: who stands on each feature, what makes its points.
fn counts(game: &Game, turn: u32) -> Vec<CountView> {
    let mut counts = Vec::new();
    for score in game.scores().iter().filter(|s| s.turn == turn).map(|s| &s.score) {
        for player in game.players() {
            let mut cells: Vec<Cell> =
                score.followers.iter().filter(|f| f.player == player).map(|f| f.cell).collect();
            if cells.is_empty() {
                continue;
            }
            let name = game.names().of(player);
            let words = match cells.len() {
                1 => sentence!("{} has 1 follower on it", name),
                n => sentence!("{} has {} followers on it", name, n),
            };
            cells.dedup();
            counts.push(CountView { words, score: None, cells });
        }
        for item in &score.items {
            let (what, points) = (Sentence::word(&item.what), item.count * item.each);
            let words = sentence!("{} {}, {} each: {}", item.count, what, item.each, points);
            let cells = if item.cells.is_empty() { score.cells.clone() } else { item.cells.clone() };
            counts.push(CountView { words, score: None, cells });
        }
        let words = Sentence::from(score.sentence.clone());
        counts.push(CountView { words, score: Some(score_view(turn, score)), cells: score.cells.clone() });
    }
    counts
}

/// The rules that a turn's scores go by, those first that say why it was so.
fn rules(game: &Game, turn: u32) -> Vec<RuleView> {
    let mut all: Vec<(String, Option<Sentence>)> = Vec::new();
    if let Some(account) = game.account(turn) {
        all.extend(account.reasons.into_iter().map(|r| (r.rule, Some(r.sentence))));
    }
    let items = game.scores().iter().filter(|s| s.turn == turn).flat_map(|s| &s.score.items);
    all.extend(items.map(|item| (item.rule.clone(), None)));
    let mut rules: Vec<RuleView> = Vec::new();
    for (id, here) in all {
        if let Some(known) = rules.iter_mut().find(|r| r.id == id) {
            known.here.extend(here.filter(|here| !known.here.contains(here)));
        } else if let Some(rule) = book::rule(&id) {
            let (title, text) = (rule.title.clone(), rule.text.clone());
            rules.push(RuleView { id, title, text, here: here.into_iter().collect() });
        }
    }
    rules
}
