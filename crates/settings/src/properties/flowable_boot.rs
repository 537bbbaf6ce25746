//! What only Spring Boot knows, around Flowable.

use super::Fate::{Warns, Without};
use super::{Property, rows};

const DEPLOYING: &str = "models are deployed by `orloj deploy` or the API";
const SCHEMA: &str = "the store makes and upgrades its own tables";
const OTHERS: &str = "belongs to another engine or application of Flowable";
const REST: &str = "belongs to the REST server of Flowable";
const MAIL: &str = "mail is sent by workers";
const CALLS: &str = "calls of other systems are made by workers";
const HISTORY: &str = "history is written with the change itself";

pub const BOOT: &[Property] = rows! { Flowable Boot;
    "flowable.check-process-definitions" Flag "true" => Without(DEPLOYING);
    "flowable.deployment-name" Text "SpringBootAutoDeployment" => Without(DEPLOYING);
    "flowable.deployment-mode" Text "default" => Without(DEPLOYING);
    "flowable.process-definition-location-prefix" Text "classpath*:/processes/" =>
        Without(DEPLOYING);
    "flowable.process-definition-location-suffixes" List "**.bpmn20.xml,**.bpmn" =>
        Without(DEPLOYING);
    "flowable.auto-deployment.*" Object "" => Without(DEPLOYING);
    "flowable.jpa-enabled" Flag "true" => Without(SCHEMA);
    "flowable.db-identity-used" Flag "true" => Without(OTHERS);
    "flowable.rest-api-enabled" Flag "true" => Without(REST);
    "flowable.custom-mybatis-x-m-l-mappers" List "" => Without(SCHEMA);
    "flowable.process.servlet.*" Object "" => Without(REST);
    "flowable.process.enabled" Flag "true" => Without("the engine is there once it is started");
    "flowable.process.async-history.*" Object "" => Without(HISTORY);
    "flowable.history-cleaning-sequential" Flag "false" =>
        Without("`history.cleanup.parallelism` says how many jobs clean up");
    "flowable.process.event-registry-start-process-instance-async" Flag "false" => Without(OTHERS);
    "flowable.process.event-registry-unique-process-instance-check-with-lock" Flag "true" =>
        Without(OTHERS);
    "flowable.process.event-registry-unique-process-instance-start-lock-time" Duration "PT10M" =>
        Without(OTHERS);
    "flowable.process.use-uuids" Flag "true" => Warns("true", super::UUIDS);
    "flowable.task-invoker.*" Object "" => Without(CALLS);
    "flowable.http.*" Object "" => Without(CALLS);
    "flowable.mail.*" Object "" => Without(MAIL);
    "flowable.app.*" Object "" => Without(OTHERS);
    "flowable.cmmn.*" Object "" => Without(OTHERS);
    "flowable.common.*" Object "" => Without(OTHERS);
    "flowable.content.*" Object "" => Without(OTHERS);
    "flowable.dmn.*" Object "" => Without(OTHERS);
    "flowable.eventregistry.*" Object "" => Without(OTHERS);
    "flowable.form.*" Object "" => Without(OTHERS);
    "flowable.idm.*" Object "" => Without(OTHERS);
    "flowable.rest.*" Object "" => Without(REST);
    "flowable.variables.*" Object "" => Without("values are JSON");
    "flowable.rules-deployment.*" Object "" => Without(DEPLOYING);
};
