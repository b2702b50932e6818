//! Figures of a colour that no player has: what is found when the wrong colours were chosen.

use super::board::Standing;
use crate::colours::WOODEN;
use crate::rules::Cell;
use crate::vision::base::colour::{distance, lab, shades};

/// What is taken for a figure of nobody's colour.
struct Settings {
    /// Least chroma (CIE L*a*b*) of a colour that is sought. Below it lie black, white, brown
    /// and grey, which shadows, the table and prints have too.
    chroma: f32,
    /// Least distance, of [`distance`], of a sought colour from each player's in some shade:
    /// nearer ones are that player's in another light.
    apart: f32,
    /// Least confidence of such a figure. Lower takes prints for figures.
    confidence: f32,
    /// Readings in which each player's figures were found after which strangers are sought no
    /// more: it costs as much as finding the figures.
    enough: u32,
}

const SETTINGS: Settings = Settings { chroma: 35.0, apart: 40.0, confidence: 0.6, enough: 20 };

/// Seeks figures of colours that no player has, until the players' own have been seen.
#[derive(Clone, Debug)]
pub struct Strangers {
    /// The players' colours, that of the figure that is nobody's, then the others that are sought, sRGB.
    colours: Vec<[u8; 3]>,
    /// How many of them are known.
    known: usize,
    /// The words of the others.
    words: Vec<&'static str>,
    /// In how many readings each player's figures were found.
    seen: Vec<u32>,
}

impl Strangers {
    /// For players of these colours, sRGB.
    pub fn new(players: &[[u8; 3]]) -> Strangers {
        Strangers::beside(players, None)
    }

    /// The same where a figure of another colour is nobody's.
    pub fn beside(players: &[[u8; 3]], neutral: Option<[u8; 3]>) -> Strangers {
        let plain = [1.0; 3];
        let own: Vec<[u8; 3]> = players.iter().copied().chain(neutral).collect();
        let is_far = |rgb: [u8; 3]| {
            own.iter().all(|known| {
                let pairs = shades(rgb, plain).into_iter().zip(shades(*known, plain));
                pairs.map(|(a, b)| distance(a, b)).fold(0.0, f32::max) >= SETTINGS.apart
            })
        };
        let is_strong = |rgb: [u8; 3]| {
            let [_, a, b] = lab(rgb.map(f32::from));
            a.hypot(b) >= SETTINGS.chroma
        };
        let sought = WOODEN.iter().filter(|(_, rgb)| is_strong(*rgb) && is_far(*rgb));
        let (words, others): (Vec<&str>, Vec<[u8; 3]>) =
            sought.filter_map(|(words, rgb)| Some((*words.first()?, *rgb))).unzip();
        let known = own.len();
        Strangers { colours: [own, others].concat(), known, words, seen: vec![0; players.len()] }
    }

    /// The strangers of a reading in which these figures of the players were found: where
    /// each stands, and its colour's word. `find` finds the figures of given colours. Nothing
    /// is sought while figures of all players are in view, or once they have been often.
    ///
    /// # Errors
    /// Those of `find`.
    pub fn seek<E>(
        &mut self,
        found: &[Standing],
        find: impl FnOnce(&[[u8; 3]]) -> Result<Vec<Standing>, E>,
    ) -> Result<Vec<(Cell, &'static str)>, E> {
        let players = self.seen.len();
        let in_view = |player: usize| found.iter().any(|s| usize::from(s.figure.player) == player);
        for (player, seen) in self.seen.iter_mut().enumerate() {
            *seen += u32::from(in_view(player));
        }
        let known = (0..players).all(in_view) || self.seen.iter().all(|seen| *seen >= SETTINGS.enough);
        if known || self.words.is_empty() {
            return Ok(Vec::new());
        }
        let all = find(&self.colours)?;
        let strangers = all.iter().filter(|s| s.figure.confidence >= SETTINGS.confidence);
        let named = strangers.filter_map(|s| {
            let word = self.words.get(usize::from(s.figure.player).checked_sub(self.known)?)?;
            Some((s.cell, *word))
        });
        Ok(named.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colours::colour;
    use crate::observation::{Figure, FigureReading};

    fn standing(player: u8, confidence: f32) -> Standing {
        let figure = FigureReading {
            figure: Figure::Follower,
            player,
            x: 0.5,
            y: 0.5,
            confidence,
            lying: None,
            size: None,
            there: None,
        };
        Standing { cell: Cell::new(player as i8, 0), figure, seen: None }
    }

    #[test]
    fn other_strong_colours_are_sought_and_named() {
        let strangers = Strangers::new(&["blue", "red"].map(colour));
        // Purple is blue in another light.
        assert_eq!(strangers.words, ["yellow", "green", "orange", "pink"]);
        // What a navy or a wine-red figure looks like in some light is no stranger.
        let near = Strangers::new(&[[20, 40, 120], [120, 20, 40]]);
        assert_eq!(near.words, ["yellow", "green", "orange", "pink"]);
    }

    #[test]
    fn strangers_are_sought_while_a_player_has_not_been_seen() {
        let mut strangers = Strangers::new(&["blue", "red"].map(colour));
        let find = |colours: &[[u8; 3]]| -> Result<Vec<Standing>, ()> {
            assert_eq!(colours.len(), 6);
            Ok(vec![standing(0, 0.9), standing(2, 0.9), standing(3, 0.3)])
        };
        let found = strangers.seek(&[standing(0, 0.9)], find);
        assert_eq!(found, Ok(vec![(Cell::new(2, 0), "yellow")]));
        let not = |_: &[[u8; 3]]| -> Result<Vec<Standing>, ()> { panic!("sought") };
        let both = [standing(0, 0.9), standing(1, 0.9)];
        for _ in 0..SETTINGS.enough {
            assert_eq!(strangers.seek(&both, not), Ok(vec![]));
        }
        assert_eq!(strangers.seek(&[standing(0, 0.9)], not), Ok(vec![]), "both have been seen often");
        assert_eq!(Strangers::new(&[]).seek(&[], not), Ok(vec![]), "nobody plays");
    }
}
