use serde::Serialize;

#[derive(Serialize, mongo_sequence::AutoIncrement)]
#[auto_increment(crate = "sequence")]
struct Quoted {
    #[auto_increment]
    id: i64,
}

#[derive(Serialize, mongo_sequence::AutoIncrement)]
#[auto_increment(crate = sequence)]
struct Relative {
    #[auto_increment]
    id: i64,
}

#[derive(Serialize, mongo_sequence::AutoIncrement)]
#[auto_increment(crate = super::sequence)]
struct Super {
    #[auto_increment]
    id: i64,
}

#[derive(Serialize, mongo_sequence::AutoIncrement)]
#[auto_increment(crate = 5)]
struct Number {
    #[auto_increment]
    id: i64,
}

#[derive(Serialize, mongo_sequence::AutoIncrement)]
#[auto_increment(crate)]
struct Missing {
    #[auto_increment]
    id: i64,
}

fn main() {}
