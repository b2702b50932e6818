//! A record as text that people read, print and type: header lines, then moves
//! in their notation, a turn a line.
//!
//! | line | means |
//! |---|---|
//! | `game classic` | the classic game, before all else; The Castle without it |
//! | `deck house`, `wall house`, `edition rgg-2003` | with what is played |
//! | `player White`, `colour white` | a player, a colour; as many of each as play, in order |
//! | `starts White`, `starts 1` | who begins |
//! | `tower 12 holds 3` | the wall tile on tower 12/13 has a 3 printed on it |
//! | `tower 12 holds 8 of 2003` | it is the 8 of 2003 |
//! | `lay h07 D5 1; knight; end` | moves, as [`GamePosition::read_move`] reads them |
//! | `! lay h07 D5` | it happened although it is against the rules |
//! | `Ada: knight` | a player named does it, as `1:` or `2:` do |
//! | `undo` | the last move did not happen |
//! | `# …` | for people only |
//!
//! Wall tiles have the numbers printed on them in the edition that is played, here
//! and in moves; one of which the edition does not say what is printed on it has its
//! number of 2003 and says so. The log, which no one types, keeps the numbers of
//! 2003.
//!
//! Times, sources and what was corrected are not in it: the facts are, as they
//! hold.

use std::borrow::Cow;
use std::collections::BTreeMap;

use thiserror::Error;

use super::event::{Event, EventKind, Header, Source, VERSION};
use super::fold;
use super::game::{Game, RecordError};
use crate::rules::castle::{Edition, EditionError, NotationError, WALL_TILE_KINDS};
use crate::rules::plain::{LONGEST_NAME, LONGEST_WORD, WordError, check_name, check_word, shown};
use crate::rules::{self, Deck, GamePosition, Phase, Player, Score, Sentence, Unreadable, Wall, winners};

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
    /// Not a move of the game that is played.
    #[error(transparent)]
    Move(#[from] Unreadable),
    /// A move that was not recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A wall tile that can't lie on a tower.
    #[error("{0}")]
    Tower(String),
    /// A line about the wall in a game without one.
    #[error("{0}")]
    Unwalled(String),
    /// The header names no edition that is known.
    #[error(transparent)]
    Edition(#[from] EditionError),
    /// `undo` at the start.
    #[error("there is no move to take back")]
    NothingToUndo,
    /// Something in a line of a whole text.
    #[error("line {0}: {1}")]
    Line(usize, Box<TextError>),
}

impl From<&TextError> for Sentence {
    fn from(error: &TextError) -> Sentence {
        match error {
            TextError::Word(error) => Sentence::from(error),
            TextError::Notation(error) => Sentence::from(error),
            TextError::Move(Unreadable(sentence)) => sentence.clone(),
            TextError::Record(error) => Sentence::from(error),
            TextError::Edition(error) => Sentence::from(error),
            // Only a whole text has these.
            other => Sentence::from(other.to_string()),
        }
    }
}

/// The colours of players whose colours nobody has said.
const COLOURS: [&str; 6] = ["white", "black", "red", "blue", "green", "yellow"];

/// Header lines as they come in.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct TextHeader {
    game: rules::Game,
    deck: Option<String>,
    wall: Option<String>,
    edition: Option<String>,
    edition_given: Option<String>,
    players: Vec<String>,
    colours: Vec<String>,
    neutral: Option<String>,
    starts: Option<String>,
    wall_tiles: BTreeMap<u8, WallTileNumber>,
}

/// A wall tile's number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WallTileNumber {
    /// Printed on the wall tile of the edition.
    Printed(u8),
    /// Its number in the game of 2003.
    Of2003(u8),
}

impl TextHeader {
    /// Takes an edition from elsewhere; the line of the text does not count then.
    pub fn set_edition(&mut self, edition: &str) {
        self.edition_given = Some(edition.to_owned());
    }

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
            "game" => {
                self.game = match rest.as_str() {
                    "castle" => rules::Game::Castle,
                    "classic" if self.wall.is_some() => return Err(without("a wall")),
                    "classic" if !self.wall_tiles.is_empty() => return Err(without("towers")),
                    "classic" => rules::Game::Classic,
                    _ => return Err(TextError::Header("game castle, or game classic")),
                };
                Ok(true)
            }
            "deck" => form(&mut self.deck, "deck NAME"),
            "wall" if self.game == rules::Game::Classic => Err(without("a wall")),
            "tower" if self.game == rules::Game::Classic => Err(without("towers")),
            "wall" => form(&mut self.wall, "wall NAME"),
            "edition" => form(&mut self.edition, "edition NAME"),
            "neutral" => form(&mut self.neutral, "neutral COLOUR"),
            "starts" => form(&mut self.starts, "starts NAME"),
            "player" if self.players.len() < self.most_players() => {
                check_name(&rest)?;
                self.players.push(rest);
                Ok(true)
            }
            "colour" if self.colours.len() < self.most_players() => {
                checked(LONGEST_NAME)?;
                self.colours.push(rest);
                Ok(true)
            }
            "tower" => self.take_tower(&rest),
            "player" if self.game == rules::Game::Castle => {
                Err(TextError::Header("player NAME, twice and no more"))
            }
            "colour" if self.game == rules::Game::Castle => {
                Err(TextError::Header("colour WORD, twice and no more"))
            }
            "player" => Err(TextError::Header("player NAME, six times and no more")),
            "colour" => Err(TextError::Header("colour WORD, six times and no more")),
            _ => Ok(false),
        }
    }

    fn most_players(&self) -> usize {
        match self.game {
            rules::Game::Castle => 2,
            rules::Game::Classic => rules::classic::MOST_PLAYERS,
        }
    }

    /// Takes what lies on a tower; whether the wall has the tower shows in the game.
    fn take_tower(&mut self, text: &str) -> Result<bool, TextError> {
        let form = || TextError::Header("tower 12 holds 3");
        let words: Vec<&str> = text.split_whitespace().collect();
        let (low, number, of_2003) = match words[..] {
            [low, "holds", number] => (low, number, false),
            [low, "holds", number, "of", "2003"] => (low, number, true),
            _ => return Err(form()),
        };
        let low: u8 = low.parse().map_err(|_| form())?;
        let number: u8 = number.parse().map_err(|_| form())?;
        if low == 0 {
            return Err(TextError::Tower("no wall tile lies on tower 0/1 (CA-07)".to_owned()));
        }
        if !(1..=WALL_TILE_KINDS).contains(&number) {
            return Err(TextError::Tower("wall tiles are numbered from 1 to 9 (CA-04)".to_owned()));
        }
        let held = if of_2003 { WallTileNumber::Of2003(number) } else { WallTileNumber::Printed(number) };
        let others = self.wall_tiles.iter().filter(|(tower, other)| **tower != low && **other == held);
        if others.count() > 1 {
            return Err(TextError::Tower(format!(
                "two other towers hold a {number} already; of each number there are two (CA-04)"
            )));
        }
        self.wall_tiles.insert(low, held);
        Ok(true)
    }

    /// The header of the record: the house set, White and Black where the text
    /// does not say otherwise.
    ///
    /// # Errors
    /// [`TextError::Player`] when someone starts who does not play,
    /// [`TextError::Edition`] when there is no such edition, [`TextError::Notation`]
    /// when it does not say what a wall tile does.
    pub fn header(&self) -> Result<Header, TextError> {
        let castle = self.game == rules::Game::Castle;
        let or = |given: &Option<String>, other: &str| given.clone().unwrap_or_else(|| other.to_owned());
        let filled = |given: &[String], other: &[&str], least: usize| {
            let mut all = given.to_vec();
            all.extend(other.iter().take(least).skip(given.len()).map(|w| (*w).to_owned()));
            all
        };
        let players = filled(&self.players, &["White", "Black"], 2);
        let colours = filled(&self.colours, &COLOURS, players.len());
        let starts = match &self.starts {
            None => Player(0),
            Some(name) => {
                let number = (1..=players.len()).position(|n| n.to_string() == *name);
                let named = players.iter().position(|p| p == name);
                let index = if are_different(&players) { named.or(number) } else { number.or(named) };
                Player(index.ok_or_else(|| TextError::Player(name.clone()))? as u8)
            }
        };
        let edition = self.edition_given.clone().or_else(|| self.edition.clone());
        let wall_tiles = if castle { self.numbers_of_2003(edition.as_deref())? } else { BTreeMap::new() };
        Ok(Header {
            format: "castellan".to_owned(),
            version: VERSION,
            game: self.game,
            deck: or(&self.deck, if castle { "house" } else { "classic" }),
            wall: castle.then(|| or(&self.wall, "house")),
            edition,
            colours,
            players,
            neutral: self.neutral.clone().filter(|_| !castle),
            starts,
            wall_tiles,
        })
    }

    /// What lies on the towers, by the numbers of 2003.
    fn numbers_of_2003(&self, edition: Option<&str>) -> Result<BTreeMap<u8, u8>, TextError> {
        let words = Edition::named(edition.unwrap_or(Edition::default_name()))?.words;
        let of_2003 = |held: &WallTileNumber| match *held {
            WallTileNumber::Of2003(number) => Ok(number),
            WallTileNumber::Printed(n) => words.number_of(n).ok_or(NotationError::WallTile(n)),
        };
        Ok(self
            .wall_tiles
            .iter()
            .map(|(low, held)| Ok((*low, of_2003(held)?)))
            .collect::<Result<_, NotationError>>()?)
    }
}

/// Why a line of The Castle stands in no header of the classic game.
fn without(what: &str) -> TextError {
    TextError::Unwalled(format!("the classic game is played without {what}; leave the line out"))
}

/// Whether no two players have one name.
fn are_different(names: &[String]) -> bool {
    names.iter().enumerate().all(|(i, name)| !names[..i].contains(name))
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
    pub fn play<'a>(&self, wall: impl Into<Option<&'a Wall>>, deck: &Deck) -> Result<Game, TextError> {
        let (game, left_out) = self.play_what_fits(wall, deck)?;
        left_out.into_iter().next().map_or(Ok(game), Err)
    }

    /// Plays what of it can be played, for a text that has lost lines: the game,
    /// and why moves are left out.
    ///
    /// # Errors
    /// [`TextError::Record`] when its header, the wall and the deck make no game.
    pub fn play_what_fits<'a>(
        &self,
        wall: impl Into<Option<&'a Wall>>,
        deck: &Deck,
    ) -> Result<(Game, Vec<TextError>), TextError> {
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
        let Some(fact) = self.read_fact(text)? else { return Ok(Vec::new()) };
        Ok(if anyway {
            self.apply_anyway(fact, Source::Hand, 1.0, t)?
        } else {
            self.apply(fact, Source::Hand, 1.0, t)?
        })
    }

    /// What a move written in the notation says happened; `None` where it only says so again.
    ///
    /// # Errors
    /// [`TextError`] in a sentence.
    pub(crate) fn read_fact(&self, text: &str) -> Result<Option<EventKind>, TextError> {
        let played = self.position().read_move(&self.numbered(text.trim()))?;
        Ok(fold::to_fact(self.position(), &played))
    }

    /// A move with the number of the player whose name stands before it.
    pub(super) fn numbered<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let Some((name, played)) = text.split_once(':') else { return text.into() };
        let called = |player: &Player| self.names().of(*player).eq_ignore_ascii_case(name.trim());
        let mut players = self.players().filter(called);
        match (players.next(), players.next()) {
            (Some(player), None) => format!("{}:{played}", u32::from(player.0) + 1).into(),
            _ => text.into(),
        }
    }

    /// The record as text, every score beside its turn; [`Transcript::read`]
    /// reads it back.
    pub fn to_text(&self) -> String {
        let mut lines = self.header_lines();
        let mut position = self.start_position();
        let mut words: Vec<String> = Vec::new();
        let mut notes: Vec<String> = Vec::new();
        let comment = |score: &Score| match score.players.as_slice() {
            [] => format!("#   {}", score.sentence),
            players => {
                let names: Vec<&str> = players.iter().map(|p| self.names().of(*p)).collect();
                format!("#   {} +{}: {}", names.join(", "), score.points(), score.sentence)
            }
        };
        for (_, kind) in self.facts() {
            let turn = position.turn();
            let player = position.to_move();
            let waived = self.illegal_in(&*position, &kind);
            let Ok(Some(played)) = fold::to_move(&*position, &kind) else { continue };
            let text = position.write_move(&played);
            let was_over = position.phase() == Phase::Over;
            let Ok((derived, _)) = fold::happen(&mut *position, &kind, self.names()) else {
                notes.push(format!("# left out, it no longer fits: {text}"));
                continue;
            };
            words.push(if waived.is_empty() { text } else { format!("! {text}") });
            notes.extend(waived.iter().map(|w| format!("#   the table let it stand: {w}")));
            if !was_over {
                notes.extend(derived.iter().filter_map(|k| match k {
                    EventKind::FeatureScored { score, .. } => Some(comment(score)),
                    EventKind::WallTileTaken { .. }
                    | EventKind::KeepPlaced { .. }
                    | EventKind::TokensTaken { .. }
                    | EventKind::Noted { .. } => Some(format!("#   {}", self.describe(k))),
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
        let totals = fold::totals_now(&*position);
        let all = self.players().zip(&totals).map(|(p, total)| format!("{} {total}", self.names().of(p)));
        lines.push(format!("# {}", all.collect::<Vec<_>>().join(", ")));
        if over {
            lines.push(match winners(&totals).as_slice() {
                [winner] => format!("# {} wins", self.names().of(*winner)),
                all if all.len() == totals.len() => "# a draw".to_owned(),
                all => format!("# {} share the win", self.names().listed(all)),
            });
        }
        lines.iter().map(|line| shown(line, usize::MAX) + "\n").collect()
    }

    fn header_lines(&self) -> Vec<String> {
        let header = self.header();
        let mut lines = vec![format!("# {}", self.edition().title)];
        lines.extend(self.edition().notes.iter().map(|note| format!("# {note}")));
        if header.game != rules::Game::Castle {
            lines.push("game classic".to_owned());
        }
        let words = [
            ("deck", Some(&header.deck)),
            ("wall", header.wall.as_ref().filter(|_| header.game == rules::Game::Castle)),
            ("edition", header.edition.as_ref()),
        ];
        for (what, word) in words {
            let word = word.map(|word| shown(word, LONGEST_WORD)).filter(|word| !word.is_empty());
            lines.extend(word.map(|word| format!("{what} {word}")));
        }
        let names = self.names();
        lines.extend(names.all().iter().map(|name| format!("player {name}")));
        let colours = header.colours.iter().take(header.players.len());
        lines.extend(colours.map(|colour| format!("colour {}", shown(colour, LONGEST_NAME))));
        let neutral = header.neutral.as_ref().map(|colour| shown(colour, LONGEST_NAME));
        lines.extend(neutral.filter(|word| !word.is_empty()).map(|colour| format!("neutral {colour}")));
        let starts = match are_different(names.all()) {
            true => names.of(header.starts).to_owned(),
            false => (header.starts.0 + 1).to_string(),
        };
        lines.push(format!("starts {starts}"));
        let held = |(low, n): (&u8, &u8)| format!("tower {low} holds {}", self.position().prize_word(*n));
        lines.extend(header.wall_tiles.iter().map(held));
        lines
    }

    /// The rules that a fact is against where it stands, with their sentences.
    fn illegal_in(&self, position: &dyn GamePosition, kind: &EventKind) -> Vec<String> {
        let Ok(Some(played)) = fold::to_move(position, kind) else { return Vec::new() };
        let waivable = position.illegalities(&played).into_iter().filter(|i| i.waivable);
        waivable.map(|i| i.named(self.names()).to_string()).collect()
    }
}
