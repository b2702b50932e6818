//! A wall as a text that a person can read and correct.

use std::fmt::Write;

use crate::rules::{Side, Wall};

/// The wall's file, with a word on each part; it reads back as the same wall.
pub fn text(wall: &Wall) -> String {
    let mut out = String::new();
    let quoted = |s: &str| toml::Value::String(s.to_owned()).to_string();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "# A castle wall. Correct what is wrong, then hold it against the rules with\n# `castellan check`.\n"
    );
    let _ = writeln!(out, "name = {}", quoted(&wall.name));
    let _ = writeln!(out, "note = {}", quoted(&wall.note));
    let _ = writeln!(
        out,
        "\n# The inside, from above: # a space, . none. The first character is column 0, row 0."
    );
    let _ = writeln!(out, "outline = [");
    for row in &wall.outline {
        let _ = writeln!(out, "  {},", quoted(row));
    }
    let _ = writeln!(out, "]\n\n# The corner towers, each its two numbers, in order.");
    let towers: Vec<String> = wall.towers.iter().map(|(a, b)| format!("[{a}, {b}]")).collect();
    let _ = writeln!(out, "towers = [{}]", towers.join(", "));
    let _ = writeln!(out, "\n# How wide the wall is, in tile sides.\nthickness = {:.3}", wall.thickness);
    let _ = writeln!(
        out,
        "\n# The middles of the track's spaces 0 to 99, five a line: how far right and how far\n# down from the upper left of column 0, row 0, in tile sides.\ntrack = ["
    );
    for five in wall.track.chunks(5) {
        let points: Vec<String> = five.iter().map(|p| format!("[{:.3}, {:.3}]", p.x, p.y)).collect();
        let _ = writeln!(out, "  {},", points.join(", "));
    }
    let _ = writeln!(
        out,
        "]\n\n# The start spaces: the space inside (column, row), the side of it on which the start\n# space lies, and what it shows there: path, house, tower or court, on the side that\n# faces inwards (n, e, s, w), or on its left or right half as seen from the wall (sl, sr),\n# as in \"path s; court sl +market; tower sr\"."
    );
    if wall.starts.is_empty() {
        let _ = writeln!(out, "start = []");
    }
    for start in &wall.starts {
        let side = side_word(start.side);
        let _ = writeln!(
            out,
            "\n[[start]]\ncell = [{}, {}]\nside = {}\nface = {}",
            start.cell.col,
            start.cell.row,
            quoted(&side),
            quoted(&start.face.to_string())
        );
    }
    out
}

/// A side as a wall's text has it: `north`.
pub fn side_word(side: Side) -> String {
    format!("{side:?}").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_reads_back_as_the_same_wall() {
        let mut wall = crate::library::wall("house").unwrap();
        wall.note = "a \"quoted\" note\nof two lines".to_owned();
        assert_eq!(Wall::from_toml(&text(&wall)).unwrap(), wall);
        wall.starts.clear();
        assert_eq!(Wall::from_toml(&text(&wall)).unwrap(), wall);
    }
}
