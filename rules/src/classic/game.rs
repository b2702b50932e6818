//! The classic game as every game is offered.

use std::any::Any;
use std::borrow::Cow;

use super::modules::MODULES;
use super::{Outcome, Position, Switch, Switches};
use crate::game_position::as_the_position_does;
use crate::moves::named;
use crate::words::{counted, listed};
use crate::{
    Cell, Consequence, EditionNotes, FigureKind, Game, GamePosition, Happened, Move, NamedPlace, Names,
    Player, Reason, Refusal, Score, SegmentAt, Sentence, Setup, SetupFault, TableRule, Token, Unreadable,
    cell_name, sentence,
};

/// The name of the one edition.
pub const EDITION: &str = "base";
/// Points of a lap of the score track, on whose last space the next begins (BA-04).
const LAP: u32 = 50;

/// Begins a classic game.
///
/// # Errors
/// [`SetupFault`] when the deck cannot be played with, the edition or one of its switches
/// is not known, or too few or too many play (BA-01).
pub fn begin(setup: &Setup) -> Result<(Box<dyn GamePosition>, EditionNotes), SetupFault> {
    let Chosen { switches, sets, departures } = chosen(setup.edition, &setup.deck.sets)?;
    let mut deck = Cow::Borrowed(setup.deck);
    if sets != setup.deck.sets {
        deck.to_mut().sets = sets;
    }
    if setup.starts.index() >= setup.players {
        let last = setup.players.saturating_sub(1);
        return Err(SetupFault(sentence!("the first player must be 0 to {}", last)));
    }
    if !setup.prizes.is_empty() {
        return Err(SetupFault(sentence!(
            "nothing lies on the score track of the classic game; leave out what is said to"
        )));
    }
    let position = Position::new(&deck, setup.players, switches);
    let position = position.map_err(|e| SetupFault(Sentence::from(&e)))?.starting(setup.starts);
    let notes = EditionNotes {
        title: title(&position),
        notes: departures.iter().map(|d| format!("at this table, not in the edition, {d}")).collect(),
        departures,
    };
    Ok((Box::new(position), notes))
}

/// What a table chose.
struct Chosen {
    switches: Switches,
    /// The sets whose rules are played with.
    sets: Vec<String>,
    /// What is not as in the edition, a sentence each.
    departures: Vec<String>,
}

/// Reads an edition with what the table chose differently, of a deck with these sets.
fn chosen(edition: Option<&str>, sets: &[String]) -> Result<Chosen, SetupFault> {
    let mut chosen = Chosen { switches: Switches::default(), sets: sets.to_vec(), departures: Vec::new() };
    let mut words = edition.unwrap_or(EDITION).split_whitespace();
    let name = words.next().unwrap_or(EDITION);
    if name != EDITION {
        return Err(SetupFault(sentence!(
            "no edition of the classic game is named `{}`; choose {}",
            name,
            EDITION
        )));
    }
    for word in words {
        let name = word.strip_prefix(['+', '-']);
        let on = word.starts_with('+');
        if let Some(module) = MODULES.iter().find(|module| Some(module.set()) == name) {
            let with = chosen.sets.iter().any(|set| set == module.set());
            chosen.sets.retain(|set| set != module.set());
            if on {
                chosen.sets.push(module.set().to_owned());
            }
            if with != on {
                let how = if on { "with" } else { "without" };
                chosen.departures.push(format!("the game is played {how} the rules of {}", module.title()));
            }
            continue;
        }
        let all = || Switch::ALL.map(|s| s.name).join(", ");
        let none = || SetupFault(sentence!("`{}` is no switch; write + or - and one of {}", word, all()));
        let switch = name.and_then(Switch::named).ok_or_else(none)?;
        if switch.get(chosen.switches) != on {
            switch.set(&mut chosen.switches, on);
            chosen.departures.push(switch.says(on));
        }
    }
    Ok(chosen)
}

/// What a table may decide, of a deck with these sets; see [`crate::table_rules`].
///
/// # Errors
/// [`SetupFault`] when the edition or one of its switches is not known.
pub(crate) fn table_rules(edition: Option<&str>, sets: &[String]) -> Result<Vec<TableRule>, SetupFault> {
    let Chosen { switches, sets, .. } = chosen(edition, sets)?;
    let rule = |switch: Switch| {
        let stands = (switch.get(switches), switch.get(Switches::default()));
        TableRule::new(switch.name, switch.rule, stands, |on| switch.means(on))
    };
    Ok(Switch::of(&sets).map(rule).collect())
}

/// What is played: the base game, and with which modules.
fn title(position: &Position) -> String {
    let modules: Vec<String> = position.modules().map(|module| module.title().to_owned()).collect();
    match modules.is_empty() {
        true => "Carcassonne, the base game".to_owned(),
        false => format!("Carcassonne with {}", listed(&modules)),
    }
}

/// A sentence that says by which rule something followed.
fn by_rule(sentence: &str, rule: &str) -> String {
    format!("{sentence} ({rule})")
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
        LAP + u32::from(self.switches().lap_of_51_spaces)
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
        let (outcomes, broken) = self.play_anyway(played).map_err(|refusal| refusal.named(names))?;
        let mut brought = Vec::new();
        for outcome in &outcomes {
            self.tell(outcome, before.clone(), names, &mut brought);
        }
        Ok((brought, named(broken, names)))
    }

    fn read_move(&self, text: &str) -> Result<Move, Unreadable> {
        self.read_move(text).map_err(|e| Unreadable(Sentence::from(&e)))
    }

    fn reasons(&self, _: &[Score], _: &[Consequence], names: &Names) -> Vec<Reason> {
        self.reasons(names)
    }

    fn final_reasons(&self, _: &[Score], names: &Names) -> Vec<Reason> {
        self.final_reasons(names)
    }

    fn categories(&self) -> Vec<&'static str> {
        let of_modules = self.modules().flat_map(|module| module.categories());
        ["road", "city", "cloister", "field"].iter().chain(of_modules).copied().collect()
    }

    fn actor(&self) -> Player {
        self.actor()
    }

    fn supply_of(&self, player: Player, figure: FigureKind) -> u8 {
        self.supply_of(player, figure)
    }

    fn tokens(&self, player: Player) -> Vec<(Token, u32)> {
        self.tokens(player)
    }

    fn neutral(&self) -> Option<(&'static str, SegmentAt)> {
        self.neutral()
    }

    fn place_name(&self, at: SegmentAt) -> Option<&'static str> {
        self.place_name(at)
    }

    fn named_places(&self) -> Vec<NamedPlace> {
        self.modules().flat_map(|module| module.named_places(self)).collect()
    }

    fn step_question(&self, names: &Names) -> Option<Sentence> {
        let module = self.stepping()?;
        module.step_question(self, names.of(self.actor()))
    }

    fn turn_note(&self) -> Option<Sentence> {
        self.modules().find_map(|module| module.turn_note(self))
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
        for taken in &outcome.tokens {
            let name = names.of(taken.player);
            let what = match (taken.token.is_single(), taken.count) {
                (true, _) => format!("the {}", taken.token.word()),
                (false, n) => format!("{} of {}", counted(n, "tokens"), taken.token.word()),
            };
            let (verb, from) = match taken.from {
                Some(from) if from == taken.player => ("keeps", String::new()),
                Some(from) => ("takes", format!(" from {}", names.of(from))),
                None => ("takes", String::new()),
            };
            let sentence = format!("{name} {verb} {what}{from} {} {}", taken.why, cell_name(taken.cell));
            let (player, token, count, from) = (taken.player, taken.token, taken.count, taken.from);
            let sentence = by_rule(&sentence, taken.rule);
            brought.push(Consequence::Token { player, token, count, from, sentence });
        }
        let returned: Vec<u32> = outcome.returned[..self.players()].iter().map(|n| u32::from(*n)).collect();
        if returned.iter().any(|n| *n > 0) {
            brought.push(Consequence::Returned(returned));
        }
        for note in &outcome.notes {
            let sentence = format!("{} {}", names.of(note.player), note.words);
            brought.push(Consequence::Noted(by_rule(&sentence, note.rule)));
        }
    }

    /// The tokens and cards that a player holds, with how many of each.
    pub fn tokens(&self, player: Player) -> Vec<(Token, u32)> {
        let mut held = Vec::new();
        for module in self.modules().filter(|_| player.index() < self.players()) {
            module.tokens(self, player, &mut held);
        }
        held
    }
}
