//! Every story over the wire: a whole server on real sockets, operators by HTTP, workers by gRPC.
//!
//! What no wire has stays within the process: the clock, which is pinned, and what delegates do.

mod wire;

use std::path::Path;

use orloj_testkit::story::{Can, check, play_all};
use wire::Wire;

#[test]
fn over_the_wire() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/runtime/tests/stories");
    play_all(&folder, "the wire", Can { restart: true, cluster: false }, |story| {
        let mut depth = Wire::new(story);
        let played = check(story, &mut depth);
        depth.close();
        played
    });
}
