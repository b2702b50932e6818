//! The classic game as every game is offered.

use std::any::Any;

use super::{Outcome, Position, Switch, Switches};
use crate::game_position::as_the_position_does;
use crate::{
    Cell, Consequence, EditionNotes, FigureKind, Game, GamePosition, Happened, Move, Names, Player, Reason,
    Refusal, Score, Setup, SetupFault, Unreadable,
};

/// The name of the one edition.
pub const EDITION: &str = "base";
/// Spaces of the score track before it begins anew (BA-04).
const TRACK: u32 = 50;

/// Begins a classic game.
///
/// # Errors
/// [`SetupFault`] when the deck cannot be played with, the edition or one of its switches
/// is not known, or too few or too many play (BA-01).
pub fn begin(setup: &Setup) -> Result<(Box<dyn GamePosition>, EditionNotes), SetupFault> {
    let fault = |sentence: &dyn ToString| SetupFault(sentence.to_string());
    let mut switches = Switches::default();
    let mut departures = Vec::new();
    let mut words = setup.edition.unwrap_or(EDITION).split_whitespace();
    let name = words.next().unwrap_or(EDITION);
    if name != EDITION {
        return Err(SetupFault(format!(
            "no edition of the classic game is named `{name}`; choose {EDITION}"
        )));
    }
    for word in words {
        let named = word.strip_prefix(['+', '-']).and_then(Switch::named);
        let all = || Switch::ALL.map(|s| s.name).join(", ");
        let switch = named
            .ok_or_else(|| SetupFault(format!("`{word}` is no switch; write + or - and one of {}", all())))?;
        let on = word.starts_with('+');
        if switch.get(switches) != on {
            switch.set(&mut switches, on);
            departures.push(switch.says(on));
        }
    }
    if setup.starts.index() >= setup.players {
        return Err(SetupFault(format!("the first player must be 0 to {}", setup.players.saturating_sub(1))));
    }
    if !setup.prizes.is_empty() {
        return Err(fault(&"nothing lies on the score track of the classic game; leave out what is said to"));
    }
    let position =
        Position::new(setup.deck, setup.players, switches).map_err(|e| fault(&e))?.starting(setup.starts);
    let notes = EditionNotes {
        title: "Carcassonne, the base game".to_owned(),
        notes: departures.iter().map(|d| format!("at this table, not in the edition, {d}")).collect(),
        departures,
    };
    Ok((Box::new(position), notes))
}

impl GamePosition for Position {
    fn game(&self) -> Game {
        Game::Classic
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn GamePosition> {
        Box::new(self.clone())
    }

    fn players(&self) -> usize {
        self.players()
    }

    fn next_player(&self) -> Player {
        Player(((self.to_move().index() + 1) % self.players()) as u8)
    }

    fn final_totals(&self) -> Vec<u32> {
        self.final_totals()
    }

    fn figures(&self) -> Vec<FigureKind> {
        self.figures()
    }

    fn track(&self) -> u32 {
        TRACK
    }

    fn cells(&self) -> Vec<Cell> {
        self.cells()
    }

    fn legal_moves(&self, drawn: &[usize]) -> Vec<Move> {
        self.legal_moves(drawn)
    }

    fn play(&mut self, played: &Move) -> Result<(), Refusal> {
        self.play(played).map(drop)
    }

    fn happen(&mut self, played: &Move, names: &Names) -> Result<Happened, Refusal> {
        let before = self.totals();
        let (outcomes, broken) = self.play_anyway(played)?;
        let mut brought = Vec::new();
        for outcome in &outcomes {
            self.tell(outcome, before.clone(), names, &mut brought);
        }
        Ok((brought, broken))
    }

    fn read_move(&self, text: &str) -> Result<Move, Unreadable> {
        self.read_move(text).map_err(|e| Unreadable(e.to_string()))
    }

    fn reasons(&self, _: &[Score], _: &[Consequence], names: &Names) -> Vec<Reason> {
        self.reasons(names)
    }

    fn final_reasons(&self, _: &[Score], names: &Names) -> Vec<Reason> {
        self.final_reasons(names)
    }

    fn categories(&self) -> &'static [&'static str] {
        &["road", "city", "cloister", "field"]
    }

    as_the_position_does!();
}

impl Position {
    fn totals(&self) -> Vec<u32> {
        Player::first(self.players()).map(|p| self.total(p)).collect()
    }

    /// What the end of a turn brought, in the order in which it happened.
    fn tell(&self, outcome: &Outcome, mut totals: Vec<u32>, names: &Names, brought: &mut Vec<Consequence>) {
        for (index, scored) in outcome.scored.iter().enumerate() {
            brought.extend(self.explain(outcome, index, names).map(Consequence::Scored));
            for player in scored.players() {
                let from = totals[player.index()];
                let to = from + scored.points();
                totals[player.index()] = to;
                brought.push(Consequence::Moved { player, from, to });
            }
        }
        let returned: Vec<u32> = outcome.returned[..self.players()].iter().map(|n| u32::from(*n)).collect();
        if returned.iter().any(|n| *n > 0) {
            brought.push(Consequence::Returned(returned));
        }
    }
}
