//! Words that people say and others are shown: names, colours, decks. What is said
//! is refused when it can't be shown as it is; what a file holds is shown plainly.

use thiserror::Error;

use crate::{Sentence, Term, sentence};

/// The most letters of a name or of a colour.
pub const LONGEST_NAME: usize = 40;

/// The most letters of what may be a path.
pub const LONGEST_WORD: usize = 4096;

/// The most letters of a sentence in a window; it may quote what is in a file.
pub const LONGEST_SENTENCE: usize = 400;

/// Why something said cannot stand in a record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum WordError {
    /// A name without letters, or with too many.
    Length(usize),
    /// A word with too many letters.
    Long(usize, &'static str, usize),
    /// A line break, an escape sequence or the like.
    Control(&'static str, char),
}

impl From<&WordError> for Sentence {
    fn from(error: &WordError) -> Sentence {
        match error {
            WordError::Length(letters) => {
                sentence!("a name has 1 to {} letters, not {}; choose another", LONGEST_NAME, *letters)
            }
            WordError::Long(letters, what, most) => sentence!(
                "{} has at most {} letters, not {}; write a shorter one",
                Sentence::word(what),
                *most,
                *letters
            ),
            WordError::Control(what, control) => sentence!(
                "{} has no control characters; leave out `{}`",
                Sentence::word(what),
                Term::same(control.escape_unicode())
            ),
        }
    }
}

/// Whether a terminal or a window would obey a letter instead of showing it:
/// control characters, line breaks, and what turns the direction of writing.
pub fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether something may be a player's name: 1 to [`LONGEST_NAME`] letters,
/// without control characters.
///
/// # Errors
/// [`WordError`].
pub fn check_name(name: &str) -> Result<(), WordError> {
    let letters = name.trim().chars().count();
    if !(1..=LONGEST_NAME).contains(&letters) {
        return Err(WordError::Length(letters));
    }
    without_control(name, "a name")
}

/// Whether something may be a colour, a deck, a wall or an edition; `what` says
/// which, as in `a colour`, and `most` how many letters it has at most.
///
/// # Errors
/// [`WordError`].
pub fn check_word(word: &str, what: &'static str, most: usize) -> Result<(), WordError> {
    let letters = word.chars().count();
    if letters > most {
        return Err(WordError::Long(letters, what, most));
    }
    without_control(word, what)
}

fn without_control(text: &str, what: &'static str) -> Result<(), WordError> {
    text.chars().find(|c| is_control(*c)).map_or(Ok(()), |c| Err(WordError::Control(what, c)))
}

/// A text as it is shown on one line: without blanks around it, a blank for a line
/// break or a tab, `�` for any other control character, and cut with `…` after
/// `most` letters.
pub fn shown(text: &str, most: usize) -> String {
    let letter = |c: char| match c {
        c if !is_control(c) => c,
        c if c.is_whitespace() => ' ',
        _ => char::REPLACEMENT_CHARACTER,
    };
    let text = text.trim_matches(|c: char| c.is_whitespace());
    let mut letters = text.chars().map(letter);
    let mut plain: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        plain.pop();
        plain.truncate(plain.trim_end().len());
        plain.push('…');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_length_and_no_control_characters() {
        let says = |name: &str| check_name(name).unwrap_err().to_string();
        assert_eq!(check_name(&"ß".repeat(40)), Ok(()));
        assert_eq!(says(&"ß".repeat(41)), "a name has 1 to 40 letters, not 41; choose another");
        assert_eq!(says(" "), "a name has 1 to 40 letters, not 0; choose another");
        assert_eq!(says("A\nb"), "a name has no control characters; leave out `\\u{a}`");
        assert_eq!(says("A\u{202e}b"), "a name has no control characters; leave out `\\u{202e}`");
        let colour = |word: &str| check_word(word, "a colour", 3).unwrap_err().to_string();
        assert_eq!(colour("blue"), "a colour has at most 3 letters, not 4; write a shorter one");
        assert_eq!(colour("\u{1b}"), "a colour has no control characters; leave out `\\u{1b}`");
    }

    #[test]
    fn what_is_shown_stays_on_its_line_and_has_a_length() {
        assert_eq!(shown(" Ada\r\nand\tBen \n", 40), "Ada  and Ben");
        assert_eq!(shown("\u{1b}[2J", 40), "�[2J");
        assert_eq!(shown("Zoë 张伟", 6), "Zoë 张伟");
        assert_eq!(shown("Zoë 张伟", 5), "Zoë…");
    }
}
