use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::{ArgGroup, Args};
use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use super::filmed;
use super::out::talk;
use super::outcome::Outcome;
use super::written::{make_folder, write, write_deck, write_set};
use crate::library;
use crate::picture::{self, Limits};
use crate::record::{Game, Log, play_random};
use crate::rules::castle::Policy;
use crate::rules::{Cell, Deck};
use crate::studio::{
    Board, Games, Hand, Moment, Mood, Pieces, PrintedSet, Scene, StandingWall, Style, Truth, draw_wall,
    loose_scene, moments, photograph, random_deck, random_hand, random_position, random_wall, set_up,
};
use crate::table::{colour, known_colour};

/// Photographs games in the studio, with the truth beside each picture.
///
/// With a RECORD: frames 0001.jpg, 0002.jpg, … of the recorded game, the truth
/// of each in 0001.json, …, and frames.jsonl with the time of each. Without:
/// single photos of random boards, each in a folder of its own with the deck,
/// references and wall that it is read with, or photos of empty walls.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("decks").args(["boards", "games", "classic", "modules"]).multiple(true)))]
pub struct Render {
    /// The record of a game.
    #[arg(
        required_unless_present_any = ["boards", "walls", "random_game", "games", "classic", "modules"],
        conflicts_with_all = ["boards", "walls", "unseen", "games", "classic", "modules"]
    )]
    record: Option<PathBuf>,
    /// Make up a game of the house set and film it; its record is written beside
    /// the frames, as game.jsonl.
    #[arg(long, conflicts_with_all = ["record", "boards", "walls", "unseen"])]
    random_game: bool,
    /// Film so many whole games of The Castle, each in a folder of its own: the first of
    /// the recorded-game suite with --unseen and no --seed.
    #[arg(long, value_name = "N", conflicts_with_all = ["record", "boards", "walls", "random_game"])]
    games: Option<u64>,
    /// Film so many classic games, too.
    #[arg(long, value_name = "M", conflicts_with_all = ["record", "boards", "walls", "random_game"])]
    classic: Option<u64>,
    /// Film so many classic games with modules, too.
    #[arg(long, value_name = "N", conflicts_with_all = ["record", "boards", "walls", "random_game"])]
    modules: Option<u64>,
    /// Of these films only these, by their numbers: those of The Castle from 1, the classic ones
    /// after them, those with modules last.
    #[arg(long, value_name = "K", value_delimiter = ',')]
    only: Vec<usize>,
    /// Of these films only the frames between these seconds, and those of the first two.
    #[arg(long, value_name = "FROM-TO", value_parser = between)]
    between: Option<(f64, f64)>,
    /// How many single photos of random boards to take.
    #[arg(long)]
    boards: Option<usize>,
    /// With --boards or films: also photograph each wall before the first tile was laid, as
    /// empty.jpg, of a film in its folder set-up.
    #[arg(long, requires = "decks")]
    empty: bool,
    /// How many empty walls to photograph.
    #[arg(long, conflicts_with = "boards")]
    walls: Option<usize>,
    /// With --walls: photos of each.
    #[arg(long, default_value_t = 1, requires = "walls")]
    shots: u32,
    /// Boards and walls of decks, walls and art made up for each, not of the house set.
    #[arg(long)]
    unseen: bool,
    /// With --boards: the camera looks aside, so that half of the wall is out of the
    /// picture.
    #[arg(long, requires = "boards")]
    aside: bool,
    /// With --boards: followers and keeps of a make, size and paint made up for each.
    #[arg(long, requires = "boards")]
    pieces: bool,
    /// With --pieces: paints that are a little off what their words usually mean; the words
    /// stand in the truth.
    #[arg(long, requires = "pieces")]
    paints: bool,
    /// With --boards: also photograph each wall with nothing in it but a follower that
    /// stands, one that lies and the keep of each player, as pieces.jpg with its truth.
    #[arg(long, requires = "boards")]
    set_up: bool,
    /// With --boards: the colours of the players' figures, as words.
    #[arg(long, requires = "boards", value_delimiter = ',', value_name = "C,D")]
    colours: Vec<String>,
    /// With --boards or films: also photograph each deck laid out loosely, 6 to 12 tiles a
    /// photo, as for an enrolment: loose/01.jpg, … with the truth of each, of a film in its
    /// folder set-up.
    #[arg(long, requires = "decks")]
    loose: bool,
    /// So many tiles of a loosely laid deck are photographed twice.
    #[arg(long, requires = "loose", default_value_t = 0)]
    twice: usize,
    /// The folder to write to.
    #[arg(long)]
    out: PathBuf,
    /// Everything random follows from this number: 1, and for films the suite's.
    #[arg(long)]
    seed: Option<u64>,
    /// How hard the conditions are.
    #[arg(long, value_enum, default_value = "usual")]
    mood: Mood,
    /// Picture size.
    #[arg(long, default_value = "1280x720", value_parser = size)]
    size: (u32, u32),
    /// JPEG quality of the files.
    #[arg(long, default_value_t = 92, value_parser = clap::value_parser!(u8).range(1..=100))]
    quality: u8,
    /// Most moments of a turn that are shown: 1 only its end, 2 also the tile
    /// laid, 3 also the follower put on it.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=3))]
    frames_per_turn: u8,
    /// How often each moment is photographed.
    #[arg(long, default_value_t = 1)]
    hold: u32,
    /// The share of moments before which a hand is over the board.
    #[arg(long, default_value_t = 0.5, value_parser = share)]
    hands: f64,
    /// Someone knocks against the camera in the middle of the game.
    #[arg(long)]
    bump: bool,
    /// Stop after so many turns.
    #[arg(long)]
    turns: Option<u32>,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let (w, h) = text.split_once('x').ok_or("write the size as 1280x720")?;
    let side = |t: &str| t.parse::<u32>().ok().filter(|n| (160..=8000).contains(n));
    match (side(w), side(h)) {
        (Some(w), Some(h)) => Ok((w, h)),
        _ => Err("each side must be 160 to 8000 pixels".to_owned()),
    }
}

fn between(text: &str) -> Result<(f64, f64), String> {
    let seconds = text.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    seconds.filter(|(from, to)| from < to).ok_or_else(|| "write the seconds as 60-80".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|n| (0.0..=1.0).contains(n));
    share.ok_or_else(|| "write a number from 0 to 1".to_owned())
}

/// Colours of two players' figures that can be told apart.
const COLOURS: [[&str; 2]; 6] = [
    ["red", "blue"],
    ["black", "white"],
    ["yellow", "green"],
    ["blue", "yellow"],
    ["purple", "white"],
    ["orange", "black"],
];

fn known(word: &str) -> anyhow::Result<[u8; 3]> {
    known_colour(word)
        .with_context(|| format!("`{word}` is no colour that is known; write blue or yellow, say"))
}

/// A paint that people would call by the same word: as light or dark as another maker's, and
/// a little off in hue.
fn mixed(colour: [u8; 3], rng: &mut Pcg64Mcg) -> [u8; 3] {
    let lightness: f32 = rng.random_range(-0.3..0.3);
    colour.map(|v| {
        let gain = (lightness + rng.random_range(-0.18..0.18_f32)).exp();
        (f32::from(v) * gain + rng.random_range(0.0..12.0)).round().clamp(0.0, 255.0) as u8
    })
}

/// A line of `frames.jsonl`.
#[derive(Serialize)]
struct FrameLine {
    frame: String,
    t: f64,
    /// The last event whose outcome is on the table.
    seq: u64,
    hand: bool,
}

impl Render {
    fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    pub fn run(self) -> anyhow::Result<Outcome> {
        if self.games.is_some() || self.classic.is_some() || self.modules.is_some() {
            let games = Games {
                castle: self.games.unwrap_or(0),
                classic: self.classic.unwrap_or(0),
                modules: self.modules.unwrap_or(0),
            };
            let entries = filmed::entries(games, self.seed, self.unseen);
            let wanted = |n: usize| self.only.is_empty() || self.only.contains(&(n + 1));
            for (_, entry) in entries.into_iter().enumerate().filter(|(n, _)| wanted(*n)) {
                let film = filmed::film(&entry, self.size, self.turns.map(|n| n as usize))?;
                let folder = self.out.join(entry.name.replace(' ', "-"));
                filmed::write_film(&film, &folder, self.quality, self.between)?;
                let mut rng = Pcg64Mcg::seed_from_u64(!self.seed());
                let set_up = folder.join("set-up");
                if self.empty && film.set.wall.is_some() {
                    make_folder(&set_up)?;
                    let board = Board { wall: film.set.wall.clone(), ..Board::default() };
                    self.shoot_empty(&board, &set_up.join("empty"), &mut rng)?;
                }
                if self.loose {
                    make_folder(&set_up)?;
                    self.loose(&set_up, &film.set, &mut rng)?;
                }
                talk!("{}", folder.display());
            }
            return Ok(Outcome::Done);
        }
        if let Some(record) = &self.record {
            self.film(Log::open(record)?)?;
            return Ok(Outcome::Done);
        }
        if self.random_game {
            let (wall, deck) = (library::wall("house")?, library::deck("house")?.deck);
            let game = play_random(&wall, &deck, self.seed(), Policy::Greedy)?;
            make_folder(&self.out)?;
            write(&self.out.join("game.jsonl"), &game.to_log())?;
            self.film(Log::read(&game.to_log())?)?;
            return Ok(Outcome::Done);
        }
        for i in 0..self.boards.unwrap_or_default() {
            let folder = self.out.join(format!("{:03}", i + 1));
            let seed = self.seed().wrapping_mul(1_000_003).wrapping_add(i as u64);
            self.board(&folder, seed)?;
            talk!("{}", folder.display());
        }
        for i in 0..self.walls.unwrap_or_default() {
            let folder = self.out.join(format!("{:03}", i + 1));
            self.wall(&folder, self.seed().wrapping_mul(1_000_003).wrapping_add(i as u64))?;
            talk!("{}", folder.display());
        }
        Ok(Outcome::Done)
    }

    fn film(&self, log: Log) -> anyhow::Result<()> {
        let deck = library::deck(&log.header.deck)?;
        let wall = log.header.wall.as_deref().map(library::wall).transpose()?;
        let colours: Vec<[u8; 3]> = log.header.colours.iter().map(|c| colour(c)).collect();
        let game = Game::replay(log.header, log.events, wall.as_ref(), &deck.deck)?;
        let mut set = PrintedSet::draw(wall.as_ref(), &deck.deck, &Style::house(), 0.06);
        if let Some(folder) = &deck.references {
            set = set.with_pictures(read_references(folder, &deck.deck)?);
        }
        make_folder(&self.out)?;
        let mut reel = Reel {
            options: self,
            rng: Pcg64Mcg::seed_from_u64(self.seed()),
            frames: 0,
            lines: String::new(),
            last: Board::default(),
            turn: 0,
            in_turn: 0,
            middle: deck.deck.len() as u32 / 2,
        };
        moments(&game, (wall.as_ref(), &deck.deck), &set, &colours, self.seed(), |moment| reel.take(moment))?;
        write(&self.out.join("frames.jsonl"), &reel.lines)
    }

    fn board(&self, folder: &Path, seed: u64) -> anyhow::Result<()> {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (wall, deck, style) = if self.unseen {
            (random_wall(rng.random()), random_deck(rng.random()), Style::random(rng.random()))
        } else {
            (library::wall("house")?, library::deck("house")?.deck, Style::house())
        };
        let flat = rng.random_bool(0.6);
        let height = if flat { rng.random_range(0.04..0.08) } else { rng.random_range(0.08..0.2) };
        let set = PrintedSet::draw(&wall, &deck, &style, height);
        let position = random_position(&wall, &deck, rng.random_range(20..=60), rng.random())?;
        let made_up = COLOURS[rng.random_range(0..COLOURS.len())].map(str::to_owned);
        let words = match self.colours.as_slice() {
            [] => made_up.to_vec(),
            [_] => anyhow::bail!("name the colours of both players, as `--colours blue,yellow`"),
            words => words.to_vec(),
        };
        let mut colours = words.iter().map(|word| known(word)).collect::<anyhow::Result<Vec<_>>>()?;
        if self.paints {
            let mut rng = Pcg64Mcg::seed_from_u64(!seed ^ 0x7061_696e);
            colours.iter_mut().for_each(|colour| *colour = mixed(*colour, &mut rng));
        }
        let mut board = set.board(&position, &colours, rng.random());
        if self.pieces {
            board.pieces = Pieces::random(!seed);
        }
        let mut scene = Scene::random(&board, self.mood, self.size, rng.random());
        if self.aside {
            let corner = |cell: Cell| (f32::from(cell.col), f32::from(cell.row), 0.0);
            let places: Vec<(f32, f32, f32)> = wall.cells().into_iter().map(corner).collect();
            scene.camera = scene.camera.aside(&places, rng.random_range(0.0..360.0), 0.5);
        }
        let (picture, mut truth) = photograph(&scene, rng.random());
        if self.paints {
            truth.words.clone_from(&words);
        }
        make_folder(folder)?;
        self.save(&picture, &truth, &folder.join("photo"))?;
        std::fs::rename(folder.join("photo.json"), folder.join("truth.json"))
            .context("the truth cannot be written")?;
        if self.empty {
            let board = Board { wall: set.wall.clone(), ..Board::default() };
            self.shoot_empty(&board, &folder.join("empty"), &mut Pcg64Mcg::seed_from_u64(!seed))?;
        }
        if self.set_up {
            let mut rng = Pcg64Mcg::seed_from_u64(!seed ^ 0x7365_7475);
            self.shoot_empty(&set_up(&board, rng.random()), &folder.join("pieces"), &mut rng)?;
        }
        write_set(folder, &set, Some(&wall), &deck, &mut rng)?;
        if self.loose { self.loose(folder, &set, &mut rng) } else { Ok(()) }
    }

    fn loose(&self, folder: &Path, set: &PrintedSet, rng: &mut Pcg64Mcg) -> anyhow::Result<()> {
        let folder = folder.join("loose");
        make_folder(&folder)?;
        let mut ids: Vec<String> = set.pictures.keys().cloned().collect();
        ids.shuffle(rng);
        let again: Vec<String> = ids.iter().take(self.twice).cloned().collect();
        ids.extend(again);
        let (mut rest, mut number) = (ids.as_slice(), 0);
        while !rest.is_empty() {
            let count = match rest.len() {
                n @ ..=12 => n,
                n => rng.random_range(6..=12).min(n - 6),
            };
            let (now, later) = rest.split_at(count);
            (rest, number) = (later, number + 1);
            let scene = loose_scene(&set.pictures, now, self.mood, self.size, rng.random());
            let (picture, truth) = photograph(&scene, rng.random());
            self.save(&picture, &truth, &folder.join(format!("{number:02}")))?;
        }
        Ok(())
    }

    /// Photos of an empty wall: photo.jpg with truth.json, then photo-2.jpg with
    /// photo-2.json and so on; and a deck of the same style.
    fn wall(&self, folder: &Path, seed: u64) -> anyhow::Result<()> {
        const PX_PER_TILE: u32 = 192;
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (wall, style) = if self.unseen {
            (random_wall(rng.random()), Style::random(rng.random()))
        } else {
            (library::wall("house")?, Style::house())
        };
        let flat = rng.random_bool(0.6);
        let height = if flat { rng.random_range(0.04..0.08) } else { rng.random_range(0.08..0.2) };
        let drawn = draw_wall(&wall, &style, PX_PER_TILE);
        let standing = StandingWall {
            wall: wall.clone(),
            picture: drawn.image,
            px_per_tile: PX_PER_TILE as f32,
            origin_px: drawn.origin_px,
            height,
        };
        let board = Board { wall: Some(Arc::new(standing)), ..Board::default() };
        make_folder(folder)?;
        write(&folder.join("wall.toml"), &wall.to_toml())?;
        self.shoot_empty(&board, &folder.join("photo"), &mut rng)?;
        std::fs::rename(folder.join("photo.json"), folder.join("truth.json"))
            .context("the truth cannot be written")?;
        for shot in 2..=self.shots {
            self.shoot_empty(&board, &folder.join(format!("photo-{shot}")), &mut rng)?;
        }
        let deck = if self.unseen { random_deck(rng.random()) } else { library::deck("house")?.deck };
        let set = PrintedSet::draw(&wall, &deck, &style, height);
        write_deck(folder, &set, &deck, &mut rng)
    }

    fn shoot_empty(&self, board: &Board, stem: &Path, rng: &mut Pcg64Mcg) -> anyhow::Result<()> {
        let mut scene = Scene::random(board, self.mood, self.size, rng.random());
        scene.hand = None;
        let (picture, truth) = photograph(&scene, rng.random());
        self.save(&picture, &truth, stem)
    }

    fn save(&self, picture: &RgbImage, truth: &Truth, stem: &Path) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, self.quality).encode_image(picture)?;
        let path = stem.with_extension("jpg");
        std::fs::write(&path, bytes).with_context(|| format!("cannot be written: {}", path.display()))?;
        write(&stem.with_extension("json"), &serde_json::to_string(truth)?)
    }
}

/// Takes the frames of a game one after another.
struct Reel<'a> {
    options: &'a Render,
    rng: Pcg64Mcg,
    frames: u32,
    lines: String,
    last: Board,
    turn: u32,
    in_turn: u8,
    middle: u32,
}

impl Reel<'_> {
    fn take(&mut self, moment: Moment) -> anyhow::Result<()> {
        let options = self.options;
        if options.turns.is_some_and(|n| self.turn >= n) {
            return Ok(());
        }
        let ends = moment.turn_ends;
        self.in_turn += u8::from(moment.seq != 0);
        let shown = moment.seq == 0 || ends || self.in_turn < options.frames_per_turn;
        if shown && (moment.seq == 0 || !moment.board.same_things(&self.last)) {
            if let Some(cell) = moment.about
                && self.rng.random_bool(options.hands)
            {
                let hand = Hand {
                    tip: (f32::from(cell.col) + 0.5, f32::from(cell.row) + 0.5),
                    ..random_hand(&self.last, options.seed() ^ u64::from(self.turn))
                };
                let before = self.last.clone();
                self.shoot(&before, Some(hand), moment.t - 0.5, moment.seq.saturating_sub(1))?;
            }
            for i in 0..options.hold.max(1) {
                self.shoot(&moment.board, None, moment.t + 0.25 * f64::from(i), moment.seq)?;
            }
            self.last = moment.board;
        }
        if ends {
            self.turn += 1;
            self.in_turn = 0;
        }
        Ok(())
    }

    fn shoot(&mut self, board: &Board, hand: Option<Hand>, t: f64, seq: u64) -> anyhow::Result<()> {
        let options = self.options;
        let mut scene = Scene::random(board, options.mood, options.size, options.seed());
        scene.hand = hand;
        let mut shake = || self.rng.random_range(-0.004..0.004_f32);
        scene.camera.target.0 += shake();
        scene.camera.target.1 += shake();
        scene.camera.roll += 8.0 * shake();
        if options.bump && self.turn >= self.middle {
            scene.camera.target.0 += 0.35;
            scene.camera.azimuth += 2.5;
            scene.camera.roll -= 1.0;
        }
        let (picture, truth) = photograph(&scene, options.seed() ^ u64::from(self.frames) << 32);
        self.frames += 1;
        let name = format!("{:04}", self.frames);
        options.save(&picture, &truth, &options.out.join(&name))?;
        let line = FrameLine { frame: format!("{name}.jpg"), t, seq, hand: truth.hand };
        self.lines.push_str(&serde_json::to_string(&line)?);
        self.lines.push('\n');
        Ok(())
    }
}

/// The upright pictures of an enrolled deck.
fn read_references(folder: &Path, deck: &Deck) -> anyhow::Result<BTreeMap<String, RgbImage>> {
    deck.tiles
        .iter()
        .map(|tile| {
            let path = folder.join(format!("{}.png", tile.id));
            let picture = picture::open(&path, &Limits::TILE).map_err(|e| {
                anyhow::anyhow!("the reference picture cannot be read, {e}: {}", path.display())
            })?;
            Ok((tile.id.clone(), picture))
        })
        .collect()
}
