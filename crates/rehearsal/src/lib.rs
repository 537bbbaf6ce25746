//! Rehearses process models: an engine in memory whose clock stands still until it is moved.
//!
//! A [`Run`] names files, a process to start, variables and a pass. [`Stage::play`] deploys the
//! files into a fresh [`world`], starts the process and then acts on whatever waits, always in the
//! same order, until nothing is left to do or a limit is reached. What happened is a [`Trace`]:
//! the same kind that was recorded from the compatible engines, so that the two can be compared.
//!
//! - [`play_all`] plays many runs on all cores; a run that panics or takes too long is a trace
//!   that says so, and nothing else.
//! - Foreign code is not there: [`Stubs`] say what stands in for it.
//! - A [`World`] can be led by hand as well:
//!
//! ```
//! use orloj_rehearsal::{Engine, File, How, Stage, Stubs};
//! use orloj_types::Document;
//!
//! let model = br#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
//!         targetNamespace="example">
//!   <process id="order" isExecutable="true">
//!     <startEvent id="start"/> <sequenceFlow id="a" sourceRef="start" targetRef="check"/>
//!     <userTask id="check"/> <sequenceFlow id="b" sourceRef="check" targetRef="end"/>
//!     <endEvent id="end"/>
//!   </process>
//! </definitions>"#;
//! let mut world = Stage::new(Stubs::default(), None)?.world(Engine::Camunda7);
//! world.deploy(&[File { name: "order.bpmn".to_owned(), bytes: model.to_vec() }])?;
//! world.start("order", Document::new().with("total", 90))?;
//! let waits = world.waits();
//! assert_eq!(waits[0].to_string(), "user:check");
//! world.act(&waits[0], &How::Complete)?;
//! assert_eq!(world.instances(), ["order:completed"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod calls;
mod candidates;
mod json;
mod keeper;
mod order;
mod play;
mod readable;
mod run;
mod stubs;
mod trace;
mod wait;
mod watch;
mod world;

pub use batch::{play_all, play_one};
pub use keeper::Keeper;
pub use order::{DocumentOrder, Subject};
pub use play::{Stage, StageError};
pub use readable::readable;
pub use run::{Engine, Pass, Run, RunError, StartBy, read_runs};
pub use stubs::{Stub, StubKind, Stubs, StubsError};
pub use trace::{Deploy, Job, Played, Step, Stop, Trace};
pub use wait::{Handle, Wait, WaitKind};
pub use world::{Failed, File, How, Refusal, World};
