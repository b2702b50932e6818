//! What the commands print. Names, ids and editions come from files of others, so
//! control characters never reach the terminal raw; a reader that has gone away
//! or a full disk is an error, not a panic.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

use anyhow::Context;

use crate::rules::plain::is_control;

/// The longest line of talk, letters; what is quoted from a file may be longer.
const LONGEST_TALK: usize = 4000;

/// Prints a line of data on stdout; control characters in it are shown as
/// `\u{1b}`.
macro_rules! outln {
    () => { $crate::cli::out::line(format_args!("")) };
    ($($arg:tt)*) => { $crate::cli::out::line(format_args!($($arg)*)) };
}

/// Prints a line of talk on stderr. Nobody may be listening: that is no error.
macro_rules! talk {
    ($($arg:tt)*) => { $crate::cli::out::talk_line(format_args!($($arg)*)) };
}

pub(crate) use {outln, talk};

/// Prints a line of data on stdout.
///
/// # Errors
/// The reader is gone ([`is_closed_pipe`]) or the disk is full.
pub(crate) fn line(text: fmt::Arguments<'_>) -> anyhow::Result<()> {
    raw(format!("{}\n", clean(&text.to_string())).as_bytes())
}

/// Prints a text of several lines on stdout.
///
/// # Errors
/// As [`line`].
pub(crate) fn lines(text: &str) -> anyhow::Result<()> {
    text.lines().try_for_each(|l| line(format_args!("{l}")))
}

/// Prints a value as one line of JSON on stdout.
///
/// # Errors
/// As [`line`].
pub(crate) fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string(value)?;
    let mut plain = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        // JSON lets these stand raw in its strings.
        if is_control(c) {
            let _ = write!(plain, "\\u{:04x}", u32::from(c));
        } else {
            plain.push(c);
        }
    }
    plain.push('\n');
    raw(plain.as_bytes())
}

/// Prints bytes of our own on stdout as they are.
///
/// # Errors
/// As [`line`].
pub(crate) fn raw(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).context("the output cannot be written")
}

/// Prints talk on stderr as one line, whatever it quotes.
pub(crate) fn talk_line(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    let text = text.lines().map(str::trim_end).collect::<Vec<_>>().join(" ");
    let short: Cow<'_, str> = match text.char_indices().nth(LONGEST_TALK) {
        Some((end, _)) => Cow::Owned(format!("{} …", &text[..end])),
        None => Cow::Borrowed(&text),
    };
    let _ = io::stderr().lock().write_all(format!("{}\n", clean(&short)).as_bytes());
}

/// Whether a command failed because nobody reads its output any more.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|e| e.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// A line in which a terminal finds nothing to obey: control characters and those
/// that turn the direction of writing stand as `\u{1b}`.
pub(crate) fn clean(line: &str) -> Cow<'_, str> {
    if !line.chars().any(is_control) {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    for c in line.chars() {
        if is_control(c) {
            plain.extend(c.escape_unicode());
        } else {
            plain.push(c);
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_for_a_terminal_to_obey() {
        assert_eq!(clean("\u{1b}[31mred\u{7}\u{9b}2J\n"), "\\u{1b}[31mred\\u{7}\\u{9b}2J\\u{a}");
        assert_eq!(clean("Zoë, 张伟"), "Zoë, 张伟");
        assert_eq!(clean("a\u{202e}b"), "a\\u{202e}b");
    }

    #[test]
    fn a_closed_pipe_is_known_through_what_was_said_of_it() {
        let broken = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(is_closed_pipe(&anyhow::Error::from(broken).context("the output cannot be written")));
        assert!(!is_closed_pipe(&anyhow::anyhow!("a tile is missing")));
    }
}
