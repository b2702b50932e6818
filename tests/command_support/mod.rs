//! What every failing command has in common.

use assert_cmd::Command;

/// The command fails with one line on stderr and nothing on stdout.
pub fn fails_with(command: &mut Command, sentence: &str) {
    let output = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(output.stdout.is_empty());
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("castellan: ") && stderr.contains(sentence), "{stderr}");
}
