use mongo_sequence::*;
use mongodb::{bson::doc, Collection};
use serde::Serialize;
fn letter(n: i64) -> String { b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".map(|b| char::from(b).to_string())[usize::try_from(n).unwrap()].clone() }
#[derive(Serialize, AutoIncrement)]
struct Link { #[serde(rename = "_id")] #[auto_increment(format = letter, start = 10)] slug: String }
async fn ex(db: mongodb::Database) -> Result<()> {
    db.run_command(doc!{"create":"links","collation":{"locale":"en","strength":2}}).await?;
    let links: Collection<Link> = db.collection("links");
    for n in 10..36 { let mut l = Link{slug:String::new()}; l.insert_with_seq(&links).await?; assert_eq!(l.slug, letter(n)); }
    let mut l = Link{slug:String::new()};
    let e = l.insert_with_seq(&links).gapless().await; println!("gapless {e:?}");
    let e = l.insert_with_seq(&links).await; println!("plain {e:?}");
    println!("{:?}", Link::sequence(&links,"slug")?.current_value().await?);
    Ok(())
}
fn main() { mongod_fixture::run(ex) }
