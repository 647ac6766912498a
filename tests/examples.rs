//! Runs every example as a user would and reads what it printed.

use std::{
    path::PathBuf,
    process::{Command, Output},
};

/// `cargo test` builds the examples next to the tests; a run of this test alone may not have.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(|deps| deps.parent()).unwrap();
    let example = profile.join("examples").join(name);
    assert!(example.is_file(), "{} is not built: `cargo build --examples`", example.display());
    example
}

fn run(name: &str) -> String {
    let Output { status, stdout, stderr } = Command::new(example(name)).output().unwrap();
    let (stdout, stderr) = (String::from_utf8(stdout).unwrap(), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{name}: {status}\n{stdout}{stderr}");
    let first = stdout.lines().next().unwrap();
    assert!(first.contains("MONGODB_URI"), "{name} does not say which server it uses: {first}");
    stdout
}

#[test]
fn quickstart() {
    let printed = run("quickstart");
    let numbers: Vec<i64> = printed
        .lines()
        .filter(|line| line.starts_with("insert_with_seq"))
        .map(|line| line.split_whitespace().find_map(|word| word.parse().ok()).unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 4], "{printed}");
    assert!(printed.contains("stored orders: 1, 3, 4\n"), "{printed}");
}

#[test]
fn non_transactional() {
    let printed = run("non_transactional");
    assert!(printed.contains("{1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007}"), "{printed}");
    assert!(printed.contains("burnt number: Some(1008)"), "{printed}");
    assert!(printed.contains("the next ticket is 1009"), "{printed}");
}

#[test]
fn transactional() {
    let printed = run("transactional");
    assert!(printed.contains("invoice over 3 cents rolled back"), "{printed}");
    assert!(printed.contains("invoices [1, 2, 3, 4, 5], booked 18 cents"), "{printed}");
}

#[test]
fn scopes() {
    let printed = run("scopes");
    for line in [
        "acme 2026: invoice 1, AR-000001, ledger 1",
        "acme 2026: invoice 2, AR-000002, ledger 2",
        "apex 2026: invoice 1, AR-000003, ledger 3",
        "acme 2027: invoice 1, AR-000004, ledger 4",
        "acme 2026: invoice 3, AR-000005, ledger 700",
        "acme 2026: invoice 4, AR-000006, ledger 701",
        "acme has 4 invoices of 2026",
        "b@example.org is customer 2\na@example.org is customer 1, as before",
    ] {
        assert!(printed.contains(line), "{line}: {printed}");
    }
}
