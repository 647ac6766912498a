//! Numbers from counters outside any transaction.

pub(super) const TABLES: [&str; 2] = [INSERTS, NUMBERS];

const INSERTS: &str = "
plain findAndModify
    closed x1        | 2                            | 2  | 2        | 3    | f f i
    closed x2        | io R                         | 1  | -        | 2    | f f
    91 x1            | 2                            | 2  | 2        | 3    | f f i
    91 x2            | 91 R                         | 1  | -        | 2    | f f
    112 x9           | 2                            | 2  | 2        | 3    | f f f f f f f f f f i
    112 x10          | 112                          | 1  | -        | 2    | f f f f f f f f f f
    251 x1           | 251                          | 1  | -        | 2    | f
    24 x1            | 24                           | 1  | -        | 2    | f
    462 x2           | 2                            | 2  | 2        | 3    | f f f i
    462 x3           | 462 O                        | 1  | -        | 2    | f f f
    wce 64 x1        | Unconfirmed (2)              | 2  | -        | 3    | f
    wce 91 bare x1   | Unconfirmed (2)              | 2  | -        | 3    | f
    wce 91 x1        | 2                            | 2  | 2        | 3    | f f i
    wce 91 x2        | Unconfirmed (2)              | 2  | -        | 3    | f f
    late             | CounterHeld                  | 1  | -        | 2    | f

plain insert
    closed x1        | 2                            | 2  | 2        | 3    | f i i
    closed x2        | io R (2)                     | 2  | -        | 3    | f i i
    91 x1            | 2                            | 2  | 2        | 3    | f i i
    91 x2            | 91 R (2)                     | 2  | -        | 3    | f i i
    112 x1           | 112 (2)                      | 2  | -        | 3    | f i
    251 x1           | 251 (2)                      | 2  | -        | 3    | f i
    24 x1            | 24 (2)                       | 2  | -        | 3    | f i
    462 x2           | 2                            | 2  | 2        | 3    | f i i i
    462 x3           | 462 O (2)                    | 2  | -        | 3    | f i i i
    wce 64 x1        | wce 64 (2)                   | 2  | 2        | 3    | f i
    wce 91 bare x1   | wce 91 (2)                   | 2  | 2        | 3    | f i
    wce 91 x1        | 2                            | 2  | 2        | 3    | f i i
    wce 91 x2        | wce 91 R (2)                 | 2  | 2        | 3    | f i i
    late             | 2                            | 2  | 2        | 3    | f i

combined findAndModify
    closed x1        | 2 3                          | 3  | 2 3      | 4    | f f i
    closed x2        | io R, io R                   | 1  | -        | 2    | f f
    91 x1            | 2 3                          | 3  | 2 3      | 4    | f f i
    91 x2            | 91 R, 91 R                   | 1  | -        | 2    | f f
    112 x9           | 2 3                          | 3  | 2 3      | 4    | f f f f f f f f f f i
    112 x10          | 112, 112                     | 1  | -        | 2    | f f f f f f f f f f
    251 x1           | 251, 251                     | 1  | -        | 2    | f
    24 x1            | 24, 24                       | 1  | -        | 2    | f
    462 x2           | 2 3                          | 3  | 2 3      | 4    | f f f i
    462 x3           | 462 O, 462 O                 | 1  | -        | 2    | f f f
    wce 64 x1        | Unconfirmed (2), Unconfirmed (3) | 3  | -        | 4    | f
    wce 91 bare x1   | Unconfirmed (2), Unconfirmed (3) | 3  | -        | 4    | f
    wce 91 x1        | 2 3                          | 3  | 2 3      | 4    | f f i
    wce 91 x2        | Unconfirmed (2), Unconfirmed (3) | 3  | -        | 4    | f f
    late             | Deadline, Deadline           | 3  | -        | 4    | f

combined insert
    closed x1        | 2 3                          | 3  | 2 3      | 4    | f i i
    closed x2        | io R (2), io R (3)           | 3  | -        | 4    | f i i
    91 x1            | 2 3                          | 3  | 2 3      | 4    | f i i
    91 x2            | 91 R (2), 91 R (3)           | 3  | -        | 4    | f i i
    112 x1           | 112 (2), 112 (3)             | 3  | -        | 4    | f i
    251 x1           | 251 (2), 251 (3)             | 3  | -        | 4    | f i
    24 x1            | 24 (2), 24 (3)               | 3  | -        | 4    | f i
    462 x2           | 2 3                          | 3  | 2 3      | 4    | f i i i
    462 x3           | 462 O (2), 462 O (3)         | 3  | -        | 4    | f i i i
    wce 64 x1        | wce 64 (2), wce 64 (3)       | 3  | 2 3      | 4    | f i
    wce 91 bare x1   | wce 91 (2), wce 91 (3)       | 3  | 2 3      | 4    | f i
    wce 91 x1        | 2 3                          | 3  | 2 3      | 4    | f i i
    wce 91 x2        | wce 91 R (2), wce 91 R (3)   | 3  | 2 3      | 4    | f i i
    late             | 2 3                          | 3  | 2 3      | 4    | f i

blocks findAndModify
    closed x1        | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f f i
    closed x2        | io R (2)                     | 6  | -        | 6    | f f f
    91 x1            | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f f i
    91 x2            | 91 R (2)                     | 6  | -        | 6    | f f f
    112 x9           | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f f f f f f f f f f i
    112 x10          | 112 (2)                      | 6  | -        | 6    | f f f f f f f f f f f
    251 x1           | 251 (2)                      | 6  | -        | 6    | f f
    24 x1            | 24 (2)                       | 6  | -        | 6    | f f
    462 x2           | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f f f i
    462 x3           | 462 O (2)                    | 6  | -        | 6    | f f f f
    wce 64 x1        | Unconfirmed (7)              | 12 | -        | 12   | f f
    wce 91 bare x1   | Unconfirmed (7)              | 12 | -        | 12   | f f
    wce 91 x1        | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f f i
    wce 91 x2        | Unconfirmed (7)              | 12 | -        | 12   | f f f
    late             | Deadline (2)                 | 11 | -        | 8    | f

blocks insert
    closed x1        | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f i i
    closed x2        | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | -        | 8    | f i i
    91 x1            | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f i i
    91 x2            | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | -        | 8    | f i i
    112 x1           | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | -        | 8    | f i
    251 x1           | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | -        | 8    | f i
    24 x1            | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | -        | 8    | f i
    462 x2           | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f i i i
    462 x3           | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | -        | 8    | f i i i
    wce 64 x1        | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | 2 3 4 5 6 7 | 8    | f i
    wce 91 bare x1   | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | 2 3 4 5 6 7 | 8    | f i
    wce 91 x1        | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f i i
    wce 91 x2        | Incomplete unknown 0 1 2 3 4 5 (2) | 11 | 2 3 4 5 6 7 | 8    | f i i
    late             | 2 3 4 5 6 7                  | 11 | 2 3 4 5 6 7 | 8    | f i

many findAndModify
    closed x1        | 2 3 4                        | 4  | 2 3 4    | 5    | f f i
    closed x2        | io R                         | 1  | -        | 2    | f f
    91 x1            | 2 3 4                        | 4  | 2 3 4    | 5    | f f i
    91 x2            | 91 R                         | 1  | -        | 2    | f f
    112 x9           | 2 3 4                        | 4  | 2 3 4    | 5    | f f f f f f f f f f i
    112 x10          | 112                          | 1  | -        | 2    | f f f f f f f f f f
    251 x1           | 251                          | 1  | -        | 2    | f
    24 x1            | 24                           | 1  | -        | 2    | f
    462 x2           | 2 3 4                        | 4  | 2 3 4    | 5    | f f f i
    462 x3           | 462 O                        | 1  | -        | 2    | f f f
    wce 64 x1        | Unconfirmed (4)              | 4  | -        | 5    | f
    wce 91 bare x1   | Unconfirmed (4)              | 4  | -        | 5    | f
    wce 91 x1        | 2 3 4                        | 4  | 2 3 4    | 5    | f f i
    wce 91 x2        | Unconfirmed (4)              | 4  | -        | 5    | f f
    late             | Deadline                     | 4  | -        | 5    | f

many insert
    closed x1        | 2 3 4                        | 4  | 2 3 4    | 5    | f i i
    closed x2        | Incomplete unknown 0 1 2 (2) | 4  | -        | 5    | f i i
    91 x1            | 2 3 4                        | 4  | 2 3 4    | 5    | f i i
    91 x2            | Incomplete unknown 0 1 2 (2) | 4  | -        | 5    | f i i
    112 x1           | Incomplete unknown 0 1 2 (2) | 4  | -        | 5    | f i
    251 x1           | Incomplete unknown 0 1 2 (2) | 4  | -        | 5    | f i
    24 x1            | Incomplete unknown 0 1 2 (2) | 4  | -        | 5    | f i
    462 x2           | 2 3 4                        | 4  | 2 3 4    | 5    | f i i i
    462 x3           | Incomplete unknown 0 1 2 (2) | 4  | -        | 5    | f i i i
    wce 64 x1        | Incomplete unknown 0 1 2 (2) | 4  | 2 3 4    | 5    | f i
    wce 91 bare x1   | Incomplete unknown 0 1 2 (2) | 4  | 2 3 4    | 5    | f i
    wce 91 x1        | 2 3 4                        | 4  | 2 3 4    | 5    | f i i
    wce 91 x2        | Incomplete unknown 0 1 2 (2) | 4  | 2 3 4    | 5    | f i i
    late             | 2 3 4                        | 4  | 2 3 4    | 5    | f i
";

const NUMBERS: &str = "
next findAndModify
    closed x1        | 2                            | 2  | -        | 3    | f f
    closed x2        | io R                         | 1  | -        | 2    | f f
    91 x1            | 2                            | 2  | -        | 3    | f f
    91 x2            | 91 R                         | 1  | -        | 2    | f f
    112 x9           | 2                            | 2  | -        | 3    | f f f f f f f f f f
    112 x10          | 112                          | 1  | -        | 2    | f f f f f f f f f f
    251 x1           | 251                          | 1  | -        | 2    | f
    24 x1            | 24                           | 1  | -        | 2    | f
    462 x2           | 2                            | 2  | -        | 3    | f f f
    462 x3           | 462 O                        | 1  | -        | 2    | f f f
    wce 64 x1        | Unconfirmed (2)              | 2  | -        | 3    | f
    wce 91 bare x1   | Unconfirmed (2)              | 2  | -        | 3    | f
    wce 91 x1        | 2                            | 2  | -        | 3    | f f
    wce 91 x2        | Unconfirmed (2)              | 2  | -        | 3    | f f

reserve findAndModify
    closed x1        | 2 3 4                        | 4  | -        | 5    | f f
    closed x2        | io R                         | 1  | -        | 2    | f f
    91 x1            | 2 3 4                        | 4  | -        | 5    | f f
    91 x2            | 91 R                         | 1  | -        | 2    | f f
    112 x9           | 2 3 4                        | 4  | -        | 5    | f f f f f f f f f f
    112 x10          | 112                          | 1  | -        | 2    | f f f f f f f f f f
    251 x1           | 251                          | 1  | -        | 2    | f
    24 x1            | 24                           | 1  | -        | 2    | f
    462 x2           | 2 3 4                        | 4  | -        | 5    | f f f
    462 x3           | 462 O                        | 1  | -        | 2    | f f f
    wce 64 x1        | Unconfirmed (4)              | 4  | -        | 5    | f
    wce 91 bare x1   | Unconfirmed (4)              | 4  | -        | 5    | f
    wce 91 x1        | 2 3 4                        | 4  | -        | 5    | f f
    wce 91 x2        | Unconfirmed (4)              | 4  | -        | 5    | f f

no-retry findAndModify
    closed x1        | io                           | 1  | -        | 2    | f
    91 x1            | 91                           | 1  | -        | 2    | f
    112 x9           | 2                            | 2  | 2        | 3    | f f f f f f f f f f i
    462 x1           | 462 O                        | 1  | -        | 2    | f
    wce 64 x1        | Unconfirmed (2)              | 2  | -        | 3    | f
    wce 91 x1        | Unconfirmed (2)              | 2  | -        | 3    | f
    late             | CounterHeld                  | 1  | -        | 2    | f

no-retry insert
    closed x1        | io (2)                       | 2  | -        | 3    | f i
    91 x1            | 91 (2)                       | 2  | -        | 3    | f i
    112 x1           | 112 (2)                      | 2  | -        | 3    | f i
    462 x1           | 462 O (2)                    | 2  | -        | 3    | f i
    wce 64 x1        | wce 64 (2)                   | 2  | 2        | 3    | f i
    wce 91 x1        | wce 91 (2)                   | 2  | 2        | 3    | f i
    late             | 2                            | 2  | 2        | 3    | f i

given insert
    closed x1        | 5                            | 5  | 5        | 6    | i i f
    closed x2        | io R                         | 1  | -        | 2    | i i
    91 x1            | 5                            | 5  | 5        | 6    | i i f
    91 x2            | 91 R                         | 1  | -        | 2    | i i
    112 x1           | 112                          | 1  | -        | 2    | i
    251 x1           | 251                          | 1  | -        | 2    | i
    24 x1            | 24                           | 1  | -        | 2    | i
    462 x2           | 5                            | 5  | 5        | 6    | i i i f
    462 x3           | 462 O                        | 1  | -        | 2    | i i i
    wce 64 x1        | wce 64                       | 1  | 5        | 2    | i
    wce 91 bare x1   | wce 91                       | 1  | 5        | 2    | i
    wce 91 x1        | 5                            | 5  | 5        | 6    | i i f
    wce 91 x2        | wce 91 R                     | 1  | 5        | 2    | i i
    late             | 5                            | 5  | 5        | 6    | i f

given findAndModify
    closed x1        | 5                            | 5  | 5        | 6    | i f f
    closed x2        | NotRaised                    | 1  | 5        | 2    | i f f
    91 x1            | 5                            | 5  | 5        | 6    | i f f
    91 x2            | NotRaised                    | 1  | 5        | 2    | i f f
    112 x9           | 5                            | 5  | 5        | 6    | i f f f f f f f f f f
    112 x10          | NotRaised                    | 1  | 5        | 2    | i f f f f f f f f f f
    251 x1           | NotRaised                    | 1  | 5        | 2    | i f
    24 x1            | NotRaised                    | 1  | 5        | 2    | i f
    462 x2           | 5                            | 5  | 5        | 6    | i f f f
    462 x3           | NotRaised                    | 1  | 5        | 2    | i f f f
    wce 64 x1        | NotRaised                    | 5  | 5        | 6    | i f
    wce 91 bare x1   | NotRaised                    | 5  | 5        | 6    | i f
    wce 91 x1        | 5                            | 5  | 5        | 6    | i f f
    wce 91 x2        | NotRaised                    | 5  | 5        | 6    | i f f
    late             | NotRaised                    | 1  | 5        | 2    | i f
";
