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

/// The usual wooden colours by their words; grey for a word that is none.
pub fn colour(word: &str) -> [u8; 3] {
    known_colour(word).unwrap_or([128, 128, 128])
}

/// The usual wooden colours by their words, sRGB.
pub fn known_colour(word: &str) -> Option<[u8; 3]> {
    let word = word.trim().to_lowercase();
    WOODEN.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, rgb)| *rgb)
}
