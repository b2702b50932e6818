//! The end of a turn: what was completed is scored, followers go home.

use super::board::Place;
use super::module::{Stage, Worth};
use super::position::{ClassicFeature, MOST_PLAYERS, Position, Standing};
use crate::features::Node;
use crate::{Attribute, Cell, Kind, Phase, Player, Token};

/// The most features that one tile completes: its own, and the cloisters round it.
pub(super) const MOST_COMPLETED: usize = 32;

/// A completed feature that had followers on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// What it was when it was scored, followers still on it.
    pub feature: ClassicFeature,
    pub(super) worth: Worth,
    pub(super) root: Node,
}

impl Scored {
    /// Tiles, each counted once; nine for a cloister.
    pub fn tiles(&self) -> u32 {
        self.worth.tiles
    }

    /// Points for each tile and pennant.
    pub fn each(&self) -> u32 {
        self.worth.each
    }

    /// The points that each leader gets.
    pub fn points(&self) -> u32 {
        (self.worth.tiles + u32::from(self.feature.attributes.count(Attribute::PENNANT))) * self.worth.each
    }

    /// Who gets the points: all who are tied for most followers (BA-19).
    pub fn players(&self) -> Vec<Player> {
        self.feature.leaders().map(|p| Player(p as u8)).collect()
    }
}

/// Tokens or a card that a player took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Who.
    pub player: Player,
    /// What.
    pub token: Token,
    /// How many.
    pub count: u32,
    /// Who had it before; the player too, who keeps a card for something larger.
    pub from: Option<Player>,
    pub(super) cell: Cell,
    /// For what, before the name of the cell.
    pub(super) why: &'static str,
    pub(super) rule: &'static str,
}

/// Something that followed by a rule, besides points and tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Note {
    pub rule: &'static str,
    /// Whose name begins the sentence.
    pub player: Player,
    /// The rest of the sentence.
    pub words: &'static str,
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
    /// Tokens and cards that were taken.
    pub tokens: Vec<Taken>,
    /// Followers that went home, a player each.
    pub returned: [u8; MOST_PLAYERS],
    /// The game is over.
    pub over: bool,
    /// Followers that went home, with the feature they stood on.
    pub(super) home: Vec<(Standing, Node)>,
    pub(super) notes: Vec<Note>,
    /// Whether the turn was scored, or something noted, since the last move.
    pub(super) new: bool,
}

impl Outcome {
    /// Forgets what the move before brought.
    pub(super) fn clear(&mut self) {
        self.scored.clear();
        self.tokens.clear();
        self.home.clear();
        self.notes.clear();
        self.returned = [0; MOST_PLAYERS];
        self.over = false;
        self.new = false;
    }
}

impl Position {
    /// What a road, city or cloister is worth, completed or at the end (BA-15 to BA-18,
    /// BA-25 to BA-27).
    pub(super) fn worth(&self, feature: &ClassicFeature, complete: bool) -> Worth {
        let tiles = feature.places.len();
        let mut worth = match feature.kind {
            Kind::CLOISTER => Worth::new(9 - u32::from(feature.open.min(8)), 1),
            Kind::CITY if complete => {
                let tiny = tiles == 2 && self.switches.tiny_city_scores_two;
                Worth::new(tiles, if tiny { 1 } else { 2 })
            }
            _ => Worth::new(tiles, 1),
        };
        for module in self.modules() {
            module.worth(self, feature, complete, &mut worth);
        }
        worth
    }

    /// Ends the turn; the result is in `self.outcome`. A step of a module may come before
    /// that.
    pub(super) fn finish_turn(&mut self) {
        self.outcome.clear();
        self.state.gained = 0;
        self.state.stage = Stage::Scoring;
        self.go_on();
    }

    /// Goes on after the tile and the follower, or after a step, until the next step, the
    /// next tile or the end of the game.
    pub(super) fn go_on(&mut self) {
        loop {
            for (number, module) in self.stepping_modules(self.state.stage) {
                let open = self.state.stage == Stage::Final || self.laid_this_turn();
                if open && module.opens(self, self.state.stage) {
                    self.state.phase = Phase::Step;
                    self.state.stepper = number;
                    return;
                }
            }
            match self.state.stage {
                Stage::Scoring => {
                    self.score();
                    self.state.stage = Stage::Scored;
                }
                Stage::Scored => self.state.stage = Stage::End,
                Stage::End if self.tiles_left() == 0 && self.active != 0 => self.state.stage = Stage::Final,
                Stage::End => return self.next_turn(),
                Stage::Final => {
                    self.outcome.new = true;
                    return self.next_turn();
                }
            }
        }
    }

    /// Whether a tile lies for which the turn is ended.
    fn laid_this_turn(&self) -> bool {
        self.state.phase != Phase::Tile
    }

    /// Ends all steps without doing anything in them.
    pub(super) fn pass_all(&mut self) {
        while self.state.phase == Phase::Step {
            self.step(&crate::Move::Pass { player: self.state.actor });
        }
    }

    /// A move of the step that is open has been made.
    pub(super) fn step(&mut self, played: &crate::Move) {
        let Some((_, module)) = self.numbered_modules().find(|(number, _)| *number == self.state.stepper)
        else {
            return;
        };
        module.stepped(self, played);
        self.go_on();
    }

    fn next_turn(&mut self) {
        let again = self.state.phase != Phase::Tile
            && self.tiles_left() > 0
            && self.modules().any(|module| module.goes_on(self));
        if again {
            self.outcome.new = true;
            self.state.turn = self.state.turn.saturating_add(1);
            self.state.part = 1;
            self.state.claimed = false;
        } else {
            self.pass_on();
        }
        self.state.phase = if self.tiles_left() == 0 { Phase::Over } else { Phase::Tile };
        self.outcome.over = self.state.phase == Phase::Over;
    }

    /// Scores what was completed in this turn; the result is in `self.outcome`.
    fn score(&mut self) {
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.turn = u32::from(self.state.turn);
        outcome.player = self.state.to_move;
        outcome.new = true;
        if self.laid_this_turn() {
            let mut roots = [0; MOST_COMPLETED];
            let count = self.all_completed(&mut roots);
            let roots = &roots[..count];
            self.scored_of(roots, &mut outcome.scored);
            for scored in &outcome.scored {
                let points = scored.points();
                for player in scored.feature.leaders() {
                    self.state.totals[player] += points;
                    self.state.gained |= u8::from(points > 0) << player;
                }
            }
            if !roots.is_empty() {
                // Builders go home from what nobody claims, too.
                self.send_home(roots, &mut outcome.home);
                for module in self.modules() {
                    module.completed(self, roots, &mut outcome);
                }
            }
            for (standing, _) in &outcome.home {
                outcome.returned[standing.player.index()] += 1;
            }
        }
        self.outcome = outcome;
    }

    /// Those of completed features that have followers on them, with what they are worth
    /// (BA-15 to BA-18).
    fn scored_of(&self, roots: &[Node], scored: &mut Vec<Scored>) {
        for root in roots {
            let feature = self.features.of(*root);
            if feature.is_claimed() {
                scored.push(Scored { feature: *feature, worth: self.worth(feature, true), root: *root });
            }
        }
    }

    /// The completed features, claimed or not, each once: roads and cities of the tile just
    /// laid, its cloister and those round it; gives how many.
    pub(super) fn all_completed(&self, roots: &mut [Node; MOST_COMPLETED]) -> usize {
        let Some(last) = self.laid.len().checked_sub(1) else { return 0 };
        let mut count = 0;
        for node in self.nodes(last as Place).chain(self.cloisters_around(last as Place)) {
            let root = self.features.root(node);
            let feature = self.features.of(root);
            if feature.open == 0
                && scores(feature.kind)
                && !roots[..count].contains(&root)
                && count < roots.len()
            {
                roots[count] = root;
                count += 1;
            }
        }
        count
    }
}

/// Whether a kind of feature is scored when it is complete.
pub(super) fn scores(kind: Kind) -> bool {
    matches!(kind, Kind::ROAD | Kind::CITY | Kind::CLOISTER)
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
        let why: Vec<String> = game.reasons(&names).into_iter().map(|r| r.sentence.to_string()).collect();
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
