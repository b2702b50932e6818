//! The printed set: sizes on the page, as the PDF itself says them.
#![cfg(feature = "studio")]

use assert_cmd::Command;
use predicates::prelude::*;

const MM: f64 = 25.4 / 72.0;

/// The pictures that a page places: width and height, left and bottom, mm.
fn placed(pdf: &[u8]) -> Vec<[f64; 4]> {
    let text = String::from_utf8_lossy(pdf);
    text.lines()
        .filter_map(|line| line.strip_suffix(" cm"))
        .map(|line| line.split_whitespace().map(|n| n.parse::<f64>().unwrap() * MM).collect::<Vec<f64>>())
        .map(|n| [n[0], n[3], n[4], n[5]])
        .collect()
}

fn media_boxes(pdf: &[u8]) -> Vec<(f64, f64)> {
    let text = String::from_utf8_lossy(pdf);
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("/MediaBox [")?.strip_suffix(']'))
        .map(|line| line.split_whitespace().map(|n| n.parse::<f64>().unwrap() * MM).collect::<Vec<f64>>())
        .map(|n| (n[2] - n[0], n[3] - n[1]))
        .collect()
}

#[test]
fn the_house_set_is_printed_at_true_size() {
    let dir = tempfile::tempdir().unwrap();
    let near = |a: f64, b: f64| (a - b).abs() < 0.05;
    for (paper, size) in [("a4", (210.0, 297.0)), ("letter", (215.9, 279.4))] {
        let file = dir.path().join(format!("{paper}.pdf"));
        Command::cargo_bin("castellan")
            .unwrap()
            .args(["print", "--dpi", "40", "--paper", paper, "--out"])
            .arg(&file)
            .assert()
            .success();
        let pdf = std::fs::read(&file).unwrap();
        assert!(pdf.starts_with(b"%PDF-") && pdf.len() < 2_000_000, "{} bytes", pdf.len());
        let boxes = media_boxes(&pdf);
        assert!(boxes.len() >= 7, "{} pages", boxes.len());
        assert!(boxes.iter().all(|b| near(b.0, size.0) && near(b.1, size.1)), "{boxes:?}");
        let placed = placed(&pdf);
        let square = |side: f64| placed.iter().filter(|p| near(p[0], side) && near(p[1], side)).count();
        assert_eq!(square(45.0), 60, "castle tiles");
        assert_eq!(square(0.6 * 0.94 * 45.0), 36, "fronts and backs of wall tiles");
        for [width, height, left, bottom] in &placed {
            assert!(*left > 5.0 && left + width < size.0 - 5.0, "{left} {width}");
            assert!(*bottom > 5.0 && bottom + height < size.1 - 5.0, "{bottom} {height}");
        }
        let text = String::from_utf8_lossy(&pdf);
        let scale = text.matches("50 mm when printed at 100 %").count();
        assert_eq!(scale, boxes.len(), "a scale on every page");
    }
}

/// Prints a set of the classic game; the pictures' sizes and places, and how often a scale and
/// words stand on the pages.
fn printed(set: &str, paper: &str, words: &str) -> (Vec<[f64; 4]>, [usize; 3]) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("set.pdf");
    Command::cargo_bin("castellan")
        .unwrap()
        .args(["print", "--dpi", "40", "--set", set, "--paper", paper, "--out"])
        .arg(&file)
        .assert()
        .success();
    let pdf = std::fs::read(&file).unwrap();
    let text = String::from_utf8_lossy(&pdf);
    let counts = [media_boxes(&pdf).len(), text.matches("50 mm when").count(), text.matches(words).count()];
    (placed(&pdf), counts)
}

fn squares(placed: &[[f64; 4]], side: f64) -> usize {
    let near = |a: f64| (a - side).abs() < 0.05;
    placed.iter().filter(|p| near(p[0]) && near(p[1])).count()
}

#[test]
fn the_classic_game_and_its_sets_are_printed_at_true_size() {
    // Tiles with the two cards, and tokens of goods.
    for (set, tiles, goods) in [
        ("classic", 72, 0),
        ("classic+river+inns", 102, 0),
        ("classic+river+inns+traders+king+cathars+count", 147 + 2, 20),
        ("river", 12, 0),
        ("inns", 18, 0),
        ("traders", 24, 20),
        ("king", 5 + 2, 0),
        ("cathars", 4, 0),
        ("count", 12, 0),
        ("count15", 12, 0),
        ("traders+cathars", 28, 20),
    ] {
        let (placed, [pages, scales, wall]) = printed(set, "a4", "wall tiles");
        assert_eq!((squares(&placed, 45.0), squares(&placed, 22.5)), (tiles, goods), "{set}");
        assert_eq!((pages, wall), (scales, 0), "{set}: a scale on every page, and no wall");
    }
}

#[test]
fn pages_of_the_classic_game_leave_the_margins_free() {
    for (paper, size) in [("a4", (210.0, 297.0)), ("letter", (215.9, 279.4))] {
        let (placed, [_, _, names]) = printed("classic+traders+king+count", paper, "the classic+traders");
        assert!(names > 7, "{names} headings");
        // The plan of the twelve tiles that lie from the start.
        assert_eq!(squares(&placed, 20.0), 12);
        for [width, height, left, bottom] in placed {
            assert!(left > 5.0 && left + width < size.0 - 5.0, "{left} {width}");
            // The line to measure by, and its words.
            assert!(bottom > 15.5 && bottom + height < size.1 - 15.0, "{bottom} {height}");
        }
    }
}

#[test]
fn only_what_is_drawn_can_be_printed() {
    Command::cargo_bin("castellan")
        .unwrap()
        .args(["print", "--set", "mine", "--out", "x.pdf"])
        .assert()
        .code(1)
        .stderr(
            predicate::str::contains("only what is drawn by this program")
                .and(predicate::function(|s: &str| s.lines().count() == 1)),
        );
    Command::cargo_bin("castellan")
        .unwrap()
        .args(["print", "--out", "/nowhere/at/all/x.pdf"])
        .assert()
        .code(1)
        .stderr(predicate::str::contains("cannot be written: /nowhere/at/all/x.pdf"));
}
