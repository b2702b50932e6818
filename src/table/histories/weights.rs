//! What is how unlikely, as costs in natural logarithms.

/// What is how unlikely. Costs are taken off the logarithm of a history's likelihood; they
/// were set on simulated games and are of the order of what real tables show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    /// The least that a tile's reading counts, as a likelihood: below this a tile may still
    /// be what it never read as.
    pub least: f32,
    /// How far a follower that stands, and one that lies, is seen from where it belongs. Of one
    /// that lies the middle is seen, half a body from where it was put down.
    pub standing: Spread,
    /// See [`Weights::standing`].
    pub lying: Spread,
    /// How many followers, as a share, are put anywhere on their segment; the others stand
    /// near the place that is farthest from the segment's borders.
    pub anywhere: f32,
    /// A follower is read this far off its segment now and then, in tile sides: one standard
    /// deviation. It stands high above the tile, and a camera sees it from the side.
    pub off: f32,
    /// How often, as a likelihood.
    pub often_off: f32,
    /// The density of a follower that is seen right where it belongs, by tile: such a place
    /// costs nothing.
    pub usual: f32,
    /// Nothing is on a segment that is further away than this, in tile sides.
    pub farthest: f32,
    /// What the reading of how likely a follower lies tells: the logarithm of lying over
    /// standing is the first of these times the reading's log odds, and the second.
    pub pose: (f32, f32),
    /// How often, as a likelihood, a follower that should lie down stands, or reads as if it
    /// did.
    pub stands: f32,
    /// The same of one that should stand and lies.
    pub lies: f32,
    /// How far the size of a figure is read from that of its kind, as a standard deviation of its
    /// logarithm.
    pub size: f32,
    /// The most that a size tells against a kind, as a squared distance in standard deviations.
    pub oddest_size: f32,
    /// Another figure than a follower is put down, where both may be.
    pub other_figure: f32,
    /// The least that a figure's colour counts, as a likelihood: followers are read as
    /// another player's for good this often.
    pub miscoloured: f32,
    /// A rule is broken.
    pub breach: f32,
    /// A tile was laid after one that was first seen later.
    pub order: f32,
    /// Two tiles first seen within so many seconds were laid in any order.
    pub same_time: f64,
    /// A tile was laid after one that came while something that is now known to be a tile had
    /// lain in its place unread for [`Weights::unread_for`] seconds: an arm seldom rests so long.
    pub unread: f32,
    /// See [`Weights::unread`].
    pub unread_for: f64,
    /// A keep reads as a follower, or a follower as a keep.
    pub other_kind: f32,
    /// A keep is seen steadily where the game has none.
    pub stray_keep: f32,
    /// A figure that is seen steadily is none.
    pub phantom: f32,
    /// The same of one that a hand has put there.
    pub put: f32,
    /// So much more when it was seen in nearly all looks for [`Weights::constant_for`] seconds, and
    /// less after a part of them: in seven films of other tables (`docs/games-suite.md`) 151 of 154
    /// followers were seen so, and nothing else was.
    pub constant: f32,
    /// See [`Weights::constant`].
    pub constant_for: f64,
    /// A figure that is there is seen so surely on the mean of the looks at it, 0 to 1: in seven
    /// films of other tables (`docs/games-suite.md`) nearly all of 184 followers were, and what was
    /// none seldom was.
    pub plain: f32,
    /// A figure that came into a place with a name is seen so surely since, 0 to 1: in two films with the
    /// count those that did were, from 0.80 on, and of 14 signs of the print that were taken for one 13 were
    /// not, up to 0.74.
    pub entered: f32,
    /// A figure that no turn explains is asked about where it is seen so surely on the mean of the looks since
    /// it came, 0 to 1, or in nearly all looks for twice [`Weights::constant_for`] seconds: in six films
    /// 133 of 134 followers were seen so surely, from 0.79 on, and in four films 8 of 12 signs of the print
    /// that had been asked about were not.
    pub strange: f32,
    /// So much less it costs that it is none for each 1 that it is seen less surely,
    pub faint: f32,
    /// and so much at least.
    pub faintest: f32,
    /// What is seen in fewer than 8 looks and for less than so many seconds may have been a
    /// flicker.
    pub flicker: f64,
    /// A figure that stood on the newest tile was taken away again.
    pub taken_back: f32,
    /// A follower is first seen after the next tile was laid.
    pub late: f32,
    /// The same, and no hand was there.
    pub unhandled: f32,
    /// A follower is gone that should stand: so much a reading, up to [`Weights::gone`].
    pub gone_a_look: f32,
    /// See [`Weights::gone_a_look`].
    pub gone: f32,
    /// A follower went home before it was scored.
    pub early: f32,
    /// A scored follower still stands [`Weights::free`] seconds after the next tile was laid:
    /// forgotten.
    pub lingers: f32,
    /// See [`Weights::lingers`].
    pub free: f64,
    /// A follower came, was scored and went home while its cell was not seen.
    pub hidden: f32,
    /// A follower that stands is not seen in one look at its cell.
    pub missed: f32,
    /// In a cell that was seen but for so many seconds in a row nobody puts a follower down,
    /// counts it and takes it home; each second less costs [`Weights::haste`].
    pub blind: f64,
    /// See [`Weights::blind`].
    pub haste: f32,
    /// A player has used what gives another turn, and that is known to be held.
    pub extra_known: f32,
    /// The same where the record does not have it: a score that was missed loses it. Also what it
    /// costs that a turn was not seen, or that one was recorded that was none.
    pub extra_unheld: f32,
    /// A tile that is on the table is in no turn.
    pub aside: f32,
    /// A turn seems to have laid nothing: its tile looks like the bare table and like no tile of the deck,
    /// which in five films (`docs/games-suite.md`) was so in 66 cells of which none held a tile; or it was
    /// read for a moment and is gone.
    pub hole: f32,
}

/// How far figures are seen from where they belong: standard deviations, in tile sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    /// From the segment's area: what the camera errs, and what the layout differs from the
    /// print.
    pub area: f32,
    /// From the place where followers stand on the segment.
    pub anchor: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            least: 0.002,
            standing: Spread { area: 0.025, anchor: 0.11 },
            lying: Spread { area: 0.035, anchor: 0.1 },
            anywhere: 0.4,
            off: 0.2,
            often_off: 0.03,
            usual: 9.0,
            farthest: 0.3,
            pose: (1.5, -0.3),
            stands: 0.08,
            lies: 0.03,
            size: 0.17,
            oddest_size: 16.0,
            other_figure: 1.0,
            miscoloured: 0.01,
            breach: 6.0,
            order: 5.0,
            same_time: 0.5,
            unread: 2.5,
            unread_for: 5.0,
            other_kind: 1.5,
            stray_keep: 5.0,
            phantom: 3.5,
            put: 6.0,
            constant: 3.0,
            constant_for: 10.0,
            plain: 0.8,
            entered: 0.77,
            strange: 0.7,
            faint: 40.0,
            faintest: 0.2,
            flicker: 2.0,
            taken_back: 1.0,
            late: 0.5,
            unhandled: 0.5,
            gone_a_look: 0.15,
            gone: 4.0,
            early: 4.0,
            lingers: 1.5,
            free: 12.0,
            hidden: 1.6,
            missed: 2.3,
            blind: 4.0,
            haste: 2.0,
            extra_known: 1.5,
            extra_unheld: 5.0,
            aside: 14.0,
            hole: 10.0,
        }
    }
}
