//! The Castle as every game is offered.

use std::any::Any;

use super::board::TRACK;
use super::reasons::Accountant;
use super::{Edition, Outcome, Position, final_reasons};
use crate::game_position::as_the_position_does;
use crate::moves::named;
use crate::{
    Attribute, Cell, Consequence, EditionNotes, Game, GamePosition, Happened, Kind, Largest, Move, Names,
    Phase, Player, Reason, Refusal, Role, Score, SegmentAt, Sentence, Setup, SetupFault, Unreadable,
    sentence,
};

/// Begins a game of The Castle.
///
/// # Errors
/// [`SetupFault`] when the wall and the deck cannot be played with, the edition is not
/// known, or others than two play (CA-01).
pub fn begin(setup: &Setup) -> Result<(Box<dyn GamePosition>, EditionNotes), SetupFault> {
    if setup.players != 2 {
        return Err(SetupFault(sentence!("The Castle is for two players, not {}; name two", setup.players)));
    }
    if setup.starts.index() > 1 {
        return Err(SetupFault(sentence!("the first player must be 0 or 1")));
    }
    let edition = Edition::named(setup.edition.unwrap_or(Edition::default_name()));
    let edition = edition.map_err(|e| SetupFault(Sentence::from(&e)))?;
    let no_wall = || SetupFault(sentence!("The Castle is played inside a wall; name one"));
    let wall = setup.wall.ok_or_else(no_wall)?;
    let position = Position::new(wall, setup.deck).map_err(|e| SetupFault(Sentence::from(&e)))?;
    let position = position.in_edition(&edition).starting(setup.starts);
    position.check_wall_tiles(setup.prizes).map_err(|e| SetupFault(Sentence::from(&e)))?;
    let position = position.with_wall_tiles(setup.prizes);
    let notes =
        EditionNotes { notes: edition.notes(), departures: edition.departures.clone(), title: edition.title };
    Ok((Box::new(position), notes))
}

impl GamePosition for Position {
    fn game(&self) -> Game {
        Game::Castle
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn GamePosition> {
        Box::new(self.clone())
    }

    fn players(&self) -> usize {
        2
    }

    fn next_player(&self) -> Player {
        if self.state.extra > 0 { self.state.to_move } else { self.state.to_move.opponent() }
    }

    fn final_totals(&self) -> Vec<u32> {
        self.final_totals().to_vec()
    }

    fn track(&self) -> u32 {
        TRACK
    }

    fn cells(&self) -> Vec<Cell> {
        self.cells().to_vec()
    }

    fn legal_moves(&self, drawn: &[usize]) -> Vec<Move> {
        self.legal_moves(drawn)
    }

    fn play(&mut self, played: &Move) -> Result<(), Refusal> {
        self.play(played).map(drop)
    }

    fn happen(&mut self, played: &Move, names: &Names) -> Result<Happened, Refusal> {
        let (outcomes, broken) = self.play_anyway(played).map_err(|refusal| refusal.named(names))?;
        let mut brought = Vec::new();
        for outcome in &outcomes {
            self.tell(outcome, names, &mut brought);
        }
        brought.extend(self.open_questions(names).into_iter().map(Consequence::Unclear));
        Ok((brought, named(broken, names)))
    }

    fn read_move(&self, text: &str) -> Result<Move, Unreadable> {
        self.read_move(text).map_err(|e| Unreadable(Sentence::from(&e)))
    }

    fn categories(&self) -> Vec<&'static str> {
        vec!["path", "tower", "house", "keep", "court", "wall tiles"]
    }

    fn category<'a>(&self, score: &'a Score) -> &'a str {
        if score.category.starts_with("wall tile") { "wall tiles" } else { &score.category }
    }

    fn reasons(&self, scores: &[Score], brought: &[Consequence], names: &Names) -> Vec<Reason> {
        Accountant { names, laid: self }.reasons(scores, brought)
    }

    fn final_reasons(&self, finals: &[Score], names: &Names) -> Vec<Reason> {
        final_reasons::of(self, finals, names)
    }

    fn attribute_word(&self, attribute: Attribute) -> String {
        self.words().attribute(attribute).to_owned()
    }

    fn kind_word(&self, kind: Kind) -> String {
        self.words().kind(kind).to_owned()
    }

    fn role_word(&self, role: Role) -> String {
        self.words().role(role).to_owned()
    }

    fn largest_word(&self) -> String {
        self.words().keep.clone()
    }

    fn prize_word(&self, number: u8) -> String {
        self.words().wall_tile(number)
    }

    fn largest(&self, player: Player) -> Option<Largest> {
        self.keep(player).map(|keep| Largest { size: keep.size, cell: keep.cell })
    }

    fn prizes(&self, player: Player) -> Vec<(u8, Option<u8>)> {
        self.wall_tiles(player)
    }

    fn prizes_on_track(&self) -> Vec<(u8, Option<u8>)> {
        self.wall_tiles_on_wall()
    }

    fn open_questions(&self, names: &Names) -> Vec<String> {
        if self.phase() == Phase::Over { self.unknown_wall_tiles(names) } else { Vec::new() }
    }

    as_the_position_does!();
}

impl Position {
    /// What the end of a turn brought, in the order in which it happened.
    fn tell(&self, outcome: &Outcome, names: &Names, brought: &mut Vec<Consequence>) {
        for (index, scored) in outcome.scored.iter().enumerate() {
            brought.extend(self.explain(outcome, index, names).map(Consequence::Scored));
            if let Some(player) = scored.player {
                let step = scored.points() / scored.moves;
                let moves = (0..scored.moves).map(|i| scored.from + i * step);
                brought.extend(moves.map(|from| Consequence::Moved { player, from, to: from + step }));
            }
            for pickup in outcome.pickups.iter().filter(|p| p.after == index) {
                let (player, from, number) = (pickup.player, pickup.tower, pickup.number);
                brought.push(Consequence::Taken { player, from, number });
            }
            if let (Some(player), Some(keep)) = (scored.player, scored.keep) {
                brought.push(Consequence::Largest(player, Largest { size: keep.size, cell: keep.cell }));
            }
        }
        if outcome.order_open {
            brought.push(Consequence::Unclear(format!(
                "the order in which the features of turn {} are scored decides who takes which wall tile; \
                 the order best for {} was taken",
                outcome.turn,
                names.of(outcome.player)
            )));
        }
        if outcome.returned != [0, 0] {
            brought.push(Consequence::Returned(outcome.returned.iter().map(|n| u32::from(*n)).collect()));
        }
    }

    /// Who holds wall tiles that the final scoring does not know.
    fn unknown_wall_tiles(&self, names: &Names) -> Vec<String> {
        let unknown = |player: Player| {
            let n = self.wall_tiles(player).iter().filter(|t| t.1.is_none()).count();
            let tiles = if n == 1 { "1 wall tile".to_owned() } else { format!("{n} wall tiles") };
            (n > 0).then(|| {
                format!(
                    "{} holds {tiles} whose number nobody has said; say it for the final scoring",
                    names.of(player)
                )
            })
        };
        [Player(0), Player(1)].into_iter().filter_map(unknown).collect()
    }

    /// Every legal move with these tiles drawn, by index in the deck; with none, every
    /// tile left may be. Orders of scoring are among them where they lead to different
    /// wall tiles; moves that end the game early, and the naming of wall tiles that lie
    /// face down, are not.
    pub fn legal_moves(&self, drawn: &[usize]) -> Vec<Move> {
        let player = self.state.to_move;
        let mut moves = Vec::new();
        match self.state.phase {
            Phase::Tile => {
                let every: Vec<usize> = (0..self.tiles()).collect();
                let drawn = if drawn.is_empty() { every } else { drawn.to_vec() };
                for tile in drawn.into_iter().filter(|tile| self.remaining(*tile) > 0) {
                    let lays = self.placements(tile).into_iter();
                    moves.extend(lays.map(|placement| Move::Lay { player, placement }));
                    if !self.has_placement(tile) {
                        moves.push(Move::Discard { player, tile });
                    }
                }
            }
            Phase::Follower => {
                if let Some(cell) = self.last_cell() {
                    let at = |segment| SegmentAt { cell, segment };
                    let claims = self.claims().into_iter();
                    moves.extend(claims.map(|(segment, _)| Move::follower(player, at(segment))));
                }
                let orders = self.order_options().into_iter();
                moves.extend(orders.map(|o| Move::Order { player, features: o.order }));
                moves.push(Move::End { player });
            }
            Phase::Step | Phase::Over => {}
        }
        for player in [Player(0), Player(1)] {
            let mut numbers: Vec<u8> = self.wall_tiles(player).iter().filter_map(|t| t.1).collect();
            numbers.sort_unstable();
            numbers.dedup();
            let uses = numbers.into_iter().map(|number| Move::Use { player, number, on: None });
            moves.extend(uses.filter(|played| self.illegalities(played).is_empty()));
        }
        moves
    }
}
