//! Reads what decides under which name serde stores a field, and whether it stores it at all.
//!
//! What does not parse is left alone: serde's own derive sees the same attributes and reports it.

use proc_macro2::{Ident, Span};
use syn::{Attribute, Expr, LitStr, Token, ext::IdentExt, token::Paren};

use crate::attr::string;

/// What serde is told about a struct.
#[derive(Default)]
pub(crate) struct Container {
    rename_all: Option<LitStr>,
}

impl Container {
    pub(crate) fn read(attrs: &[Attribute]) -> Self {
        let mut container = Self::default();
        for_serializing(attrs, |key, value| {
            if key == "rename_all" {
                container.rename_all = value;
            }
        });
        container
    }
}

/// What serde is told about a field.
#[derive(Default)]
pub(crate) struct Field {
    rename: Option<LitStr>,
    /// `flatten`, `skip` or `skip_serializing`: the document has no field of this name.
    pub(crate) absent: Option<Ident>,
    /// `skip_serializing_if`: the document may lack the field.
    pub(crate) optional: bool,
    /// `with` or `serialize_with`: it is stored as something else than its type.
    pub(crate) converted: bool,
}

impl Field {
    pub(crate) fn read(attrs: &[Attribute]) -> Self {
        let mut field = Self::default();
        for_serializing(attrs, |key, value| {
            if key == "rename" {
                field.rename = value;
            } else if ["flatten", "skip", "skip_serializing"].iter().any(|absent| key == absent) {
                field.absent = Some(key.clone());
            } else if key == "skip_serializing_if" {
                field.optional = true;
            } else if key == "with" || key == "serialize_with" {
                field.converted = true;
            }
        });
        field
    }

    /// The name in the document, and where it is written.
    pub(crate) fn stored_name(&self, ident: &Ident, container: &Container) -> (String, Span) {
        match (&self.rename, &container.rename_all) {
            (Some(name), _) => (name.value(), name.span()),
            (None, Some(rule)) => (rename(&rule.value(), &ident.unraw().to_string()), ident.span()),
            (None, None) => (ident.unraw().to_string(), ident.span()),
        }
    }
}

/// `RenameRule::apply_to_field` of serde's derive. A field is taken to be in snake case, whatever it is in.
pub(crate) fn rename(rule: &str, field: &str) -> String {
    match rule {
        "UPPERCASE" | "SCREAMING_SNAKE_CASE" => field.to_ascii_uppercase(),
        "PascalCase" => pascal_case(field),
        "camelCase" => {
            let mut name = pascal_case(field);
            if let Some(first) = name.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            name
        }
        "kebab-case" => field.replace('_', "-"),
        "SCREAMING-KEBAB-CASE" => field.to_ascii_uppercase().replace('_', "-"),
        // `lowercase` and `snake_case` leave a field as it is; serde reports any other
        _ => field.to_owned(),
    }
}

fn pascal_case(field: &str) -> String {
    let mut name = String::new();
    let mut capitalize = true;
    for character in field.chars() {
        if character == '_' {
            capitalize = true;
        } else {
            name.push(if capitalize { character.to_ascii_uppercase() } else { character });
            capitalize = false;
        }
    }
    name
}

/// Calls `found` for `key`, `key = ".."` and `key(serialize = "..")`, with the string if there is one.
fn for_serializing(attrs: &[Attribute], mut found: impl FnMut(&Ident, Option<LitStr>)) {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        let _ = attr.parse_nested_meta(|meta| {
            let key = meta.path.require_ident()?;
            if meta.input.peek(Token![=]) {
                let value: Expr = meta.value()?.parse()?;
                found(key, string(&value).cloned());
            } else if meta.input.peek(Paren) {
                meta.parse_nested_meta(|direction| {
                    let value: Expr = direction.value()?.parse()?;
                    if direction.path.is_ident("serialize") {
                        found(key, string(&value).cloned());
                    }
                    Ok(())
                })?;
            } else {
                found(key, None);
            }
            Ok(())
        });
    }
}
