//! How much a text from outside may say.

use super::plain::is_control;

/// The longest text of a deck or a wall, bytes.
pub const MOST_TEXT: usize = 1 << 20;
/// The longest name that files are called by, bytes.
const LONGEST_NAME: usize = 64;
/// The longest name that is only shown, letters.
const LONGEST_TITLE: usize = 200;
/// What is quoted of a text keeps so many letters at each end.
const QUOTED: usize = 50;

/// Whether a text can name a tile, a deck or a wall that is kept in files: letters,
/// digits, `-` and `_`, at most 64 bytes.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.len() <= LONGEST_NAME && text.chars().all(plain)
}

/// Whether a text can be a name that is shown to people: a line of at most 200
/// letters.
pub(super) fn is_title(text: &str) -> bool {
    text.chars().count() <= LONGEST_TITLE && !text.chars().any(is_control)
}

/// A text from outside as an error quotes it: one line, its middle left out where
/// it is long.
pub fn quoted(text: &str) -> String {
    let mut places = text.char_indices().map(|(at, _)| at);
    let line = match (places.nth(QUOTED), places.nth_back(QUOTED - 1)) {
        (Some(start), Some(end)) => format!("{} … {}", &text[..start], &text[end..]),
        _ => text.to_owned(),
    };
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is wrong with a TOML text, with the line.
pub(super) fn toml_fault(error: &toml::de::Error, text: &str) -> String {
    let message = quoted(error.message());
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("line {}: {message}", before.matches('\n').count() + 1),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_short() {
        assert_eq!(quoted("a tile\nand another"), "a tile and another");
        let exact = "ä".repeat(2 * QUOTED);
        assert_eq!(quoted(&exact), exact);
        let long = format!("{}middle{}", "ä".repeat(QUOTED), "b".repeat(QUOTED));
        assert_eq!(quoted(&long), format!("{} … {}", "ä".repeat(QUOTED), "b".repeat(QUOTED)));
        assert_eq!(quoted(&"x".repeat(1 << 20)).chars().count(), 2 * QUOTED + 3);
    }

    #[test]
    fn names_lead_nowhere_else() {
        for good in ["t01", "Große-Tür_2", &"x".repeat(64)] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "..", "a/b", "/etc/x", "a\\b", "C:x", "a b", "a\n", "a\0", &"x".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
