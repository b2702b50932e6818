//! Figures that players put on tiles.

use super::kind::Kind;
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
    /// How large it looks beside a follower, as a share of that one's area in hundredths: of
    /// the makes that are usual.
    pub size: u16,
    /// The names of the kinds of segments that it may stand on; none for all.
    pub on: &'static [&'static str],
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

    /// How large it looks beside a follower, as a multiple of that one's area: of the makes that
    /// are usual.
    pub fn size(self) -> f32 {
        f32::from(self.facts().size) / 100.0
    }

    /// Whether it may ever stand on a kind of segment.
    pub fn may_stand_on(self, kind: Kind) -> bool {
        let on = self.facts().on;
        on.is_empty() || on.contains(&kind.name())
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
    fn builders_stand_in_cities_and_on_roads_and_pigs_on_fields() {
        let on = |figure: FigureKind| Kind::ALL.into_iter().filter(move |kind| figure.may_stand_on(*kind));
        assert_eq!(on(FigureKind::FOLLOWER).count(), Kind::ALL.len());
        assert!(
            on(FigureKind::BUILDER)
                .eq(Kind::ALL.into_iter().filter(|k| [Kind::ROAD, Kind::CITY].contains(k)))
        );
        assert!(on(FigureKind::PIG).eq([Kind::FIELD]));
        assert!(FigureKind::BIG_FOLLOWER.size() > FigureKind::FOLLOWER.size());
    }

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
