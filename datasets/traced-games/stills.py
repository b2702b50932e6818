"""From the script of a film to stills, one for each state of the table.

A script (`src/studio/script.rs`) says what changes on the table and when. Changes less than a
second apart make one state together. Each state is shown for the same time; what the script
says of times (when a tile can be seen, when players say something) is said of the states anew.
"""

import copy
from dataclasses import dataclass, field

#: Changes that are closer together, in seconds, belong to one state.
TOGETHER = 1.0
#: How long a state is shown, seconds, and how many pictures a second.
SHOWN, RATE = 4.0, 2.0
#: How often the last state is shown.
LAST = 3
#: What can happen to a table that is shown in stills; hands, camera and light are at rest.
KEPT = {"together", "home_late", "forgotten", "nudged", "turned", "elsewhere", "straightened", "sorted"}


@dataclass
class State:
    """What lies and stands on the table."""

    #: When it began in the film.
    t: float = 0.0
    tiles: dict = field(default_factory=dict)
    figures: list = field(default_factory=list)
    markers: dict = field(default_factory=dict)
    wall_tiles: list = field(default_factory=list)
    beside: dict = field(default_factory=dict)

    def after(self, acts, t: float) -> "State":
        """The state when these acts are done."""
        new = copy.deepcopy(self)
        new.t = t
        for act in acts:
            ((what, change),) = act["change"].items()
            if what == "tile":
                new.tiles[tuple(change["cell"])] = change
            elif what == "no_tile":
                new.tiles.pop(tuple(change), None)
            elif what == "figure":
                new.figures.append(change)
            elif what == "no_figure":
                gone = (change["player"], change["cell"], change["figure"])
                new.figures = [f for f in new.figures if (f["player"], f["cell"], f["figure"]) != gone]
            elif what == "marker":
                new.markers[change["player"]] = change
            elif what == "no_wall_tile":
                new.wall_tiles = [s for s in new.wall_tiles if s != change]
            elif what == "beside":
                new.beside[change["tile"]] = change
            elif what == "not_beside":
                new.beside.pop(change, None)
            else:
                raise ValueError(f"unknown change: {what}")
        return new


def states(script: dict, towers) -> list[State]:
    """The states of a film until the table is packed up."""
    acts = [a for a in script["acts"] if a["t"] < script["packed_up"]]
    groups = [[]]
    for act in acts:
        before = groups[-1][-1]["t"] if groups[-1] else 0.0
        # What lies there from the beginning is the first state.
        if act["t"] > 0 and (act["t"] - before >= TOGETHER or before == 0):
            groups.append([])
        groups[-1].append(act)
    state = State(wall_tiles=[pair[0] for pair in towers])
    found = []
    for group in groups:
        state = state.after(group, group[-1]["t"] if group else 0.0)
        found.append(state)
    return found


def retimed(script: dict, shown: list[State]) -> dict:
    """The script of the stills: the same acts, at the times at which they are shown."""
    began = [s.t for s in shown]

    def number(t: float) -> int:
        """The last state that had begun by then."""
        return max((i for i, b in enumerate(began) if b <= t + 1e-6), default=0)

    when = lambda t: SHOWN * number(t)
    seconds = SHOWN * (len(shown) - 1 + LAST)
    new = copy.deepcopy(script)
    new["hands"], new["spells"] = [], []
    new["rate"], new["seconds"] = RATE, seconds
    new["entry"]["hazards"] = [h for h in script["entry"]["hazards"] if h in KEPT]
    kept = [a for a in script["acts"] if a["t"] < script["packed_up"]]
    # An act belongs to the state at whose end its group was done.
    new["acts"] = [
        dict(a, t=SHOWN * min((i for i, b in enumerate(began) if b >= a["t"] - 1e-6), default=0))
        for a in kept
    ]
    for turn in new["turns"]:
        turn["hazards"] = [h for h in turn["hazards"] if h in KEPT]
        for name in ("tile", "follower"):
            if turn[name] is not None:
                turn[name] = when(turn[name])
        turn["over"] = when(turn["over"])
    for said in new["said"]:
        said["t"] = when(said["t"]) + SHOWN / 2
    new["packed_up"] = seconds
    return new
