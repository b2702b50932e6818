//! Text from outside, line by line. A line that cannot be read costs that line, not
//! all the others.

use std::fs::File;
use std::io::{self, BufRead, Read};

use anyhow::Context;

use crate::files;

/// The longest line that is read, bytes.
const LONGEST_LINE: usize = 64 << 10;

/// The largest record, deck or wall that is read, bytes.
const MOST_BYTES: u64 = 16 << 20;

/// The byte order mark that some editors write before a text.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// Lines of a record's header in which free words stand: better half a name than
/// the other player's.
const NAMING: [&str; 3] = ["player", "colour", "starts"];

/// The other lines of a header; `#` begins no comment in them.
const PLAIN: [&str; 4] = ["deck", "wall", "edition", "tower"];

/// The bytes of a file, or of stdin for `-`, without a byte order mark.
///
/// # Errors
/// It cannot be read, or is larger than any record.
pub(super) fn bytes(name: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = if name == "-" {
        files::read_stream(io::stdin().lock(), MOST_BYTES).context("stdin cannot be read")?
    } else {
        let read = File::open(name).and_then(|file| files::read_stream(file, MOST_BYTES));
        read.with_context(|| name.to_owned())?
    };
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    Ok(bytes)
}

/// Whether what stands in stdin begins as a log, with a JSON object.
///
/// # Errors
/// It cannot be read.
pub(super) fn starts_as_log(stdin: &mut impl BufRead) -> anyhow::Result<bool> {
    loop {
        let waiting = stdin.fill_buf().context("stdin cannot be read")?;
        match waiting.iter().position(|b| !b.is_ascii_whitespace() && !MARK.contains(b)) {
            Some(first) => return Ok(waiting[first] == b'{'),
            None if waiting.is_empty() => return Ok(false),
            None => {
                let blank = waiting.len();
                stdin.consume(blank);
            }
        }
    }
}

/// A line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// What can be read of it.
    pub text: String,
    /// What is wrong with it, in a sentence.
    pub fault: Option<String>,
    /// Whether nothing of it is taken.
    pub lost: bool,
}

/// The lines of a stream. Each holds at most 64 kB in memory.
pub(super) struct Lines<R> {
    input: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a stream.
    pub fn new(input: R) -> Lines<R> {
        Lines { input, number: 0 }
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let number = self.number;
        if bytes.len() > LONGEST_LINE && bytes.last() != Some(&b'\n') {
            self.input.skip_until(b'\n')?;
            let fault = format!("line {number} is longer than 64 kB and is left out");
            return Ok(Some(Line { number, text: String::new(), fault: Some(fault), lost: true }));
        }
        let bytes = if number == 1 { bytes.strip_prefix(MARK).unwrap_or(&bytes) } else { &bytes };
        Ok(Some(line(bytes.trim_ascii_end(), number)))
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<io::Result<Line>> {
        self.read().transpose()
    }
}

fn line(bytes: &[u8], number: usize) -> Line {
    let lossy = String::from_utf8_lossy(bytes);
    if lossy.as_bytes() == bytes {
        return Line { number, text: lossy.into_owned(), fault: None, lost: false };
    }
    let first = lossy.split_whitespace().next().unwrap_or_default();
    if NAMING.contains(&first) {
        let fault = format!("line {number} is not UTF-8; what cannot be read in it stands as `\u{fffd}`");
        return Line { number, text: lossy.into_owned(), fault: Some(fault), lost: false };
    }
    let moves = bytes.split(|b| *b == b'#').next().unwrap_or_default();
    match str::from_utf8(moves) {
        Ok(moves) if moves.len() < bytes.len() && !PLAIN.contains(&first) => {
            let fault = format!("the comment in line {number} is not UTF-8 and is left out");
            Line { number, text: moves.to_owned(), fault: Some(fault), lost: false }
        }
        _ => {
            let fault = format!("line {number} is not UTF-8 and is left out; save the text as UTF-8");
            Line { number, text: String::new(), fault: Some(fault), lost: true }
        }
    }
}

/// A whole text of which lines may be lost; an empty line stands for each.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// What can be read.
    pub text: String,
    /// What is wrong, a sentence a line.
    pub faults: Vec<String>,
    /// Whether lines are lost.
    pub lost: bool,
}

/// Reads a text.
pub(super) fn text(bytes: &[u8]) -> Text {
    let mut whole = Text::default();
    for line in Lines::new(bytes).map_while(Result::ok) {
        whole.text.push_str(&line.text);
        whole.text.push('\n');
        whole.faults.extend(line.fault);
        whole.lost |= line.lost;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_read_costs_that_line() {
        let mut bytes =
            b"\xef\xbb\xbfdeck house\r\nplayer Zo\xeb\nlay h\xff1\nend # Zo\xeb\nwall a#\xff\n".to_vec();
        bytes.extend(b"x".repeat(LONGEST_LINE));
        bytes.push(b'\n');
        bytes.extend(b"x".repeat(LONGEST_LINE + 1));
        bytes.extend(b"\nlast");
        let read = text(&bytes);
        let lines: Vec<&str> = read.text.lines().collect();
        assert_eq!(lines[..5], ["deck house", "player Zo\u{fffd}", "", "end ", ""]);
        assert_eq!((lines[5].len(), lines[6], lines[7]), (LONGEST_LINE, "", "last"));
        assert_eq!(
            read.faults,
            [
                "line 2 is not UTF-8; what cannot be read in it stands as `\u{fffd}`",
                "line 3 is not UTF-8 and is left out; save the text as UTF-8",
                "the comment in line 4 is not UTF-8 and is left out",
                "line 5 is not UTF-8 and is left out; save the text as UTF-8",
                "line 7 is longer than 64 kB and is left out",
            ]
        );
        assert!(read.lost && !text(b"end # Zo\xeb\n").lost);
    }

    #[test]
    fn a_byte_order_mark_goes_before_a_log_too() {
        assert!(starts_as_log(&mut &b"\xef\xbb\xbf\n {"[..]).unwrap());
        assert!(!starts_as_log(&mut &b"\xef\xbb\xbflay"[..]).unwrap());
    }
}
