//! Stories of expressions that ask the execution and the task, and change them.

use orloj_model::{ElementKind, ListenerEvent, TimerKind};

use crate::testing::{Sketch, Story, end, on_timer, start, user};
use crate::{FactChange, InvokeResult};

fn one_task(sketch: Sketch) -> Sketch {
    sketch
        .node("start", start())
        .node("ask", user())
        .node("then", user())
        .flows("start -> ask -> then")
}

fn for_joe(sketch: Sketch) -> Sketch {
    let (assignee, priority) = (sketch.expression("'joe'"), sketch.expression("4"));
    sketch.with("ask", |e| {
        if let ElementKind::UserTask(task) = &mut e.kind {
            (task.assignee, task.priority) = (Some(assignee), Some(priority));
        }
    })
}

/// The variables at the end of what is told, by scope.
fn variables(told: &str) -> Vec<&str> {
    told.lines().filter(|line| line.contains(": {")).collect()
}

#[track_caller]
fn assert_fails(sketch: Sketch, event: ListenerEvent, text: &str) {
    let told = Story::of(sketch.listener("ask", event, text).build()).start("{}");
    assert!(told.starts_with("rejected: ask"), "{text}: {told}");
}

#[test]
fn code_that_listens_makes_the_task_another() {
    for sketch in [Sketch::camunda(), Sketch::flowable()] {
        let mut sketch = for_joe(one_task(sketch));
        for text in [
            "task.setAssignee('bob')",
            "task.setPriority('9')",
            "task.addCandidateUser('eva')",
            "task.addCandidateUser('adam')",
            "task.deleteCandidateUser('eva')",
            "task.addCandidateGroup('g')",
            "task.setDueDate(task.createTime)",
            "task.setName('Ask them')",
            "task.setOwner('kim')",
        ] {
            sketch = sketch.listener("ask", ListenerEvent::TaskCreate, text);
        }
        let sketch = sketch.listener(
            "ask",
            ListenerEvent::TaskComplete,
            "execution.setVariable('was', task.name.concat(task.owner).concat(task.assignee))",
        );
        let mut story = Story::of(sketch.build());
        let told = story.start("{}");
        assert!(
            told.contains("insert task1 ask for bob groups g users adam due +0 s priority 9"),
            "{told}"
        );
        let told = story.complete_user_task("ask", "{}");
        assert_eq!(variables(&told), [r#"instance: {"was":"Ask themkimbob"}"#]);
    }
}

#[test]
fn an_assignee_out_of_a_listener_is_an_assignment_in_camunda() {
    let play = |sketch: Sketch| {
        let note = |letter| format!("execution.setVariable('log', log.concat('{letter}'))");
        let process = one_task(sketch)
            .listener("ask", ListenerEvent::TaskCreate, "task.setAssignee('bob')")
            .listener("ask", ListenerEvent::TaskCreate, &note('c'))
            .listener("ask", ListenerEvent::TaskAssign, &note('a'));
        let told = Story::of(process.build()).start(r#"{"log":""}"#);
        variables(&told).join(" ")
    };
    assert_eq!(play(Sketch::camunda()), r#"instance: {"log":"ca"}"#);
    assert_eq!(play(Sketch::flowable()), r#"instance: {"log":"c"}"#);
}

#[test]
fn the_task_is_known_when_it_is_completed_and_history_hears_of_the_last_change() {
    for sketch in [Sketch::camunda(), Sketch::flowable()] {
        let process = for_joe(one_task(sketch))
            .listener("ask", ListenerEvent::TaskComplete, "task.setVariable('who', task.assignee)")
            .listener("ask", ListenerEvent::TaskComplete, "task.setVariable('at', task.priority)")
            .listener("ask", ListenerEvent::TaskComplete, "task.setAssignee('eva')");
        let mut story = Story::of(process.build());
        story.start("{}");
        let task = story.token("ask").1.expect("a task");
        let variables = crate::testing::document("{}");
        let command = crate::Command::CompleteUserTask { task, variables };
        let done = story.interpret(command).expect("done");
        let is_told = |event: &crate::Event| match event {
            crate::Event::UserTaskAssigned { assignee, .. } => **assignee == *"eva",
            _ => false,
        };
        assert!(done.events.iter().any(is_told), "{:?}", done.events);
        let record = done.record.expect("it lives");
        let told = orloj_types::Document(record.visible(record.root.key)).to_json();
        assert_eq!(told, r#"{"at":4,"who":"joe"}"#);
    }
}

#[test]
fn a_task_that_code_completes_is_over_when_it_was_created() {
    let process =
        one_task(Sketch::camunda()).listener("ask", ListenerEvent::TaskCreate, "task.complete()");
    let told = Story::of(process.build()).start("{}");
    assert!(told.contains("left ask") && told.contains("at then task"), "{told}");
    assert_fails(one_task(Sketch::flowable()), ListenerEvent::TaskCreate, "task.complete()");
}

#[test]
fn variables_of_the_tasks_own_go_with_it() {
    for sketch in [Sketch::camunda(), Sketch::flowable()] {
        let process = one_task(sketch)
            .listener("ask", ListenerEvent::TaskCreate, "task.setVariableLocal('loc', 5)")
            .listener(
                "ask",
                ListenerEvent::TaskCreate,
                "execution.setVariable('own', execution.hasVariableLocal('loc'))",
            )
            .listener("ask", ListenerEvent::TaskComplete, "task.setVariable('loc', loc + 1)")
            .listener(
                "ask",
                ListenerEvent::TaskComplete,
                "execution.setVariable('seen', task.getVariableLocal('loc'))",
            )
            .listener(
                "ask",
                ListenerEvent::End,
                "execution.setVariable('end', execution.getVariable('loc'))",
            );
        let mut story = Story::of(process.build());
        let told = story.start("{}");
        assert_eq!(variables(&told), [r#"instance: {"own":false}"#, r#"ask: {"loc":5}"#]);
        let told = story.complete_user_task("ask", "{}");
        assert_eq!(variables(&told), [r#"instance: {"end":null,"own":false,"seen":6}"#]);
    }
}

#[test]
fn an_execution_knows_its_place() {
    let facts = |sketch: Sketch, text: &str| {
        let set = format!("execution.setVariable('r', {text})");
        let process = one_task(sketch).listener("ask", ListenerEvent::Start, &set);
        let told = Story::of(process.build()).start("{}");
        variables(&told).join(" ")
    };
    let is = |value: &str| format!(r#"instance: {{"r":{value}}}"#);
    // In Camunda the only token has the execution of the instance.
    for text in [
        "execution.id == execution.processInstanceId",
        "execution.parent == null",
        "execution.isScope()",
        "execution.processInstanceExecution",
        "not execution.concurrent",
        "execution.bpmnModelElementInstance.id == 'ask'",
        "not execution.isCanceled() and not execution.isSuspended()",
        "execution.superExecution == null",
        "execution.processInstance.getId() == execution.processInstanceId",
    ] {
        assert_eq!(facts(Sketch::camunda(), text), is("true"), "{text}");
    }
    for text in [
        "execution.id != execution.processInstanceId",
        "execution.parent.id == execution.processInstanceId",
        "execution.getParentId() == execution.processInstanceId",
        "execution.parent.parent == null",
        "not execution.isScope() and execution.parent.isScope()",
        "execution.processInstance.processInstanceType",
        "not execution.isProcessInstanceType()",
        "execution.getCurrentFlowElement().getId() == 'ask'",
        "execution.parent.currentActivityId == null",
    ] {
        assert_eq!(facts(Sketch::flowable(), text), is("true"), "{text}");
    }
}

#[test]
fn what_only_one_engine_has_fails_in_the_other() {
    for text in
        ["processBusinessKey", "activityInstanceId", "isCanceled()", "getVariableTyped('a')"]
    {
        let text = format!("execution.{text}");
        assert_fails(one_task(Sketch::flowable()), ListenerEvent::Start, &text);
        let process = one_task(Sketch::camunda()).listener("ask", ListenerEvent::Start, &text);
        let told = Story::of(process.build()).start(r#"{"a":1}"#);
        assert!(told.contains("entered ask"), "{text}: {told}");
    }
    for text in
        ["activityName", "isActive", "currentFlowElement.name", "setTransientVariable('a', 1)"]
    {
        let text = format!("execution.{text}");
        assert_fails(one_task(Sketch::camunda()), ListenerEvent::Start, &text);
        let process = one_task(Sketch::flowable()).listener("ask", ListenerEvent::Start, &text);
        let told = Story::of(process.build()).start("{}");
        assert!(told.contains("entered ask"), "{text}: {told}");
    }
    assert_fails(one_task(Sketch::flowable()), ListenerEvent::TaskCreate, "task.execution");
    assert_fails(one_task(Sketch::camunda()), ListenerEvent::TaskCreate, "task.formKey");
}

#[test]
fn there_is_no_task_but_at_user_tasks() {
    let process = one_task(Sketch::camunda()).listener("then", ListenerEvent::Start, "task.name");
    assert!(Story::of(process.build()).start("{}").contains("insert task1"));
    let process = Sketch::camunda()
        .node("start", start())
        .node("end", end())
        .flows("start -> end")
        .listener("end", ListenerEvent::Start, "task.name");
    assert!(Story::of(process.build()).start("{}").starts_with("rejected: end"));
}

#[test]
fn listeners_of_the_end_are_told_that_it_came_from_outside() {
    let play = |late: bool| {
        let process = one_task(Sketch::camunda())
            .boundary("ask", "late", on_timer(true, TimerKind::Duration, "PT1H"))
            .flows("late -> then")
            .listener("ask", ListenerEvent::End, "execution.setVariable('c', execution.canceled)");
        let mut story = Story::of(process.build());
        story.start("{}");
        let told = match late {
            true => {
                story.pass(3_600_000);
                story.job_due("late")
            }
            false => story.complete_user_task("ask", "{}"),
        };
        variables(&told).join(" ")
    };
    assert_eq!(play(true), r#"instance: {"c":true}"#);
    assert_eq!(play(false), r#"instance: {"c":false}"#);
}

#[test]
fn in_camunda_inputs_are_made_before_the_token_is_at_the_element() {
    let process = one_task(Sketch::camunda())
        .input("ask", "execution.currentActivityId", "i")
        .output("ask", "execution.currentActivityId", "o")
        .output("ask", "i", "was");
    let mut story = Story::of(process.build());
    story.start("{}");
    let told = story.complete_user_task("ask", "{}");
    assert_eq!(variables(&told), [r#"instance: {"o":"ask","was":null}"#]);
}

#[test]
fn variables_are_set_where_the_expression_says() {
    let process = one_task(Sketch::flowable())
        .listener("ask", ListenerEvent::Start, "execution.parent.setVariableLocal('p', 1)")
        .listener("ask", ListenerEvent::Start, "execution.setVariableLocal('own', 2)")
        .listener("ask", ListenerEvent::Start, "execution.setVariables(more)")
        .listener("ask", ListenerEvent::Start, "execution.removeVariables(gone)")
        .listener("ask", ListenerEvent::Start, "execution.setTransientVariable('t', 3)");
    let told = Story::of(process.build()).start(r#"{"more":{"m":1},"gone":["x"],"x":1}"#);
    assert_eq!(
        variables(&told),
        [r#"instance: {"gone":["x"],"m":1,"more":{"m":1},"p":1}"#, r#"ask: {"own":2}"#]
    );
}

#[test]
fn programs_change_the_task_as_expressions_do() {
    let task = vec![
        FactChange::Assignee(Some("bob".into())),
        FactChange::AddCandidateGroup("g".into()),
        FactChange::Priority(9),
    ];
    let (edits, value) = (Vec::new(), orloj_types::Value::Null);
    let answer = InvokeResult::Changed { edits, business_key: None, task, value };
    for sketch in [Sketch::camunda(), Sketch::flowable()] {
        let process = one_task(sketch).listener_code("ask", ListenerEvent::TaskCreate, "x");
        let mut story = Story::of(process.build()).delegate("x", std::slice::from_ref(&answer));
        let told = story.start("{}");
        assert!(told.contains("insert task1 ask for bob groups g priority 9"), "{told}");
    }
}
