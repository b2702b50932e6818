//! Figures that players put on tiles.

use super::vocabulary::open_words;

/// What is known of a kind of figure.
#[derive(Clone, Copy)]
pub(crate) struct FigureFacts {
    /// Its name in records.
    pub name: &'static str,
    /// The word for it in a sentence.
    pub word: &'static str,
    /// What it counts in a majority.
    pub weight: u8,
}

open_words! {
    /// A kind of figure that players put on tiles. Each game lists those that its players
    /// have.
    FigureKind, FigureFacts, figures, "the name of a kind of figure"
}

impl Default for FigureKind {
    fn default() -> FigureKind {
        FigureKind::FOLLOWER
    }
}

impl FigureKind {
    /// Whether it is an ordinary follower.
    pub fn is_follower(&self) -> bool {
        *self == FigureKind::FOLLOWER
    }

    /// What it counts in a majority: a follower 1, what claims nothing 0.
    pub const fn weight(self) -> u8 {
        self.facts().weight
    }

    /// Its name in records and in moves as text, such as `big_follower`.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The word for it in a sentence.
    pub const fn word(self) -> &'static str {
        self.facts().word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_a_name_in_records_a_word_and_a_weight() {
        let all = FigureKind::ALL.map(|f| (serde_json::to_string(&f).unwrap(), f.word(), f.weight()));
        let all: Vec<(&str, &str, u8)> =
            all.iter().map(|(name, word, n)| (name.trim_matches('"'), *word, *n)).collect();
        assert_eq!(
            all,
            [
                ("follower", "follower", 1),
                ("big_follower", "big follower", 2),
                ("builder", "builder", 0),
                ("pig", "pig", 0),
            ]
        );
        assert!(FigureKind::default().is_follower());
    }
}
