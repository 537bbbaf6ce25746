//! Files as people have them, and what they become.

use orloj_config_import::{File, Imported, import};
use orloj_settings::{HistoryLevel, Profile};

macro_rules! file {
    ($name:literal) => {
        File { name: $name, bytes: include_bytes!(concat!("files/", $name)) }
    };
}

fn good(files: &[File<'_>]) -> Imported {
    import(files, None).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

fn problems(files: &[(&str, &str)]) -> String {
    let files: Vec<File<'_>> =
        files.iter().map(|(name, text)| File { name, bytes: text.as_bytes() }).collect();
    let errors = import(&files, None).expect_err("must be refused");
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_platform_with_two_engines_and_three_acquisitions() {
    let imported = good(&[file!("bpm-platform.xml")]);
    let settings = &imported.read.settings;
    assert_eq!(settings.acquisition.jobs_max, 6);
    assert_eq!(settings.acquisitions["nightly"].lock_ms_max, Some(600_000));
    assert_eq!(settings.acquisitions["nightly"].jobs_max, 6);
    assert!(settings.acquisitions.contains_key("spare"));
    assert_eq!(settings.executor.queue_jobs_max, 60);
    let reports = &settings.engines["reports"];
    assert_eq!(reports.executor.acquisition, "nightly");
    assert_eq!(reports.executor.priority_max, 100);
    assert!(reports.executor.deployment_aware, "taken from the default engine");
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn a_process_application() {
    let imported = good(&[file!("processes.xml")]);
    let settings = &imported.read.settings;
    assert!(settings.executor.exclusive_over_hierarchies, "the only engine needs no name");
    assert_eq!(settings.jobs.retry_cycle.as_deref(), Some("PT10M,PT17M,PT20M"));
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn beans_of_camunda_with_references_and_a_parent() {
    let imported = good(&[file!("camunda.cfg.xml")]);
    let settings = &imported.read.settings;
    assert_eq!(settings.history.level, HistoryLevel::Audit, "the child beats its parent");
    assert_eq!(settings.jobs.retries, 5);
    assert_eq!(settings.executor.queue_jobs_max, 35);
    assert_eq!(settings.executor.worker_keep_alive_ms, 30_000);
    assert_eq!(settings.executor.active, Some(true));
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn beans_of_flowable() {
    let imported = good(&[file!("flowable.cfg.xml")]);
    assert_eq!(imported.read.settings.profile, Profile::Flowable);
    let toml = imported.to_toml();
    assert!(!toml.contains("secret"), "a password is nobody's business");
    insta::assert_snapshot!(toml);
}

#[test]
fn yaml_of_spring_boot() {
    let imported = good(&[file!("application.yaml")]);
    let settings = &imported.read.settings;
    assert_eq!(settings.executor.workers_max, 16, "not that of a single profile of Spring");
    assert_eq!(settings.batches.invocations_per_job_by_kind.len(), 2);
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn properties_of_spring_boot() {
    let imported = good(&[file!("application.properties")]);
    insta::assert_snapshot!(imported.to_toml());
}

#[test]
fn the_defaults_of_the_chapter_can_be_asked_for() {
    let imported = import(&[file!("flowable.cfg.xml")], Some(Profile::Chapter)).unwrap();
    assert_eq!(imported.read.settings.acquisition.timers_max, 1);
}

#[test]
fn errors_name_file_line_and_column() {
    let descriptor =
        "<process-application xmlns='http://www.camunda.org/schema/1.0/ProcessApplication'>
  <process-engine name='a'>
    <properties>
      <property name='jobExecutorActive'>true</property>
      <property name='jobexecutoractivate'>true</property>
      <property name='defaultNumberOfRetries'>three</property>
      <property name='batchPollTime'>-1</property>
      <property>x</property>
    </properties>
    <colour/>
  </process-engine>
  <process-engine name='a'/>
</process-application>";
    insta::assert_snapshot!(problems(&[("processes.xml", descriptor)]), @r#"
    processes.xml:4:7: Camunda 7 has no property 'jobExecutorActive'; the nearest is 'jobExecutorActivate'
    processes.xml:5:7: Camunda 7 has no property 'jobexecutoractivate'; the nearest is 'jobExecutorActivate'
    processes.xml:8:7: expected <property name="...">
    processes.xml:10:5: unknown element <colour>
    processes.xml:12:3: a second engine called 'a'
    processes.xml:6:7: found 'three', expected a whole number
    processes.xml:7:7: found '-1', expected a whole number of seconds
    "#);
    let yaml =
        "camunda:\n  bpm:\n    job-execution:\n      max-wait: 10\n      queue-capasity: 1\n";
    insta::assert_snapshot!(problems(&[("application.yml", yaml)]), @r"
    application.yml:5:23: Camunda 7 has no property 'camunda.bpm.job-execution.queue-capasity'; the nearest is 'camunda.bpm.job-execution.queue-capacity'
    application.yml:4:17: acquisition.wait_ms (5000) is above acquisition.wait_ms_max (10)
    application.yml:4:17: acquisition.timer_wait_ms (5000) is above acquisition.wait_ms_max (10)
    ");
    let said_twice =
        "flowable.process.async.executor.queue-size=3\nflowable.process.async.executor.queueSize=4";
    insta::assert_snapshot!(problems(&[("a.properties", said_twice)]), @"a.properties:2: executor.queue_jobs_max was already set by flowable.process.async.executor.queue-size (a.properties:1)");
}

#[test]
fn what_is_no_configuration_is_refused() {
    insta::assert_snapshot!(problems(&[("a.txt", "hello")]), @"a.txt: neither XML nor .yaml nor .properties");
    insta::assert_snapshot!(problems(&[("a.yaml", "server:\n  port: 1\n")]), @"a.yaml: nothing of Camunda 7 or Flowable in it");
    insta::assert_snapshot!(problems(&[("a.xml", "<html/>")]), @"a.xml:1:1: <html> is neither a deployment descriptor nor beans of Spring");
    insta::assert_snapshot!(
        problems(&[("a.xml", "<!DOCTYPE beans [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><beans>&x;</beans>")]),
        @"a.xml:1:1: document types are not accepted"
    );
    insta::assert_snapshot!(problems(&[("a.yaml", "a: [1")]), @"a.yaml:2:1: not well-formed YAML: while parsing a flow sequence, expected ',' or ']'");
    insta::assert_snapshot!(
        problems(&[("a.properties", "flowable.history-level=full"), ("b.properties", "camunda.bpm.history-level=full")]),
        @"a.properties, b.properties: files of both systems; import them apart"
    );
    let ring = "<beans>
  <bean id='a' class='org.camunda.bpm.engine.impl.cfg.StandaloneProcessEngineConfiguration'>
    <property name='jobExecutor' ref='b'/>
  </bean>
  <bean id='b' class='org.camunda.bpm.engine.impl.jobexecutor.DefaultJobExecutor'>
    <property name='taskExecutor' ref='b'/>
  </bean>
</beans>";
    assert!(problems(&[("ring.xml", ring)]).contains("in a ring"));
    assert!(problems(&[("empty.xml", "")]).starts_with("empty.xml:1:1"));
}
