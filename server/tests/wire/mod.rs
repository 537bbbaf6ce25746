//! Stories by the requests that clients send.

mod gateway;
mod http;
mod orders;
mod seen;
mod server;
mod words;

use std::time::Duration;

use orloj::settings::Settings;
use orloj::types::{
    Document, ElementInstanceKey, IncidentKey, InstanceKey, JobKey, Timestamp, UserTaskKey,
};
use orloj::{BroadcastSignal, Correlate, FailJob, PublishMessage, ThrowError};
use orloj_server::orloj;
use orloj_testkit::sketch::Sketch;
use orloj_testkit::story::{
    BEGINNING, Behaviour, Decision, Depth, Lock, Order, Refusal, SeenInstance, SharedScripts,
    Story, Taken,
};
use serde_json::{Value, json};

use http::{Http, key_of};
use server::Server;

/// A server with a pinned clock on a file of its own, and its clients.
pub struct Wire {
    server: Server,
    http: Http,
    scripts: SharedScripts,
    first_process: String,
}

impl Wire {
    pub fn new(story: &Story) -> Self {
        let scripts = SharedScripts::default();
        let server = Server::start(story, scripts.clone(), BEGINNING);
        let http = Http::new(server.addresses.http);
        let first_process = story.processes.first().map(|p| p.id.clone()).unwrap_or_default();
        Self { server, http, scripts, first_process }
    }

    pub fn close(self) {
        self.server.stop();
    }

    /// A command, and everything that can happen after it.
    fn command(&self, path: &str, body: &Value) -> Result<Value, Refusal> {
        let answer = self.http.post(path, body);
        self.server.settle();
        answer
    }
}

impl Depth for Wire {
    fn deploy(&mut self, sketch: &Sketch) -> Result<(), String> {
        let name = format!("{}.bpmn", sketch.id);
        let activate_at = sketch.active_in_ms.map(|ms| self.now().plus_ms(ms));
        self.http.deploy(&name, sketch.dialect, &sketch.to_xml(), activate_at)
    }

    fn deploy_decision(&mut self, decision: &Decision) -> Result<(), String> {
        let name = format!("{}.dmn", decision.id);
        self.http.deploy(&name, decision.dialect, &decision.to_xml(), None)
    }

    fn now(&self) -> Timestamp {
        self.server.orloj.now()
    }

    fn advance(&mut self, ms: i64) {
        let by = Duration::from_millis(u64::try_from(ms).expect("time goes forward"));
        self.server.orloj.advance(by).expect("the clock is pinned");
        self.server.settle();
    }

    fn start(
        &mut self,
        process: &str,
        version: Option<usize>,
        variables: Document,
    ) -> Result<InstanceKey, Refusal> {
        let body =
            json!({"process": process, "version": version, "variables": json_of(&variables)});
        let started = self.command("/api/instances", &body)?;
        Ok(InstanceKey::new(key_of(&started["key"])))
    }

    fn take(&mut self, lock: &Lock) -> Result<Option<Taken>, Refusal> {
        let taken = self.server.take(lock)?;
        self.server.settle();
        Ok(taken)
    }

    fn complete(&mut self, job: JobKey, variables: Document) -> Result<(), Refusal> {
        self.server.complete(job, &variables).map_err(|refused| self.worded(job, &refused))
    }

    fn fail(&mut self, fail: FailJob) -> Result<(), Refusal> {
        let job = fail.job;
        self.server.fail(fail).map_err(|refused| self.worded(job, &refused))
    }

    fn throw(&mut self, throw: ThrowError) -> Result<(), Refusal> {
        let job = throw.job;
        self.server.throw(throw).map_err(|refused| self.worded(job, &refused))
    }

    fn extend(&mut self, job: JobKey, ms: i64) -> Result<(), Refusal> {
        self.server.extend(job, ms).map_err(|refused| self.worded(job, &refused))
    }

    fn complete_task(&mut self, task: UserTaskKey, variables: Document) -> Result<(), Refusal> {
        let body = json!({"variables": json_of(&variables)});
        self.command(&format!("/api/user-tasks/{task}/complete"), &body).map(drop)
    }

    fn set_variables(
        &mut self,
        scope: ElementInstanceKey,
        variables: Document,
        local: bool,
    ) -> Result<(), Refusal> {
        let body = json!({"variables": json_of(&variables), "local": local});
        self.command(&format!("/api/element-instances/{scope}/variables"), &body).map(drop)
    }

    fn update_retries(&mut self, job: JobKey, retries: i32) -> Result<(), Refusal> {
        self.server.update_retries(job, retries).map_err(|refused| self.worded(job, &refused))
    }

    fn resolve(&mut self, incident: IncidentKey) -> Result<(), Refusal> {
        self.command(&format!("/api/incidents/{incident}/resolve"), &json!({})).map(drop)
    }

    fn cancel(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.command(&format!("/api/instances/{instance}/cancel"), &json!({})).map(drop)
    }

    fn publish(&mut self, message: PublishMessage) -> Result<(), Refusal> {
        let body = json!({
            "name": &*message.name,
            "correlationKey": &*message.correlation_key,
            "timeToLive": message.time_to_live_ms,
            "messageId": message.message_id.as_deref(),
            "variables": json_of(&message.variables),
        });
        self.command("/api/messages", &body).map(drop)
    }

    fn correlate(&mut self, message: Correlate) -> Result<(), Refusal> {
        let body = json!({
            "name": &*message.name,
            "businessKey": message.business_key.as_deref(),
            "instance": message.instance.map(|key| key.raw()),
            "variables": json_of(&message.variables),
        });
        self.command("/api/messages/correlate", &body).map(drop)
    }

    fn signal(&mut self, signal: BroadcastSignal) -> Result<(), Refusal> {
        let body = json!({"name": &*signal.name, "variables": json_of(&signal.variables)});
        self.command("/api/signals", &body).map(drop)
    }

    fn ask_conditions(
        &mut self,
        instance: InstanceKey,
        variables: Document,
    ) -> Result<(), Refusal> {
        let body = json!({"variables": json_of(&variables)});
        self.command(&format!("/api/instances/{instance}/ask-conditions"), &body).map(drop)
    }

    fn suspend(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.command(&format!("/api/instances/{instance}/suspend"), &json!({})).map(drop)
    }

    fn resume(&mut self, instance: InstanceKey) -> Result<(), Refusal> {
        self.command(&format!("/api/instances/{instance}/resume"), &json!({})).map(drop)
    }

    fn migrate(
        &mut self,
        instance: InstanceKey,
        process: &str,
        plan: &[(String, String)],
    ) -> Result<(), Refusal> {
        let plan: Value = plan.iter().map(|(from, to)| (from.clone(), json!(to))).collect();
        let body = json!({"process": process, "plan": plan});
        self.command(&format!("/api/instances/{instance}/migrate"), &body).map(drop)
    }

    fn instances(&mut self) -> Vec<(String, InstanceKey)> {
        let mut all: Vec<_> = ["/api/instances?limit=1000", "/api/instances?ended=true&limit=1000"]
            .iter()
            .flat_map(|path| self.http.items(path))
            .map(|item| (http::text(&item["process"]), InstanceKey::new(key_of(&item["key"]))))
            .collect();
        all.sort_by_key(|(_, key)| *key);
        all
    }

    fn order(&mut self, order: Order) -> Result<(), Refusal> {
        self.ordered(order)
    }

    fn script(&mut self, delegate: &str, script: &[Behaviour]) {
        self.scripts.add(delegate, script);
    }

    fn calls(&self) -> Vec<String> {
        self.scripts.calls()
    }

    fn calls_on(&self, node: &str) -> Vec<String> {
        self.scripts.calls_on(node)
    }

    fn restart(&mut self, settings: Option<Settings>) {
        self.server.restart(settings);
        self.http = Http::new(self.server.addresses.http);
        self.server.settle();
    }

    fn observe(&mut self, name: &str, instance: InstanceKey) -> SeenInstance {
        self.seen(name, instance)
    }
}

fn json_of(document: &Document) -> Value {
    serde_json::from_str(&document.to_json()).expect("a document is JSON")
}
