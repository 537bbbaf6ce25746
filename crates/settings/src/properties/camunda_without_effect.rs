//! The other properties of Camunda 7's engine: known, so that a slip is told from them.

use super::{Property, without_effect};

const DATABASE: &str = "the store is said by `store`, and makes its own tables";
const JAVA: &str = "an extension point for Java classes; here delegates, parse hooks, retry \
                    policies and traits of the embedded library take their place";
const RUNNING: &str = "an object of the running engine, not a setting";
const USERS: &str = "users, groups and authorizations are not kept here";
const LOG: &str = "what is logged is said by `log`";
const SCRIPTS: &str = "scripts run in a sandbox of their own; see `[scripting]`";
const DECISIONS: &str = "decisions are evaluated by the engine itself";
const CASES: &str = "there are no CMMN cases";
const FORMS: &str = "forms are not read by the engine";
const MAIL: &str = "mail is sent by workers";
const VALUES: &str = "values are JSON";
const DEPLOYING: &str = "models are checked and ordered by the engine itself when deployed";
const NAME: &str = "an engine's name is given where it is built";
const QUERIES: &str = "queries take no expressions";
const ONE_WAY: &str = "there is one way to do it here, which is the safe one";

pub const ENGINE: &[Property] = without_effect! { Camunda7 Engine;
    DATABASE Text: "databaseSchema" "databaseSchemaUpdate" "databaseTablePrefix" "databaseType"
        "databaseVendor" "databaseVersion" "dataSourceJndiName" "idGeneratorDataSourceJndiName"
        "jdbcDriver" "jdbcUrl" "jdbcUsername" "jdbcPassword" "jdbcPingQuery";
    DATABASE Number: "jdbcMaxActiveConnections" "jdbcMaxIdleConnections" "jdbcMaxCheckoutTime"
        "jdbcMaxWaitTime" "jdbcPingConnectionNotUsedFor" "jdbcStatementTimeout";
    DATABASE Flag: "jdbcPingEnabled" "dbIdentityUsed" "useSharedSqlSessionFactory"
        "forceCloseMybatisConnectionPool" "skipIsolationLevelCheck" "deploymentLockUsed";
    DATABASE Object: "dataSource" "datasource" "idGeneratorDataSource" "transactionManager"
        "sqlSessionFactory" "dbSqlSessionFactory" "transactionFactory" "transactionContextFactory"
        "jpaEntityManagerFactory" "jpaPersistenceUnitName" "jpaHandleTransaction"
        "jpaCloseEntityManager" "databaseSchemaName";
    NAME Text: "processEngineName" "installationId";
    DEPLOYING Flag: "deploymentSynchronized" "createDiagramOnDeploy"
        "disableStrictCallActivityValidation" "disableStrictCamundaFormParsing"
        "enableFetchProcessDefinitionDescription" "isDeployChangedOnly" "deployChangedOnly";
    DEPLOYING Object: "deploymentResources" "deploymentName" "deploymentTenantId"
        "registeredDeployments" "deployers" "customPreDeployers" "customPostDeployers"
        "deploymentCache" "deploymentHandlerFactory" "cacheFactory";
    USERS Flag: "authorizationEnabledForCustomCode" "enableHistoricInstancePermissions"
        "enforceSpecificVariablePermission" "enablePasswordPolicy"
        "webappsAuthenticationLoggingEnabled";
    USERS Text: "authorizationCheckRevokes" "defaultUserPermissionNameForTask"
        "generalResourceWhitelistPattern" "groupResourceWhitelistPattern"
        "tenantResourceWhitelistPattern" "userResourceWhitelistPattern";
    USERS Number: "loginDelayBase" "loginDelayFactor" "loginDelayMaxTime" "loginMaxAttempts";
    USERS Object: "adminGroups" "adminUsers" "disabledPermissions" "passwordPolicy"
        "passwordEncryptor" "passwordManager" "saltGenerator" "customPasswordChecker"
        "identityProviderSessionFactory" "permissionProvider" "resourceAuthorizationProvider"
        "defaultUserPermissionForTask" "tenantIdProvider";
    LOG Text: "logLevelBpmnStackTrace" "loggingContextActivityId" "loggingContextActivityName"
        "loggingContextApplicationName" "loggingContextBusinessKey" "loggingContextEngineName"
        "loggingContextProcessDefinitionId" "loggingContextProcessDefinitionKey"
        "loggingContextProcessInstanceId" "loggingContextTenantId";
    LOG Flag: "bpmnStacktraceVerbose" "disableExceptionCode" "disableBuiltinExceptionCodeProvider"
        "initializeTelemetry" "telemetryReporterActivate";
    LOG Object: "builtinExceptionCodeProvider" "customExceptionCodeProvider" "telemetryData"
        "diagnosticsCollector" "diagnosticsRegistry" "telemetryEndpoint"
        "telemetryReportingPeriod" "telemetryRequestRetries" "telemetryRequestTimeout";
    SCRIPTS Flag: "autoStoreScriptVariables" "configureScriptEngineHostAccess"
        "enableFetchScriptEngineFromProcessApplication" "enableScriptCompilation"
        "enableScriptEngineCaching" "enableScriptEngineLoadExternalResources"
        "enableScriptEngineNashornCompatibility";
    SCRIPTS Text: "scriptEngineNameJavaScript";
    SCRIPTS Object: "scriptEngineResolver" "scriptFactory" "scriptingEngines"
        "scriptingEnvironment" "envScriptResolvers" "resolverFactories";
    DECISIONS Flag: "dmnFeelEnableLegacyBehavior" "dmnReturnBlankTableOutputAsNull";
    DECISIONS Object: "dmnElProvider" "dmnEngine" "dmnEngineConfiguration"
        "dmnFeelCustomFunctionProviders" "dmnHistoryEventProducer";
    CASES Flag: "cmmnEnabled";
    CASES Object: "cmmnHistoryEventProducer" "customPreCmmnTransformListeners"
        "customPostCmmnTransformListeners";
    FORMS Object: "customFormEngines" "customFormTypes" "formTypes" "formValidators";
    MAIL Text: "mailServerHost" "mailServerUsername" "mailServerPassword" "mailServerDefaultFrom";
    MAIL Number: "mailServerPort";
    MAIL Flag: "mailServerUseTLS";
    VALUES Text: "defaultSerializationFormat" "deserializationAllowedClasses"
        "deserializationAllowedPackages" "defaultCharsetName" "wsSyncFactoryClassName";
    VALUES Flag: "deserializationTypeValidationEnabled" "implicitVariableUpdateDetectionEnabled";
    VALUES Object: "customPreVariableSerializers" "customPostVariableSerializers"
        "fallbackSerializerFactory" "variableTypes" "valueTypeResolver" "defaultCharset"
        "deserializationTypeValidator";
    QUERIES Flag: "enableExpressionsInAdhocQueries" "enableExpressionsInStoredQueries";
    ONE_WAY Flag: "executionTreePrefetchEnabled" "enableDefaultDbHistoryEventHandler"
        "invokeCustomVariableListeners" "skipOutputMappingOnCanceledActivities"
        "standaloneTasksEnabled";
    ONE_WAY Number: "parsedTaskMetricsTimeToLive";
    JAVA Object: "customPostBPMNParseListeners" "customPreBPMNParseListeners"
        "customPostBpmnParseListeners" "customPreBpmnParseListeners" "preParseListeners"
        "postParseListeners" "bpmnParseFactory" "artifactFactory" "customJobHandlers"
        "customBatchJobHandlers" "customIncidentHandlers" "customRejectedJobsHandler"
        "customHistoryEventHandlers" "customHistoryLevels" "customEventHandlers"
        "customSessionFactories" "customPreCommandInterceptorsTxRequired"
        "customPostCommandInterceptorsTxRequired" "customPreCommandInterceptorsTxRequiresNew"
        "customPostCommandInterceptorsTxRequiresNew" "commandInterceptorsTxRequired"
        "commandInterceptorsTxRequiresNew" "commandCheckers" "jobPriorityProvider"
        "externalTaskPriorityProvider" "failedJobCommandFactory" "historyEventHandler"
        "historyEventProducer" "historyRemovalTimeProvider" "historyLevelCommand"
        "batchWindowManager" "processEnginePlugins" "plugins" "beans" "classLoader"
        "businessCalendarManager" "correlationHandler" "conditionHandler" "delegateInterceptor"
        "expressionManager" "hostnameProvider" "metricsReporterIdProvider"
        "customPreMigrationActivityValidators" "customPostMigrationActivityValidators"
        "customPreMigrationInstructionValidators" "customPostMigrationInstructionValidators"
        "customPreMigratingActivityInstanceValidators"
        "customPostMigratingActivityInstanceValidators" "migratingActivityInstanceValidators"
        "migrationActivityMatcher" "migrationInstructionGenerator" "migrationInstructionValidators";
    RUNNING Object: "jobExecutor" "authorizationService" "caseService" "decisionService"
        "externalTaskService" "filterService" "formService" "historyService" "identityService"
        "managementService" "repositoryService" "runtimeService" "taskService"
        "commandContextFactory" "commandExecutorSchemaOperations" "commandExecutorTxRequired"
        "commandExecutorTxRequiresNew" "dbEntityCacheKeyMapping" "dbMetricsReporter"
        "metricsRegistry" "processApplicationManager" "processEngineBootstrapCommand"
        "schemaOperationsCommand" "historyCleanupBatchWindowStartTimeAsDate"
        "historyCleanupBatchWindowEndTimeAsDate";
};
