//! Random processes on random paths, in every dialect: each run ends or waits for a reason that
//! has a name, no token is lost, and the same path gives the same run.

mod block;
mod draw;
mod walk;

use orloj_rehearsal::{Engine, Stage, Stubs};
use proptest::prelude::*;

use block::process;
use draw::draw;
use walk::walk;

/// Actions that are chosen; after them everything is completed.
const CHOSEN_MAX: usize = 24;

fn check(engine: Engine, blocks: &block::Blocks, path: &[u8]) {
    let drawing = draw(engine, blocks);
    let stage = Stage::new(Stubs::default(), None).expect("a runtime");
    let told = walk(&stage, engine, &drawing, path);
    assert_eq!(told, walk(&stage, engine, &drawing, path), "the same path went another way");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn in_zeebe(blocks in process(), path in proptest::collection::vec(any::<u8>(), 0..CHOSEN_MAX)) {
        check(Engine::Zeebe, &blocks, &path);
    }

    #[test]
    fn in_camunda(blocks in process(), path in proptest::collection::vec(any::<u8>(), 0..CHOSEN_MAX)) {
        check(Engine::Camunda7, &blocks, &path);
    }

    #[test]
    fn in_flowable(blocks in process(), path in proptest::collection::vec(any::<u8>(), 0..CHOSEN_MAX)) {
        check(Engine::Flowable, &blocks, &path);
    }
}
