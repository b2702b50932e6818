//! A record as text that people read, print and type: header lines, then moves
//! in their notation, a turn a line.
//!
//! | line | means |
//! |---|---|
//! | `deck house`, `wall house`, `edition rgg-2003` | with what is played |
//! | `player White`, `colour white` | a player, a colour; two of each, in order |
//! | `starts White`, `starts 1` | who begins |
//! | `tower 12 holds 3` | the wall tile on tower 12/13 is a 3 of 2003 |
//! | `lay h07 D5 1; knight; end` | moves, as [`Position::read_move`] reads them |
//! | `! lay h07 D5` | it happened although it is against the rules |
//! | `undo` | the last move did not happen |
//! | `# …` | for people only |
//!
//! Times, sources and what was corrected are not in it: the facts are, as they
//! hold.
//!
//! [`Position::read_move`]: crate::rules::castle::Position::read_move

use thiserror::Error;

use super::event::{Event, EventKind, Header, Source};
use super::fold;
use super::game::{Game, RecordError};
use crate::rules::castle::{Names, NotationError, Phase, winners};
use crate::rules::plain::{LONGEST_NAME, LONGEST_WORD, WordError, check_name, check_word, shown};
use crate::rules::{self, Deck, Player, Score, Wall};

/// Why a text is not a record, or a line not a move that can be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TextError {
    /// A name or another word that can't stand in a record.
    #[error(transparent)]
    Word(#[from] WordError),
    /// A header line that is not of the form.
    #[error("write the line as `{0}`")]
    Header(&'static str),
    /// Nobody of that name plays.
    #[error("nobody named `{0}` plays; name one of the players")]
    Player(String),
    /// Not a move.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// A move that was not recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// `undo` at the start.
    #[error("there is no move to take back")]
    NothingToUndo,
    /// Something in a line of a whole text.
    #[error("line {0}: {1}")]
    Line(usize, Box<TextError>),
}

/// Header lines as they come in.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TextHeader {
    deck: Option<String>,
    wall: Option<String>,
    edition: Option<String>,
    players: Vec<String>,
    colours: Vec<String>,
    starts: Option<String>,
    wall_tiles: std::collections::BTreeMap<u8, u8>,
}

impl TextHeader {
    /// Takes a line if it is one of the header, a comment or empty; says whether
    /// it was.
    ///
    /// # Errors
    /// [`TextError::Header`] says how to write it, [`TextError::Word`] what cannot be
    /// written.
    pub fn take(&mut self, line: &str) -> Result<bool, TextError> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(true);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim().to_owned();
        let checked = |most| check_word(&rest, "a line of the header", most);
        let form = |slot: &mut Option<String>, form| {
            checked(LONGEST_WORD)?;
            *slot = Some(rest.clone()).filter(|r| !r.is_empty());
            if slot.is_some() { Ok(true) } else { Err(TextError::Header(form)) }
        };
        match word {
            "deck" => form(&mut self.deck, "deck NAME"),
            "wall" => form(&mut self.wall, "wall NAME"),
            "edition" => form(&mut self.edition, "edition NAME"),
            "starts" => form(&mut self.starts, "starts NAME"),
            "player" if self.players.len() < 2 => {
                check_name(&rest)?;
                self.players.push(rest);
                Ok(true)
            }
            "colour" if self.colours.len() < 2 => {
                checked(LONGEST_NAME)?;
                self.colours.push(rest);
                Ok(true)
            }
            "tower" => {
                let error = TextError::Header("tower 12 holds 3");
                let [low, "holds", number] = rest.split_whitespace().collect::<Vec<_>>()[..] else {
                    return Err(error);
                };
                let (Ok(low), Ok(number)) = (low.parse(), number.parse()) else { return Err(error) };
                self.wall_tiles.insert(low, number);
                Ok(true)
            }
            "player" => Err(TextError::Header("player NAME, twice and no more")),
            "colour" => Err(TextError::Header("colour WORD, twice and no more")),
            _ => Ok(false),
        }
    }

    /// The header of the record: the house set, White and Black where the text
    /// does not say otherwise.
    ///
    /// # Errors
    /// [`TextError::Player`] when someone starts who does not play.
    pub fn header(&self) -> Result<Header, TextError> {
        let or = |given: &Option<String>, other: &str| given.clone().unwrap_or_else(|| other.to_owned());
        let two = |given: &[String], other: [&str; 2]| {
            let mut both = given.to_vec();
            both.extend(other.iter().skip(given.len()).map(|w| (*w).to_owned()));
            both
        };
        let players = two(&self.players, ["White", "Black"]);
        let starts = match &self.starts {
            None => Player(0),
            Some(name) => {
                let number = ["1", "2"].iter().position(|n| n == name);
                let named = players.iter().position(|p| p == name);
                let index = if players[0] == players[1] { number.or(named) } else { named.or(number) };
                Player(index.ok_or_else(|| TextError::Player(name.clone()))? as u8)
            }
        };
        Ok(Header {
            format: "castellan".to_owned(),
            version: 1,
            game: rules::Game::Castle,
            deck: or(&self.deck, "house"),
            wall: Some(or(&self.wall, "house")),
            edition: self.edition.clone(),
            colours: two(&self.colours, ["white", "black"]),
            players,
            starts,
            wall_tiles: self.wall_tiles.clone(),
        })
    }
}

/// A whole text: its header, and its moves with the lines that they are in.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// The header.
    pub header: Header,
    moves: Vec<(usize, String)>,
}

impl Transcript {
    /// Reads a text; whether its moves can be made is seen when it is played.
    ///
    /// # Errors
    /// [`TextError::Line`].
    pub fn read(text: &str) -> Result<Transcript, TextError> {
        let mut header = TextHeader::default();
        let mut moves = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let at = |e| TextError::Line(number, Box::new(e));
            if moves.is_empty() && header.take(line).map_err(at)? {
                continue;
            }
            moves.extend(moves_in(line).map(|m| (number, m.to_owned())));
        }
        Ok(Transcript { header: header.header()?, moves })
    }

    /// Plays it.
    ///
    /// # Errors
    /// [`TextError`] of the first line that cannot be played.
    pub fn play(&self, wall: &Wall, deck: &Deck) -> Result<Game, TextError> {
        let (game, left_out) = self.play_what_fits(wall, deck)?;
        left_out.into_iter().next().map_or(Ok(game), Err)
    }

    /// Plays what of it can be played, for a text that has lost lines: the game,
    /// and why moves are left out.
    ///
    /// # Errors
    /// [`TextError::Record`] when its header, the wall and the deck make no game.
    pub fn play_what_fits(&self, wall: &Wall, deck: &Deck) -> Result<(Game, Vec<TextError>), TextError> {
        let mut game = Game::new(self.header.clone(), wall, deck)?;
        let mut left_out = Vec::new();
        for (number, text) in &self.moves {
            if let Err(error) = game.enter_text(text, 0.0) {
                left_out.push(TextError::Line(*number, Box::new(error)));
            }
        }
        Ok((game, left_out))
    }
}

/// The moves in a line, without its comment.
pub fn moves_in(line: &str) -> impl Iterator<Item = &str> {
    let line = line.split('#').next().unwrap_or_default();
    line.split(';').map(str::trim).filter(|m| !m.is_empty())
}

impl Game {
    /// Makes one move written in the notation, `t` seconds after the start; see
    /// the table of [`Transcript`] for `!` and `undo`.
    ///
    /// # Errors
    /// [`TextError`] in a sentence; nothing has changed.
    pub fn enter_text(&mut self, text: &str, t: f64) -> Result<Vec<Event>, TextError> {
        let text = text.trim();
        if text == "undo" {
            let last = self.facts().last().map(|(seq, _)| *seq).ok_or(TextError::NothingToUndo)?;
            let undo = EventKind::Correction { replaces: last, instead: None };
            return Ok(self.apply(undo, Source::Hand, 1.0, t)?);
        }
        let (text, anyway) = match text.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let position = self.position();
        let played = position.read_move(text)?;
        let Some(fact) = fold::to_fact(position, &played) else { return Ok(Vec::new()) };
        Ok(if anyway {
            self.apply_anyway(fact, Source::Hand, 1.0, t)?
        } else {
            self.apply(fact, Source::Hand, 1.0, t)?
        })
    }

    /// The record as text, every score beside its turn; [`Transcript::read`]
    /// reads it back.
    pub fn to_text(&self) -> String {
        let mut lines = self.header_lines();
        let mut position = self.start_position();
        let mut words: Vec<String> = Vec::new();
        let mut notes: Vec<String> = Vec::new();
        let comment = |score: &Score, names: &Names| match score.player {
            Some(player) => format!("#   {} +{}: {}", names.of(player), score.points(), score.sentence),
            None => format!("#   {}", score.sentence),
        };
        for (_, kind) in self.facts() {
            let turn = position.turn();
            let player = position.to_move();
            let waived = self.illegal_in(&position, &kind);
            let Ok(Some(played)) = fold::to_move(&position, &kind) else { continue };
            let text = position.write_move(&played);
            let was_over = position.phase() == Phase::Over;
            let Ok((derived, _)) = fold::happen(&mut position, &kind, self.names()) else {
                notes.push(format!("# left out, it no longer fits: {text}"));
                continue;
            };
            words.push(if waived.is_empty() { text } else { format!("! {text}") });
            notes.extend(waived.iter().map(|w| format!("#   the table let it stand: {w}")));
            if !was_over {
                notes.extend(derived.iter().filter_map(|k| match k {
                    EventKind::FeatureScored { score, .. } => Some(comment(score, self.names())),
                    EventKind::WallTileTaken { .. } | EventKind::KeepPlaced { .. } => {
                        Some(format!("#   {}", self.describe(k)))
                    }
                    _ => None,
                }));
            }
            if position.turn() != turn || position.phase() == Phase::Over {
                lines.push(format!("{}  # {turn}, {}", words.join("; "), self.names().of(player)));
                lines.append(&mut notes);
                words.clear();
            }
        }
        if !words.is_empty() {
            lines.push(words.join("; "));
        }
        lines.append(&mut notes);
        let over = position.phase() == Phase::Over;
        let totals = if over {
            position.final_totals()
        } else {
            [position.total(Player(0)), position.total(Player(1))]
        };
        lines.push(format!("# {} {}, {} {}", self.names().all()[0], totals[0], self.names().all()[1], totals[1]));
        if over {
            lines.push(match winners(&totals).as_slice() {
                [winner] => format!("# {} wins", self.names().of(*winner)),
                _ => "# a draw".to_owned(),
            });
        }
        lines.iter().map(|line| shown(line, usize::MAX) + "\n").collect()
    }

    fn header_lines(&self) -> Vec<String> {
        let header = self.header();
        let mut lines = vec![format!("# {}", self.edition().title)];
        lines.extend(self.edition().notes().iter().map(|note| format!("# {note}")));
        let words = [
            ("deck", Some(&header.deck)),
            ("wall", header.wall.as_ref()),
            ("edition", header.edition.as_ref()),
        ];
        for (what, word) in words {
            let word = word.map(|word| shown(word, LONGEST_WORD)).filter(|word| !word.is_empty());
            lines.extend(word.map(|word| format!("{what} {word}")));
        }
        let names = self.names();
        lines.extend(names.all().iter().map(|name| format!("player {name}")));
        let colours = header.colours.iter().take(2);
        lines.extend(colours.map(|colour| format!("colour {}", shown(colour, LONGEST_NAME))));
        let starts = match names.all()[0] == names.all()[1] {
            true => (header.starts.0 + 1).to_string(),
            false => names.of(header.starts).to_owned(),
        };
        lines.push(format!("starts {starts}"));
        lines.extend(header.wall_tiles.iter().map(|(low, n)| format!("tower {low} holds {n}")));
        lines
    }

    /// The rules that a fact is against where it stands, with their sentences.
    fn illegal_in(&self, position: &rules::castle::Position, kind: &EventKind) -> Vec<String> {
        let Ok(Some(played)) = fold::to_move(position, kind) else { return Vec::new() };
        position.illegalities(&played).iter().filter(|i| i.waivable).map(ToString::to_string).collect()
    }
}
