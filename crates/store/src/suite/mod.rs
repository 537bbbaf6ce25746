//! The contract suite: what every store must do, stated once and run by all of them.
