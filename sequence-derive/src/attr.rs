//! Reads `#[auto_increment(..)]`: the keys, and what kind of value each takes. What the values mean is `valid`'s.
//!
//! A mistake is reported and its key skipped, so that reading goes on behind it.

mod keys;
mod value;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{
    Attribute, Expr, LitStr, MacroDelimiter, Meta, MetaNameValue, Token, ext::IdentExt, parse::ParseStream,
    token::Paren,
};

pub(crate) use self::{
    keys::{FieldKeys, Keys, Slot, StructKeys, TypeKeys},
    value::{Flag, Int, Names, Value, assigned, string},
};
use crate::ctxt::Ctxt;

/// The attribute of this derive.
const AUTO_INCREMENT: &str = "auto_increment";

/// One key of an attribute, as written.
pub(crate) struct Item {
    pub(crate) key: Ident,
    pub(crate) given: Given,
}

/// What follows a key.
pub(crate) enum Given {
    /// `key`
    Nothing,
    /// `key = value`
    Value(Expr),
    /// `key(..)`
    List(TokenStream),
}

/// The keys of all attributes of ours. `None` without any.
pub(crate) fn read<K: Keys>(cx: &Ctxt, attrs: &[Attribute]) -> Option<K> {
    let mut keys = None;
    for attr in attrs.iter().filter(|attr| attr.path().is_ident(AUTO_INCREMENT)) {
        let keys: &mut K = keys.get_or_insert_default();
        match &attr.meta {
            Meta::Path(_) if K::IS_MARKER => {}
            Meta::Path(path) => cx.error(
                path,
                "without keys, `#[auto_increment]` marks a field; move it to the field that holds the number",
            ),
            Meta::List(list) if matches!(list.delimiter, MacroDelimiter::Paren(_)) => {
                let items = |input: ParseStream<'_>| {
                    read_items(cx, input, keys);
                    Ok(())
                };
                if let Err(error) = list.parse_args_with(items) {
                    cx.push(error);
                }
            }
            Meta::List(list) => cx.error(list, "expected parentheses: `#[auto_increment(..)]`"),
            Meta::NameValue(attr) => cx.error(&attr.value, name_value(attr)),
        }
    }
    keys
}

/// `#[auto_increment = "orders"]` most likely means the name.
fn name_value(attr: &MetaNameValue) -> String {
    let keys = match string(&attr.value) {
        Some(name) => format!("name = {:?}", name.value()),
        None => "..".to_owned(),
    };
    format!("`{AUTO_INCREMENT}` takes no value of its own; write keys in parentheses: `#[{AUTO_INCREMENT}({keys})]`")
}

fn read_items(cx: &Ctxt, input: ParseStream<'_>, keys: &mut impl Keys) {
    while !input.is_empty() {
        let item = match Item::parse(input) {
            Ok(item) => item,
            Err(error) => {
                cx.push(error);
                skip_item(input);
                continue;
            }
        };
        let key = item.key.clone();
        keys.set(cx, item);
        if input.is_empty() || input.parse::<Token![,]>().is_ok() {
            continue;
        }
        cx.push(input.error(format!("expected a comma after `{key}`")));
        // what looks like the next key is read as one
        if !input.peek(Ident::peek_any) {
            skip_item(input);
        }
    }
}

impl Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(Ident::peek_any) {
            let expected =
                if input.peek(LitStr) { "a key such as `name = \"..\"`" } else { "a key such as `start = 1`" };
            return Err(input.error(format!("expected {expected}")));
        }
        let key = input.call(Ident::parse_any)?;
        let given = if let Some(equals) = input.parse::<Option<Token![=]>>()? {
            if input.is_empty() || input.peek(Token![,]) {
                return Err(syn::Error::new_spanned(equals, format!("expected a value after `{key} =`")));
            }
            Given::Value(input.parse()?)
        } else if input.peek(Paren) {
            let list;
            syn::parenthesized!(list in input);
            Given::List(list.parse()?)
        } else if input.is_empty() || input.peek(Token![,]) || input.peek(Ident::peek_any) {
            Given::Nothing
        } else {
            return Err(input.error(format!("expected `=` or a comma after `{key}`")));
        };
        Ok(Self { key, given })
    }
}

/// Goes behind the next comma.
fn skip_item(input: ParseStream<'_>) {
    while !input.is_empty() && input.parse::<Token![,]>().is_err() {
        let _ = input.parse::<TokenTree>();
    }
}
