//! The sheet of a game, printed.

use super::out::outln;
use crate::record::{Game, Sheet};
use crate::rules::{self, Phase, Player};

/// Who scored how much: `Anna +4`.
fn signed(score: &rules::Score, sheet: &Sheet) -> String {
    let name = |p: &Player| sheet.players.get(p.index()).map_or("", String::as_str);
    match score.players.as_slice() {
        [] => String::new(),
        players => {
            let names: Vec<&str> = players.iter().map(name).collect();
            format!("{} +{}", names.join(", "), score.points())
        }
    }
}

/// The edition, and what the table must know of it.
pub(super) fn print_edition(sheet: &Sheet) -> anyhow::Result<()> {
    outln!("{}", sheet.edition)?;
    sheet.edition_notes.iter().try_for_each(|note| outln!("{note}"))?;
    outln!()
}

/// Every score, turn by turn, then the final ones.
pub(super) fn print_scores(sheet: &Sheet) -> anyhow::Result<()> {
    for turn in &sheet.turns {
        for score in &turn.scores {
            print_score(&format!("turn {:>2}", turn.turn), score, sheet)?;
        }
    }
    for score in &sheet.finals {
        print_score("at end ", score, sheet)?;
    }
    Ok(())
}

/// One score as a line of the sheet.
pub(super) fn print_score(when: &str, score: &rules::Score, sheet: &Sheet) -> anyhow::Result<()> {
    outln!("{when}  {:<w$}  {}", signed(score, sheet), score.sentence, w = width(sheet) + 4)
}

fn width(sheet: &Sheet) -> usize {
    sheet.players.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(5)
}

/// Points by category, totals and who won.
pub(super) fn print_totals(sheet: &Sheet) -> anyhow::Result<()> {
    let width = width(sheet);
    let head: Vec<String> = sheet.players.iter().map(|n| format!("{n:>width$}")).collect();
    outln!("{:<10}  {}", "", head.join("  "))?;
    for category in &sheet.categories {
        let row: Vec<String> = sheet
            .tallies
            .iter()
            .map(|t| format!("{:>width$}", t.by_category.get(category).copied().unwrap_or(0)))
            .collect();
        outln!("{category:<10}  {}", row.join("  "))?;
    }
    let totals: Vec<String> = sheet.tallies.iter().map(|t| format!("{:>width$}", t.total)).collect();
    outln!("{:<10}  {}", "total", totals.join("  "))?;
    match sheet.winners.as_slice() {
        [] => outln!("the game goes on"),
        [winner] => outln!("{} wins", sheet.players.get(winner.index()).map_or("", String::as_str)),
        all if all.len() == sheet.players.len() => outln!("a draw"),
        all => {
            outln!("{} share the win", rules::Names::new(&sheet.players).listed(all))
        }
    }
}

/// What to write when the last turn has not ended and is not scored for that.
pub(super) fn unfinished(game: &Game) -> Option<String> {
    let position = game.position();
    let name = game.names().of(position.to_move());
    (position.phase() == Phase::Follower).then(|| match position.tiles_left() {
        0 => {
            format!("the last tile lies, and {name}'s turn has not ended; `end` scores it and ends the game")
        }
        _ => format!("{name}'s turn has not ended; `end` scores it"),
    })
}
