//! A history played by the rules: turn by turn, with what was broken and who went home
//! when.

use crate::rules::{
    Cell, FigureKind, GamePosition, Illegality, Move, Names, Phase, Placement, Player, Role, Rotation,
    SegmentAt,
};

/// A turn of a history.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    /// What people said was done before the tile.
    pub before: Vec<Move>,
    /// Who used what gives another turn, unannounced, so as to have this one.
    pub extra: Option<Player>,
    pub player: Player,
    /// The tile's index in the deck.
    pub tile: usize,
    pub cell: Cell,
    pub rotation: Rotation,
    pub claim: Option<(u8, FigureKind)>,
    /// What people said was done after the tile.
    pub after: Vec<Move>,
    /// Whether it was no turn: what was taken for its tile was none.
    pub void: bool,
}

/// The rules against a figure that its player has not left: people forget other rules, and this they can
/// break only with the one that stays on the track.
const NOT_HELD: [&str; 2] = ["CA-40d", "BA-03"];

/// A history as far as it has been played.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    position: Box<dyn GamePosition>,
    names: Names,
    turns: Vec<Played>,
}

/// What followed by the rules from the turns of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outline {
    /// How many rules each turn broke.
    pub breaches: Vec<u32>,
    /// In which turn the follower of each went home.
    pub home: Vec<Option<usize>>,
    /// The keeps that were put down (CA-55).
    pub keeps: Vec<KeepPut>,
    /// Whether the last turn has ended.
    pub ended: bool,
}

impl Outline {
    /// How many rules were broken in all.
    pub(crate) fn broken(&self) -> u32 {
        self.breaches.iter().sum()
    }

    /// The keeps that may have been put into a cell.
    pub(crate) fn keeps_in(&self, cell: Cell) -> impl Iterator<Item = &KeepPut> {
        self.keeps.iter().filter(move |keep| keep.cells.contains(&cell))
    }
}

/// A keep that was put down at the end of a turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeepPut {
    pub player: Player,
    /// In which turn.
    pub turn: usize,
    /// The cells of the complete house: it stands in one of them.
    pub cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
struct Played {
    turn: Turn,
    /// How many moves the rules were told.
    moves: usize,
    /// How many rules were broken.
    breaches: u32,
    /// In which turn its follower went home.
    home: Option<usize>,
    /// The keeps that were put down at its end.
    keeps: Vec<KeepPut>,
    ended: bool,
}

impl Line {
    pub(crate) fn new(start: Box<dyn GamePosition>, names: Names) -> Line {
        Line { position: start, names, turns: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }

    pub(crate) fn position(&self) -> &dyn GamePosition {
        &*self.position
    }

    pub(crate) fn turn(&self, i: usize) -> Option<&Turn> {
        self.turns.get(i).map(|p| &p.turn)
    }

    pub(crate) fn turns(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().map(|p| &p.turn)
    }

    /// In which turn the follower of a turn went home.
    pub(crate) fn home(&self, i: usize) -> Option<usize> {
        self.turns.get(i).and_then(|p| p.home)
    }

    /// How many rules were broken in all.
    pub(crate) fn broken(&self) -> u32 {
        self.turns.iter().map(|p| p.breaches).sum()
    }

    /// What followed from the turns.
    pub(crate) fn outline(&self) -> Outline {
        Outline {
            breaches: self.turns.iter().map(|p| p.breaches).collect(),
            home: self.turns.iter().map(|p| p.home).collect(),
            keeps: self.turns.iter().flat_map(|p| p.keeps.iter().cloned()).collect(),
            ended: self.turns.last().is_some_and(|p| p.ended),
        }
    }

    /// Plays a move that happened; how many rules it breaks, of [`NOT_HELD`] each twice, `None` where it cannot have
    /// happened.
    fn play(&mut self, played: &Move) -> Option<u32> {
        if self.position.play(played).is_ok() {
            return Some(0);
        }
        let (_, broken) = self.position.happen(played, &self.names).ok()?;
        let weight = |broken: &Illegality| if NOT_HELD.contains(&broken.rule) { 2 } else { 1 };
        Some(broken.iter().map(weight).sum())
    }

    /// Plays a turn, with its end or without; whether it can have happened.
    pub(crate) fn push(&mut self, turn: &Turn, ends: bool) -> bool {
        let mut played =
            Played { turn: turn.clone(), moves: 0, breaches: 0, home: None, keeps: Vec::new(), ended: false };
        if turn.void {
            self.turns.push(Played { ended: true, ..played });
            return true;
        }
        let mut all: Vec<Move> = turn.before.clone();
        all.extend(turn.extra.map(|player| Move::Use { player, number: 1, on: None }));
        let placement = Placement { tile: turn.tile, cell: turn.cell, rotation: turn.rotation };
        all.push(Move::Lay { player: turn.player, placement });
        if let Some((segment, figure)) = turn.claim {
            let at = SegmentAt { cell: turn.cell, segment };
            all.push(Move::Claim { player: turn.player, at, figure });
        }
        all.extend(turn.after.iter().cloned());
        for one in &all {
            match self.play(one) {
                Some(broken) => {
                    played.moves += 1;
                    played.breaches += broken;
                }
                None => {
                    for _ in 0..played.moves {
                        self.position.undo();
                    }
                    return false;
                }
            }
        }
        self.turns.push(played);
        if ends {
            self.end();
        }
        true
    }

    /// Ends the last turn, where it has not ended.
    pub(crate) fn end(&mut self) {
        let index = self.turns.len().wrapping_sub(1);
        let Some(last) = self.turns.last() else { return };
        if last.ended || self.position.phase() != Phase::Follower {
            return;
        }
        let before = self.position.followers();
        let largest = |position: &dyn GamePosition| {
            (0..position.players()).map(|p| position.largest(Player(p as u8))).collect::<Vec<_>>()
        };
        let had = largest(&*self.position);
        if self.play(&Move::End { player: self.position.to_move() }).is_none() {
            return;
        }
        let mut keeps = Vec::new();
        for (player, (had, has)) in had.iter().zip(largest(&*self.position)).enumerate() {
            let Some(keep) = has.filter(|has| Some(*has) != *had) else { continue };
            let around = self.position.features_around(keep.cell);
            let houses = around.iter().filter(|f| Role::on(f.kind) == Some(Role::SQUIRE) && f.is_complete());
            let mut house = houses.filter(|f| f.cells.contains(&keep.cell));
            let cells = house.next().map_or_else(|| vec![keep.cell], |f| f.cells.clone());
            keeps.push(KeepPut { player: Player(player as u8), turn: index, cells });
        }
        if let Some(last) = self.turns.last_mut() {
            last.moves += 1;
            last.ended = true;
            last.keeps = keeps;
        }
        let after = self.position.followers();
        if after.len() < before.len() {
            for played in &mut self.turns {
                let (player, cell) = (played.turn.player, played.turn.cell);
                let stands = || after.iter().any(|f| f.player == player && f.cell == cell);
                if !played.turn.void && played.turn.claim.is_some() && played.home.is_none() && !stands() {
                    played.home = Some(index);
                }
            }
        }
    }

    /// Takes back all turns from this one on.
    pub(crate) fn rewind(&mut self, to: usize) {
        while self.turns.len() > to {
            let Some(last) = self.turns.pop() else { return };
            for _ in 0..last.moves {
                self.position.undo();
            }
        }
        for played in &mut self.turns {
            if played.home.is_some_and(|home| home >= to) {
                played.home = None;
            }
        }
    }

    /// Plays another history: what it begins alike is kept. Whether all of it can have
    /// happened.
    pub(crate) fn become_like(&mut self, turns: &[Turn], last_ended: bool) -> bool {
        let alike = self.turns.iter().zip(turns).take_while(|(a, b)| a.turn == **b).count();
        // What came last may have ended or not.
        self.rewind(if alike == turns.len() { alike.saturating_sub(1) } else { alike });
        for (i, turn) in turns.iter().enumerate().skip(self.turns.len()) {
            if let Some(last) = self.turns.last()
                && !last.ended
            {
                self.end();
            }
            if !self.push(turn, i + 1 < turns.len() || last_ended) {
                return false;
            }
        }
        true
    }
}
