//! The end of a turn: what was completed is scored, followers go home.

use super::board::Place;
use super::position::{ClassicFeature, MOST_PLAYERS, Position, Standing};
use super::switches::Switches;
use crate::features::Node;
use crate::{Attribute, Kind, Phase, Player};

/// The most features that one tile completes: its own, and the cloisters round it.
const MOST_COMPLETED: usize = 32;

/// A completed feature that had followers on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// What it was when it was scored, followers still on it.
    pub feature: ClassicFeature,
    /// Tiles, each counted once; nine for a cloister.
    pub tiles: u32,
    /// Points for each tile and pennant.
    pub each: u32,
    pub(super) root: Node,
}

impl Scored {
    /// The points that each leader gets.
    pub fn points(&self) -> u32 {
        (self.tiles + u32::from(self.feature.attributes.count(Attribute::PENNANT))) * self.each
    }

    /// Who gets the points: all who are tied for most followers (BA-19).
    pub fn players(&self) -> Vec<Player> {
        self.feature.leaders().map(|p| Player(p as u8)).collect()
    }
}

/// What the end of a turn brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The turn that ended, from 1.
    pub turn: u32,
    /// Whose it was.
    pub player: Player,
    /// What was scored.
    pub scored: Vec<Scored>,
    /// Followers that went home, a player each.
    pub returned: [u8; MOST_PLAYERS],
    /// The game is over.
    pub over: bool,
    /// Followers that went home, with the feature they stood on.
    pub(super) home: Vec<(Standing, Node)>,
}

/// What a feature is worth when it is complete: how many tiles count, and the points for
/// each tile and pennant (BA-15 to BA-18).
pub(super) fn worth(feature: &ClassicFeature, switches: Switches) -> (u32, u32) {
    let tiles = feature.places.len();
    match feature.kind {
        Kind::CLOISTER => (9, 1),
        Kind::CITY if tiles == 2 && switches.tiny_city_scores_two => (tiles, 1),
        Kind::CITY => (tiles, 2),
        _ => (tiles, 1),
    }
}

impl Position {
    /// Ends the turn; the result is in `self.outcome`.
    pub(super) fn finish_turn(&mut self) {
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.turn = u32::from(self.state.turn);
        outcome.player = self.state.to_move;
        outcome.returned = [0; MOST_PLAYERS];
        outcome.scored.clear();
        outcome.home.clear();
        if self.state.phase == Phase::Follower {
            self.completed(&mut outcome.scored);
        }
        if !outcome.scored.is_empty() {
            let mut roots = [0; MOST_COMPLETED];
            let mut count = 0;
            for (root, scored) in roots.iter_mut().zip(&outcome.scored) {
                let points = scored.points();
                for player in scored.feature.leaders() {
                    self.state.totals[player] += points;
                }
                *root = scored.root;
                count += 1;
            }
            self.send_home(&roots[..count], &mut outcome.home);
            for (standing, _) in &outcome.home {
                outcome.returned[standing.player.index()] += 1;
            }
        }
        self.pass_on();
        self.state.phase = if self.tiles_left() == 0 { Phase::Over } else { Phase::Tile };
        outcome.over = self.state.phase == Phase::Over;
        self.outcome = outcome;
    }

    /// The completed features with followers on them, each once: roads and cities of the
    /// tile just laid, its cloister and those round it (BA-15 to BA-18).
    pub(super) fn completed(&self, scored: &mut Vec<Scored>) {
        let Some(last) = self.laid.len().checked_sub(1) else { return };
        let mut add = |node: Node| {
            let root = self.features.root(node);
            let feature = self.features.of(root);
            let scores = matches!(feature.kind, Kind::ROAD | Kind::CITY | Kind::CLOISTER);
            if feature.open == 0
                && scores
                && feature.is_claimed()
                && scored.len() < MOST_COMPLETED
                && scored.iter().all(|s| s.root != root)
            {
                let (tiles, each) = worth(feature, self.switches);
                scored.push(Scored { feature: *feature, tiles, each, root });
            }
        };
        self.nodes(last as Place).for_each(&mut add);
        self.cloisters_around(last as Place).for_each(&mut add);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Switches, base_deck};
    use super::*;
    use crate::{Cell, FigureKind, Move, Names};

    const BIG: FigureKind = FigureKind::BIG_FOLLOWER;

    fn start() -> Position {
        Position::new(&base_deck(), 2, Switches::default()).unwrap()
    }

    fn play(game: &mut Position, texts: &[&str]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for text in texts {
            let played = game.read_move(text).unwrap();
            assert_eq!(game.read_move(&game.write_move(&played)), Ok(played.clone()), "{text}");
            outcomes = game.play(&played).unwrap();
        }
        outcomes
    }

    #[test]
    fn a_big_follower_outweighs_a_follower() {
        let mut game = start().with_figures(BIG, 1);
        assert_eq!(game.figures(), [FigureKind::FOLLOWER, BIG]);
        play(&mut game, &["lay RFr B1", "highwayman", "end", "lay RFr B2"]);
        let claims = game.legal_moves(&[]);
        let with = |figure| {
            let theirs = |m: &&Move| matches!(m, Move::Claim { figure: f, .. } if *f == figure);
            claims.iter().filter(theirs).count()
        };
        assert!(with(BIG) == 3 && with(FigureKind::FOLLOWER) == 3);
        assert!(claims.iter().all(|m| game.illegalities(m).is_empty()));
        play(&mut game, &["big_follower highwayman"]);
        let ben = Player(1);
        assert_eq!((game.supply(ben), game.supply_of(ben, BIG)), (7, 0));
        let ours = game.followers();
        assert_eq!((ours[1].cell, ours[1].figure), (Cell::new(1, 1), BIG));
        // Both roads grow together, and are closed at both ends by cloisters.
        let last = ["end", "lay Rr C1", "end", "lay Rr C2 1", "end", "lay LR -A1 3", "end", "lay LR A2 3"];
        play(&mut game, &last);
        let names = Names::new(&["Ada".to_owned(), "Ben".to_owned()]);
        let why: Vec<String> = game.reasons(&names).into_iter().map(|r| r.sentence).collect();
        let majority = "Ada has 1 highwayman and Ben has 1 big follower on the road in ";
        assert!(
            why.iter().any(|s| s.starts_with(majority) && s.contains("all points go to Ben")),
            "{why:#?}"
        );
        let outcome = &play(&mut game, &["end"])[0];
        assert_eq!(game.explain(outcome, 0, &names).unwrap().players, [ben]);
        assert_eq!((game.total(Player(0)), game.total(ben)), (0, 7));
        assert_eq!((game.supply(Player(0)), game.supply_of(ben, BIG)), (7, 1));
        while game.undo() {}
        assert_eq!((game.supply_of(ben, BIG), game.total(ben)), (1, 0));
    }

    #[test]
    fn nobody_has_more_figures_than_there_is_room_for() {
        let game = start().with_figures(BIG, 2).with_figures(FigureKind::PIG, 9).with_figures(BIG, 1);
        let each = FigureKind::ALL.map(|figure| game.supply_of(Player(0), figure));
        assert_eq!(each, [7, 1, 0, 1]);
        assert_eq!(start().with_figures(FigureKind::FOLLOWER, 99).supply(Player(0)), 7);
    }

    #[test]
    fn a_figure_that_nobody_has_is_refused() {
        let mut game = start();
        play(&mut game, &["lay RFr B1"]);
        assert!(!game.legal_moves(&[]).iter().any(|m| matches!(m, Move::Claim { figure: BIG, .. })));
        let played = game.read_move("big_follower highwayman").unwrap();
        let refusal = game.play_anyway(&played).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "this game is played without a big follower; name a follower (BA-03)"
        );
        // The only one of its kind stands on a tile already.
        let mut game = start().with_figures(BIG, 1);
        play(&mut game, &["lay RFr B1", "big_follower highwayman", "end", "lay RFr B2", "end", "lay RFr C1"]);
        let played = game.read_move("big_follower farmer C1 1").unwrap();
        assert!(
            game.play_anyway(&played).unwrap_err().to_string().starts_with("the player has no big follower")
        );
    }
}
