//! The kinds of values: integers, strings, flags, functions and fields. The path of the crate has a file of its own,
//! `crate_path`.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{
    Expr, ExprLit, ExprPath, ExprUnary, Lit, LitInt, LitStr, Token, UnOp, parse::Parser, punctuated::Punctuated,
};

use super::Given;
use crate::ctxt::Ctxt;

/// What a key takes.
pub(crate) trait Value: Sized {
    /// Reads it, or reports why not.
    fn read(cx: &Ctxt, key: &Ident, given: Given) -> Option<Self>;
}

/// The value of `key = value`. `kind` is what the key takes, `example` one of these.
pub(crate) fn assigned(cx: &Ctxt, key: &Ident, given: Given, kind: &str, example: &str) -> Option<Expr> {
    match given {
        Given::Value(value) => return Some(ungrouped(value)),
        Given::Nothing => cx.error(key, format!("`{key}` needs {kind}: `{key} = {example}`")),
        Given::List(list) => {
            let value = if list.is_empty() { example.to_owned() } else { list.to_string() };
            cx.error(key, format!("`{key}` takes {kind} after `=`: `{key} = {value}`"));
        }
    }
    None
}

/// Without the invisible group that a `macro_rules!` puts round what it passes on.
pub(crate) fn ungrouped(mut expr: Expr) -> Expr {
    while let Expr::Group(group) = expr {
        expr = *group.expr;
    }
    expr
}

/// An `i64`, by any const expression.
pub(crate) struct Int {
    pub(crate) expr: Expr,
    /// The number, if it is written out. Others are the compiler's to check.
    pub(crate) literal: Option<i64>,
}

impl Value for Int {
    fn read(cx: &Ctxt, key: &Ident, given: Given) -> Option<Self> {
        let expr = assigned(cx, key, given, "an integer", "10")?;
        let literal =
            literal(key, &expr).and_then(|number| number.map(i64::try_from).transpose().map_err(|_| too_large(key)));
        match literal {
            Ok(literal) => Some(Self { expr, literal }),
            Err(message) => {
                cx.error(&expr, message);
                None
            }
        }
    }
}

impl ToTokens for Int {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.expr.to_tokens(tokens);
    }
}

/// The number that a literal stands for, with signs and parentheses; `None` for other expressions.
fn literal(key: &Ident, expr: &Expr) -> Result<Option<i128>, String> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => integer(key, int).map(Some),
        Expr::Lit(ExprLit { lit, .. }) => Err(not_an_integer(key, lit)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => Ok(literal(key, expr)?.map(|number| -number)),
        Expr::Paren(paren) => literal(key, &paren.expr),
        Expr::Group(group) => literal(key, &group.expr),
        _ => Ok(None),
    }
}

fn integer(key: &Ident, int: &LitInt) -> Result<i128, String> {
    if !matches!(int.suffix(), "" | "i64") {
        let digits = int.to_string();
        let digits = digits.trim_end_matches(int.suffix()).trim_end_matches('_');
        return Err(format!("`{key}` takes an `i64`, found `{int}`; leave the suffix out: `{digits}`"));
    }
    int.base10_parse().map_err(|_| too_large(key))
}

fn too_large(key: &Ident) -> String {
    format!("`{key}` does not fit into an `i64`, which is what a counter holds; expected a number closer to 0")
}

fn not_an_integer(key: &Ident, lit: &Lit) -> String {
    let found = match lit {
        Lit::Str(string) if string.value().parse::<i64>().is_ok() => {
            return format!(
                "`{key}` takes an integer, found a string; leave the quotes out: `{key} = {}`",
                string.value()
            );
        }
        Lit::Str(_) => "a string",
        Lit::Float(_) => "a floating-point number",
        Lit::Bool(_) => "a boolean",
        Lit::Char(_) => "a character",
        _ => "another literal",
    };
    format!("`{key}` takes an integer, found {found}; write for instance `{key} = 10`")
}

impl Value for LitStr {
    fn read(cx: &Ctxt, key: &Ident, given: Given) -> Option<Self> {
        let value = assigned(cx, key, given, "a string", "\"..\"")?;
        let string = string(&value).cloned();
        if string.is_none() {
            let meant = match &value {
                Expr::Path(ExprPath { qself: None, path, .. }) => path.get_ident().map(Ident::to_string),
                _ => None,
            };
            let example = meant.as_deref().unwrap_or("..");
            cx.error(&value, format!("`{key}` takes a string literal: `{key} = \"{example}\"`"));
        }
        string
    }
}

/// The string literal that an expression is.
pub(crate) fn string(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(string), .. }) => Some(string),
        Expr::Group(group) => string(&group.expr),
        _ => None,
    }
}

/// A key that is there or not.
pub(crate) struct Flag;

impl Value for Flag {
    fn read(cx: &Ctxt, key: &Ident, given: Given) -> Option<Self> {
        let surplus = match given {
            Given::Nothing => return Some(Self),
            Given::Value(value) => value.into_token_stream(),
            Given::List(list) if list.is_empty() => key.to_token_stream(),
            Given::List(list) => list,
        };
        cx.error(surplus, format!("`{key}` takes no value; write `{key}` alone, or leave it out"));
        None
    }
}

impl ToTokens for Flag {
    fn to_tokens(&self, _: &mut TokenStream) {}
}

/// A function, by its path.
impl Value for ExprPath {
    fn read(cx: &Ctxt, key: &Ident, given: Given) -> Option<Self> {
        match assigned(cx, key, given, "the path of a function", "format_number")? {
            Expr::Path(path) => return Some(path),
            other => {
                let path = string(&other).and_then(|string| string.parse::<syn::Path>().ok());
                let message = match path {
                    Some(path) => {
                        let path = path.to_token_stream().to_string().replace(' ', "");
                        format!(
                            "`{key}` takes the path of a function, found a string; leave the quotes out: `{key} = {path}`"
                        )
                    }
                    None => format!(
                        "`{key}` takes the path of a function `fn(i64) -> ..` that makes the stored value; \
                         write one and name it here: `{key} = format_number`"
                    ),
                };
                cx.error(&other, message);
            }
        }
        None
    }
}

/// Fields of the same struct.
pub(crate) struct Names(pub(crate) Vec<Ident>);

impl Value for Names {
    fn read(cx: &Ctxt, key: &Ident, given: Given) -> Option<Self> {
        let list = match given {
            Given::List(list) if !list.is_empty() => list,
            Given::Value(value) => {
                let name = string(&value).map_or_else(|| value.to_token_stream().to_string(), LitStr::value);
                cx.error(&value, format!("`{key}` takes fields in parentheses: `{key}({name})`"));
                return None;
            }
            Given::List(_) | Given::Nothing => {
                cx.error(key, format!("`{key}` needs the fields that tell its sequences apart: `{key}(tenant, year)`"));
                return None;
            }
        };
        let names = Punctuated::<Ident, Token![,]>::parse_terminated.parse2(list.clone()).ok();
        if names.is_none() {
            cx.error(list, format!("`{key}` takes names of fields of this struct: `{key}(tenant, year)`"));
        }
        names.map(|names| Self(names.into_iter().collect()))
    }
}
