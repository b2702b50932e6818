//! Colours of wooden figures by their words.

/// The usual wooden colours by their words, sRGB: each by its first word, then by others.
pub const WOODEN: [(&[&str], [u8; 3]); 11] = [
    (&["black"], [38, 36, 36]),
    (&["white", "tan", "natural"], [222, 200, 160]),
    (&["red"], [190, 36, 36]),
    (&["blue"], [30, 84, 170]),
    (&["yellow"], [240, 200, 30]),
    (&["green"], [40, 130, 60]),
    (&["orange"], [230, 120, 30]),
    (&["purple", "violet"], [110, 60, 150]),
    (&["pink"], [230, 130, 170]),
    (&["brown"], [110, 70, 40]),
    (&["grey", "gray"], [128, 128, 128]),
];

/// The colours in which the figure that is nobody's comes, likeliest first.
const NEUTRAL: [&str; 7] = ["purple", "pink", "orange", "brown", "grey", "white", "black"];

/// The word of the colour that the figure that is nobody's has where nobody says it: one that none of
/// the players has.
pub fn neutral(players: &[String]) -> &'static str {
    let free = NEUTRAL.into_iter().find(|word| !players.iter().any(|own| own.trim().to_lowercase() == *word));
    free.unwrap_or(NEUTRAL[0])
}

/// The usual wooden colours by their words; grey for a word that is none.
pub fn colour(word: &str) -> [u8; 3] {
    known_colour(word).unwrap_or([128, 128, 128])
}

/// The usual wooden colours by their words, sRGB.
pub fn known_colour(word: &str) -> Option<[u8; 3]> {
    let word = word.trim().to_lowercase();
    WOODEN.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, rgb)| *rgb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_that_is_nobodys_has_a_colour_of_its_own() {
        let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        assert_eq!(neutral(&words(&["red", "blue"])), "purple");
        assert_eq!(neutral(&words(&["Purple", "pink", "blue"])), "orange");
        assert!(NEUTRAL.iter().all(|word| known_colour(word).is_some()));
    }
}
