//! A transaction of the caller's: with the number inside it, or outside.

pub(super) const TABLES: [&str; 1] = [SESSION];

const SESSION: &str = "
session find
    closed x1        | 2                            | 2  | 2        | 3    | q q f i c
    closed x2        | io                           | 1  | -        | 2    | q q
    91 x1            | 2                            | 2  | 2        | 3    | q q f i c
    91 x2            | 91                           | 1  | -        | 2    | q q
    112 x1           | 112                          | 1  | -        | 2    | q
    251 x1           | 251                          | 1  | -        | 2    | q
    24 x1            | 24                           | 1  | -        | 2    | q
    462 x2           | 2                            | 2  | 2        | 3    | q q q f i c
    462 x3           | 462 O                        | 1  | -        | 2    | q q q
    late             | 50                           | 1  | -        | 2    | q

session findAndModify
    closed x1        | io T                         | 1  | -        | 2    | q f a
    91 x1            | 91 T                         | 1  | -        | 2    | q f a
    112 x1           | 112 T                        | 1  | -        | 2    | q f a
    251 x1           | 251 T                        | 1  | -        | 2    | q f a
    24 x1            | 24 T                         | 1  | -        | 2    | q f a
    462 x2           | 2                            | 2  | 2        | 3    | q f f f i c
    462 x3           | 462 O                        | 1  | -        | 2    | q f f f a
    late             | 2                            | 2  | 2        | 3    | q f i c

session insert
    closed x1        | io T                         | 1  | -        | 2    | q f i f a
    91 x1            | 91 T                         | 1  | -        | 2    | q f i a
    112 x1           | 112 T                        | 1  | -        | 2    | q f i a
    251 x1           | 251 T                        | 1  | -        | 2    | q f i a
    24 x1            | 24 T                         | 1  | -        | 2    | q f i a
    462 x2           | 2                            | 2  | 2        | 3    | q f i i i c
    462 x3           | 462 O                        | 1  | -        | 2    | q f i i i f a
    late             | 2                            | 2  | 2        | 3    | q f i c

stubborn insert
    closed x1        | io T                         | 1  | -        | 2    | q f i f c
    462 x3           | 462 O                        | 1  | -        | 2    | q f i i i f c

session-outside findAndModify
    closed x1        | 2                            | 2  | 2        | 3    | f f i c
    closed x2        | io R                         | 1  | -        | 2    | f f
    91 x1            | 2                            | 2  | 2        | 3    | f f i c
    91 x2            | 91 R                         | 1  | -        | 2    | f f
    112 x9           | 2                            | 2  | 2        | 3    | f f f f f f f f f f i c
    112 x10          | 112                          | 1  | -        | 2    | f f f f f f f f f f
    251 x1           | 251                          | 1  | -        | 2    | f
    24 x1            | 24                           | 1  | -        | 2    | f
    462 x2           | 2                            | 2  | 2        | 3    | f f f i c
    462 x3           | 462 O                        | 1  | -        | 2    | f f f
    wce 64 x1        | Unconfirmed (2)              | 2  | -        | 3    | f
    wce 91 bare x1   | Unconfirmed (2)              | 2  | -        | 3    | f
    wce 91 x1        | 2                            | 2  | 2        | 3    | f f i c
    wce 91 x2        | Unconfirmed (2)              | 2  | -        | 3    | f f
    late             | CounterHeld                  | 1  | -        | 2    | f

session-outside insert
    closed x1        | io T (2)                     | 2  | -        | 3    | f i a
    91 x1            | 91 T (2)                     | 2  | -        | 3    | f i a
    112 x1           | 112 T (2)                    | 2  | -        | 3    | f i a
    251 x1           | 251 T (2)                    | 2  | -        | 3    | f i a
    24 x1            | 24 T (2)                     | 2  | -        | 3    | f i a
    462 x2           | 2                            | 2  | 2        | 3    | f i i i c
    462 x3           | 462 O (2)                    | 2  | -        | 3    | f i i i a
    late             | 2                            | 2  | 2        | 3    | f i c

and-run find
    closed x1        | 2                            | 2  | 2        | 3    | q q f i c
    closed x2        | io                           | 1  | -        | 2    | q q
    91 x1            | 2                            | 2  | 2        | 3    | q q f i c
    91 x2            | 91                           | 1  | -        | 2    | q q
    112 x1           | 112                          | 1  | -        | 2    | q
    251 x1           | 251                          | 1  | -        | 2    | q
    24 x1            | 24                           | 1  | -        | 2    | q
    462 x2           | 2                            | 2  | 2        | 3    | q q q f i c
    462 x3           | 462 O                        | 1  | -        | 2    | q q q
    late             | 50                           | 1  | -        | 2    | q

and-run findAndModify
    closed x1        | 2                            | 2  | 2        | 3    | q f a q f i c
    91 x1            | 2                            | 2  | 2        | 3    | q f a q f i c
    112 x1           | 2                            | 2  | 2        | 3    | q f a q f i c
    251 x1           | 2                            | 2  | 2        | 3    | q f a q f i c
    24 x1            | 2                            | 2  | 2        | 3    | q f a q f i c
    closed x2        | 2                            | 2  | 2        | 3    | q f a q f a q f i c
    91 x2            | 2                            | 2  | 2        | 3    | q f a q f a q f i c
    462 x3           | 462 O                        | 1  | -        | 2    | q f f f a

and-run insert
    91 x1            | 2                            | 2  | 2        | 3    | q f i a q f i c
    112 x1           | 2                            | 2  | 2        | 3    | q f i a q f i c
    251 x1           | 2                            | 2  | 2        | 3    | q f i a q f i c
    24 x1            | 2                            | 2  | 2        | 3    | q f i a q f i c
    closed x1        | 2                            | 2  | 2        | 3    | q f i f a q f i c
    closed x2        | 2                            | 2  | 2        | 3    | q f i f a q f i f a q f i c
    91 x2            | 2                            | 2  | 2        | 3    | q f i a q f i a q f i c
    462 x3           | 462 O                        | 1  | -        | 2    | q f i i i f a

next-session findAndModify
    closed x1        | io T                         | 1  | -        | 2    | q f a
    91 x1            | 91 T                         | 1  | -        | 2    | q f a
    112 x1           | 112 T                        | 1  | -        | 2    | q f a
    251 x1           | 251 T                        | 1  | -        | 2    | q f a
    24 x1            | 24 T                         | 1  | -        | 2    | q f a
    462 x2           | 2                            | 2  | -        | 3    | q f f f c
    462 x3           | 462 O                        | 1  | -        | 2    | q f f f a

first-session findAndModify
    closed x1        | 2                            | 2  | 2        | 3    | q h n n q f f f q i c
    closed x2        | io R                         | -  | -        | 2    | q h n n q f f
    91 x1            | 2                            | 2  | 2        | 3    | q h n n q f f f q i c
    91 x2            | 91 R                         | -  | -        | 2    | q h n n q f f
    112 x9           | 2                            | 2  | 2        | 3    | q h n n q f f f f f f f f f f f q i c
    251 x1           | 251                          | -  | -        | 2    | q h n n q f
    24 x1            | 24                           | -  | -        | 2    | q h n n q f
    462 x3           | 462 O                        | -  | -        | 2    | q h n n q f f f
    wce 64 x1        | wce 64                       | 1  | -        | 2    | q h n n q f
    wce 91 x1        | 2                            | 2  | 2        | 3    | q h n n q f f f q i c
    112 after 1      | 112 T                        | 1  | -        | 2    | q h n n q f f a
    closed after 1   | io T                         | 1  | -        | 2    | q h n n q f f a
";
