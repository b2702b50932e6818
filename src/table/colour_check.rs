//! Whether the colours that were chosen are those that lie on the table.

use std::collections::{BTreeMap, BTreeSet};

use super::steady::Patience;
use crate::observation::{CellState, Observation};
use crate::record::{EventKind, Game};
use crate::rules::{Cell, Player, Sentence, sentence};

/// Cells on which figures of a strange colour are enough, whoever's turn it was. On one it
/// may be a thing that was put down there.
const ENOUGH_CELLS: usize = 2;
/// Tiles that a player has laid without having been seen, after which one cell is enough.
const FEW_TILES: usize = 2;
/// Tiles that a player has laid without having been seen, after which that alone is said:
/// black and natural wood are not told from shadows and tables. Nobody lays so many without
/// a follower on one but to tease.
const MANY_TILES: usize = 6;
/// Readings in a row in which a figure stands in a cell before its player counts as seen, in
/// stills too: skin and red roofs look like figures in one.
const STAYED: u32 = 2;

/// Figures of strange colours, and players that have been seen.
#[derive(Debug, Default)]
pub(super) struct ColourCheck {
    /// By colour and cell: in how many readings in a row something strange stood there, and
    /// since when.
    strange: BTreeMap<(String, Cell), (u32, f64)>,
    /// The cells on which such a thing has stayed.
    stood: BTreeMap<String, BTreeSet<Cell>>,
    /// By player and cell: in how many readings in a row a figure of theirs stood there.
    own: BTreeMap<(usize, Cell), u32>,
    /// Whose figures have stayed somewhere.
    seen: BTreeSet<usize>,
    said: bool,
    /// What was said of players who were not seen, until all of them are.
    open: Option<(Sentence, Vec<Player>)>,
}

/// What comes of a check.
#[derive(Debug, PartialEq)]
pub(super) enum Checked {
    /// This is to be said, with where it shows.
    Doubt(Sentence, Option<Cell>),
    /// What was said holds no more.
    Settled(Sentence),
}

impl ColourCheck {
    /// Takes in what is seen at `t`, in seconds, on the game's cells. `words` are the players'
    /// colours. Gives once what is to be said of them, and once that it holds no more.
    pub(super) fn take(
        &mut self,
        seen: &Observation,
        game: &Game,
        words: &[String],
        t: f64,
        patience: &Patience,
    ) -> Option<Checked> {
        if self.said && self.open.is_none() {
            return None;
        }
        self.count(seen, t, patience);
        if let Some((sentence, players)) = self.open.take() {
            if players.iter().all(|player| self.is_seen(*player, game)) {
                return Some(Checked::Settled(sentence));
            }
            self.open = Some((sentence, players));
            return None;
        }
        let unseen: Vec<(Player, usize)> =
            game.players().filter(|p| !self.is_seen(*p, game)).map(|p| (p, tiles_laid(game, p))).collect();
        let most = unseen.iter().map(|(_, tiles)| *tiles).max()?;
        let names: Vec<&str> = unseen.iter().map(|(p, _)| game.names().of(*p)).collect();
        let whose = match names[..] {
            [name] => sentence!("{}'s colour", name),
            _ => sentence!("the players' colours"),
        };
        let strange = self.stood.iter().max_by_key(|(_, cells)| cells.len());
        let told = match strange.and_then(|(colour, cells)| Some((colour, cells, cells.first()?))) {
            Some((colour, cells, first)) if cells.len() >= ENOUGH_CELLS || most >= FEW_TILES => {
                let sentence = sentence!(
                    "{0} figures lie on the board, as in {1}, and no player has {0}; choose {2} again",
                    Sentence::word(colour),
                    *first,
                    whose
                );
                Some((sentence, Some(*first), unseen.iter().map(|(player, _)| *player).collect()))
            }
            _ => unseen.iter().find(|(_, tiles)| *tiles >= MANY_TILES).map(|(player, tiles)| {
                let name = game.names().of(*player);
                let word = words.get(player.index()).map_or("such", String::as_str);
                let sentence = sentence!(
                    "{0} has laid {1} tiles and no {2} figure was seen; if {0}'s figures are not {2}, choose \
                     {0}'s colour again",
                    name,
                    *tiles,
                    Sentence::word(word)
                );
                (sentence, None, vec![*player])
            }),
        };
        let told = told.map(|(sentence, cell, players)| {
            self.open = Some((sentence.clone(), players));
            Checked::Doubt(sentence, cell)
        });
        self.said = told.is_some();
        told
    }

    fn count(&mut self, seen: &Observation, t: f64, patience: &Patience) {
        for reading in seen.cells.iter().filter(|c| c.state != CellState::Covered) {
            let cell = Cell::new(reading.col, reading.row);
            let stands = |player: usize| reading.figures.iter().any(|f| usize::from(f.player) == player);
            self.own.retain(|(player, at), _| *at != cell || stands(*player));
            for figure in &reading.figures {
                let player = usize::from(figure.player);
                let count = self.own.entry((player, cell)).or_default();
                *count += 1;
                if *count >= patience.readings.max(STAYED) {
                    self.seen.insert(player);
                }
            }
            self.strange.retain(|(colour, at), _| *at != cell || reading.strangers.contains(colour));
            for colour in &reading.strangers {
                let (count, since) = self.strange.entry((colour.clone(), cell)).or_insert((0, t));
                *count += 1;
                if *count >= patience.readings && t - *since >= patience.seconds {
                    self.stood.entry(colour.clone()).or_default().insert(cell);
                }
            }
        }
    }

    /// Whether figures of a player's colour have been seen, or are in the record by now.
    fn is_seen(&self, player: Player, game: &Game) -> bool {
        let is_its =
            |fact: &EventKind| matches!(fact, EventKind::FollowerPlaced { player: p, .. } if *p == player);
        self.seen.contains(&player.index()) || game.facts().iter().any(|(_, fact)| is_its(fact))
    }
}

fn tiles_laid(game: &Game, player: Player) -> usize {
    let is_its = |kind: &EventKind| matches!(kind, EventKind::TilePlaced { player: p, .. } if *p == player);
    game.events().iter().filter(|e| is_its(&e.kind)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::observation::{CellReading, Figure, FigureReading};
    use crate::record::{Source, play_random};
    use crate::rules::castle::Policy;
    use crate::table::{Session, Status};

    /// A game of which each turn's tile is shown without followers, with what `standing` puts
    /// on each cell; the doubts, and how often one about colours was said.
    fn shown(turns: usize, standing: impl Fn(&mut CellReading)) -> (Session, Vec<String>) {
        let deck = library::deck("house").unwrap().deck;
        let wall = library::wall("house").unwrap();
        let game = play_random(&wall, &deck, 5, Policy::Greedy).unwrap();
        let mut session = Session::new(game.header().clone(), &wall, deck.clone()).unwrap();
        let mut table = Game::new(game.header().clone(), &wall, &deck).unwrap();
        let (mut t, mut said) = (0.0, Vec::new());
        for turn in game.turns().iter().take(turns) {
            for (_, fact) in &turn.facts {
                if !matches!(fact, EventKind::FollowerPlaced { .. }) {
                    table.apply_anyway(fact.clone(), Source::Hand, 1.0, 0.0).unwrap();
                }
            }
            for _ in 0..8 {
                let position = table.position();
                let cells = position.cells().into_iter().map(|cell| {
                    let mut reading = CellReading {
                        col: cell.col,
                        row: cell.row,
                        confidence: 0.95,
                        ..CellReading::default()
                    };
                    reading.state = CellState::Empty;
                    if let Some((tile, rotation)) = position.tile_at(cell) {
                        reading.state = CellState::Tile;
                        reading.tile = position.tile_id(tile).map(str::to_owned);
                        reading.rotation = rotation.quarters();
                        standing(&mut reading);
                    }
                    reading
                });
                let events =
                    session.observe(&Observation { cells: cells.collect(), ..Observation::default() }, t);
                said.extend(events.into_iter().filter_map(|e| match e.kind {
                    EventKind::Doubt { sentence, .. } if sentence.contains("colour") => Some(sentence),
                    _ => None,
                }));
                t += 0.3;
            }
        }
        (session, said)
    }

    fn figure(player: u8) -> FigureReading {
        FigureReading {
            figure: Figure::Follower,
            player,
            x: 0.02,
            y: 0.02,
            confidence: 0.9,
            lying: None,
            size: None,
            there: None,
        }
    }

    #[test]
    fn figures_of_a_colour_that_nobody_has_are_said_once() {
        // The players of these games have white and black.
        let (mut session, said) = shown(4, |cell| cell.strangers = vec!["yellow".to_owned()]);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(
            said[0].starts_with("yellow figures lie on the board, as in ")
                && said[0].ends_with(" and no player has yellow; choose the players' colours again"),
            "{said:?}"
        );
        assert!(session.doubts().iter().any(|d| d.sentence == said[0] && d.cell.is_some()));
        session.accept_doubts();
        assert_eq!(session.status(), Status::Playing);
    }

    #[test]
    fn a_colour_that_was_seen_is_not_asked_for_again() {
        let (_, said) = shown(4, |cell| {
            cell.strangers = vec!["yellow".to_owned()];
            cell.figures = vec![figure(0)];
        });
        assert!(said.len() == 1 && said[0].contains("'s colour again"), "{said:?}");
        let (_, said) = shown(4, |cell| {
            cell.strangers = vec!["yellow".to_owned()];
            cell.figures = vec![figure(0), figure(1)];
        });
        assert!(said.is_empty(), "{said:?}");
    }

    #[test]
    fn a_player_who_is_never_seen_is_asked_for() {
        let (_, said) = shown(10, |_| {});
        assert!(said.is_empty(), "{said:?}");
        let (_, said) = shown(13, |_| {});
        assert!(said.len() == 1 && said[0].contains("has laid 6 tiles and no "), "{said:?}");
    }

    #[test]
    fn what_was_asked_of_a_player_is_settled_when_they_are_seen() {
        let looks = std::cell::Cell::new(0);
        // Nobody is seen for twelve turns of 8 looks, then everybody.
        let (session, said) = shown(16, |cell| {
            looks.set(looks.get() + 1);
            if looks.get() > LATE {
                cell.figures = vec![figure(0), figure(1)];
            }
        });
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(session.doubts().iter().all(|d| d.sentence != said[0]), "{:?}", session.doubts());
    }

    #[test]
    fn a_strange_colour_is_no_question_once_the_players_are_seen() {
        let looks = std::cell::Cell::new(0);
        let (session, said) = shown(8, |cell| {
            looks.set(looks.get() + 1);
            if looks.get() > 8 * (4 * 5 / 2) {
                cell.figures = vec![figure(0), figure(1)];
            } else {
                cell.strangers = vec!["yellow".to_owned()];
            }
        });
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(session.doubts().iter().all(|d| d.sentence != said[0]), "{:?}", session.doubts());
    }

    /// So many cells with tiles are shown in the looks of the first 13 turns.
    const LATE: usize = 8 * (13 * 14 / 2);
}
