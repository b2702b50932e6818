//! Words that every game's sentences are made of.

/// So many of something: `1 castle tile`, `6 castle tiles`.
pub(crate) fn counted(count: u32, plural: &str) -> String {
    let singular = plural.strip_suffix('s').unwrap_or(plural);
    if count == 1 { format!("1 {singular}") } else { format!("{count} {plural}") }
}

pub(crate) fn points(count: u32) -> String {
    counted(count, "points")
}
