//! `castellan` run with a data folder of the test's own.
#![cfg(all(feature = "vision", feature = "studio"))]

use std::path::Path;

use assert_cmd::Command;

/// The program with these arguments.
pub fn castellan(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("castellan").unwrap();
    command.args(arguments).env("CASTELLAN_DATA", data).env_remove("RUST_LOG");
    command
}

/// The command fails with one line on stderr and nothing on stdout.
pub fn fails_with(data: &Path, arguments: &[&str], sentence: &str) {
    crate::command_support::fails_with(&mut castellan(data, arguments), sentence);
}
