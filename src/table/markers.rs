//! The players' markers as a witness: where they stand on the score track is compared with
//! the totals.

use super::steady::Patience;
use crate::observation::MarkerReading;
use crate::record::{EventKind, Game};
use crate::rules::{Player, Sentence, sentence};

/// When a marker that stands elsewhere says that something is wrong.
struct Settings {
    /// Least posterior of the space on which a marker is said to stand.
    sure: f32,
    /// The same where a doubt about something else would bring the total to that space. Of readings
    /// less sure than [`Settings::sure`] a third are wrong, but hardly ever by just what is in doubt.
    leans: f32,
    /// Largest posterior of the space that the record has, for it to be excluded. Higher
    /// says differences that are none: neighbours at the wall's corners lie close together.
    excluded: f32,
    /// Seconds that a marker has to stand on a space: people count along the track.
    stands: f64,
    /// Seconds after a score before a marker that has not moved is late: the follower goes
    /// home first, the hand comes back, and then the next player draws.
    late: f64,
}

const SETTINGS: Settings = Settings { sure: 0.9, leans: 0.5, excluded: 0.02, stands: 3.0, late: 12.0 };

/// A marker that stays where the record does not have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Elsewhere {
    pub player: Player,
    /// The track space on which it stands.
    pub stood: u8,
    /// The player's total in the record.
    pub total: u32,
    /// The space to which what is wrong would bring the total if it were mended: where the
    /// marker stands, less what was wrong before and is still open.
    pub would: u8,
    /// How many tiles had been laid when that was seen.
    pub turns: usize,
    /// How many of them had been laid when it was last seen where the record had it, or as
    /// far off as before.
    pub agreed: usize,
    /// Whether it rests there now, long enough to be gone by.
    pub rests: bool,
    /// Whether it is surely read there; otherwise it says nothing by itself.
    pub sure: bool,
}

/// A difference that is open: the first score that was counted wrong, or the next.
#[derive(Clone, Copy, Debug)]
struct Cause {
    /// How many spaces the marker stands beyond the record, round the track.
    beyond: u8,
    /// See [`Elsewhere::turns`].
    turns: usize,
    /// See [`Elsewhere::agreed`].
    agreed: usize,
}

impl Elsewhere {
    /// What is said of it.
    pub(super) fn sentence(&self, game: &Game) -> Sentence {
        let (name, belongs) = (game.names().of(self.player), space_of(self.total, game));
        if u32::from(belongs) == self.total {
            sentence!(
                "{}'s marker stands on {}, and the record has {} points; move the marker, or correct the turn \
                 that was counted wrong",
                name,
                self.stood,
                self.total
            )
        } else {
            sentence!(
                "{}'s marker stands on {}, and the record has {} points ({} on the track); move the marker, or \
                 correct the turn that was counted wrong",
                name,
                self.stood,
                self.total,
                belongs
            )
        }
    }
}

/// Where the markers stand, and since when.
#[derive(Debug, Default)]
pub(super) struct Markers(Vec<Marker>);

#[derive(Debug, Default)]
struct Marker {
    /// What was seen of it last, if anything, and whether it is seen now.
    reading: Option<MarkerReading>,
    seen: bool,
    /// In how many readings in a row it was on that space, and since when.
    count: u32,
    since: f64,
    /// The player's total when it was last looked at, since when, and how many tiles had
    /// been laid then.
    total: u32,
    total_since: f64,
    tiles: usize,
    /// The space on which it stood last, and whether it has moved since the total changed.
    stood: Option<u8>,
    moved: bool,
    /// Whether it has ever stood where the record had it, with more than no points: whose
    /// markers are not moved at all is asked once.
    agreed: bool,
    asked: bool,
    /// What is open, oldest first.
    open: Vec<Cause>,
    /// What was said of it last, while something is open.
    said: Option<Elsewhere>,
    /// How many tiles had been laid when nothing was wrong beyond what is open.
    right: usize,
}

impl Markers {
    /// Takes in where markers are seen at `t`, in seconds.
    pub(super) fn take(&mut self, seen: &[MarkerReading], game: &Game, t: f64, patience: &Patience) {
        tracing::trace!(t, ?seen, "markers");
        let tiles = tiles_laid(game);
        self.0.resize_with(game.players().count(), Marker::default);
        for (player, marker) in game.players().zip(&mut self.0) {
            let total = game.position().total(player);
            marker.follow(total, tiles, t);
            // A reading in which the marker is hidden tells nothing.
            let found = seen.iter().find(|m| m.player == player.0);
            marker.seen = found.is_some();
            let Some(reading) = found else { continue };
            match &marker.reading {
                Some(last) if last.space == reading.space => marker.count += 1,
                _ => (marker.count, marker.since) = (1, t),
            }
            marker.reading = Some(reading.clone());
            let stays = marker.count >= patience.readings && t - marker.since >= marker.patience(patience);
            if !stays || reading.confidence < SETTINGS.sure {
                continue;
            }
            if marker.stood.is_some_and(|stood| stood != reading.space) {
                marker.moved = true;
            }
            marker.stood = Some(reading.space);
            if total > 0 && reading.space == space_of(total, game) {
                marker.agreed = true;
            }
        }
    }

    /// The markers that have stayed where the record does not have them at `t`.
    pub(super) fn differences(&mut self, game: &Game, t: f64, patience: &Patience) -> Vec<Elsewhere> {
        let tiles = tiles_laid(game);
        let track = game.position().track();
        let space = |from: u8, back: u8| ((u32::from(from) + track - u32::from(back)) % track) as u8;
        let mut found = Vec::new();
        for (player, marker) in game.players().zip(&mut self.0) {
            marker.follow(game.position().total(player), tiles, t);
            let belongs = space_of(marker.total, game);
            let Some(reading) = &marker.reading else { continue };
            let rests = marker.stood == Some(reading.space);
            let seconds = if patience.readings <= 1 { 0.0 } else { patience.before_doubt };
            let stays = marker.seen && marker.count >= patience.readings && t - marker.since >= seconds;
            let leans = !rests
                && stays
                && marker.since > marker.total_since
                && reading.confidence >= SETTINGS.leans
                && reading.posterior(belongs) < SETTINGS.excluded;
            if leans {
                let others = marker.open.iter().rev().find(|cause| cause.turns < tiles);
                let would = space(reading.space, others.map_or(0, |cause| cause.beyond));
                found.extend((would != belongs).then_some(Elsewhere {
                    player,
                    stood: reading.space,
                    total: marker.total,
                    would,
                    turns: tiles,
                    agreed: marker.right,
                    rests: true,
                    sure: false,
                }));
            }
            let Some(stood) = marker.stood else { continue };
            let waited = t - marker.total_since >= SETTINGS.late.max(3.0 * patience.seconds);
            if stood == belongs || (rests && reading.posterior(belongs) >= SETTINGS.excluded) {
                // A total may come to where a marker was left, which has yet to be moved on.
                if !leans && (marker.moved || waited || marker.open.is_empty()) {
                    marker.open.clear();
                    marker.said = None;
                    if rests && marker.seen {
                        marker.right = tiles;
                    }
                }
                continue;
            }
            let late = waited && tiles > marker.tiles && (marker.agreed || !marker.asked);
            // While it is in somebody's hand, or has yet to follow the newest score, what was
            // said stands.
            if rests && marker.seen && (marker.moved || late) {
                marker.asked |= !marker.moved;
                let beyond = space(stood, belongs);
                match marker.open.iter().position(|cause| cause.beyond == beyond) {
                    Some(known) => {
                        marker.open.truncate(known + 1);
                        marker.right = tiles;
                    }
                    None => match marker.open.last_mut() {
                        // It was on its way.
                        Some(last) if last.turns == tiles => last.beyond = beyond,
                        _ => marker.open.push(Cause { beyond, turns: tiles, agreed: marker.right }),
                    },
                }
                let before = marker.open.iter().rev().nth(1).map_or(0, |cause| cause.beyond);
                let would = space(stood, before);
                marker.said = marker.open.last().map(|&Cause { turns, agreed, .. }| Elsewhere {
                    player,
                    stood,
                    total: marker.total,
                    would,
                    turns,
                    agreed,
                    rests: false,
                    sure: true,
                });
            }
            // What later turns brought since, the marker has yet to follow.
            let later = |said: &Elsewhere| match marker.tiles > said.turns {
                true => (marker.total + track - said.total % track) % track,
                false => 0,
            };
            found.extend(marker.said.map(|said| Elsewhere {
                would: ((u32::from(said.would) + later(&said)) % track) as u8,
                rests: rests && stays,
                ..said
            }));
        }
        found
    }

    /// Whether a player's marker is seen where its total belongs, at the game's end also
    /// where the final scoring brings it.
    pub(super) fn agrees(&self, player: Player, game: &Game) -> bool {
        let stood = self.0.get(player.index()).and_then(|m| m.stood);
        let position = game.position();
        let last = position.final_totals().get(player.index()).copied();
        let mut totals = [Some(position.total(player)), last].into_iter().flatten();
        stood.is_some_and(|stood| totals.any(|total| space_of(total, game) == stood))
    }
}

impl Marker {
    /// Takes in the player's total at `t`, in seconds, when so many tiles have been laid.
    fn follow(&mut self, total: u32, tiles: usize, t: f64) {
        if self.total != total {
            (self.total, self.total_since, self.tiles) = (total, t, tiles);
            self.moved = false;
        }
    }

    /// Seconds that it has to stay on a space.
    fn patience(&self, patience: &Patience) -> f64 {
        if patience.readings <= 1 { 0.0 } else { SETTINGS.stands }
    }
}

/// The track space on which a total belongs (CA-69).
pub(super) fn space_of(total: u32, game: &Game) -> u8 {
    (total % game.position().track()) as u8
}

fn tiles_laid(game: &Game) -> usize {
    game.events().iter().filter(|e| matches!(e.kind, EventKind::TilePlaced { .. })).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::record::{Source, play_random};
    use crate::rules::castle::Policy;

    /// Plays a game, a tile every 20 s, with the markers looked at twice a second where
    /// `stands` puts them by the number of tiles laid, the player and the totals before
    /// and after the newest tile, and the seconds since; gives the sentences as they come.
    fn said(stands: impl Fn(usize, u8, [u32; 2], f64) -> Option<u8>) -> (Game, Vec<String>) {
        let (game, told, _) = watched(30, stands);
        (game, told)
    }

    /// The same over so many turns, with what is open in the end.
    fn watched(
        turns: usize,
        stands: impl Fn(usize, u8, [u32; 2], f64) -> Option<u8>,
    ) -> (Game, Vec<String>, Vec<Elsewhere>) {
        let deck = library::deck("house").unwrap().deck;
        let wall = library::wall("house").unwrap();
        let played = play_random(&wall, &deck, 5, Policy::Greedy).unwrap();
        let mut game = Game::new(played.header().clone(), &wall, &deck).unwrap();
        let (mut markers, mut told, mut open) = (Markers::default(), Vec::new(), Vec::<Elsewhere>::new());
        let patience = Patience::live();
        for (turn, at) in played.turns().iter().take(turns).enumerate() {
            let totals =
                |game: &Game| -> Vec<u32> { game.players().map(|p| game.position().total(p)).collect() };
            let before = totals(&game);
            for (_, fact) in &at.facts {
                game.apply_anyway(fact.clone(), Source::Hand, 1.0, 0.0).unwrap();
            }
            let now = totals(&game);
            for look in 0..40 {
                let since = f64::from(look) * 0.5;
                let t = turn as f64 * 20.0 + since;
                let reading = |player: u8| {
                    let i = usize::from(player);
                    let space = stands(turn + 1, player, [before[i], now[i]], since)?;
                    Some(MarkerReading {
                        player,
                        space,
                        confidence: 0.97,
                        others: vec![((space + 1) % 100, 0.03)],
                    })
                };
                let seen: Vec<MarkerReading> = (0..2).filter_map(reading).collect();
                markers.take(&seen, &game, t, &patience);
                let now = markers.differences(&game, t, &patience);
                let known = |e: &Elsewhere| open.iter().any(|o| o.player == e.player);
                told.extend(now.iter().filter(|e| !known(e)).map(|e| e.sentence(&game).to_string()));
                open = now;
            }
        }
        (game, told, open)
    }

    fn space(total: u32) -> u8 {
        (total % 100) as u8
    }

    #[test]
    fn markers_that_follow_the_totals_are_let_be() {
        let (game, told) = said(|_, _, [before, now], since| {
            // They are counted along, space by space, from 6 s after the tile on.
            let steps = ((since - 6.0).max(0.0) / 0.5) as u32;
            Some(space((before + steps).min(now)))
        });
        assert!(game.players().any(|p| game.position().total(p) > 20));
        assert!(told.is_empty(), "{told:?}");
        let hidden = said(|_, _, _, _| None);
        assert!(hidden.1.is_empty(), "{:?}", hidden.1);
    }

    #[test]
    fn markers_that_go_further_than_the_record_are_said_once() {
        let (game, told) = said(|tiles, player, [_, now], _| {
            Some(space(now + if player == 0 && tiles >= 10 { 7 } else { 0 }))
        });
        let name = game.names().of(Player(0)).to_owned();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with(&format!("{name}'s marker stands on ")), "{told:?}");
        assert!(told[0].ends_with("move the marker, or correct the turn that was counted wrong"), "{told:?}");
    }

    #[test]
    fn a_second_score_that_is_wrong_is_looked_for_by_itself() {
        let wrong = |tiles| if tiles >= 20 { 7 } else { 3 * u32::from(tiles >= 10) };
        let (game, _, open) = watched(30, |tiles, player, [_, now], _| {
            Some(space(now + if player == 0 { wrong(tiles) } else { 0 }))
        });
        let total = game.position().total(Player(0));
        let [only] = open[..] else { panic!("{open:?}") };
        assert_eq!((only.player, only.stood, only.would), (Player(0), space(total + 7), space(total + 4)));
        assert!((10..=20).contains(&only.agreed) && only.turns >= 20, "{only:?}");
    }

    #[test]
    fn a_marker_that_moves_on_before_the_next_tile_was_on_its_way() {
        let (game, _, open) = watched(30, |tiles, player, [_, now], since| {
            let further = if tiles == 30 && since < 9.0 { 2 } else { 6 };
            Some(space(now + if player == 0 && tiles == 30 { further } else { 0 }))
        });
        let total = game.position().total(Player(0));
        let [only] = open[..] else { panic!("{open:?}") };
        assert_eq!((only.stood, only.would), (space(total + 6), space(total + 6)));
        assert!(only.rests && only.sure);
    }

    #[test]
    fn what_later_turns_bring_is_not_taken_for_what_was_missed() {
        let missed = |tiles: usize, player: u8| 3 * u32::from(player == 0 && tiles >= 10);
        let next = std::cell::Cell::new(None);
        watched(30, |tiles, player, [before, now], _| {
            if player == 0 && tiles > 12 && now > before && next.get().is_none() {
                next.set(Some(tiles));
            }
            None
        });
        let next = next.get().expect("somebody scores");
        // The marker has yet to follow the newest score when the game is looked at.
        let (game, _, open) = watched(next, |tiles, player, [before, now], _| {
            let counted = if player == 0 && tiles == next { before } else { now };
            Some(space(counted + missed(tiles, player)))
        });
        let [only] = open[..] else { panic!("{open:?}") };
        assert_eq!(only.would, space(game.position().total(Player(0)) + 3));
    }

    #[test]
    fn what_is_not_surely_read_is_a_hint_once_it_rests() {
        let deck = library::deck("house").unwrap().deck;
        let wall = library::wall("house").unwrap();
        let played = play_random(&wall, &deck, 5, Policy::Greedy).unwrap();
        let game = Game::new(played.header().clone(), &wall, &deck).unwrap();
        let (mut markers, patience) = (Markers::default(), Patience::live());
        let mut hints = Vec::new();
        for look in 0..20 {
            let t = f64::from(look) * 0.5;
            let space = if look < 2 { 0 } else { 4 };
            let reading = MarkerReading { player: 0, space, confidence: 0.7, others: vec![(5, 0.3)] };
            markers.take(&[reading], &game, t, &patience);
            hints.push(markers.differences(&game, t, &patience));
        }
        assert!(hints[9].is_empty(), "it may be on its way");
        let [hint] = hints[10][..] else { panic!("{:?}", hints[10]) };
        assert_eq!((hint.would, hint.sure, hint.rests), (4, false, true));
    }

    #[test]
    fn the_next_space_is_no_difference_while_it_is_not_excluded() {
        let (_, told) = said(|_, _, [_, now], _| Some(space(now + 99)));
        assert!(told.is_empty(), "{told:?}");
    }

    #[test]
    fn markers_that_nobody_moves_are_asked_for_once() {
        let (_, told) = said(|_, _, _, _| Some(0));
        assert_eq!(told.len(), 2, "{told:?}");
        let forgotten = said(|tiles, player, [before, now], _| {
            Some(space(if player == 0 && tiles >= 12 { before.min(20) } else { now }))
        });
        assert!(!forgotten.1.is_empty() && forgotten.1.len() <= 2, "{:?}", forgotten.1);
    }
}
