//! What players and cells are called.

use crate::plain::{LONGEST_NAME, shown};
use crate::words::listed;
use crate::{Cell, Player};

/// The players' names, for sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(Vec<String>);

impl Default for Names {
    fn default() -> Names {
        Names::new(&[String::new(), String::new()])
    }
}

impl Names {
    /// These names as they are [`shown`]; empty ones are `player 1`, `player 2`, ….
    pub fn new(names: &[String]) -> Names {
        let name = |(i, name): (usize, &String)| match shown(name, LONGEST_NAME) {
            empty if empty.is_empty() => format!("player {}", i + 1),
            name => name,
        };
        Names(names.iter().enumerate().map(name).collect())
    }

    /// The name of a player.
    pub fn of(&self, player: Player) -> &str {
        self.0.get(player.index()).map_or("nobody", String::as_str)
    }

    /// The names of some players: `Ada`, `Ada and Ben`, `Ada, Ben and Cleo`.
    pub fn listed(&self, players: &[Player]) -> String {
        let names: Vec<String> = players.iter().map(|p| self.of(*p).to_owned()).collect();
        listed(&names)
    }

    /// All names, in the order of [`Player`].
    pub fn all(&self) -> &[String] {
        &self.0
    }
}

/// Letters of the alphabet that columns are named by.
const LETTERS: i16 = 26;

/// A cell as people name it: column letters and row number, `A1` for column 0, row 0.
/// Columns to the left of `A` are `-A`, `-B`, …, rows above 1 are `-1`, `-2`, …, so that
/// a cell keeps its name while a board grows: `-A-1` touches `A1` at a corner. `AA`
/// follows `Z`.
///
/// ```
/// use castellan_rules::{Cell, cell_from_name, cell_name};
///
/// assert_eq!(cell_name(Cell::new(3, 4)), "D5");
/// assert_eq!(cell_name(Cell::new(-1, -2)), "-A-2");
/// assert_eq!(cell_from_name("-a-2"), Some(Cell::new(-1, -2)));
/// ```
pub fn cell_name(cell: Cell) -> String {
    column_name(cell.col) + &row_name(cell.row)
}

/// A sign and a number from 1.
fn signed(n: i8) -> (&'static str, i16) {
    if n < 0 { ("-", -i16::from(n)) } else { ("", i16::from(n) + 1) }
}

/// `D` for column 3.
pub fn column_name(col: i8) -> String {
    let (sign, mut col) = signed(col);
    let mut letters = Vec::new();
    while col > 0 {
        letters.push(char::from(b'A' + ((col - 1) % LETTERS) as u8));
        col = (col - 1) / LETTERS;
    }
    sign.chars().chain(letters.into_iter().rev()).collect()
}

/// `5` for row 4.
pub fn row_name(row: i8) -> String {
    let (sign, row) = signed(row);
    format!("{sign}{row}")
}

/// The cell with this name; see [`cell_name`].
pub fn cell_from_name(name: &str) -> Option<Cell> {
    let signed = |text: &str, n: i16| {
        let n = if text.starts_with('-') { -n } else { n - 1 };
        i8::try_from(n).ok()
    };
    let letters = name.strip_prefix('-').unwrap_or(name);
    let digits = letters.find(|c: char| !c.is_ascii_alphabetic())?;
    let (letters, row) = letters.split_at(digits);
    if letters.is_empty() || letters.len() > 2 {
        return None;
    }
    let digit = |letter: u8| i16::from(letter.to_ascii_uppercase() - b'A') + 1;
    let col = letters.bytes().fold(0, |col, letter| col * LETTERS + digit(letter));
    let number = row.strip_prefix('-').unwrap_or(row);
    let plain = !number.is_empty() && number.len() <= 3 && number.bytes().all(|b| b.is_ascii_digit());
    let number: i16 = number.parse().ok().filter(|n| plain && *n >= 1)?;
    Some(Cell::new(signed(name, col)?, signed(row, number)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_a_name_of_its_own() {
        let mut names = std::collections::HashSet::new();
        for col in i8::MIN..=i8::MAX {
            for row in i8::MIN..=i8::MAX {
                let cell = Cell::new(col, row);
                let name = cell_name(cell);
                assert_eq!(cell_from_name(&name), Some(cell), "{name}");
                assert!(names.insert(name));
            }
        }
    }

    #[test]
    fn other_words_are_no_cells() {
        for name in ["", "A", "5", "A0", "-", "A-", "-A", "A1x", "AAA1", "A+5", "Ä1", "A 1", "--A1", "A999"]
        {
            assert_eq!(cell_from_name(name), None, "{name}");
        }
        assert_eq!(cell_from_name("aa1"), Some(Cell::new(26, 0)));
    }
}
