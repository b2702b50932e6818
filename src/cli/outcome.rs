//! How a command ends.

/// How a command ended when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All is well: exit 0.
    Done,
    /// Done, and something was found that people should look at: exit 3.
    Findings,
    /// Ended by Ctrl+C: exit 130, as shells have it.
    Interrupted,
}
