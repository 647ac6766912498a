//! `crate = path`: where the generated code finds `mongo_sequence` when it was renamed or is re-exported.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, ExprPath, LitStr, Path, PathArguments};

use crate::{
    attr::{Given, Value, assigned, string},
    ctxt::Ctxt,
};

/// The name under which most crates know the facade.
const DEFAULT: &str = "mongo_sequence";

/// An absolute path, so that it means the same inside of functions and modules.
pub(crate) struct CratePath(Path);

impl Value for CratePath {
    fn read(cx: &Ctxt, key: &Ident, given: Given) -> Option<Self> {
        let value = assigned(cx, key, given, "a path", "::mongo_sequence")?;
        match &value {
            Expr::Path(ExprPath { qself: None, path, .. }) if is_plain(path) => {
                if is_absolute(path) {
                    return Some(Self(path.clone()));
                }
                cx.error(path, relative(path));
            }
            other => cx.error(other, not_a_path(string(other))),
        }
        None
    }
}

fn relative(path: &Path) -> String {
    let written = written(path);
    let advice = match path.segments.first() {
        Some(first) if first.ident == "self" || first.ident == "super" => {
            format!("begin at the root of your crate: `crate::reexports::{DEFAULT}`")
        }
        _ => format!("write `::{written}` for a crate, `crate::{written}` for what is in your own"),
    };
    format!("`crate` takes an absolute path, found the relative `{written}`; {advice}")
}

fn not_a_path(string: Option<&LitStr>) -> String {
    let found = if string.is_some() { "a string" } else { "something else" };
    let path = match string.and_then(|string| string.parse::<Path>().ok()) {
        Some(path) if is_absolute(&path) => written(&path),
        Some(path) => format!("::{}", written(&path)),
        None => format!("::{DEFAULT}"),
    };
    format!("`crate` takes a path, found {found}; write `crate = {path}`")
}

impl CratePath {
    pub(crate) fn or_default(given: Option<&Self>) -> TokenStream {
        let default = || {
            let name = Ident::new(DEFAULT, Span::mixed_site());
            quote_spanned!(Span::mixed_site()=> ::#name)
        };
        given.map_or_else(default, |Self(path)| path.to_token_stream())
    }
}

fn is_plain(path: &Path) -> bool {
    path.segments.iter().all(|segment| matches!(segment.arguments, PathArguments::None))
}

/// `$crate` is what a `macro_rules!` passes on.
fn is_absolute(path: &Path) -> bool {
    let first = path.segments.first().map(|first| first.ident.to_string());
    path.leading_colon.is_some() || matches!(first.as_deref(), Some("crate" | "$crate"))
}

/// As the user wrote it, without the spaces that printing tokens puts in.
fn written(path: &Path) -> String {
    let segments: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let leading = if path.leading_colon.is_some() { "::" } else { "" };
    format!("{leading}{}", segments.join("::"))
}
