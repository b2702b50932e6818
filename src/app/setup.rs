//! What a person says before a game: where the pictures come from and who plays.

use std::path::Path;

/// What is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// `camera:0`, a video file, an address, a folder of photos, or a record
    /// (`.jsonl`). Empty: nothing yet.
    pub source: String,
    /// The deck, as [`crate::library::deck`] finds it.
    pub deck: String,
    /// The wall, as [`crate::library::wall`] finds it.
    pub wall: String,
    /// The players' names; the first begins (CA-10).
    pub players: [String; 2],
    /// The players' colours as words.
    pub colours: [String; 2],
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            source: String::new(),
            deck: "house".to_owned(),
            wall: "house".to_owned(),
            players: [String::new(), String::new()],
            colours: ["blue".to_owned(), "red".to_owned()],
        }
    }
}

impl Setup {
    /// Whether the source is a recorded game and not a picture of one.
    pub fn is_record(&self) -> bool {
        Path::new(self.source.trim()).extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"))
    }
}
