//! Wall tiles that lie face up on the table as a witness: which number one has that was taken
//! from the wall and that nobody has named.

use std::collections::BTreeMap;

use super::steady::Patience;
use crate::observation::WallTileReading;
use crate::record::{EventKind, Game, Source};
use crate::rules::Player;

/// When a wall tile that is seen names one that was taken.
struct Settings {
    /// Least confidence of its reading. Right ones of the two fronts of the house set that are
    /// most alike have 0.3 and more.
    sure: f32,
    /// Seconds that it has to lie there in a film: it is turned over and moved first.
    lies: f64,
    /// Readings nearer than this are of one wall tile, tile sides: less than its own side,
    /// more than registration errs.
    same_place: f32,
    /// Places that are remembered, the newest.
    remembered: usize,
}

const SETTINGS: Settings = Settings { sure: 0.25, lies: 3.0, same_place: 0.3, remembered: 60 };

/// The number of a wall tile that was taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Named {
    /// The lower track space of its tower.
    pub tower: u8,
    /// Its number of 2003.
    pub number: u8,
    pub confidence: f32,
}

/// The wall tiles that were seen face up, and the ones that were taken and have no number.
#[derive(Debug, Default)]
pub(super) struct FaceUp {
    tiles: Vec<Lying>,
    /// The towers of the wall tiles without a number, each with the time from which on it can
    /// have come to lie on the table; `None` for those of which that is not known.
    open: BTreeMap<u8, Option<f64>>,
    /// How many events the record had when the first frame came.
    begun: Option<usize>,
    /// Since when the record has a wall tile on its tower again that the camera has named.
    back: BTreeMap<u64, f64>,
}

#[derive(Debug)]
struct Lying {
    number: u8,
    x: f32,
    y: f32,
    confidence: f32,
    /// When something was first read at its place.
    first: f64,
    /// For how many readings in a row, and since when, it has been seen.
    count: u32,
    since: f64,
    seen: bool,
}

impl FaceUp {
    /// Takes in which wall tiles are seen at `t`, in seconds.
    pub(super) fn take(&mut self, seen: &[WallTileReading], game: &Game, t: f64) {
        let begun = *self.begun.get_or_insert(game.events().len());
        let open = unnamed(game);
        self.open.retain(|tower, _| open.contains(tower));
        for tower in open {
            self.open.entry(tower).or_insert_with(|| since(game, tower, begun, t));
        }
        let near = |x: f32, y: f32| move |r: &WallTileReading| (r.x - x).hypot(r.y - y) < SETTINGS.same_place;
        for tile in &mut self.tiles {
            let near = near(tile.x, tile.y);
            match seen.iter().find(|r| r.number == tile.number && near(r)) {
                Some(reading) => {
                    if !tile.seen {
                        (tile.count, tile.since) = (0, t);
                    }
                    tile.count += 1;
                    tile.confidence = reading.confidence;
                    tile.seen = true;
                }
                None => tile.seen = false,
            }
        }
        for reading in seen {
            let here = near(reading.x, reading.y);
            let there = |l: &&Lying| here(&WallTileReading { x: l.x, y: l.y, ..reading.clone() });
            let known: Vec<&Lying> = self.tiles.iter().filter(there).collect();
            if known.iter().any(|l| l.number == reading.number) {
                continue;
            }
            let first = known.iter().map(|l| l.first).fold(t, f64::min);
            let WallTileReading { number, x, y, confidence } = *reading;
            self.tiles.push(Lying { number, x, y, confidence, first, count: 1, since: t, seen: true });
        }
        let more = self.tiles.len().saturating_sub(SETTINGS.remembered);
        self.tiles.drain(..more);
    }

    /// The wall tiles that were taken and whose numbers are now seen, where only one reading of
    /// them is possible.
    pub(super) fn named(&self, game: &Game, t: f64, patience: &Patience) -> Vec<Named> {
        let Some(since) = self.open.values().copied().collect::<Option<Vec<f64>>>() else {
            return Vec::new();
        };
        if since.is_empty() {
            return Vec::new();
        }
        let since = since.into_iter().fold(f64::MIN, f64::max);
        let new: Vec<&Lying> = self.tiles.iter().filter(|l| l.seen && l.first >= since).collect();
        // What lies there only now may be another.
        if new.is_empty() || new.iter().any(|l| !l.is_steady(t, patience)) {
            return Vec::new();
        }
        let count = |is: &dyn Fn(&Lying) -> bool| self.tiles.iter().filter(|l| is(l)).count();
        let mut left: Vec<(u8, usize, f32)> = Vec::new();
        for tile in &new {
            if left.iter().any(|l| l.0 == tile.number) {
                continue;
            }
            let Some(number) = number_of(game, tile.number) else { return Vec::new() };
            let before = count(&|l| l.number == tile.number && l.first < since);
            let now = count(&|l| l.number == tile.number && l.seen);
            let fresh = new.iter().filter(|l| l.number == tile.number).count();
            let free = fresh.min(now.saturating_sub(before.max(held(game, number))));
            let confidence = new.iter().filter(|l| l.number == tile.number).map(|l| l.confidence);
            left.push((tile.number, free, confidence.fold(1.0, f32::min)));
        }
        left.retain(|l| l.1 > 0);
        match left[..] {
            [(printed, free, confidence)] if free == self.open.len() => {
                let Some(number) = number_of(game, printed) else { return Vec::new() };
                let free_to_name = |tower: &&u8| !is_left_open(game, **tower);
                let towers = self.open.keys().filter(free_to_name);
                towers.map(|tower| Named { tower: *tower, number, confidence }).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The facts by which the camera named wall tiles that the record has on their towers again
    /// since a while: a correction took the pickup back.
    pub(super) fn taken_back(&mut self, game: &Game, t: f64, patience: &Patience) -> Vec<u64> {
        let on_wall = game.position().prizes_on_track();
        let by_camera = |seq: u64| game.events().iter().any(|e| e.seq == seq && e.source == Source::Camera);
        let facts = game.facts();
        let back = facts.iter().filter_map(|(seq, kind)| match kind {
            EventKind::WallTileShown { tower, number } if on_wall.contains(&(*tower, Some(*number))) => {
                by_camera(*seq).then_some(*seq)
            }
            _ => None,
        });
        let back: Vec<u64> = back.collect();
        self.back.retain(|seq, _| back.contains(seq));
        for seq in back {
            self.back.entry(seq).or_insert(t);
        }
        let waited = |since: &f64| t - since >= patience.before_doubt;
        self.back.iter().filter(|(_, since)| waited(since)).map(|(seq, _)| *seq).collect()
    }
}

impl Lying {
    /// Whether it has been seen for long enough, and surely.
    fn is_steady(&self, t: f64, patience: &Patience) -> bool {
        let lies = if patience.readings <= 1 { 0.0 } else { SETTINGS.lies };
        self.count >= patience.readings && t - self.since >= lies && self.confidence >= SETTINGS.sure
    }
}

/// The towers of the wall tiles that were taken and have no number.
fn unnamed(game: &Game) -> Vec<u8> {
    let of = |player: Player| game.position().prizes(player);
    game.players().flat_map(of).filter(|prize| prize.1.is_none()).map(|prize| prize.0).collect()
}

/// How many wall tiles with this number of 2003 the players have.
fn held(game: &Game, number: u8) -> usize {
    let of = |player: Player| game.position().prizes(player);
    game.players().flat_map(of).filter(|prize| prize.1 == Some(number)).count()
}

/// The number of 2003 of the wall tile on which this number is printed, where the edition says
/// it.
fn number_of(game: &Game, printed: u8) -> Option<u8> {
    let word = printed.to_string();
    (1..=9).find(|number| game.position().prize_word(*number) == word)
}

/// From when on a wall tile can have come to lie on the table: the tile of the turn in which it
/// was taken was laid then. A pickup that a correction brought began now; of one that is older
/// than the first frame nothing is known.
fn since(game: &Game, tower: u8, begun: usize, t: f64) -> Option<f64> {
    let is_pickup =
        |kind: &EventKind| matches!(kind, EventKind::WallTileTaken { tower: t, .. } if *t == tower);
    let events = game.events();
    match events.iter().rposition(|e| is_pickup(&e.kind)) {
        Some(at) if at < begun => None,
        Some(at) => {
            let laid = |e: &&crate::record::Event| matches!(e.kind, EventKind::TilePlaced { .. });
            events.iter().take(at).rev().find(laid).map(|e| e.t).or(Some(t))
        }
        None if events.len() == begun => None,
        None => Some(t),
    }
}

/// Whether a person has said that the wall tile of a tower has another number, or none, than
/// the camera read: it is not named again.
fn is_left_open(game: &Game, tower: u8) -> bool {
    let is_of_tower =
        |kind: &EventKind| matches!(kind, EventKind::WallTileShown { tower: t, .. } if *t == tower);
    let shown: Vec<u64> = game.events().iter().filter(|e| is_of_tower(&e.kind)).map(|e| e.seq).collect();
    game.events().iter().filter(|e| e.source == Source::Hand).any(|e| match &e.kind {
        EventKind::Correction { replaces, instead } => {
            shown.contains(replaces) || instead.as_deref().is_some_and(is_of_tower)
        }
        EventKind::Inserted { fact, .. } => is_of_tower(fact),
        kind => is_of_tower(kind),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::record::{Header, play_random};
    use crate::rules::castle::Policy;

    /// A game that is played a fact every 5 s before a camera.
    struct Table {
        game: Game,
        facts: std::vec::IntoIter<EventKind>,
        face_up: FaceUp,
        t: f64,
    }

    const PATIENCE: fn() -> Patience = Patience::live;

    impl Table {
        fn new(edition: Option<&str>) -> Table {
            let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
            let played = play_random(&wall, &deck, 5, Policy::Greedy).unwrap();
            let used = |kind: &EventKind| matches!(kind, EventKind::WallTileUsed { .. });
            let facts: Vec<EventKind> =
                played.facts().into_iter().map(|f| f.1).filter(|k| !used(k)).collect();
            let header = Header {
                wall_tiles: BTreeMap::new(),
                edition: edition.map(str::to_owned),
                ..played.header().clone()
            };
            let game = Game::new(header, &wall, &deck).unwrap();
            Table { game, facts: facts.into_iter(), face_up: FaceUp::default(), t: 0.0 }
        }

        fn enter(&mut self, kind: EventKind, source: Source) {
            self.game.apply_anyway(kind, source, 1.0, self.t).unwrap();
        }

        /// Plays until so many wall tiles without a number are held; their towers.
        fn until(&mut self, open: usize, seen: &[WallTileReading]) -> Vec<u8> {
            self.face_up.take(seen, &self.game, self.t);
            while unnamed(&self.game).len() < open {
                let fact = self.facts.next().unwrap();
                self.t += 5.0;
                self.enter(fact, Source::Hand);
                self.face_up.take(seen, &self.game, self.t);
                assert_eq!(self.face_up.named(&self.game, self.t, &PATIENCE()), []);
            }
            unnamed(&self.game)
        }

        /// What is named after so many seconds in which this is seen.
        fn look(&mut self, seen: &[WallTileReading], seconds: f64) -> Vec<(u8, u8)> {
            for _ in 0..=(seconds * 2.0) as u32 {
                self.t += 0.5;
                self.face_up.take(seen, &self.game, self.t);
            }
            let named = self.face_up.named(&self.game, self.t, &PATIENCE());
            named.iter().map(|n| (n.tower, n.number)).collect()
        }
    }

    fn at(number: u8, x: f32) -> WallTileReading {
        WallTileReading { number, x, y: -2.0, confidence: 0.8 }
    }

    #[test]
    fn a_wall_tile_that_comes_to_lie_face_up_names_the_one_that_was_taken() {
        let mut table = Table::new(None);
        let [tower] = table.until(1, &[])[..] else { panic!() };
        assert_eq!(table.look(&[at(4, 1.0)], 1.0), [], "it is still moved");
        assert_eq!(table.look(&[at(4, 1.0)], 4.0), [(tower, 4)]);
        assert_eq!(table.look(&[at(4, 1.0), at(6, 3.0)], 4.0), [], "one of two");
        assert_eq!(table.look(&[WallTileReading { confidence: 0.1, ..at(4, 1.0) }], 4.0), []);
        assert_eq!(table.look(&[], 4.0), []);
    }

    #[test]
    fn what_lay_there_before_is_not_the_one_that_was_taken() {
        let mut table = Table::new(None);
        let [tower] = table.until(1, &[at(4, 1.0)])[..] else { panic!() };
        assert_eq!(table.look(&[at(4, 1.0)], 5.0), []);
        assert_eq!(table.look(&[at(4, 2.5)], 5.0), [], "it was moved");
        assert_eq!(table.look(&[at(5, 1.1)], 5.0), [], "read otherwise in the same place");
        assert_eq!(table.look(&[at(4, 2.5), at(4, 5.0)], 5.0), [(tower, 4)], "another one");
    }

    #[test]
    fn of_two_that_were_taken_both_are_asked_for_until_one_is_known() {
        let mut table = Table::new(None);
        let [one, other] = table.until(2, &[])[..] else { panic!() };
        let both = [at(4, 1.0), at(6, 3.0)];
        assert_eq!(table.look(&both[..1], 5.0), []);
        assert_eq!(table.look(&both, 5.0), []);
        table.enter(EventKind::WallTileShown { tower: one, number: 4 }, Source::Hand);
        assert_eq!(table.look(&both, 5.0), [(other, 6)]);
        let alike = [at(4, 1.0), at(4, 3.0)];
        let mut table = Table::new(None);
        let towers = table.until(2, &[]);
        assert_eq!(table.look(&alike, 5.0), [(towers[0], 4), (towers[1], 4)]);
    }

    #[test]
    fn what_a_person_entered_or_took_back_stays() {
        let mut table = Table::new(None);
        let [tower] = table.until(1, &[])[..] else { panic!() };
        assert_eq!(table.look(&[at(4, 1.0)], 5.0), [(tower, 4)]);
        table.enter(EventKind::WallTileShown { tower, number: 4 }, Source::Camera);
        assert_eq!(table.look(&[at(4, 1.0)], 5.0), []);
        let shown = table.game.facts().last().unwrap().0;
        table.enter(EventKind::Correction { replaces: shown, instead: None }, Source::Hand);
        assert_eq!(unnamed(&table.game), [tower]);
        assert_eq!(table.look(&[at(4, 1.0)], 5.0), []);
        let mut table = Table::new(None);
        let [tower] = table.until(1, &[])[..] else { panic!() };
        table.enter(EventKind::WallTileShown { tower, number: 7 }, Source::Hand);
        assert_eq!(table.look(&[at(4, 1.0)], 5.0), []);
    }

    #[test]
    fn printed_numbers_are_told_by_the_edition() {
        let mut table = Table::new(Some("zamek-2020"));
        let [tower] = table.until(1, &[])[..] else { panic!() };
        assert_eq!(table.look(&[at(6, 1.0)], 5.0), [], "what it does is not known");
        assert_eq!(table.look(&[at(4, 3.0)], 5.0), [(tower, 7)]);
    }

    #[test]
    fn what_was_taken_before_the_first_frame_is_asked_for() {
        let mut table = Table::new(None);
        table.until(1, &[]);
        table.face_up = FaceUp::default();
        assert_eq!(table.look(&[at(4, 1.0)], 5.0), []);
    }

    #[test]
    fn a_number_goes_with_the_pickup_that_was_none() {
        let mut table = Table::new(None);
        let [tower] = table.until(1, &[])[..] else { panic!() };
        table.enter(EventKind::WallTileShown { tower, number: 4 }, Source::Camera);
        let shown = table.game.facts().last().unwrap().0;
        let back = |table: &mut Table| {
            table.t += 5.0;
            table.face_up.taken_back(&table.game, table.t, &PATIENCE())
        };
        assert!(back(&mut table).is_empty() && back(&mut table).is_empty());
        let ended = |f: &&(u64, EventKind)| matches!(f.1, EventKind::TurnEnded { .. });
        let facts = table.game.facts();
        let end = facts.iter().rev().find(ended).unwrap().0;
        table.enter(EventKind::Correction { replaces: end, instead: None }, Source::Hand);
        assert!(back(&mut table).is_empty());
        assert_eq!(back(&mut table), [shown]);
    }
}
