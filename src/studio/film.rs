//! A filmed game: its script played before a camera, frame by frame.

use image::{Rgb, RgbImage};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::arrangement::PrintedSet;
use super::darkroom::Darkroom;
use super::heeded;
use super::random_scene::{Board, Mood, random_hand};
use super::scene::{Hand, HeldThing, LaidTile, LooseTile, Marker, Scene, StandingFigure};
use super::screenplay::screenplay;
use super::script::{Act, Change, HandPass, Held, Script, Trouble};
use super::sensor::{Grain, sharpen, toned};
use super::sets::{random_deck, random_wall};
use super::space::V3;
use super::style::Style;
use super::suite::{Conditions, Entry};
use crate::record::{EventKind, Game, Header, RecordError, VERSION, play_eventful, play_random_with};
use crate::rules::castle::{Policy, random_wall_tiles};
use crate::rules::{self, Deck, Player, Wall};

/// How long the shutter is open, seconds.
const SHUTTER: f32 = 1.0 / 40.0;
/// How much of an arm is behind the wrist, tile sides (70 cm): its end is never in sight.
const ARM: f32 = 15.5;
/// The wall's height above the table, tile sides.
const WALL_HEIGHT: f32 = 0.07;
/// The room that a camera leaves for being knocked against: times as far away.
const STEPS_BACK: f32 = 1.06;
/// How far past the board a camera looks that looks away, tile sides.
const LOOKS_AWAY: f32 = 22.0;
/// So many tiles lie on the table when its owner looks whether they are burnt out.
const LOOKED_AT: usize = 3;
/// A camera that is turned so fast smears the picture, px for a degree of a frame's turn.
const SMEAR_PX: f32 = 14.0;

/// What is not made up: the house set, and the faces of the classic deck.
#[derive(Clone, Debug)]
pub struct House {
    /// The house set's wall.
    pub wall: Wall,
    /// The house set's deck.
    pub deck: Deck,
    /// The classic deck, with the sets that the game has.
    pub classic: Deck,
}

/// A game that is filmed.
pub struct Film {
    /// What happens.
    pub script: Script,
    /// What is truly played, with the film's times.
    pub truth: Game,
    /// The pictures of deck and wall.
    pub set: PrintedSet,
    /// The wall, in games that have one.
    pub wall: Option<Wall>,
    /// The deck.
    pub deck: Deck,
    /// The players' colours, sRGB.
    pub colours: Vec<[u8; 3]>,
    size: (u32, u32),
}

/// A frame of a film.
#[derive(Clone, Debug)]
pub struct FilmFrame {
    /// Seconds since the film began.
    pub t: f64,
    /// What the camera gives.
    pub picture: RgbImage,
    /// Whether it shows anything that the frame before did not: more than noise.
    pub changed: bool,
    /// Whether a hand is over the table.
    pub hand: bool,
}

impl Film {
    /// Makes up the game of an entry and writes its script. `colours` are the players', sRGB,
    /// in the entry's order; with `turns` only so many are played.
    ///
    /// # Errors
    /// [`RecordError`] when no game can be made.
    pub fn new(
        entry: &Entry,
        house: &House,
        colours: &[[u8; 3]],
        size: (u32, u32),
        turns: Option<usize>,
    ) -> Result<Film, RecordError> {
        let (wall, deck) = match (entry.game, entry.unseen) {
            (rules::Game::Castle, true) => (Some(random_wall(entry.wall)), random_deck(entry.deck)),
            (rules::Game::Castle, false) => (Some(house.wall.clone()), house.deck.clone()),
            (rules::Game::Classic, _) => (None, house.classic.clone()),
        };
        let style = if entry.unseen { Style::random(entry.deck) } else { Style::house() };
        let set = PrintedSet::draw(wall.as_ref(), &deck, &style, WALL_HEIGHT);
        let header = header(entry, wall.as_ref(), &deck);
        let start = Game::new(header.clone(), wall.as_ref(), &deck)?;
        let policy = if entry.seed % 3 == 2 { Policy::Random } else { Policy::Greedy };
        let whole = if start.position().named_places().is_empty() {
            play_random_with(header, wall.as_ref(), &deck, entry.seed, policy)?
        } else {
            play_eventful(header, wall.as_ref(), &deck, entry.seed, usize::MAX)?
        };
        let mut facts: Vec<EventKind> = whole.facts().into_iter().map(|(_, kind)| kind).collect();
        let ends = |k: &EventKind| matches!(k, EventKind::TurnEnded { .. });
        let mut cut = false;
        if let Some(turns) = turns {
            let mut ended = 0;
            let keep = facts.iter().position(|k| {
                ended += usize::from(ends(k));
                ended >= turns
            });
            if let Some(keep) = keep.filter(|k| k + 1 < facts.len()) {
                facts.truncate(keep + 1);
                cut = true;
            }
        }
        let (script, truth) = screenplay(entry, start, &facts, &set, colours, !cut)?;
        Ok(Film { script, truth, set, wall, deck, colours: colours.to_vec(), size })
    }

    /// Sets up the camera before the first frame.
    pub fn projector(&self) -> Projector<'_> {
        Projector::new(self)
    }
}

/// Who plays with what.
fn header(entry: &Entry, wall: Option<&Wall>, deck: &Deck) -> Header {
    let mut rng = Pcg64Mcg::seed_from_u64(entry.seed);
    let names = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn"];
    Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: entry.game,
        deck: deck.name.clone(),
        wall: wall.map(|w| w.name.clone()),
        edition: None,
        players: names.iter().take(entry.colours.len()).map(|n| (*n).to_owned()).collect(),
        colours: entry.colours.clone(),
        neutral: None,
        starts: Player((entry.seed % entry.colours.len() as u64) as u8),
        wall_tiles: wall.map(|w| random_wall_tiles(&w.towers, &mut rng)).unwrap_or_default(),
    }
}

/// Gives the frames of a film, in order.
pub struct Projector<'a> {
    film: &'a Film,
    scene: Scene,
    darkroom: Darkroom,
    grain: Grain,
    /// How many of the acts are done.
    done: usize,
    /// The scene of the frame before, and its light toned and sharpened.
    before: Option<(Scene, Vec<V3>)>,
    hands: Vec<Hand>,
}

impl Projector<'_> {
    fn new(film: &Film) -> Projector<'_> {
        let entry = &film.script.entry;
        let mut board = film.set.board(film.truth.position(), &film.colours, entry.seed);
        board.room.clone_from(&film.script.room);
        let wall_tiles = {
            let all: Vec<u8> = film.wall.iter().flat_map(|w| w.towers.iter().map(|t| t.0)).collect();
            film.set.on_towers(&all)
        };
        let board = Board { tiles: Vec::new(), figures: Vec::new(), totals: Vec::new(), ..board };
        let mood = match entry.conditions {
            Conditions::Calm => Mood::Calm,
            Conditions::Usual => Mood::Usual,
        };
        let mut scene = Scene::random(&board, mood, film.size, entry.seed);
        scene.hand = None;
        scene.wall_tiles = wall_tiles;
        scene.camera.distance *= STEPS_BACK;
        // What shakes in a single photo stands still in a film.
        scene.sensor.motion = (0.0, 0.0);
        scene.sensor.exposure += heeded::stops(&scene, &film.first_tiles(LOOKED_AT));
        let grain = Grain::new(film.size, scene.sensor.sharpen, entry.seed);
        let hands =
            (0..film.colours.len() as u64).map(|p| random_hand(&board, entry.seed ^ p << 40)).collect();
        Projector { film, scene, darkroom: Darkroom::default(), grain, done: 0, before: None, hands }
    }

    /// The frame of a number, counted from 0. Frames must be asked for in order; some may
    /// be left out.
    pub fn frame(&mut self, number: usize) -> FilmFrame {
        let script = &self.film.script;
        let t = number as f64 / script.rate;
        while let Some(act) = script.acts.get(self.done).filter(|a| a.t <= t) {
            self.perform(act);
            self.done += 1;
        }
        let mut scene = self.scene.clone();
        let dark = self.disturb(&mut scene, t);
        let pass = script.hand(t);
        let smear = pass.map_or((0.0, 0.0), |pass| self.reach_in(&mut scene, pass, t));
        let seed = script.entry.seed ^ (number as u64) << 20;
        if let Some(dark) = dark {
            let changed = self.before.take().is_some();
            return FilmFrame { t, picture: self.dark(&scene, dark, seed), changed, hand: pass.is_some() };
        }
        let moving = scene.hand.is_some();
        let same = !moving
            && self.before.as_ref().is_some_and(|(before, _)| {
                before.hand.is_none() && before.same_picture(&scene) && before.sensor == scene.sensor
            });
        if !same {
            let light = self.darkroom.light(&scene, smear);
            let mut light = toned(light, scene.camera.size, &scene.sensor);
            sharpen(&mut light, scene.camera.size, scene.sensor.sharpen);
            self.before = Some((scene.clone(), light));
        }
        let toned = self.before.as_ref().map_or(&[][..], |(_, light)| light);
        let picture = self.grain.over(toned, &scene.sensor, seed);
        FilmFrame { t, picture, changed: !same, hand: pass.is_some() }
    }

    fn perform(&mut self, act: &Act) {
        let scene = &mut self.scene;
        match act.change.clone() {
            Change::Tile { cell, tile, rotation, shift, turn } => {
                let laid = LaidTile { id: tile, cell, rotation, shift, turn };
                match scene.tiles.iter_mut().find(|t| t.cell == cell) {
                    Some(there) => *there = laid,
                    None => scene.tiles.push(laid),
                }
            }
            Change::NoTile(cell) => scene.tiles.retain(|t| t.cell != cell),
            Change::Figure(f) => scene.figures.push(StandingFigure {
                figure: f.figure,
                player: f.player,
                cell: f.cell,
                segment: f.segment,
                place: f.place,
                lying: f.lying,
                turn: f.turn,
            }),
            Change::NoFigure { player, cell, figure, place } => {
                let away = |f: &StandingFigure| (f.place.0 - place.0).hypot(f.place.1 - place.1);
                let own = |f: &StandingFigure| (f.player, f.cell, f.figure) == (player, cell, figure);
                let all = scene.figures.iter().enumerate().filter(|(_, f)| own(f));
                let gone = all.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map(|(i, _)| i);
                gone.map(|i| scene.figures.remove(i));
            }
            Change::Marker { player, total, shift, turn } => {
                scene.markers.retain(|m| m.player != player);
                let (space, lying) = ((total % 100) as u8, total / 100 % 2 == 1);
                scene.markers.push(Marker { player, space, lying, turn, shift });
            }
            Change::NoWallTile(space) => scene.wall_tiles.retain(|t| t.0 != space),
            Change::Beside { tile, place, turn } => scene.loose.push(LooseTile { id: tile, place, turn }),
            Change::NotBeside(tile) => scene.loose.retain(|t| t.id != tile),
        }
    }

    /// What camera and light make of a scene; what blinds the camera.
    fn disturb(&self, scene: &mut Scene, t: f64) -> Option<Trouble> {
        let mut dark = None;
        let frame = 1.0 / self.film.script.rate;
        for spell in self.film.script.troubles(t) {
            match &spell.what {
                Trouble::Moved { azimuth, target, roll, distance, during } => {
                    let share = (((t - spell.from) / during) as f32).clamp(0.0, 1.0);
                    scene.camera.azimuth += azimuth * share;
                    scene.camera.roll += roll * share;
                    scene.camera.target.0 += target.0 * share;
                    scene.camera.target.1 += target.1 * share;
                    scene.camera.distance *= 1.0 + (distance - 1.0) * share;
                    if share < 1.0 {
                        let a_frame = azimuth.abs() * (frame / during).min(1.0) as f32;
                        scene.sensor.motion = ((a_frame * SMEAR_PX * SHUTTER * 4.0).clamp(4.0, 30.0), 10.0);
                    }
                }
                Trouble::Away(direction) => {
                    let (s, c) = direction.to_radians().sin_cos();
                    scene.camera.target.0 += LOOKS_AWAY * s;
                    scene.camera.target.1 += LOOKS_AWAY * c;
                }
                Trouble::Lamp { place, kelvin, ambient } => {
                    scene.light.lamp = *place;
                    scene.light.kelvin = *kelvin;
                    scene.light.ambient = *ambient;
                }
                Trouble::Dim { stops, noise } => {
                    scene.sensor.exposure += stops;
                    scene.sensor.noise *= noise;
                }
                Trouble::Drift { stops, period } => {
                    /// Exposure goes in steps of so many stops.
                    const STEP: f32 = 0.05;
                    let wave = (t / period * std::f64::consts::TAU).sin() as f32 * stops;
                    scene.sensor.exposure += (wave / STEP).round() * STEP;
                }
                Trouble::Black | Trouble::Covered => dark = Some(spell.what.clone()),
            }
        }
        dark
    }

    /// Puts a hand into a scene; how far it moves while the shutter is open, px.
    fn reach_in(&self, scene: &mut Scene, pass: &HandPass, t: f64) -> (f32, f32) {
        let Some((at, speed)) = pass.at(t) else { return (0.0, 0.0) };
        let Some(usual) = self.hands.get(pass.player as usize % self.hands.len().max(1)) else {
            return (0.0, 0.0);
        };
        let (s, c) = pass.from.to_radians().sin_cos();
        scene.hand =
            Some(Hand { tip: at.tip, from: pass.from, height: at.height, curl: 0.75, arm: ARM, ..*usual });
        // Between thumb and fingers, towards where the hand reaches.
        let held_at = (at.tip.0 - s * super::screenplay::GRIP, at.tip.1 - c * super::screenplay::GRIP);
        let hold = pass.holds.iter().find(|h| h.from <= t && t < h.to);
        scene.held = hold.map(|hold| match &hold.what {
            Held::Tile(id, turn) => {
                let tile = LooseTile { id: id.clone(), place: held_at, turn: *turn };
                HeldThing::Tile(tile, at.height + scene.tile_thickness)
            }
            Held::Follower(player) => {
                HeldThing::Follower { player: *player, place: held_at, height: at.height }
            }
        });
        let here = scene.camera.project((at.tip.0, at.tip.1, at.height + 0.4));
        let there = (at.tip.0 + speed.0 * SHUTTER, at.tip.1 + speed.1 * SHUTTER, at.height + 0.4);
        match (here, scene.camera.project(there)) {
            (Some(a), Some(b)) => (b.0 - a.0, b.1 - a.1),
            _ => (0.0, 0.0),
        }
    }

    /// What a camera gives that sees nothing.
    fn dark(&self, scene: &Scene, why: Trouble, seed: u64) -> RgbImage {
        let (w, h) = scene.camera.size;
        if why == Trouble::Black {
            return RgbImage::new(w, h);
        }
        // A finger over the lens: what comes through is dark and red, lighter to one side.
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        RgbImage::from_fn(w, h, |x, y| {
            let side = (x as f32 / w as f32 + 0.4 * y as f32 / h as f32) / 1.4;
            let noise = rng.random_range(-3.0..3.0_f32);
            let shade = |k: f32| (k * (0.3 + side) + noise).clamp(0.0, 255.0) as u8;
            Rgb([shade(58.0), shade(22.0), shade(15.0)])
        })
    }
}

impl Film {
    /// The first tiles that are laid, as they lie.
    fn first_tiles(&self, count: usize) -> Vec<LaidTile> {
        let laid = self.script.acts.iter().filter_map(|act| match act.change.clone() {
            Change::Tile { cell, tile, rotation, shift, turn } => {
                Some(LaidTile { id: tile, cell, rotation, shift, turn })
            }
            _ => None,
        });
        laid.take(count).collect()
    }

    /// Which game is filmed.
    pub fn game(&self) -> rules::Game {
        self.script.entry.game
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::rules::Cell;
    use crate::studio::PieceKind;
    use crate::studio::hazard::Hazard;
    use crate::studio::suite::{SUITE_SEEDS, castle_entry, classic_entry, module_entry};

    /// The tiles on a table, and how they are turned.
    type Tiles = BTreeMap<Cell, (String, rules::Rotation)>;
    /// A figure that was left: whose, its cell, whether it is a keep, and where in the cell in
    /// hundredths.
    type Left = (u8, Cell, bool, [i16; 2]);

    fn house() -> House {
        House {
            wall: crate::library::wall("house").unwrap(),
            deck: crate::library::deck("house").unwrap().deck,
            classic: crate::library::deck("classic").unwrap().deck,
        }
    }

    fn filmed(entry: &Entry, turns: Option<usize>) -> Film {
        let colours = [[190, 36, 36], [30, 84, 170], [240, 200, 30], [40, 130, 60], [38, 36, 36]];
        let classic = rules::classic::deck_name(entry.sets.iter().map(String::as_str));
        let house = House { classic: crate::library::deck(&classic).unwrap().deck, ..house() };
        Film::new(entry, &house, &colours[..entry.colours.len()], (320, 180), turns).unwrap()
    }

    /// What lies on the table before it is packed up.
    fn left_lying(script: &Script) -> (Tiles, BTreeSet<Left>) {
        let (mut tiles, mut figures) = (BTreeMap::new(), BTreeSet::new());
        let hundredths = |(x, y): (f32, f32)| [x, y].map(|v| (v * 100.0).round() as i16);
        for act in script.acts.iter().filter(|a| a.t < script.packed_up) {
            match act.change.clone() {
                Change::Tile { cell, tile, rotation, .. } => _ = tiles.insert(cell, (tile, rotation)),
                Change::NoTile(cell) => _ = tiles.remove(&cell),
                Change::Figure(f) => {
                    assert!(
                        figures.insert((f.player, f.cell, f.figure == PieceKind::Keep, hundredths(f.place))),
                        "{f:?} stood already"
                    );
                }
                Change::NoFigure { player, cell, figure, place } => {
                    let there = figures.remove(&(player, cell, figure == PieceKind::Keep, hundredths(place)));
                    assert!(there, "no {figure:?} of {player} in {cell:?}");
                }
                _ => {}
            }
        }
        (tiles, figures)
    }

    #[test]
    fn a_script_ends_as_the_game_does_and_every_hazard_of_its_entry_is_met() {
        let entries = [
            Entry { unseen: false, hazards: Hazard::ALL.to_vec(), ..castle_entry(1, SUITE_SEEDS) },
            Entry { unseen: false, ..classic_entry(1, SUITE_SEEDS) },
            // Builders and pigs come together with their tiles, too.
            module_entry(2, SUITE_SEEDS),
            // Followers come from the quarters of the city and go there, and the count moves.
            module_entry(12, SUITE_SEEDS),
        ];
        for entry in entries {
            let film = filmed(&entry, None);
            let (tiles, figures) = left_lying(&film.script);
            let position = film.truth.position();
            let laid: BTreeMap<Cell, (String, rules::Rotation)> = position
                .cells()
                .into_iter()
                .filter_map(|cell| {
                    position.tile_at(cell).map(|(t, r)| (cell, (film.deck.tiles[t].id.clone(), r)))
                })
                .collect();
            assert_eq!(tiles, laid, "{}", entry.name);
            // Who is in a place with a name stands on any tile round it.
            let places = position.named_places();
            let is_in_place = |cell: &Cell| places.iter().any(|place| place.at.cell == *cell);
            let followers = position.followers();
            let inside = followers.iter().filter(|f| is_in_place(&f.cell)).count();
            let outside = followers.iter().filter(|f| !is_in_place(&f.cell));
            let outside: BTreeSet<(u8, Cell)> = outside.map(|f| (f.player.0, f.cell)).collect();
            let standing: Vec<(u8, Cell)> = figures.iter().filter(|f| !f.2).map(|f| (f.0, f.1)).collect();
            let on_segments: BTreeSet<(u8, Cell)> =
                standing.iter().copied().filter(|f| outside.contains(f)).collect();
            assert_eq!(on_segments, outside, "{}", entry.name);
            let others = standing.iter().filter(|f| !outside.contains(f)).count();
            let neutral = usize::from(position.neutral().is_some());
            assert_eq!(others, inside + neutral, "{}: {standing:?}", entry.name);
            let met: BTreeSet<Hazard> = film.script.turns.iter().flat_map(|t| t.hazards.clone()).collect();
            for hazard in &entry.hazards {
                assert!(met.contains(hazard), "{}: {hazard:?} is not met", entry.name);
            }
            for pair in film.script.hands.windows(2) {
                assert!(pair[0].span().1 <= pair[1].span().0 + 1e-6, "two hands at {:?}", pair[1].span());
            }
            for turn in &film.script.turns {
                let blind = |t: f64| film.script.troubles(t + 0.01).any(|s| s.what.blinds());
                assert!(turn.tile.is_none_or(|t| !blind(t)) && turn.follower.is_none_or(|t| !blind(t)));
            }
            let text = serde_json::to_string(&film.script).unwrap();
            assert_eq!(serde_json::from_str::<Script>(&text).unwrap(), film.script);
        }
    }

    #[test]
    fn the_exposure_is_turned_down_until_prints_are_not_burnt_out() {
        let film = filmed(&Entry { unseen: false, ..classic_entry(1, SUITE_SEEDS) }, Some(2));
        let tiles = film.first_tiles(LOOKED_AT);
        let mut scene = film.projector().scene;
        let printed = |of: &Scene, by: u8| {
            let pictures =
                of.pictures.keys().map(|id| (id.clone(), RgbImage::from_pixel(64, 64, Rgb([by; 3]))));
            Scene { pictures: std::sync::Arc::new(pictures.collect()), ..of.clone() }
        };
        assert_eq!(heeded::stops(&printed(&scene, 60), &tiles), 0.0);
        scene.sensor.exposure = 2.5;
        let down = heeded::stops(&printed(&scene, 250), &tiles);
        assert!(down < -0.3, "{down}");
        let mut after = printed(&scene, 250);
        after.sensor.exposure += down;
        assert_eq!(heeded::stops(&after, &tiles), 0.0);
    }

    #[test]
    fn the_same_seeds_give_the_same_frames_and_frames_may_be_left_out() {
        let entry = Entry { unseen: false, ..castle_entry(0, SUITE_SEEDS) };
        let film = filmed(&entry, Some(1));
        let hand = film.script.hands[0].span();
        let during = ((hand.0 + hand.1) / 2.0 * film.script.rate) as usize;
        let mut first = film.projector();
        let all: Vec<FilmFrame> = (0..=during).map(|n| first.frame(n)).collect();
        assert!(all[0].changed && !all[1].changed, "nothing happens at first");
        assert_ne!(all[0].picture, all[1].picture, "but for noise");
        assert!(all[during].hand && all[during].changed);
        assert_eq!(film.projector().frame(during).picture, all[during].picture);
    }
}
