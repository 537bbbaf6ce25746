//! `orloj config`: what is written where, and how it ends.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

struct Said {
    code: i32,
    out: String,
    err: String,
}

fn orloj(folder: &Path, words: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_orloj"))
        .args(words)
        .current_dir(folder)
        .env_clear()
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    Said { code, out: text(output.stdout), err: text(output.stderr) }
}

const PROCESSES: &str = "\
<process-application xmlns='http://www.camunda.org/schema/1.0/ProcessApplication'>
  <process-engine name='default'>
    <job-acquisition>default</job-acquisition>
    <properties>
      <property name='jobExecutorAcquireByPriority'>true</property>
      <property name='cmmnEnabled'>false</property>
    </properties>
  </process-engine>
</process-application>
";

#[test]
fn what_is_imported_is_a_configuration_that_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("processes.xml"), PROCESSES).unwrap();
    let said = orloj(folder.path(), &["config", "import", "processes.xml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    insta::assert_snapshot!(said.out, @r#"
    # Made by `orloj config import`. Each value says where it came from.
    profile = "camunda7"

    [executor]
    # processes.xml:5:7 jobExecutorAcquireByPriority
    by_priority = true
    # processes.xml:3:5
    acquisition = "default"

    # Not taken, or not as it was:
    # processes.xml:6:7: note: cmmnEnabled: has no effect: there are no CMMN cases
    "#);
    insta::assert_snapshot!(said.err, @r"
    taken: processes.xml:3:5: executor.acquisition
    taken: processes.xml:5:7: jobExecutorAcquireByPriority as executor.by_priority
    not taken: processes.xml:6:7: note: cmmnEnabled: has no effect: there are no CMMN cases
    2 values taken, 1 notes
    ");

    let said = orloj(folder.path(), &["config", "import", "processes.xml", "-o", "orloj.toml"]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    let said = orloj(folder.path(), &["config", "check", "orloj.toml"]);
    assert_eq!((said.code, said.err.as_str()), (0, "no problems\n"), "{}", said.out);
    let said = orloj(folder.path(), &["config", "show"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("by_priority = true\n"), "{}", said.out);
    assert!(said.out.contains("jobs_max = 3\n"), "the profile's: {}", said.out);
}

/// The words of the files under test are those of the importer's own tests.
#[test]
fn every_realistic_file_makes_a_usable_configuration() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/config-import/tests/files");
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for file in std::fs::read_dir(files).unwrap() {
        let file = file.unwrap().path();
        let said =
            orloj(folder.path(), &["config", "import", file.to_str().unwrap(), "-o", "o.toml"]);
        assert_eq!(said.code, 0, "{}: {}", file.display(), said.err);
        let said = orloj(folder.path(), &["config", "check", "o.toml"]);
        assert_eq!(said.code, 0, "{}: {}", file.display(), said.err);
        count += 1;
    }
    assert!(count >= 6);
}

#[test]
fn errors_end_with_one_and_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = PROCESSES.replace("ByPriority'>true", "ByPriority'>maybe");
    std::fs::write(folder.path().join("processes.xml"), wrong).unwrap();
    let said = orloj(folder.path(), &["config", "import", "processes.xml", "-o", "orloj.toml"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    insta::assert_snapshot!(said.err, @r"
    error: processes.xml:5:7: jobExecutorAcquireByPriority: found 'maybe', expected true or false
    orloj: 1 error
    ");
    assert!(!folder.path().join("orloj.toml").exists());

    let said = orloj(folder.path(), &["config", "import", "absent.xml"]);
    assert_eq!(said.code, 1);
    std::fs::write(folder.path().join("bad.toml"), "[flowable]\nqueue-size = -1\n").unwrap();
    let said = orloj(folder.path(), &["config", "check", "bad.toml"]);
    assert_eq!(said.code, 1);
    insta::assert_snapshot!(said.err, @"orloj: bad.toml:2: flowable.queue-size: found -1, expected 1 to 10000000");

    let text = "[jobs]\nretry_cycle = 'R3/PTnonsense'\n";
    std::fs::write(folder.path().join("bad.toml"), text).unwrap();
    let checked = orloj(folder.path(), &["config", "check", "bad.toml"]);
    let served =
        orloj(folder.path(), &["serve", "--config", "bad.toml", "--store", "sqlite::memory:"]);
    assert_eq!((checked.code, served.code), (1, 1));
    assert!(checked.err.starts_with("orloj: bad.toml:2: jobs.retry_cycle: "), "{}", checked.err);
    assert_eq!(checked.err, served.err, "both say the same");
}
