//! What a live table recorded, held against what was played: event by event.

use std::collections::BTreeSet;
use std::mem::discriminant;

use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::game::Game;
use crate::rules::{Cell, GamePosition, Player, Rotation, Score, SegmentAt};

/// What became of a fact that was played, or of one that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// Recorded as it was played.
    Right,
    /// Recorded otherwise: another tile or rotation, another player or segment, another
    /// cell in the same turn.
    Wrong,
    /// Not recorded.
    Missing,
}

/// Two lists of facts held against one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// For each fact that was played: what became of it, and which recorded fact it is;
    /// `None` for facts that no camera sees.
    pub played: Vec<Option<(Match, Option<usize>)>>,
    /// The recorded tiles that nobody laid.
    pub false_tiles: Vec<usize>,
    /// The recorded figures that nobody put or moved there.
    pub false_figures: Vec<usize>,
}

/// A fact that a camera sees.
enum Seen<'a> {
    Tile(Player, &'a str, Cell, Rotation),
    Follower(Player, Cell, u8),
    /// A figure that stood already goes home (PL-10) or elsewhere (CO-12, CO-20).
    Moved(&'a EventKind),
}

fn seen(fact: &EventKind) -> Option<Seen<'_>> {
    match fact {
        EventKind::TilePlaced { player, tile, cell, rotation } => {
            Some(Seen::Tile(*player, tile, *cell, *rotation))
        }
        EventKind::FollowerPlaced { player, cell, segment, .. } => {
            Some(Seen::Follower(*player, *cell, *segment))
        }
        EventKind::FigureMoved { .. } | EventKind::FigureReturned { .. } | EventKind::NeutralMoved { .. } => {
            Some(Seen::Moved(fact))
        }
        _ => None,
    }
}

/// In which turn, from 0, each fact happens: a turn begins with a tile laid or put out of
/// the game.
fn turns(facts: &[EventKind]) -> Vec<usize> {
    let mut begun = 0_usize;
    let turn_of = |fact: &EventKind| {
        let begins = matches!(fact, EventKind::TilePlaced { .. } | EventKind::TileDiscarded { .. });
        begun += usize::from(begins);
        begun.saturating_sub(1)
    };
    facts.iter().map(turn_of).collect()
}

/// Whether two segments are of one feature of a position.
pub fn are_one_feature(position: &dyn GamePosition, a: SegmentAt, b: SegmentAt) -> bool {
    a == b
        || position.features_around(a.cell).iter().any(|f| f.segments.contains(&a) && f.segments.contains(&b))
}

/// Whether two facts are the same as far as the rules go: on which tile of a feature a figure that was
/// moved came to stand is all one to them, and cannot be seen beside another of its player. `are_one` says
/// whether two segments are of one feature.
pub(crate) fn is_same_move(
    a: &EventKind,
    b: &EventKind,
    are_one: impl Fn(SegmentAt, SegmentAt) -> bool,
) -> bool {
    match (a, b) {
        (
            EventKind::FigureMoved { player, from, to, figure, .. },
            EventKind::FigureMoved { player: p, from: f, to: t, figure: g, .. },
        ) => (player, from, figure) == (p, f, g) && are_one(*to, *t),
        _ => a == b,
    }
}

/// Whether two facts, each with its place in its list, belong together.
type Pass<'a> = dyn Fn(usize, &Seen<'_>, usize, &Seen<'_>) -> bool + 'a;

/// Aligns the facts of a record with those that were played; of both, what holds after all
/// corrections. Tiles belong together by their cell, what is left by the turn; followers
/// by cell and player, what is left by cell, then by the turn; what figures that stood did between
/// turns by being the same, what is left by the turn. `alike` says whether two
/// tiles, turned, show the rules the same; a tile is right when that, its cell and its
/// player are. `are_one` says whether two segments are of one feature: a figure that was moved is
/// right on any tile of the feature that it was moved to.
pub fn align(
    played: &[EventKind],
    recorded: &[EventKind],
    alike: impl Fn((&str, Rotation), (&str, Rotation)) -> bool,
    are_one: impl Fn(SegmentAt, SegmentAt) -> bool,
) -> Alignment {
    let mut all = Alignment { played: vec![None; played.len()], ..Alignment::default() };
    let (played_turns, recorded_turns) = (turns(played), turns(recorded));
    let mut used = vec![false; recorded.len()];
    let same_turn = |i: usize, k: usize| played_turns[i] == recorded_turns[k];
    // Each pass pairs what is still alone; the surest first.
    let passes: [&Pass<'_>; 5] = [
        &|_, a, _, b| match (a, b) {
            (Seen::Tile(.., a, _), Seen::Tile(.., b, _)) => a == b,
            (Seen::Follower(p, a, s), Seen::Follower(q, b, r)) => (p, a, s) == (q, b, r),
            (Seen::Moved(a), Seen::Moved(b)) => a == b,
            _ => false,
        },
        &|i, a, k, b| match (a, b) {
            (Seen::Moved(a), Seen::Moved(b)) => same_turn(i, k) && is_same_move(a, b, &are_one),
            _ => false,
        },
        &|_, a, _, b| match (a, b) {
            (Seen::Follower(p, a, _), Seen::Follower(q, b, _)) => (p, a) == (q, b),
            _ => false,
        },
        &|_, a, _, b| match (a, b) {
            (Seen::Follower(_, a, _), Seen::Follower(_, b, _)) => a == b,
            _ => false,
        },
        &|i, a, k, b| match (a, b) {
            (Seen::Tile(..), Seen::Tile(..)) | (Seen::Follower(..), Seen::Follower(..)) => same_turn(i, k),
            (Seen::Moved(a), Seen::Moved(b)) => discriminant(*a) == discriminant(*b) && same_turn(i, k),
            _ => false,
        },
    ];
    for fits in passes {
        for (i, fact) in played.iter().enumerate() {
            let Some(a) = seen(fact).filter(|_| all.played[i].is_none()) else { continue };
            let found = (0..recorded.len())
                .filter(|k| !used[*k])
                .find(|k| seen(&recorded[*k]).is_some_and(|b| fits(i, &a, *k, &b)));
            let Some(k) = found else { continue };
            used[k] = true;
            let right = match (&a, seen(&recorded[k])) {
                (Seen::Tile(p, id, cell, turn), Some(Seen::Tile(q, other, there, turned))) => {
                    *p == q && *cell == there && alike((id, *turn), (other, turned))
                }
                (Seen::Follower(p, cell, segment), Some(Seen::Follower(q, there, other))) => {
                    (*p, *cell, *segment) == (q, there, other)
                }
                (Seen::Moved(a), Some(Seen::Moved(b))) => is_same_move(a, b, &are_one),
                _ => false,
            };
            all.played[i] = Some((if right { Match::Right } else { Match::Wrong }, Some(k)));
        }
    }
    for (i, fact) in played.iter().enumerate() {
        if seen(fact).is_some() && all.played[i].is_none() {
            all.played[i] = Some((Match::Missing, None));
        }
    }
    for (k, fact) in recorded.iter().enumerate().filter(|(k, _)| !used[*k]) {
        match seen(fact) {
            Some(Seen::Tile(..)) => all.false_tiles.push(k),
            Some(Seen::Follower(..) | Seen::Moved(..)) => all.false_figures.push(k),
            None => {}
        }
    }
    all
}

/// How like a record is to the game that was played, without a unit: more is liker. Each tile,
/// follower and move of a figure that is right counts two, each that nobody put there takes two away; scores count one
/// in the same way, and so does each wall tile that is with who took it, since that hangs on the
/// order in which features were scored. `alike` is that of [`align`].
pub fn likeness(
    truth: &Game,
    record: &Game,
    alike: impl Fn((&str, Rotation), (&str, Rotation)) -> bool,
) -> i64 {
    let facts = |game: &Game| game.facts().into_iter().map(|(_, kind)| kind).collect::<Vec<_>>();
    let (played, recorded) = (facts(truth), facts(record));
    let found = align(&played, &recorded, alike, |a, b| are_one_feature(truth.position(), a, b));
    // Of moves to one feature the one to the very tile is liker.
    let is_exact = |(kind, found): (&EventKind, &Option<(Match, Option<usize>)>)| {
        let of = found.and_then(|found| recorded.get(found.1?));
        matches!(kind, EventKind::FigureMoved { .. }) && of == Some(kind)
    };
    let exact = played.iter().zip(&found.played).filter(|pair| is_exact(*pair)).count();
    let right = found.played.iter().flatten().filter(|m| m.0 == Match::Right).count();
    let wrong = found.false_tiles.len() + found.false_figures.len();
    let scores = |game: &Game| game.scores().iter().map(|s| s.score.clone()).collect::<Vec<_>>();
    let scores = align_scores(&scores(truth), &scores(record));
    let scored = scores.0.iter().filter(|m| **m == Match::Right).count();
    let took = |game: &Game| -> Vec<(Player, u8)> {
        let of = |p: Player| game.position().prizes(p).into_iter().map(move |t| (p, t.0));
        game.players().flat_map(of).collect()
    };
    let theirs = took(truth);
    let taken = took(record).iter().filter(|t| theirs.contains(t)).count();
    2 * (right as i64 - wrong as i64) + (scored + taken + exact) as i64 - scores.1.len() as i64
}

/// What became of each score that followed from play, and which recorded scores follow from
/// nothing: `recorded` are those of a record. A score is right when category, cells,
/// players and points are; it is recorded otherwise when category and a cell are shared.
pub fn align_scores(played: &[Score], recorded: &[Score]) -> (Vec<Match>, Vec<usize>) {
    let cells = |score: &Score| score.cells.iter().copied().collect::<BTreeSet<Cell>>();
    let mut used = vec![false; recorded.len()];
    let mut found = vec![Match::Missing; played.len()];
    for right in [true, false] {
        for (score, found) in played.iter().zip(&mut found).filter(|(_, f)| **f == Match::Missing) {
            let fits = |other: &Score| {
                let (a, b) = (cells(score), cells(other));
                score.category == other.category
                    && if right {
                        a == b && score.players == other.players && score.points() == other.points()
                    } else {
                        !a.is_disjoint(&b) || (a.is_empty() && b.is_empty() && score.players == other.players)
                    }
            };
            if let Some(k) = (0..recorded.len()).find(|k| !used[*k] && fits(&recorded[*k])) {
                used[k] = true;
                *found = if right { Match::Right } else { Match::Wrong };
            }
        }
    }
    (found, (0..recorded.len()).filter(|k| !used[*k]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Item, Role};

    fn tile(player: u8, id: &str, col: i8, turn: u8) -> EventKind {
        let (cell, rotation) = (Cell::new(col, 0), Rotation::new(turn));
        EventKind::TilePlaced { player: Player(player), tile: id.into(), cell, rotation }
    }

    #[test]
    fn what_figures_did_between_turns_is_matched() {
        let to = |player: u8, segment: u8| {
            let at = crate::rules::SegmentAt { cell: Cell::new(0, 0), segment };
            EventKind::NeutralMoved { player: Player(player), to: at }
        };
        let played = [tile(0, "A", 0, 0), to(0, 1), tile(1, "B", 1, 0), to(1, 2)];
        let recorded = [tile(0, "A", 0, 0), to(0, 3), tile(1, "B", 1, 0), to(1, 2), to(1, 2)];
        let found = align(&played, &recorded, same, |a, b| a == b);
        assert_eq!(
            (found.played[1], found.played[3]),
            (Some((Match::Wrong, Some(1))), Some((Match::Right, Some(3))))
        );
        assert_eq!(found.false_figures, [4]);
    }

    fn follower(player: u8, col: i8, segment: u8) -> EventKind {
        let at = crate::rules::SegmentAt { cell: Cell::new(col, 0), segment };
        EventKind::follower(Player(player), at, Role::KNIGHT)
    }

    fn end(player: u8) -> EventKind {
        EventKind::TurnEnded { player: Player(player), turn: 1 }
    }

    fn same(a: (&str, Rotation), b: (&str, Rotation)) -> bool {
        a == b
    }

    fn matches(all: &Alignment) -> Vec<Option<Match>> {
        all.played.iter().map(|m| m.map(|m| m.0)).collect()
    }

    const RIGHT: Option<Match> = Some(Match::Right);
    const WRONG: Option<Match> = Some(Match::Wrong);
    const MISSING: Option<Match> = Some(Match::Missing);

    #[test]
    fn a_faithful_record_is_right_whatever_no_camera_sees() {
        let played = [tile(0, "a", 1, 0), follower(0, 1, 2), end(0), tile(1, "b", 2, 1), end(1)];
        let all = align(&played, &[&played[..], &[EventKind::PlayStopped]].concat(), same, |a, b| a == b);
        assert_eq!(matches(&all), [RIGHT, RIGHT, None, RIGHT, None]);
        assert!(all.false_tiles.is_empty() && all.false_figures.is_empty());
    }

    #[test]
    fn a_tile_that_shows_the_same_is_right_and_one_that_was_missed_shifts_no_other() {
        let played = [tile(0, "a", 1, 0), tile(1, "b", 2, 0), tile(0, "c", 3, 0)];
        let seen = [tile(0, "twin", 1, 2), tile(0, "c", 3, 0)];
        let twins = |a: (&str, Rotation), b: (&str, Rotation)| a == b || (a.0, b.0) == ("a", "twin");
        let all = align(&played, &seen, twins, |a, b| a == b);
        assert_eq!(matches(&all), [RIGHT, MISSING, RIGHT]);
    }

    #[test]
    fn wrong_are_rotation_player_and_cell() {
        let played = [tile(0, "a", 1, 0), tile(1, "b", 2, 0), tile(0, "c", 3, 0)];
        let seen = [tile(0, "a", 1, 1), tile(0, "b", 2, 0), tile(0, "c", 9, 0)];
        let all = align(&played, &seen, same, |a, b| a == b);
        assert_eq!(matches(&all), [WRONG, WRONG, WRONG]);
        assert_eq!(all.played[2], Some((Match::Wrong, Some(2))), "paired by its turn");
        assert!(all.false_tiles.is_empty());
    }

    #[test]
    fn what_nobody_played_is_false() {
        let played = [tile(0, "a", 1, 0)];
        let seen = [tile(0, "a", 1, 0), follower(0, 1, 0), tile(1, "b", 5, 0)];
        let all = align(&played, &seen, same, |a, b| a == b);
        assert_eq!((matches(&all), all.false_tiles, all.false_figures), (vec![RIGHT], vec![2], vec![1]));
    }

    #[test]
    fn a_follower_on_another_segment_or_of_another_player_is_wrong() {
        let played = [tile(0, "a", 1, 0), follower(0, 1, 2), tile(1, "b", 2, 0), follower(1, 2, 0)];
        let seen = [tile(0, "a", 1, 0), follower(0, 1, 3), tile(1, "b", 2, 0), follower(0, 2, 0)];
        assert_eq!(matches(&align(&played, &seen, same, |a, b| a == b)), [RIGHT, WRONG, RIGHT, WRONG]);
        // Exact ones are paired before those that are only near.
        let seen = [tile(0, "a", 1, 0), follower(0, 1, 3), follower(0, 1, 2), tile(1, "b", 2, 0)];
        let all = align(&played, &seen, same, |a, b| a == b);
        assert_eq!(matches(&all), [RIGHT, RIGHT, RIGHT, MISSING]);
        assert_eq!(all.false_figures, [1]);
    }
    fn score(category: &str, player: u8, points: u32, cols: &[i8]) -> Score {
        let (what, rule) = ("castle tiles".into(), "CA-42".into());
        let item = Item { what, count: points, each: 1, rule, cells: Vec::new() };
        Score {
            category: category.into(),
            players: vec![Player(player)],
            items: vec![item],
            followers: Vec::new(),
            cells: cols.iter().map(|c| Cell::new(*c, 0)).collect(),
            sentence: String::new(),
        }
    }

    #[test]
    fn scores_are_right_wrong_missing_or_false() {
        let played = [score("path", 0, 4, &[1, 2]), score("tower", 1, 9, &[5, 6]), score("path", 1, 2, &[8])];
        let seen = [score("path", 0, 4, &[2, 1]), score("tower", 0, 9, &[5, 6]), score("house", 1, 2, &[8])];
        let (found, false_ones) = align_scores(&played, &seen);
        assert_eq!(found, [Match::Right, Match::Wrong, Match::Missing]);
        assert_eq!(false_ones, [2]);
    }
}
