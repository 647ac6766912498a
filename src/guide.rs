// The guide: pages without code, from `docs/`. Rustdoc alone sees this file.
//
// On GitHub a page links to files, here to items: of two definitions of a link the first one counts, and those of
// `rustdoc-links.txt` stand in front of every page. The pictures come in the same way, since nothing lies beside a page of
// rustdoc.
#![doc = include_str!("../docs/guide/rustdoc-links.txt")]
#![doc = include_str!("../docs/guide/README.md")]

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/01-concepts.md")]
pub mod concepts {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/pictures/rustdoc.txt")]
#[doc = include_str!("../docs/guide/02-choosing-a-mode.md")]
pub mod choosing_a_mode {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/03-transactions.md")]
pub mod transactions {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/04-scopes-and-formats.md")]
pub mod scopes_and_formats {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/05-bulk.md")]
pub mod bulk {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/06-existing-data.md")]
pub mod existing_data {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/07-many-processes.md")]
pub mod many_processes {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/08-cancellation.md")]
pub mod cancellation {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/09-blocking-programs.md")]
pub mod blocking_programs {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guide/10-faq.md")]
pub mod faq {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/guarantees.md")]
pub mod guarantees {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/command-line.md")]
pub mod command_line {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/observability.md")]
pub mod observability {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/decisions.md")]
pub mod decisions {}

#[doc = include_str!("../docs/guide/rustdoc-links.txt")]
#[doc = include_str!("../docs/comparison.md")]
pub mod comparison {}
