//! What only Spring Boot and Quarkus know, around Camunda 7.

use super::Fate::{Knob, Warns, Without};
use super::{Property, rows};

const DEPLOYING: &str = "models are deployed by `orloj deploy` or the API";
const SCHEMA: &str = "the store makes and upgrades its own tables";
const USERS: &str = "there are no users to be made here";
const PAGES: &str = "belongs to the web applications and the REST server of Camunda";
const EVENTS: &str = "there are no Spring events to be published";
const CLIENT: &str = "belongs to the external task client, which runs unchanged";
const SPRING: &str = "belongs to the Spring application around the engine";

pub const BOOT: &[Property] = rows! { Camunda7 Boot;
    "camunda.bpm.enabled" Flag "true" => Warns("false", "the engine is there once it is started");
    "camunda.bpm.job-execution.keep-alive-seconds" Seconds "0" =>
        Knob("executor.worker_keep_alive_ms");
    "camunda.bpm.job-execution.active" Flag "" => Knob("executor.active");
    "camunda.bpm.job-execution.default-number-of-retries" Number "3" => Knob("jobs.retries");
    "camunda.bpm.history-level-default" Text "full" =>
        Without("`history.level` needs no second choice");
    "camunda.bpm.process-engine-name" Text "default" => Without(NAME);
    "camunda.bpm.generate-unique-process-engine-name" Flag "false" => Without(NAME);
    "camunda.bpm.generate-unique-process-application-name" Flag "false" => Without(NAME);
    "camunda.bpm.auto-deployment-enabled" Flag "true" => Without(DEPLOYING);
    "camunda.bpm.deployment-resource-pattern" List "" => Without(DEPLOYING);
    "camunda.bpm.deploy-changed-only" Flag "false" => Without(DEPLOYING);
    "camunda.bpm.default-serialization-format" Text "" =>
        Without("values are JSON");
    "camunda.bpm.license-file" Text "" => Without("no licence is needed");
    "camunda.bpm.bpmn-stacktrace-verbose" Flag "false" => Without("what is logged is said by `log`");
    "camunda.bpm.force-close-mybatis-connection-pool" Flag "true" => Without(SCHEMA);
    "camunda.bpm.database.schema-update" Text "true" => Without(SCHEMA);
    "camunda.bpm.database.type" Text "" => Without(SCHEMA);
    "camunda.bpm.database.table-prefix" Text "" => Without(SCHEMA);
    "camunda.bpm.database.schema-name" Text "" => Without(SCHEMA);
    "camunda.bpm.authorization.enabled-for-custom-code" Flag "false" => Without(USERS);
    "camunda.bpm.authorization.authorization-check-revokes" Text "auto" => Without(USERS);
    "camunda.bpm.generic-properties.ignore-unknown-fields" Flag "false" =>
        Without("an unknown property is an error");
    "camunda.bpm.generic-properties.ignore-invalid-fields" Flag "false" =>
        Without("an unusable value is an error");
    "camunda.bpm.admin-user.*" Object "" => Without(USERS);
    "camunda.bpm.filter.*" Object "" => Without(PAGES);
    "camunda.bpm.webapp.*" Object "" => Without(PAGES);
    "camunda.bpm.rest-api.*" Object "" => Without(PAGES);
    "camunda.bpm.run.*" Object "" => Without(PAGES);
    "camunda.bpm.eventing.*" Object "" => Without(EVENTS);
    "camunda.bpm.client.*" Object "" => Without(CLIENT);
    "camunda.bpm.application.*" Object "" => Without(SPRING);
    "camunda.bpm.jpa.*" Object "" => Without(SPRING);
    "camunda.bpm.management.*" Object "" => Without(SPRING);
    "quarkus.camunda.datasource" Text "" => Without(SCHEMA);
};

const NAME: &str = "an engine's name is given where it is built";
