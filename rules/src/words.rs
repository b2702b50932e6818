//! Words that every game's sentences are made of.

use crate::{Cell, Sentence, cell_name, sentence};

/// So many of something: `1 castle tile`, `6 castle tiles`.
pub(crate) fn counted(count: u32, plural: &str) -> String {
    let singular = plural.strip_suffix('s').unwrap_or(plural);
    if count == 1 { format!("1 {singular}") } else { format!("{count} {plural}") }
}

pub(crate) fn points(count: u32) -> String {
    counted(count, "points")
}

/// So many of something, by its singular: `1 knight`, `2 knights`.
pub fn so_many(count: u32, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// So many figures, by the word for one: `1 knight`, `2 knights`.
pub fn figures(count: u32, word: &str) -> Sentence {
    match count {
        1 => sentence!("1 {}", Sentence::word(word)),
        n => sentence!("{} {}s", n, Sentence::word(word)),
    }
}

/// So many tiles, of whatever kind: `1 tile`, `2 tiles`.
pub(crate) fn tiles(count: u32) -> Sentence {
    match count {
        1 => sentence!("1 tile"),
        n => sentence!("{} tiles", n),
    }
}

/// Cells by their names: `C4, D4`.
pub fn cells(cells: &[Cell]) -> String {
    cells.iter().map(|c| cell_name(*c)).collect::<Vec<_>>().join(", ")
}

/// `a, b and c`.
pub fn listed(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        words => words.join(""),
    }
}

/// `a, b or c`.
pub(crate) fn either(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        words => words.join(""),
    }
}
