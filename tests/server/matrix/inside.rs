//! Numbers taken in a transaction of the library's own, alone or as a group.

pub(super) const TABLES: [&str; 3] = [OWN, GROUP, FIRST];

const OWN: &str = "
own findAndModify
    closed x1        | 2                            | 2  | 2        | 3    | f a f i c
    closed x2        | 2                            | 2  | 2        | 3    | f a f a f i c
    91 x1            | 2                            | 2  | 2        | 3    | f a f i c
    112 x1           | 2                            | 2  | 2        | 3    | f a f i c
    251 x1           | 2                            | 2  | 2        | 3    | f a f i c
    24 x1            | 2                            | 2  | 2        | 3    | f a f i c
    91 x2            | 2                            | 2  | 2        | 3    | f a f a f i c
    462 x2           | 2                            | 2  | 2        | 3    | f f f i c
    462 x3           | 462 O                        | 1  | -        | 2    | f f f a
    late             | 2                            | 2  | 2        | 3    | f i c

own insert
    closed x1        | 2                            | 2  | 2        | 3    | f i a f i c
    91 x1            | 2                            | 2  | 2        | 3    | f i a f i c
    112 x1           | 2                            | 2  | 2        | 3    | f i a f i c
    251 x1           | 2                            | 2  | 2        | 3    | f i a f i c
    24 x1            | 2                            | 2  | 2        | 3    | f i a f i c
    closed x2        | 2                            | 2  | 2        | 3    | f i a f i a f i c
    91 x2            | 2                            | 2  | 2        | 3    | f i a f i a f i c
    462 x2           | 2                            | 2  | 2        | 3    | f i i i c
    462 x3           | 462 O                        | 1  | -        | 2    | f i i i a
    late             | 2                            | 2  | 2        | 3    | f i c

own commitTransaction
    closed x1        | 2                            | 2  | 2        | 3    | f i c c
    closed x2        | 2                            | 2  | 2        | 3    | f i c c c
    91 x1            | 2                            | 2  | 2        | 3    | f i c c
    91 x2            | 2                            | 2  | 2        | 3    | f i c c c
    112 x1           | 2                            | 2  | 2        | 3    | f i c f i c
    251 x1           | 2                            | 2  | 2        | 3    | f i c f i c
    24 x1            | 2                            | 2  | 2        | 3    | f i c f i c
    462 x2           | 2                            | 2  | 2        | 3    | f i c c c
    462 x3           | 462 O                        | 1  | -        | 2    | f i c c c q a
    wce 64 x1        | 2                            | 2  | 2        | 3    | f i c c
    wce 91 bare x1   | 2                            | 2  | 2        | 3    | f i c c
    wce 91 x1        | 2                            | 2  | 2        | 3    | f i c c
    wce 91 x2        | 2                            | 2  | 2        | 3    | f i c c c
    wce 100 x1       | UnknownOutcome (2)           | 2  | 2        | 3    | f i c q a
    late             | UnknownOutcome (2)           | 1  | -        | 2    | f i c q a

unmade abortTransaction
    closed x1        | Serialization                | 4  | -        | 5    | f a a
    91 x1            | Serialization                | 4  | -        | 5    | f a a
    462 x2           | Serialization                | 4  | -        | 5    | f a a a
    wce 64 x1        | Serialization                | 4  | -        | 5    | f a
    wce 91 x1        | Serialization                | 4  | -        | 5    | f a a
    late             | Serialization                | 4  | -        | 5    | f a

taken abortTransaction
    closed x1        | refused 11000                | 1  | -        | 2    | f i a a x
    91 x1            | refused 11000                | 1  | -        | 2    | f i a a x
    112 x1           | refused 11000                | 1  | -        | 2    | f i a x
    251 x1           | refused 11000                | 1  | -        | 2    | f i a x
    24 x1            | refused 11000                | 1  | -        | 2    | f i a x
    462 x2           | refused 11000                | 1  | -        | 2    | f i a a a x
    wce 64 x1        | refused 11000                | 1  | -        | 2    | f i a x
    wce 91 x1        | refused 11000                | 1  | -        | 2    | f i a a x
    late             | refused 11000                | 1  | -        | 2    | f i a x
    closed x2        | refused 11000                | 1  | -        | 2    | f i a a x
    91 x2            | refused 11000                | 1  | -        | 2    | f i a a x
    462 x3           | refused 11000                | 1  | -        | 2    | f i a a a x
";

const GROUP: &str = "
group findAndModify
    closed x1        | 2 3                          | 3  | 2 3      | 4    | f a f i c
    closed x2        | 2 3                          | 3  | 2 3      | 4    | f a f a f i c
    91 x1            | 2 3                          | 3  | 2 3      | 4    | f a f i c
    112 x1           | 2 3                          | 3  | 2 3      | 4    | f a f i c
    251 x1           | 2 3                          | 3  | 2 3      | 4    | f a f i c
    24 x1            | 2 3                          | 3  | 2 3      | 4    | f a f i c
    91 x2            | 2 3                          | 3  | 2 3      | 4    | f a f a f i c
    462 x2           | 2 3                          | 3  | 2 3      | 4    | f f f i c
    462 x3           | 462 O, 462 O                 | 1  | -        | 2    | f f f a
    late             | 2 3                          | 3  | 2 3      | 4    | f i c

group insert
    closed x1        | 2 3                          | 3  | 2 3      | 4    | f i a f i c
    91 x1            | 2 3                          | 3  | 2 3      | 4    | f i a f i c
    251 x1           | 2 3                          | 3  | 2 3      | 4    | f i a f i c
    24 x1            | 2 3                          | 3  | 2 3      | 4    | f i a f i c
    112 x1           | 2 3                          | 3  | 2 3      | 4    | f i a f i c f i c
    closed x2        | 2 3                          | 3  | 2 3      | 4    | f i a f i a f i c
    91 x2            | 2 3                          | 3  | 2 3      | 4    | f i a f i a f i c
    462 x2           | 2 3                          | 3  | 2 3      | 4    | f i i i c
    462 x3           | 462 O, 462 O                 | 1  | -        | 2    | f i i i a
    late             | 2 3                          | 3  | 2 3      | 4    | f i c

group commitTransaction
    closed x1        | 2 3                          | 3  | 2 3      | 4    | f i c c
    closed x2        | 2 3                          | 3  | 2 3      | 4    | f i c c c
    91 x1            | 2 3                          | 3  | 2 3      | 4    | f i c c
    91 x2            | 2 3                          | 3  | 2 3      | 4    | f i c c c
    112 x1           | 2 3                          | 3  | 2 3      | 4    | f i c f i c
    251 x1           | 2 3                          | 3  | 2 3      | 4    | f i c f i c
    24 x1            | 2 3                          | 3  | 2 3      | 4    | f i c f i c
    462 x2           | 2 3                          | 3  | 2 3      | 4    | f i c c c
    462 x3           | 462 O, 462 O                 | 1  | -        | 2    | f i c c c q a
    wce 64 x1        | 2 3                          | 3  | 2 3      | 4    | f i c c
    wce 91 bare x1   | 2 3                          | 3  | 2 3      | 4    | f i c c
    wce 91 x1        | 2 3                          | 3  | 2 3      | 4    | f i c c
    wce 91 x2        | 2 3                          | 3  | 2 3      | 4    | f i c c c
    wce 100 x1       | UnknownOutcome (2), UnknownOutcome (3) | 3  | 2 3      | 4    | f i c q a
    late             | 2 3                          | 3  | 2 3      | 4    | f i c

many-own findAndModify
    closed x1        | 2 3 4                        | 4  | 2 3 4    | 5    | f a f i c
    91 x2            | 2 3 4                        | 4  | 2 3 4    | 5    | f a f a f i c
    462 x3           | 462 O                        | 1  | -        | 2    | f f f a

many-own insert
    closed x2        | 2 3 4                        | 4  | 2 3 4    | 5    | f i a f i a f i c
    112 x1           | 2 3 4                        | 4  | 2 3 4    | 5    | f i a f i c
    462 x3           | 462 O                        | 1  | -        | 2    | f i i i a

many-own commitTransaction
    closed x2        | 2 3 4                        | 4  | 2 3 4    | 5    | f i c c c
    251 x1           | 2 3 4                        | 4  | 2 3 4    | 5    | f i c f i c
    wce 100 x1       | UnknownOutcome (2)           | 4  | 2 3 4    | 5    | f i c q a
";

const FIRST: &str = "
first-own findAndModify
    closed x1        | 2                            | 2  | 2        | 3    | f a f a q n n q f q f i c
    91 x1            | 2                            | 2  | 2        | 3    | f a f a q n n q f q f i c
    112 x1           | 2                            | 2  | 2        | 3    | f a f a q n n q f q f i c
    251 x1           | 2                            | 2  | 2        | 3    | f a f a q n n q f q f i c
    24 x1            | 2                            | 2  | 2        | 3    | f a f a q n n q f q f i c
    462 x2           | 2                            | 2  | 2        | 3    | f f f a q n n q f q f i c
    wce 64 after 1   | wce 64                       | 1  | -        | 2    | f a q n n q f
    112 after 1      | 112                          | -  | -        | 2    | f a q n n q f f f f f f f f f f
    251 after 1      | 251                          | -  | -        | 2    | f a q n n q f
    462 after 1      | 462 O                        | -  | -        | 2    | f a q n n q f f f

first-own find@sequences
    closed x1        | 2                            | 2  | 2        | 3    | f a q q n n q f q f i c
    closed x2        | io                           | -  | -        | 2    | f a q q
    91 x1            | 2                            | 2  | 2        | 3    | f a q q n n q f q f i c
    91 x2            | 91                           | -  | -        | 2    | f a q q
    112 x1           | 112                          | -  | -        | 2    | f a q
    251 x1           | 251                          | -  | -        | 2    | f a q
    24 x1            | 24                           | -  | -        | 2    | f a q
    462 x2           | 2                            | 2  | 2        | 3    | f a q q q n n q f q f i c
    462 x3           | 462 O                        | -  | -        | 2    | f a q q q

first-own find@orders
    closed x1        | 2                            | 2  | 2        | 3    | f a q n n q q f q f i c
    closed x2        | io                           | -  | -        | 2    | f a q n n q q
    91 x1            | 2                            | 2  | 2        | 3    | f a q n n q q f q f i c
    91 x2            | 91                           | -  | -        | 2    | f a q n n q q
    112 x1           | 112                          | -  | -        | 2    | f a q n n q
    251 x1           | 251                          | -  | -        | 2    | f a q n n q
    24 x1            | 24                           | -  | -        | 2    | f a q n n q
    462 x2           | 2                            | 2  | 2        | 3    | f a q n n q q q f q f i c
    462 x3           | 462 O                        | -  | -        | 2    | f a q n n q q q

first-own abortTransaction
    closed x1        | 2                            | 2  | 2        | 3    | f a a q n n q f q f i c
    closed x2        | 2                            | 2  | 2        | 3    | f a a q n n q f q f i c
    91 x1            | 2                            | 2  | 2        | 3    | f a a q n n q f q f i c
    91 x2            | 2                            | 2  | 2        | 3    | f a a q n n q f q f i c
    112 x1           | 2                            | 2  | 2        | 3    | f a q n n q f q f i c
    251 x1           | 2                            | 2  | 2        | 3    | f a q n n q f q f i c
    24 x1            | 2                            | 2  | 2        | 3    | f a q n n q f q f i c
    462 x3           | 2                            | 2  | 2        | 3    | f a a a q n n q f q f i c
    wce 64 x1        | 2                            | 2  | 2        | 3    | f a q n n q f q f i c

repair-own find@orders
    closed x1        | 4                            | 4  | 4        | 5    | f i a x q q q q f f i c
    closed x2        | io                           | 1  | -        | 4    | f i a x q q
    91 x1            | 4                            | 4  | 4        | 5    | f i a x q q q q f f i c
    91 x2            | 91                           | 1  | -        | 4    | f i a x q q
    112 x1           | 112                          | 1  | -        | 4    | f i a x q
    251 x1           | 251                          | 1  | -        | 4    | f i a x q
    24 x1            | 24                           | 1  | -        | 4    | f i a x q
    462 x2           | 4                            | 4  | 4        | 5    | f i a x q q q q q f f i c
    462 x3           | 462 O                        | 1  | -        | 4    | f i a x q q q

repair-own findAndModify
    wce 64 after 1   | wce 64                       | 3  | -        | 4    | f i a x q q q f
    251 after 1      | 251                          | 1  | -        | 4    | f i a x q q q f

repair-own listIndexes
    closed x1        | 4                            | 4  | 4        | 5    | f i a x x q q q f f i c
    closed x2        | refused 11000                | 1  | -        | 4    | f i a x x
";
