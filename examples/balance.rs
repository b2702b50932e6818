//! Plays games of The Castle with itself and prints how they went, as a table:
//! whether a deck and a wall make a good game.
//!
//! `cargo run --release --no-default-features --features studio --example
//! balance -- [DECK [WALL [GAMES]]]`; without arguments the house set, 1000
//! games with random moves and 1000 with greedy ones.

use std::collections::BTreeMap;

use castellan::library;
use castellan::record::{EventKind, Game, play_random};
use castellan::rules::castle::Policy;
use castellan::rules::{Deck, Wall};
use rayon::prelude::*;

/// What is counted over all games.
#[derive(Default)]
struct Tally {
    games: u32,
    first_wins: f64,
    totals: Vec<u32>,
    margins: Vec<u32>,
    pickups: u32,
    discards: u32,
    discarded: BTreeMap<String, u32>,
    /// Completed features a game, and of those the ones that gave points.
    completed: BTreeMap<String, (u32, u32)>,
    /// Points by category, in play and at the end.
    points: BTreeMap<String, u32>,
    largest: BTreeMap<String, u32>,
}

impl Tally {
    fn add(&mut self, game: &Game) {
        self.games += 1;
        let sheet = game.sheet();
        let totals: Vec<u32> = sheet.tallies.iter().map(|t| t.total).collect();
        if let [a, b] = totals[..] {
            let first = game.header().starts.index();
            self.first_wins += match a.cmp(&b) {
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => f64::from(u8::from(first == 0)),
                std::cmp::Ordering::Less => f64::from(u8::from(first == 1)),
            };
            self.margins.push(a.abs_diff(b));
            self.totals.extend([a, b]);
        }
        for event in game.events() {
            match &event.kind {
                EventKind::TileDiscarded { tile, .. } => {
                    self.discards += 1;
                    *self.discarded.entry(tile.clone()).or_default() += 1;
                }
                EventKind::WallTileTaken { .. } => self.pickups += 1,
                _ => {}
            }
        }
        for score in sheet.turns.iter().flat_map(|t| &t.scores).chain(&sheet.finals) {
            let category = if score.category.starts_with("wall tile") {
                "wall tiles".to_owned()
            } else {
                score.category.clone()
            };
            let completed = self.completed.entry(category.clone()).or_default();
            completed.0 += 1;
            completed.1 += u32::from(!score.players.is_empty());
            *self.points.entry(category.clone()).or_default() += score.points();
            let largest = self.largest.entry(category).or_default();
            *largest = (*largest).max(score.points());
        }
    }

    fn join(mut self, other: Tally) -> Tally {
        self.games += other.games;
        self.first_wins += other.first_wins;
        self.totals.extend(other.totals);
        self.margins.extend(other.margins);
        self.pickups += other.pickups;
        self.discards += other.discards;
        for (tile, n) in other.discarded {
            *self.discarded.entry(tile).or_default() += n;
        }
        for (category, (all, scored)) in other.completed {
            let own = self.completed.entry(category).or_default();
            own.0 += all;
            own.1 += scored;
        }
        for (category, n) in other.points {
            *self.points.entry(category).or_default() += n;
        }
        for (category, n) in other.largest {
            let own = self.largest.entry(category).or_default();
            *own = (*own).max(n);
        }
        self
    }

    fn print(mut self, name: &str) {
        let games = f64::from(self.games.max(1));
        let mean = |v: &[u32]| v.iter().map(|n| f64::from(*n)).sum::<f64>() / v.len().max(1) as f64;
        self.totals.sort_unstable();
        self.margins.sort_unstable();
        let at = |v: &[u32], share: f64| v.get((share * v.len() as f64) as usize).copied().unwrap_or(0);
        println!("\n{name}, {} games\n", self.games);
        println!("| measure | value |\n| --- | --- |");
        println!(
            "| total of a player: mean, 5 %, median, 95 % | {:.1}, {}, {}, {} |",
            mean(&self.totals),
            at(&self.totals, 0.05),
            at(&self.totals, 0.5),
            at(&self.totals, 0.95)
        );
        println!("| margin: mean, median | {:.1}, {} |", mean(&self.margins), at(&self.margins, 0.5));
        println!("| games won by who began | {:.1} % |", 100.0 * self.first_wins / games);
        println!("| tiles that fit nowhere, a game | {:.2} |", f64::from(self.discards) / games);
        println!("| wall tiles taken, a game | {:.2} |", f64::from(self.pickups) / games);
        println!(
            "\n| category | scored a game | of those for somebody | points a game, both players | most at once |"
        );
        println!("| --- | --- | --- | --- | --- |");
        for (category, (all, scored)) in &self.completed {
            println!(
                "| {category} | {:.2} | {:.0} % | {:.1} | {} |",
                f64::from(*all) / games,
                100.0 * f64::from(*scored) / f64::from((*all).max(1)),
                f64::from(self.points.get(category).copied().unwrap_or(0)) / games,
                self.largest.get(category).copied().unwrap_or(0)
            );
        }
        let mut worst: Vec<(&String, &u32)> = self.discarded.iter().collect();
        worst.sort_by_key(|(tile, n)| (std::cmp::Reverse(**n), (*tile).clone()));
        let worst: Vec<String> = worst
            .iter()
            .take(8)
            .map(|(tile, n)| format!("{tile} {:.1} %", 100.0 * f64::from(**n) / games))
            .collect();
        println!(
            "\nFit nowhere most often: {}",
            if worst.is_empty() { "none".into() } else { worst.join(", ") }
        );
    }
}

fn tally(deck: &Deck, wall: &Wall, games: u64, policy: Policy) -> anyhow::Result<Tally> {
    (0..games)
        .into_par_iter()
        .map(|seed| {
            let mut tally = Tally::default();
            tally.add(&play_random(wall, deck, seed, policy)?);
            Ok(tally)
        })
        .try_reduce(Tally::default, |a, b| Ok(a.join(b)))
}

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let deck = library::deck(&args.next().unwrap_or_else(|| "house".to_owned()))?.deck;
    let wall = library::wall(&args.next().unwrap_or_else(|| "house".to_owned()))?;
    let games = args.next().map_or(Ok(1000), |n| n.parse())?;
    tally(&deck, &wall, games, Policy::Random)?.print("Random moves");
    tally(&deck, &wall, games, Policy::Greedy)?.print("Greedy moves");
    Ok(())
}
