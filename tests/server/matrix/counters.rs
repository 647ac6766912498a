//! What is done about a counter outside transactions that is missing, behind the data, or not made yet.

pub(super) const TABLES: [&str; 2] = [FIRST, REPAIR];

const FIRST: &str = "
get find
    closed x1        | 2                            | 2  | 2        | 3    | q q f i
    closed x2        | io                           | 1  | -        | 2    | q q
    91 x1            | 2                            | 2  | 2        | 3    | q q f i
    91 x2            | 91                           | 1  | -        | 2    | q q
    112 x1           | 112                          | 1  | -        | 2    | q
    251 x1           | 251                          | 1  | -        | 2    | q
    24 x1            | 24                           | 1  | -        | 2    | q
    462 x2           | 2                            | 2  | 2        | 3    | q q q f i
    462 x3           | 462 O                        | 1  | -        | 2    | q q q
    late             | 2                            | 2  | 2        | 3    | q f i

get findAndModify
    closed x1        | 2                            | 2  | 2        | 3    | q f f i
    closed x2        | io R                         | 1  | -        | 2    | q f f
    91 x1            | 2                            | 2  | 2        | 3    | q f f i
    91 x2            | 91 R                         | 1  | -        | 2    | q f f
    112 x9           | 2                            | 2  | 2        | 3    | q f f f f f f f f f f i
    112 x10          | 112                          | 1  | -        | 2    | q f f f f f f f f f f
    251 x1           | 251                          | 1  | -        | 2    | q f
    24 x1            | 24                           | 1  | -        | 2    | q f
    462 x2           | 2                            | 2  | 2        | 3    | q f f f i
    462 x3           | 462 O                        | 1  | -        | 2    | q f f f
    wce 64 x1        | Unconfirmed (2)              | 2  | -        | 3    | q f
    wce 91 bare x1   | Unconfirmed (2)              | 2  | -        | 3    | q f
    wce 91 x1        | 2                            | 2  | 2        | 3    | q f f i
    wce 91 x2        | Unconfirmed (2)              | 2  | -        | 3    | q f f
    late             | CounterHeld                  | 1  | -        | 2    | q f

get insert
    closed x1        | 2                            | 2  | 2        | 3    | q f i i
    closed x2        | io R (2)                     | 2  | -        | 3    | q f i i
    91 x1            | 2                            | 2  | 2        | 3    | q f i i
    91 x2            | 91 R (2)                     | 2  | -        | 3    | q f i i
    112 x1           | 112 (2)                      | 2  | -        | 3    | q f i
    251 x1           | 251 (2)                      | 2  | -        | 3    | q f i
    24 x1            | 24 (2)                       | 2  | -        | 3    | q f i
    462 x2           | 2                            | 2  | 2        | 3    | q f i i i
    462 x3           | 462 O (2)                    | 2  | -        | 3    | q f i i i
    wce 64 x1        | wce 64 (2)                   | 2  | 2        | 3    | q f i
    wce 91 bare x1   | wce 91 (2)                   | 2  | 2        | 3    | q f i
    wce 91 x1        | 2                            | 2  | 2        | 3    | q f i i
    wce 91 x2        | wce 91 R (2)                 | 2  | 2        | 3    | q f i i
    late             | 2                            | 2  | 2        | 3    | q f i

first findAndModify
    closed x1        | 2                            | 2  | 2        | 3    | f f q n n q f f i
    closed x2        | io R                         | -  | -        | 2    | f f
    closed after 1   | io R                         | -  | -        | 2    | f q n n q f f
    91 after 1       | 91 R                         | -  | -        | 2    | f q n n q f f
    112 x9           | 2                            | 2  | 2        | 3    | f f f f f f f f f f q n n q f f i
    112 after 1      | 112                          | -  | -        | 2    | f q n n q f f f f f f f f f f
    251 after 1      | 251                          | -  | -        | 2    | f q n n q f
    24 after 1       | 24                           | -  | -        | 2    | f q n n q f
    462 after 1      | 462 O                        | -  | -        | 2    | f q n n q f f f
    wce 64 x1        | wce 64                       | -  | -        | 2    | f
    wce 64 after 1   | wce 64                       | 1  | -        | 2    | f q n n q f
    wce 91 x1        | 2                            | 2  | 2        | 3    | f f q n n q f f i
    wce 91 after 1   | wce 91 R                     | 1  | -        | 2    | f q n n q f f
    late             | CounterHeld                  | -  | -        | 2    | f

first find@sequences
    closed x1        | 2                            | 2  | 2        | 3    | f q q n n q f f i
    closed x2        | io                           | -  | -        | 2    | f q q
    91 x1            | 2                            | 2  | 2        | 3    | f q q n n q f f i
    91 x2            | 91                           | -  | -        | 2    | f q q
    112 x1           | 112                          | -  | -        | 2    | f q
    251 x1           | 251                          | -  | -        | 2    | f q
    24 x1            | 24                           | -  | -        | 2    | f q
    462 x2           | 2                            | 2  | 2        | 3    | f q q q n n q f f i
    462 x3           | 462 O                        | -  | -        | 2    | f q q q
    late             | 50                           | -  | -        | 2    | f q

first find@orders
    closed x1        | 2                            | 2  | 2        | 3    | f q n n q q f f i
    closed x2        | io                           | -  | -        | 2    | f q n n q q
    91 x1            | 2                            | 2  | 2        | 3    | f q n n q q f f i
    91 x2            | 91                           | -  | -        | 2    | f q n n q q
    112 x1           | 112                          | -  | -        | 2    | f q n n q
    251 x1           | 251                          | -  | -        | 2    | f q n n q
    24 x1            | 24                           | -  | -        | 2    | f q n n q
    462 x2           | 2                            | 2  | 2        | 3    | f q n n q q q f f i
    462 x3           | 462 O                        | -  | -        | 2    | f q n n q q q
    late             | 2                            | 2  | 2        | 3    | f q n n q f f i

first listCollections
    closed x1        | 2                            | 2  | 2        | 3    | f q n n n q f f i
    closed x2        | io                           | -  | -        | 2    | f q n n
    91 x1            | 2                            | 2  | 2        | 3    | f q n n n q f f i
    91 x2            | 91                           | -  | -        | 2    | f q n n
    112 x1           | 112                          | -  | -        | 2    | f q n
    251 x1           | 251                          | -  | -        | 2    | f q n
    24 x1            | 24                           | -  | -        | 2    | f q n
    462 x2           | 2                            | 2  | 2        | 3    | f q n n n n q f f i
    462 x3           | 462 O                        | -  | -        | 2    | f q n n n
    late             | 2                            | 2  | 2        | 3    | f q n n q f f i
";

const REPAIR: &str = "
repair find@orders
    closed x1        | 4                            | 4  | 4        | 5    | f i x q q f f i
    closed x2        | io (2)                       | 2  | -        | 4    | f i x q q
    91 x1            | 4                            | 4  | 4        | 5    | f i x q q f f i
    91 x2            | 91 (2)                       | 2  | -        | 4    | f i x q q
    112 x1           | 112 (2)                      | 2  | -        | 4    | f i x q
    251 x1           | 251 (2)                      | 2  | -        | 4    | f i x q
    24 x1            | 24 (2)                       | 2  | -        | 4    | f i x q
    462 x2           | 4                            | 4  | 4        | 5    | f i x q q q f f i
    462 x3           | 462 O (2)                    | 2  | -        | 4    | f i x q q q
    late             | 4                            | 4  | 4        | 5    | f i x q f f i

repair listIndexes
    closed x1        | 4                            | 4  | 4        | 5    | f i x x q f f i
    closed x2        | refused 11000 (2)            | 2  | -        | 4    | f i x x
    91 x1            | 4                            | 4  | 4        | 5    | f i x x q f f i
    91 x2            | refused 11000 (2)            | 2  | -        | 4    | f i x x
    112 x1           | refused 11000 (2)            | 2  | -        | 4    | f i x
    462 x3           | refused 11000 (2)            | 2  | -        | 4    | f i x x x
    late             | 4                            | 4  | 4        | 5    | f i x q f f i

repair findAndModify
    closed after 1   | io R (2)                     | 2  | -        | 4    | f i x q f f
    91 after 1       | 91 R (2)                     | 2  | -        | 4    | f i x q f f
    112 after 1      | 112 (2)                      | 2  | -        | 4    | f i x q f f f f f f f f f f
    251 after 1      | 251 (2)                      | 2  | -        | 4    | f i x q f
    24 after 1       | 24 (2)                       | 2  | -        | 4    | f i x q f
    462 after 1      | 462 O (2)                    | 2  | -        | 4    | f i x q f f f
    wce 64 after 1   | wce 64 (2)                   | 3  | -        | 4    | f i x q f
    wce 91 after 1   | wce 91 R (2)                 | 3  | -        | 4    | f i x q f f
    late after 1     | CounterHeld (2)              | 2  | -        | 4    | f i x q f

repair insert
    closed after 1   | io R (4)                     | 4  | -        | 5    | f i x q f f i i
    91 after 1       | 91 R (4)                     | 4  | -        | 5    | f i x q f f i i
    112 after 1      | 112 (4)                      | 4  | -        | 5    | f i x q f f i
    251 after 1      | 251 (4)                      | 4  | -        | 5    | f i x q f f i
    24 after 1       | 24 (4)                       | 4  | -        | 5    | f i x q f f i
    462 after 1      | 462 O (4)                    | 4  | -        | 5    | f i x q f f i i i
    wce 64 after 1   | wce 64 (4)                   | 4  | 4        | 5    | f i x q f f i
    wce 91 after 1   | wce 91 R (4)                 | 4  | 4        | 5    | f i x q f f i i

ensure createIndexes
    closed x1        | io                           | -  | -        | 2    | n n x g q q X
    91 x1            | 91                           | -  | -        | 2    | n n x g q q X
    112 x1           | 112                          | -  | -        | 2    | n n x g q q X
    251 x1           | 251                          | -  | -        | 2    | n n x g q q X
    24 x1            | 24                           | -  | -        | 2    | n n x g q q X
    462 x2           | 1                            | 1  | -        | 2    | n n x g q q X X X q q q q n n f f q
    462 x3           | 462 O                        | -  | -        | 2    | n n x g q q X X X
    wce 64 x1        | wce 64                       | -  | -        | 2    | n n x g q q X
    wce 91 x1        | wce 91                       | -  | -        | 2    | n n x g q q X

ensure aggregate
    closed x1        | 1                            | 1  | -        | 2    | n n x g g q q X q q q q n n f f q
    closed x2        | io                           | -  | -        | 2    | n n x g g
    91 x1            | 1                            | 1  | -        | 2    | n n x g g q q X q q q q n n f f q
    91 x2            | 91                           | -  | -        | 2    | n n x g g
    112 x1           | 112                          | -  | -        | 2    | n n x g
    462 x3           | 462 O                        | -  | -        | 2    | n n x g g g

ensure listIndexes
    closed x1        | 1                            | 1  | -        | 2    | n n x x g q q X q q q q n n f f q
    closed x2        | io                           | -  | -        | 2    | n n x x
    91 x2            | 91                           | -  | -        | 2    | n n x x

ensure findAndModify
    closed x1        | 1                            | 1  | -        | 2    | n n x g q q X q q q q n n f f f q
    closed x2        | io R                         | -  | -        | 2    | n n x g q q X q q q q n n f f
    91 x2            | 91 R                         | -  | -        | 2    | n n x g q q X q q q q n n f f
    112 x9           | 1                            | 1  | -        | 2    | n n x g q q X q q q q n n f f f f f f f f f f f q
    112 x10          | 112                          | -  | -        | 2    | n n x g q q X q q q q n n f f f f f f f f f f
    wce 64 x1        | wce 64                       | 1  | -        | 2    | n n x g q q X q q q q n n f
    wce 91 x1        | 1                            | 1  | -        | 2    | n n x g q q X q q q q n n f f f q
";
