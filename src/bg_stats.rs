//! A played game as a link of BG Stats: whoever opens it on a phone with that app adds the game to
//! the plays that it keeps. The format is the app's own, "push plays" of its support pages.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use crate::archive::Archived;
use crate::rules::Game;

/// What takes the link: the app where it is installed, else a page that says how to get it.
const ADDRESS: &str = "https://app.bgstatsapp.com/createPlay.html?data=";

/// What is encoded: all but what `encodeURIComponent` leaves (ECMA-262), so that a code of the
/// link stays coarse enough to be scanned from a screen.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'!').remove(b'~').remove(b'*');

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Play {
    source_name: &'static str,
    source_play_id: String,
    play_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_min: Option<u32>,
    /// The sets that were played with.
    #[serde(skip_serializing_if = "String::is_empty")]
    board: String,
    game: Title,
    players: Vec<Player>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Title {
    name: &'static str,
    /// Its number at BoardGameGeek.
    bgg_id: u32,
    highest_wins: bool,
    no_points: bool,
    source_game_id: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Player {
    name: String,
    /// The app takes points as text.
    score: String,
    rank: usize,
    winner: bool,
    start_player: bool,
    /// The colour.
    role: String,
    source_player_id: String,
}

/// The link of a game that is over, `seconds` long; `None` while it is played.
pub fn link(game: &Archived, seconds: f64) -> Option<String> {
    if !game.over {
        return None;
    }
    let header = &game.header;
    let title = match header.game {
        Game::Castle => ("Carcassonne: The Castle", 7717),
        Game::Classic => ("Carcassonne", 822),
    };
    let total = |i: usize| game.totals.get(i).copied().unwrap_or(0);
    let player = |(i, name): (usize, &String)| Player {
        name: name.clone(),
        score: total(i).to_string(),
        rank: 1 + game.totals.iter().filter(|other| **other > total(i)).count(),
        winner: game.winners.contains(&i),
        start_player: header.starts.index() == i,
        role: header.colours.get(i).cloned().unwrap_or_default(),
        source_player_id: name.to_lowercase(),
    };
    let date = Timestamp::try_from(game.played).ok()?;
    let minutes = (seconds / 60.0).round();
    let sets: Vec<&str> = header.deck.split('+').skip(1).collect();
    let play = Play {
        source_name: "Castellan",
        source_play_id: game.file.file_stem()?.to_string_lossy().into_owned(),
        play_date: TimeZone::system().to_datetime(date).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        duration_min: (1.0..6000.0).contains(&minutes).then_some(minutes as u32),
        board: sets.join(", "),
        game: Title {
            name: title.0,
            bgg_id: title.1,
            highest_wins: true,
            no_points: false,
            source_game_id: header.game.name(),
        },
        players: header.players.iter().enumerate().map(player).collect(),
    };
    let text = serde_json::to_string(&play).ok()?;
    Some(format!("{ADDRESS}{}", utf8_percent_encode(&text, ENCODED)))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    use percent_encoding::percent_decode_str;
    use serde_json::Value;

    use super::*;
    use crate::record::Header;

    fn game(over: bool) -> Archived {
        let header = Header {
            format: "castellan".to_owned(),
            version: crate::record::VERSION,
            game: Game::Classic,
            deck: "classic+river+inns".to_owned(),
            wall: None,
            edition: None,
            players: ["Ada", "Bän & Söhne", "Cleo"].map(str::to_owned).to_vec(),
            colours: ["red", "blue", "green"].map(str::to_owned).to_vec(),
            neutral: None,
            starts: crate::rules::Player(1),
            wall_tiles: [].into(),
        };
        Archived {
            file: PathBuf::from("games/evening.jsonl"),
            title: None,
            played: SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000),
            header,
            totals: vec![71, 90, 71],
            categories: Vec::new(),
            turn: 72,
            tiles_left: 0,
            over,
            winners: vec![1],
        }
    }

    #[test]
    fn a_game_that_is_over_becomes_a_link_that_says_all_of_it() {
        let link = link(&game(true), 3725.0).unwrap();
        let data = link.strip_prefix(ADDRESS).unwrap();
        assert!(!data.contains(['"', '&', ' ', '+', '#']), "{data}");
        let play: Value = serde_json::from_str(&percent_decode_str(data).decode_utf8().unwrap()).unwrap();
        assert_eq!(play["game"]["bggId"], 822);
        assert_eq!(play["durationMin"], 62);
        assert_eq!(play["board"], "river, inns");
        assert_eq!(play["sourcePlayId"], "evening");
        let of = |i: usize, key: &str| play["players"][i][key].clone();
        assert_eq!((of(1, "name"), of(1, "score")), (Value::from("Bän & Söhne"), Value::from("90")));
        assert_eq!((of(1, "rank"), of(0, "rank"), of(2, "rank")), (1.into(), 2.into(), 2.into()));
        assert_eq!(
            (of(1, "winner"), of(0, "winner"), of(1, "startPlayer")),
            (true.into(), false.into(), true.into())
        );
    }

    #[test]
    fn a_game_that_goes_on_has_none() {
        assert_eq!(link(&game(false), 60.0), None);
    }
}
