//! When a sound says that something at the table needs a look.

use std::time::{Duration, Instant};

use super::desk::Feed;
use super::ui::TableState;
use crate::record::ToDo;
use crate::rules::{Cell, Sentence};
use crate::table::{Asks, GameView};

/// How patient the sound is.
struct Patience {
    /// What settles by itself within this time makes no sound: the table takes most doubts back
    /// at the next look.
    settles: Duration,
    /// From one sound to the next at least.
    apart: Duration,
    /// What comes back within this time was heard before.
    forgotten: Duration,
}

const PATIENCE: Patience = Patience {
    settles: Duration::from_secs(2),
    apart: Duration::from_secs(10),
    forgotten: Duration::from_secs(60),
};

/// Something that needs a look.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// A question about a place.
    About(Cell, Asks),
    /// Another question, by its sentence.
    Question(Sentence),
    /// What lies in a cell runs out of the picture.
    CutOff(Cell),
    /// The table cannot be followed.
    State(TableState),
}

/// What needs a look at a live table that is in this state. Where the game is entered by hand
/// somebody is looking.
pub fn needs(view: &GameView, feed: &Feed, state: TableState) -> Vec<Need> {
    if matches!(feed, Feed::ByHand { .. } | Feed::Paused) {
        return Vec::new();
    }
    let lost = matches!(
        state,
        TableState::NotRecorded
            | TableState::NoPicture
            | TableState::OutOfStep
            | TableState::TilesGone
            | TableState::NoBoard
    );
    let asked = view.questions.iter().map(|question| match question.cell {
        Some(cell) => Need::About(cell, question.asks),
        None => Need::Question(question.sentence.clone()),
    });
    let cut_off = view.pickups.iter().filter_map(|item| match item.to_do {
        ToDo::CutOff { cell } => Some(Need::CutOff(cell)),
        _ => None,
    });
    asked.chain(cut_off).chain(lost.then_some(Need::State(state))).collect()
}

/// Remembers what was heard.
#[derive(Debug, Default)]
pub struct Chime {
    noticed: Vec<Noticed>,
    rung: Option<Instant>,
}

#[derive(Debug)]
struct Noticed {
    need: Need,
    since: Instant,
    last: Instant,
    heard: bool,
}

impl Chime {
    /// Takes over what needs a look now. Whether it is time for a sound: something new has
    /// stood for a while, and the last sound was not just now.
    pub fn rings(&mut self, needs: &[Need], now: Instant) -> bool {
        for need in needs {
            match self.noticed.iter_mut().find(|noticed| noticed.need == *need) {
                Some(noticed) => {
                    if now - noticed.last > PATIENCE.settles && !noticed.heard {
                        noticed.since = now;
                    }
                    noticed.last = now;
                }
                None => {
                    self.noticed.push(Noticed { need: need.clone(), since: now, last: now, heard: false });
                }
            }
        }
        self.noticed.retain(|noticed| now - noticed.last < PATIENCE.forgotten);
        let due = |n: &Noticed| !n.heard && n.last == now && now - n.since >= PATIENCE.settles;
        if !self.noticed.iter().any(due) || self.rung.is_some_and(|rung| now - rung < PATIENCE.apart) {
            return false;
        }
        self.rung = Some(now);
        self.noticed
            .iter_mut()
            .filter(|noticed| noticed.last == now)
            .for_each(|noticed| noticed.heard = true);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::QuestionView;

    /// Whether it rings at these seconds, with what needs a look then.
    fn heard(chime: &mut Chime, start: Instant, seconds: &[f32], needs: &[Need]) -> Vec<bool> {
        seconds.iter().map(|s| chime.rings(needs, start + Duration::from_secs_f32(*s))).collect()
    }

    #[test]
    fn one_sound_once_something_has_stood_for_two_seconds() {
        let (mut chime, start) = (Chime::default(), Instant::now());
        let why = [Need::Question("why".to_owned().into())];
        let when = [0.0, 1.0, 2.0, 3.0, 20.0];
        assert_eq!(heard(&mut chime, start, &when, &why), [false, false, true, false, false]);
        // it was away for a while, and is no news
        assert_eq!(heard(&mut chime, start, &[25.0], &[]), [false]);
        assert_eq!(heard(&mut chime, start, &[40.0, 43.0], &why), [false, false]);
        // after so long it is
        assert_eq!(heard(&mut chime, start, &[110.0], &[]), [false]);
        assert_eq!(heard(&mut chime, start, &[120.0, 122.0], &why), [false, true]);
    }

    #[test]
    fn what_settles_by_itself_is_not_heard() {
        let (mut chime, start) = (Chime::default(), Instant::now());
        let why = [Need::Question("why".to_owned().into())];
        for turn in 0..6 {
            let at = 5.0 * turn as f32;
            assert_eq!(heard(&mut chime, start, &[at, at + 1.5], &why), [false, false]);
            assert_eq!(heard(&mut chime, start, &[at + 2.0], &[]), [false]);
        }
    }

    #[test]
    fn sounds_are_ten_seconds_apart_and_nothing_is_left_out() {
        let (mut chime, start) = (Chime::default(), Instant::now());
        let one = Need::Question("one".to_owned().into());
        let two = Need::State(TableState::OutOfStep);
        assert_eq!(heard(&mut chime, start, &[0.0, 2.0], std::slice::from_ref(&one)), [false, true]);
        let both = [one, two];
        let each_second: Vec<f32> = (3..=12_u8).map(f32::from).collect();
        let rings = heard(&mut chime, start, &each_second, &both);
        assert_eq!(rings.iter().position(|rang| *rang), Some(9), "{rings:?}");
    }

    #[test]
    fn a_table_that_is_played_at_needs_no_look_and_one_that_is_lost_does() {
        let mut view = GameView::default();
        let running = |view: &GameView, state| needs(view, &Feed::Running, state);
        assert_eq!(running(&view, TableState::Playing), []);
        assert_eq!(running(&view, TableState::HandOverTable), []);
        assert_eq!(running(&view, TableState::NoBoard), [Need::State(TableState::NoBoard)]);
        assert_eq!(needs(&view, &Feed::Paused, TableState::Paused), []);
        let gone = Feed::NoPicture("the camera went away".to_owned().into());
        assert_eq!(needs(&view, &gone, TableState::NoPicture), [Need::State(TableState::NoPicture)]);
        let cell = Cell::new(3, 4);
        let question = |sentence: &str| QuestionView {
            sentence: sentence.to_owned().into(),
            cell: Some(cell),
            asks: Asks::What,
            ..QuestionView::default()
        };
        // the same question in other words is the same
        view.questions = vec![question("what is it, 61 %?")];
        let asked = running(&view, TableState::Playing);
        assert_eq!(asked, [Need::About(cell, Asks::What)]);
        view.questions = vec![question("what is it, 64 %?")];
        assert_eq!(running(&view, TableState::Playing), asked);
        assert_eq!(needs(&view, &Feed::ByHand { has_source: true }, TableState::ByHand), []);
    }
}
