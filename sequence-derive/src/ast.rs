//! The derive's view of a struct: its fields, what is numbered, and under which name it is stored.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Data, DataEnum, DataStruct, DataUnion, DeriveInput, Fields, FieldsNamed, Generics, Type, ext::IdentExt};

use crate::{
    attr::{self, FieldKeys, StructKeys},
    crate_path::CratePath,
    ctxt::Ctxt,
    serde,
};

/// The struct.
pub(crate) struct Input<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) keys: StructKeys,
    /// `None` if it is no struct with named fields, which has been reported.
    pub(crate) fields: Option<Vec<Field<'a>>>,
}

/// A field, numbered or not.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) stored_name: String,
    /// Where the stored name is written.
    pub(crate) stored_name_span: Span,
    /// The serde attribute that keeps the field out of the document.
    pub(crate) absent: Option<Ident>,
    /// Whether serde may leave it out.
    pub(crate) optional: bool,
    /// Whether serde stores it as something else than its type.
    pub(crate) converted: bool,
    /// `None` if it is not numbered.
    pub(crate) keys: Option<FieldKeys>,
}

/// A numbered field.
#[derive(Clone, Copy)]
pub(crate) struct Number<'a> {
    pub(crate) field: &'a Field<'a>,
    pub(crate) keys: &'a FieldKeys,
}

impl<'a> Input<'a> {
    pub(crate) fn from_syn(cx: &Ctxt, node: &'a DeriveInput) -> Self {
        let DeriveInput { attrs, vis: _, ident, generics, data } = node;
        let keys = attr::read(cx, attrs).unwrap_or_default();
        let container = serde::Container::read(attrs);
        let fields = named_fields(cx, ident, data)
            .map(|fields| fields.named.iter().filter_map(|field| Field::from_syn(cx, field, &container)).collect());
        Self { ident, generics, keys, fields }
    }

    /// The path of the crate that the generated code names.
    pub(crate) fn krate(&self) -> TokenStream {
        CratePath::or_default(self.keys.krate.value())
    }

    /// The field of this name.
    pub(crate) fn field(&self, name: &Ident) -> Option<&Field<'a>> {
        self.fields.iter().flatten().find(|field| field.ident.unraw() == name.unraw())
    }

    /// The numbered fields, in the order of the struct.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = Number<'_>> {
        let fields = self.fields.iter().flatten();
        fields.filter_map(|field| field.keys.as_ref().map(|keys| Number { field, keys }))
    }
}

impl<'a> Number<'a> {
    /// The type that converts numbers. With a `format` the function does.
    pub(crate) fn converted(self) -> Option<&'a Type> {
        (!self.keys.format.is_given()).then_some(self.field.ty)
    }
}

impl<'a> Field<'a> {
    /// The name in Rust, without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    fn from_syn(cx: &Ctxt, node: &'a syn::Field, container: &serde::Container) -> Option<Self> {
        let syn::Field { attrs, vis: _, modifiers: _, ident, colon_token: _, ty, default: _ } = node;
        let ident = ident.as_ref()?;
        let serde = serde::Field::read(attrs);
        let (stored_name, stored_name_span) = serde.stored_name(ident, container);
        let keys = attr::read(cx, attrs);
        let serde::Field { absent, optional, converted, .. } = serde;
        Some(Self { ident, ty, stored_name, stored_name_span, absent, optional, converted, keys })
    }
}

/// A document has named fields, so a model has.
fn named_fields<'a>(cx: &Ctxt, ident: &Ident, data: &'a Data) -> Option<&'a FieldsNamed> {
    match data {
        Data::Struct(DataStruct { fields: Fields::Named(fields), .. }) => return Some(fields),
        Data::Struct(DataStruct { fields: Fields::Unnamed(fields), .. }) => cx.error(
            fields,
            format!(
                "expected named fields, as a document has them, found a tuple struct; \
                 write `struct {ident} {{ #[auto_increment] id: i64, .. }}`"
            ),
        ),
        Data::Struct(DataStruct { fields: Fields::Unit, .. }) => cx.error(
            ident,
            format!(
                "expected a struct with a field to number, found one without fields; \
                 write `struct {ident} {{ #[auto_increment] id: i64 }}`"
            ),
        ),
        Data::Enum(DataEnum { enum_token, .. }) => cx.error(
            enum_token,
            "expected a struct with named fields, found an enum; number a struct that has the enum as a field",
        ),
        Data::Union(DataUnion { union_token, .. }) => {
            cx.error(union_token, "expected a struct with named fields, found a union");
        }
    }
    None
}
