//! `game.toml`: which game, who plays, in which colours, with which deck and wall.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use crate::colours::{self, known_colour};
use crate::files;
use crate::library::{self, LibraryError};
use crate::record::Header;
use crate::rules::castle::{Edition, EditionError, NotationError};
use crate::rules::classic::{self, MOST_PLAYERS};
use crate::rules::plain::{LONGEST_NAME, LONGEST_WORD, WordError, check_name, check_word, shown};
use crate::rules::{Game, MOST_TEXT, Player, Sentence, Term, quoted, sentence};

/// The colours of the two players' figures where nobody says others.
const CASTLE_COLOURS: [&str; 2] = ["white", "black"];
/// Those of a classic game, in this order.
const CLASSIC_COLOURS: [&str; MOST_PLAYERS] = ["red", "blue", "green", "yellow", "black", "grey"];

/// What is known of a game before it begins; everything may be left out.
///
/// ```toml
/// players = ["Ada", "Ben"]
/// colours = ["blue", "yellow"]
/// rgb = [[30, 84, 170], [240, 200, 30]]  # where the words' usual colours won't do
/// neutral = "purple"  # the colour of the figure that is nobody's: the count's
/// starts = "Ada"
/// deck = "house"
/// wall = "house"
/// pieces = "ours"  # the players' pieces as `castellan pieces` measured them
/// edition = "hig-2003"
/// [wall_tiles]  # the lower space of a tower = the number printed on its wall tile
/// 12 = 4
/// 18 = "8 of 2003"  # where the edition does not say what is printed
/// ```
///
/// A classic game has two to five players, or six with `+six_players`, and no wall:
///
/// ```toml
/// game = "classic"  # may be left out where the deck is one of the classic game
/// players = ["Ada", "Ben", "Cleo"]
/// deck = "my-deck"
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameFile {
    /// Which game; without it, the one that the deck is of.
    pub game: Option<Game>,
    /// The players' names.
    pub players: Vec<String>,
    /// Their colours as words.
    pub colours: Vec<String>,
    /// Their colours as sRGB.
    pub rgb: Vec<[u8; 3]>,
    /// The colour of the figure that is nobody's, as a word, in games that have one (CO-03).
    pub neutral: Option<String>,
    /// The name of who starts (CA-10).
    pub starts: Option<String>,
    /// The deck: a name or a path.
    pub deck: Option<String>,
    /// The wall: a name or a path.
    pub wall: Option<String>,
    /// The players' pieces: a name or a path. Their measured paints are the colours, but for
    /// what `rgb` says.
    pub pieces: Option<String>,
    /// The edition and what the table chose differently, as in
    /// [`Header::edition`].
    pub edition: Option<String>,
    /// The lower track space of a tower to the number printed on its wall tile.
    pub wall_tiles: BTreeMap<String, WallTileNumber>,
}

/// A wall tile's number as it stands in a game file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum WallTileNumber {
    /// Printed on the wall tile of the edition.
    Printed(u8),
    /// In words, as [`Words::wall_tile`] writes them: `8 of 2003`.
    ///
    /// [`Words::wall_tile`]: crate::rules::castle::Words::wall_tile
    Words(String),
}

/// Why a game file or the options of a game can't be used.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum GameFileError {
    /// The file cannot be read.
    Io(std::io::Error, PathBuf),
    /// Not TOML, or not of the form.
    Form(String, PathBuf),
    /// Not two players.
    Players(usize),
    /// More or fewer players than can play the classic game.
    ClassicPlayers(usize),
    /// Not two colours, or twice the same.
    Colours,
    /// Not a colour for each of more players, or twice the same.
    MoreColours(usize),
    /// A wall or wall tiles for a game that has none.
    WithoutWall(&'static str),
    /// The pieces cannot be had.
    #[error(transparent)]
    Pieces(#[from] LibraryError),
    /// A colour that is not known.
    Colour(String),
    /// Nobody of that name plays.
    Starts(String),
    /// A name or another word that can't stand in a record.
    #[error(transparent)]
    Word(#[from] WordError),
    /// No such edition.
    #[error(transparent)]
    Edition(#[from] EditionError),
    /// A number of which the edition does not say what the wall tile does.
    #[error(transparent)]
    WallTile(#[from] NotationError),
    /// A wall tile on something that is no tower.
    Tower(String),
}

impl From<&GameFileError> for Sentence {
    fn from(error: &GameFileError) -> Sentence {
        match error {
            GameFileError::Io(error, path) => sentence!(
                "the game file cannot be read ({}): {}",
                Term::same(error),
                Term::same(path.display())
            ),
            GameFileError::Form(why, path) => {
                sentence!("the game file is not of the form ({}): {}", why, Term::same(path.display()))
            }
            GameFileError::Players(players) => {
                sentence!("The Castle is for two players, not {}; name two", *players)
            }
            GameFileError::ClassicPlayers(players) => sentence!(
                "the classic game is for two to five players, six with +six_players, not {}; name each",
                *players
            ),
            GameFileError::Colours => {
                sentence!("two players need two different colours, such as blue and yellow")
            }
            GameFileError::MoreColours(players) => {
                sentence!("{0} players need {0} different colours, such as red, blue and green", *players)
            }
            GameFileError::WithoutWall(what) => {
                sentence!("the classic game is played without a wall; leave {} out", Sentence::word(what))
            }
            GameFileError::Pieces(error) => Sentence::from(error),
            GameFileError::Colour(word) => {
                sentence!("`{}` is no colour that is known; say its sRGB as rgb in game.toml", word)
            }
            GameFileError::Starts(name) => {
                sentence!("nobody named `{}` plays; who starts must be one of the players", name)
            }
            GameFileError::Word(error) => Sentence::from(error),
            GameFileError::Edition(error) => Sentence::from(error),
            GameFileError::WallTile(error) => Sentence::from(error),
            GameFileError::Tower(tower) => sentence!(
                "`{}` is not the lower space of a tower in wall_tiles; write it as a number, such as 12",
                tower
            ),
        }
    }
}

impl GameFile {
    /// Reads a game file.
    ///
    /// # Errors
    /// [`GameFileError::Io`] or [`GameFileError::Form`].
    pub fn read(path: &Path) -> Result<GameFile, GameFileError> {
        let text =
            files::read_text(path, MOST_TEXT as u64).map_err(|e| GameFileError::Io(e, path.to_owned()))?;
        toml::from_str(&text).map_err(|e| GameFileError::Form(quoted(e.message()), path.to_owned()))
    }

    /// The `game.toml` in the folder that a source names, if there is one.
    ///
    /// # Errors
    /// [`GameFileError::Io`] or [`GameFileError::Form`].
    pub fn beside(source: &str) -> Result<Option<GameFile>, GameFileError> {
        let path = Path::new(source).join("game.toml");
        path.is_file().then(|| GameFile::read(&path)).transpose()
    }

    /// What this file says, and where it says nothing what the other says. Shades
    /// go with the colours that they are of.
    #[must_use]
    pub fn or(self, other: GameFile) -> GameFile {
        fn filled<T>(first: Vec<T>, second: Vec<T>) -> Vec<T> {
            if first.is_empty() { second } else { first }
        }
        let same_colours = self.colours.is_empty() || self.colours == other.colours;
        let rgb = if same_colours { other.rgb } else { Vec::new() };
        GameFile {
            game: self.game.or(other.game),
            players: filled(self.players, other.players),
            colours: filled(self.colours, other.colours),
            rgb: filled(self.rgb, rgb),
            neutral: self.neutral.or(other.neutral),
            starts: self.starts.or(other.starts),
            deck: self.deck.or(other.deck),
            wall: self.wall.or(other.wall),
            pieces: self.pieces.or(other.pieces),
            edition: self.edition.or(other.edition),
            wall_tiles: if self.wall_tiles.is_empty() { other.wall_tiles } else { self.wall_tiles },
        }
    }

    /// What it says of people: their names and colours, that of the figure that is nobody's, and who
    /// starts.
    #[must_use]
    pub fn of_people(self) -> GameFile {
        let GameFile { players, colours, rgb, neutral, starts, .. } = self;
        GameFile { players, colours, rgb, neutral, starts, ..GameFile::default() }
    }

    /// With the colours of the pieces that are named, where no colours are said.
    ///
    /// # Errors
    /// [`GameFileError::Pieces`].
    pub fn with_colours_of_pieces(mut self) -> Result<GameFile, GameFileError> {
        if let (true, Some(name)) = (self.colours.is_empty(), &self.pieces) {
            self.colours = library::pieces(name)?.words();
        }
        Ok(self)
    }

    /// The header of the game's record.
    ///
    /// # Errors
    /// [`GameFileError`] when the players, colours, towers or words are not usable.
    pub fn header(&self) -> Result<Header, GameFileError> {
        let game = self.game.unwrap_or_default();
        let (players, colours) = self.players_and_colours(game)?;
        players.iter().try_for_each(|name| check_name(name))?;
        colours.iter().try_for_each(|word| check_word(word, "a colour", LONGEST_NAME))?;
        let words = [
            (&self.neutral, "a colour"),
            (&self.starts, "who starts"),
            (&self.deck, "a deck"),
            (&self.wall, "a wall"),
            (&self.pieces, "pieces"),
            (&self.edition, "an edition"),
        ];
        for (word, what) in words {
            word.iter().try_for_each(|word| check_word(word, what, LONGEST_WORD))?;
        }
        let starts = match &self.starts {
            None => Player(0),
            Some(name) => {
                let named = |p: &String| p.eq_ignore_ascii_case(name);
                let index = players.iter().position(named).or_else(|| colours.iter().position(named));
                Player(index.ok_or_else(|| GameFileError::Starts(name.clone()))? as u8)
            }
        };
        let named = |word: &Option<String>, usual: &str| word.clone().unwrap_or_else(|| usual.to_owned());
        let (deck, wall, wall_tiles) = match game {
            Game::Castle => {
                let wall = Some(named(&self.wall, "house"));
                (named(&self.deck, "house"), wall, self.wall_tile_numbers()?)
            }
            Game::Classic if self.wall.is_some() => return Err(GameFileError::WithoutWall("the wall")),
            Game::Classic if !self.wall_tiles.is_empty() => {
                return Err(GameFileError::WithoutWall("the wall tiles"));
            }
            Game::Classic => (named(&self.deck, "classic"), None, BTreeMap::new()),
        };
        Ok(Header {
            format: "castellan".to_owned(),
            version: 1,
            game,
            deck,
            wall,
            edition: self.edition.clone(),
            players,
            colours,
            neutral: self.neutral.clone().filter(|_| game == Game::Classic),
            starts,
            wall_tiles,
        })
    }

    /// The players with their colours; those that are not said are the usual ones, and
    /// players without a name are called by their colours.
    fn players_and_colours(&self, game: Game) -> Result<(Vec<String>, Vec<String>), GameFileError> {
        let said = if self.players.is_empty() { self.colours.len() } else { self.players.len() };
        let count = match (game, said) {
            (_, 0) => 2,
            (Game::Castle, _) if self.players.is_empty() => 2,
            (Game::Castle, n) if n != 2 => return Err(GameFileError::Players(n)),
            (Game::Classic, n) if !(2..=MOST_PLAYERS).contains(&n) => {
                return Err(GameFileError::ClassicPlayers(n));
            }
            (_, n) => n,
        };
        let usual = match game {
            Game::Castle => &CASTLE_COLOURS[..],
            Game::Classic => &CLASSIC_COLOURS[..],
        };
        let mut colours = self.colours.clone();
        if colours.is_empty() {
            colours = usual.iter().take(count).map(|word| (*word).to_owned()).collect();
        }
        let twice = colours.iter().enumerate().any(|(i, word)| colours[..i].contains(word));
        if colours.len() != count || twice {
            return Err(match count {
                2 => GameFileError::Colours,
                n => GameFileError::MoreColours(n),
            });
        }
        let players = match self.players.is_empty() {
            true if game == Game::Castle => CASTLE_COLOURS.map(titled).to_vec(),
            true => colours.iter().map(|word| titled(word)).collect(),
            false => self.players.clone(),
        };
        Ok((players, colours))
    }

    /// The wall tiles by their numbers of 2003.
    fn wall_tile_numbers(&self) -> Result<BTreeMap<u8, u8>, GameFileError> {
        let mut numbers = BTreeMap::new();
        if self.wall_tiles.is_empty() {
            return Ok(numbers);
        }
        let words = Edition::named(self.edition.as_deref().unwrap_or(Edition::default_name()))?.words;
        for (tower, said) in &self.wall_tiles {
            let tower = tower.parse().map_err(|_| GameFileError::Tower(tower.clone()))?;
            let number = match said {
                WallTileNumber::Printed(number) => words.wall_tile_named(&number.to_string())?,
                WallTileNumber::Words(text) => words.wall_tile_named(text)?,
            };
            numbers.insert(tower, number);
        }
        Ok(numbers)
    }

    /// What a record's header says.
    pub fn of(header: &Header) -> GameFile {
        let edition = Edition::named(header.edition.as_deref().unwrap_or(Edition::default_name()));
        let words = edition.map(|edition| edition.words).unwrap_or_default();
        let said = |number: u8| match words.printed(number) {
            Some(printed) => WallTileNumber::Printed(printed),
            None => WallTileNumber::Words(words.wall_tile(number)),
        };
        GameFile {
            game: Some(header.game),
            players: header.players.clone(),
            colours: header.colours.clone(),
            rgb: Vec::new(),
            neutral: header.neutral.clone(),
            starts: header.players.get(header.starts.index()).cloned(),
            deck: Some(header.deck.clone()),
            wall: header.wall.clone(),
            pieces: None,
            edition: header.edition.clone(),
            wall_tiles: header
                .wall_tiles
                .iter()
                .map(|(tower, tile)| (tower.to_string(), said(*tile)))
                .collect(),
        }
    }

    /// What is said here and otherwise in the header of a record: what it is, what
    /// the record says, and what is said here. Names that are shown alike are the
    /// same.
    pub fn contradicts(&self, header: &Header) -> Option<(Sentence, String, String)> {
        let name = |name: &String| shown(name, LONGEST_NAME);
        let alike = |a: &[String], b: &[String]| a.iter().map(name).eq(b.iter().map(name));
        let default = match header.game {
            Game::Castle => Edition::default_name(),
            Game::Classic => classic::EDITION,
        };
        if let Some(said) = self.game.filter(|game| *game != header.game) {
            return Some((sentence!("the game"), header.game.name().to_owned(), said.name().to_owned()));
        }
        let recorded = header.edition.as_deref().unwrap_or(default);
        let wall = header.wall.as_deref().unwrap_or_default();
        if !self.players.is_empty() && !alike(&header.players, &self.players) {
            return Some((
                sentence!("the players"),
                header.players.join(" and "),
                self.players.join(" and "),
            ));
        }
        if let Some(said) = &self.starts {
            let named = |list: &[String]| {
                list.get(header.starts.index()).is_some_and(|n| name(n).eq_ignore_ascii_case(&name(said)))
            };
            if !named(&header.players) && !named(&header.colours) {
                let recorded = header.players.get(header.starts.index()).cloned().unwrap_or_default();
                return Some((sentence!("the first turn of"), recorded, said.clone()));
            }
        }
        let words = [
            (sentence!("the deck"), header.deck.as_str(), &self.deck),
            (sentence!("the wall"), wall, &self.wall),
            (sentence!("the edition"), recorded, &self.edition),
        ];
        for (what, recorded, said) in words {
            if let Some(said) = said.as_deref().filter(|said| !is_same(said, recorded)) {
                return Some((what, format!("`{recorded}`"), format!("`{said}`")));
            }
        }
        None
    }

    /// The colours that are said, where a record was begun with others: which figures are
    /// whose is a matter of looking, and a wrong word is mended while the game goes on.
    ///
    /// # Errors
    /// [`GameFileError`] when they are not a colour for each player.
    pub fn other_colours(&self, header: &Header) -> Result<Option<Vec<String>>, GameFileError> {
        if self.colours.is_empty() || self.colours == header.colours {
            return Ok(None);
        }
        let (game, players) = (Some(header.game), header.players.clone());
        let file = GameFile { game, players, colours: self.colours.clone(), ..GameFile::default() };
        Ok(Some(file.header()?.colours))
    }

    /// The players' figure colours, sRGB: as given for the header's colours, else
    /// by their words.
    ///
    /// # Errors
    /// [`GameFileError::Colours`] or [`GameFileError::Colour`].
    pub fn figure_colours(&self, header: &Header) -> Result<Vec<[u8; 3]>, GameFileError> {
        let of_header = self.colours.is_empty() || self.colours == header.colours;
        let players = header.players.len();
        match self.rgb.len() {
            n if n == players && of_header => return Ok(self.rgb.clone()),
            0 => {}
            n if n == players => {}
            _ if players == 2 => return Err(GameFileError::Colours),
            _ => return Err(GameFileError::MoreColours(players)),
        }
        let known = |word: &String| known_colour(word).ok_or_else(|| GameFileError::Colour(word.clone()));
        header.colours.iter().map(known).collect()
    }

    /// The colour of the figure that is nobody's, its word and sRGB: as it is said here or in the header,
    /// else one that none of its players has.
    ///
    /// # Errors
    /// [`GameFileError::Colour`] for a word that is none.
    pub fn neutral_colour(&self, header: &Header) -> Result<(String, [u8; 3]), GameFileError> {
        let said = self.neutral.as_deref().or(header.neutral.as_deref());
        let word = said.unwrap_or_else(|| colours::neutral(&header.colours));
        let rgb = known_colour(word).ok_or_else(|| GameFileError::Colour(word.to_owned()))?;
        Ok((word.to_owned(), rgb))
    }
}

/// `Red` for `red`.
pub fn titled(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether two words name the same deck, wall or edition: the same word, or two
/// ways to one file.
fn is_same(said: &str, recorded: &str) -> bool {
    let file = |name: &str| std::fs::canonicalize(name).ok();
    said.split_whitespace().eq(recorded.split_whitespace())
        || file(said).is_some_and(|said| file(recorded) == Some(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Result<Header, GameFileError> {
        toml::from_str::<GameFile>(text).unwrap().header()
    }

    #[test]
    fn an_empty_file_is_a_game_of_the_house_set() {
        let header = header("").unwrap();
        assert_eq!((header.deck.as_str(), header.wall.as_deref()), ("house", Some("house")));
        assert_eq!(header.players.len(), 2);
    }

    #[test]
    fn what_is_said_holds() {
        let text =
            "players = ['Ada', 'Ben']\ncolours = ['blue', 'yellow']\nstarts = 'ben'\n[wall_tiles]\n12 = 4\n";
        let header = header(text).unwrap();
        assert_eq!((header.starts, header.wall_tiles.get(&12)), (Player(1), Some(&4)));
        let colours = toml::from_str::<GameFile>(text).unwrap().figure_colours(&header).unwrap();
        assert!(colours[0][2] > colours[0][0] && colours[1][0] > colours[1][2]);
    }

    #[test]
    fn wall_tiles_have_the_numbers_printed_on_them() {
        let text = "edition = 'zamek-2020'\n[wall_tiles]\n12 = 4\n18 = '8 of 2003'\n";
        let read = header(text).unwrap();
        assert_eq!(read.wall_tiles, [(12, 7), (18, 8)].into());
        assert_eq!(GameFile::of(&read).header().unwrap(), read);
        let unknown = header("edition = 'zamek-2020'\n[wall_tiles]\n12 = 8\n").unwrap_err().to_string();
        assert!(unknown.starts_with("what wall tile 8 does in this edition"), "{unknown}");
        assert!(header("[wall_tiles]\n12 = 'eight'\n").is_err());
    }

    #[test]
    fn a_classic_game_has_two_to_six_players_and_no_wall() {
        let read = header("game = 'classic'\nplayers = ['Ada', 'Ben', 'Cleo']\nstarts = 'Cleo'").unwrap();
        assert_eq!((read.game, read.wall.as_deref(), read.deck.as_str()), (Game::Classic, None, "classic"));
        assert_eq!((read.starts, read.colours.join(" ")), (Player(2), "red blue green".to_owned()));
        let file = GameFile::of(&read);
        assert_eq!(file.header().unwrap(), read);
        assert_eq!(file.contradicts(&read), None);
        assert_eq!(file.figure_colours(&read).unwrap().len(), 3);
        let castle = GameFile { game: Some(Game::Castle), ..GameFile::default() };
        assert_eq!(castle.contradicts(&read).map(|c| c.0), Some(sentence!("the game")));
        let base = GameFile { edition: Some("base".into()), ..GameFile::default() };
        assert_eq!(base.contradicts(&read), None);
        let by_colour = header("game = 'classic'\ncolours = ['red', 'tan', 'pink', 'blue']").unwrap();
        assert_eq!(by_colour.players, ["Red", "Tan", "Pink", "Blue"]);
        for (text, sentence) in [
            ("players = ['A', 'B', 'C', 'D', 'E', 'F', 'G']", "the classic game is for two to five players"),
            ("players = ['A']", "the classic game is for two to five players"),
            ("players = ['A', 'B', 'C']\ncolours = ['red', 'blue']", "3 players need 3 different colours"),
            ("players = ['A', 'B', 'C']\ncolours = ['red', 'blue', 'red']", "3 players need 3 different"),
            ("wall = 'house'", "the classic game is played without a wall; leave the wall out"),
            ("[wall_tiles]\n12 = 4", "the classic game is played without a wall; leave the wall tiles out"),
        ] {
            let error = header(&format!("game = 'classic'\n{text}")).unwrap_err().to_string();
            assert!(error.starts_with(sentence), "{error}");
        }
    }

    #[test]
    fn errors_say_what_to_write() {
        let says = |text: &str| header(text).unwrap_err().to_string();
        assert!(says("players = ['A']").starts_with("The Castle is for two players, not 1"));
        assert!(says("colours = ['red', 'red']").contains("two different colours"));
        assert!(says("starts = 'Eve'").starts_with("nobody named `Eve` plays"));
        assert!(says("players = ['A', '']").starts_with("a name has 1 to 40 letters, not 0"));
        assert!(says("players = ['A', \"B\\nC\"]").starts_with("a name has no control characters"));
        assert!(says("colours = ['red', \"\\u001b[2J\"]").starts_with("a colour has no control characters"));
        assert!(says("deck = \"a\\nb\"").starts_with("a deck has no control characters"));
        assert!(says("[wall_tiles]\nx = 4").starts_with("`x` is not the lower space"));
    }
}
