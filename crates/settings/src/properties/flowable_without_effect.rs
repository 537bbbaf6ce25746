//! The other properties of Flowable's engine: known, so that a slip is told from them.

use super::{Property, without_effect};

const CACHE: &str = "what is kept in memory is bounded by the node itself";
const CALLS: &str = "mail and calls of other systems are made by workers";
const DATABASE: &str = "the store is said by `store`, and makes its own tables";
const DEPLOY: &str = "models are deployed by `orloj deploy` or the API";
const DIAGRAMS: &str = "diagrams are not drawn by the engine";
const FORMS: &str = "forms are not read by the engine";
const HISTORY: &str = "history is written with the change itself";
const JAVA: &str = "an extension point for Java classes; here delegates, parse hooks, retry \
                    policies and traits of the embedded library take their place";
const OLD: &str = "instances of Flowable 5 cannot be run";
const ONE_WAY: &str = "there is one way to do it here, which is the safe one";
const OTHERS: &str = "belongs to another engine of Flowable";
const RUNNING: &str = "an object of the running engine, not a setting";
const TENANTS: &str = "a tenant is named where something is deployed or started";

pub const ENGINE: &[Property] = without_effect! { Flowable Engine;
    CACHE Flag: "enableEagerExecutionTreeFetching" "enableExecutionRelationshipCounts"
        "enableProcessDefinitionInfoCache" "enableTaskRelationshipCounts"
        "expressionCacheEnabled";
    CACHE Number: "appResourceCacheLimit" "batchSizeProcessInstances" "batchSizeTasks"
        "expressionCacheSize" "expressionTextLengthCacheLimit" "knowledgeBaseCacheLimit";
    CACHE Object: "appResourceCache" "expressionManager" "knowledgeBaseCache"
        "processDefinitionInfoCache" "processDefinitionInfoEntityManager";
    CALLS Flag: "mailServerUseSSL" "mailServerUseTLS";
    CALLS Number: "mailServerPort" "mailServerSSLPort";
    CALLS Object: "asyncTaskInvoker" "asyncTaskInvokerTaskExecutor"
        "asyncTaskInvokerTaskExecutorConfiguration" "defaultMailClient" "defaultMailServer"
        "httpClientConfig" "mailServerDefaultCharset" "wsdlImporterFactory";
    CALLS Text: "defaultCamelContext" "mailServerDefaultFrom" "mailServerForceTo"
        "mailServerHost" "mailServerPassword" "mailServerUsername" "mailSessionJndi"
        "wsSyncFactoryClassName";
    DATABASE Duration: "lockPollRate" "schemaLockWaitTime";
    DATABASE Flag: "enableLogSqlExecutionTime" "forceCloseMybatisConnectionPool"
        "jdbcPingEnabled" "jpaCloseEntityManager" "jpaHandleTransaction" "tablePrefixIsSchema"
        "useLockForDatabaseSchemaUpdate" "usingRelationalDatabase" "usingSchemaMgmt";
    DATABASE Number: "jdbcDefaultTransactionIsolationLevel" "jdbcMaxActiveConnections"
        "jdbcMaxCheckoutTime" "jdbcMaxIdleConnections" "jdbcMaxWaitTime"
        "jdbcPingConnectionNotUsedFor";
    DATABASE Object: "activityInstanceDataManager" "attachmentDataManager"
        "byteArrayDataManager" "commentDataManager" "commonSchemaManager"
        "customMybatisInterceptors" "customMybatisMappers" "customMybatisXMLMappers"
        "dataSource" "dbSqlSessionFactory" "defaultCommandConfig"
        "dependentEngineMyBatisXmlMappers" "dependentEngineMybatisTypeAliasConfigs"
        "dependentEngineMybatisTypeHandlerConfigs" "deploymentDataManager"
        "eventLogEntryDataManager" "executionDataManager" "historicActivityInstanceDataManager"
        "historicDetailDataManager" "historicProcessInstanceDataManager"
        "jpaEntityManagerFactory" "modelDataManager" "processDefinitionDataManager"
        "processDefinitionInfoDataManager" "propertyDataManager" "resourceDataManager"
        "schemaCommandConfig" "schemaManagementCmd" "schemaManager" "sqlSessionFactory"
        "tableDataManager" "transactionContextFactory" "transactionFactory";
    DATABASE Text: "dataSourceJndiName" "databaseCatalog" "databaseSchema"
        "databaseSchemaUpdate" "databaseTablePrefix" "databaseType"
        "databaseWildcardEscapeCharacter" "jdbcDriver" "jdbcPassword" "jdbcPingQuery" "jdbcUrl"
        "jdbcUsername" "jpaPersistenceUnitName" "mybatisMappingFile";
    DEPLOY Object: "deploymentMode" "deploymentName" "deploymentResources";
    DIAGRAMS Flag: "createDiagramOnDeploy" "drawSequenceFlowNameWithNoLabelDI";
    DIAGRAMS Object: "processDefinitionDiagramHelper" "processDiagramGenerator";
    DIAGRAMS Text: "activityFontName" "annotationFontName" "labelFontName";
    FORMS Flag: "formFieldValidationEnabled";
    FORMS Object: "customFormEngines" "customFormTypes" "formFieldHandler" "formHandlerHelper"
        "formService" "formTypes" "performanceSettings";
    HISTORY Flag: "asyncHistoryExecutorAsyncJobAcquisitionEnabled"
        "asyncHistoryExecutorResetExpiredJobsEnabled";
    HISTORY Number: "asyncHistoryExecutorAsyncJobLockTimeInMillis"
        "asyncHistoryExecutorCorePoolSize" "asyncHistoryExecutorDefaultAsyncJobAcquireWaitTime"
        "asyncHistoryExecutorDefaultQueueSizeFullWaitTime"
        "asyncHistoryExecutorMaxJobsDuePerAcquisition" "asyncHistoryExecutorMaxPoolSize"
        "asyncHistoryExecutorResetExpiredJobsInterval"
        "asyncHistoryExecutorResetExpiredJobsPageSize"
        "asyncHistoryExecutorSecondsToWaitOnShutdown" "asyncHistoryExecutorThreadKeepAliveTime"
        "asyncHistoryExecutorThreadPoolQueueSize";
    HISTORY Object: "asyncHistoryExecutor" "asyncHistoryExecutorConfiguration"
        "asyncHistoryExecutorTaskExecutorConfiguration" "asyncHistoryExecutorThreadPoolQueue"
        "asyncHistoryTaskExecutor" "customHistoryJobHandlers" "historyJobProcessors";
    HISTORY Text: "asyncHistoryExecutorLockOwner";
    JAVA Object: "activityBehaviorFactory" "additionalEventDispatchActions"
        "agendaFutureMaxWaitTimeoutProvider" "agendaOperationExecutionListeners"
        "agendaOperationRunner" "astFunctionCreators" "asyncExecutorExecuteAsyncRunnableFactory"
        "beans" "bpmnDeployer" "bpmnDeploymentHelper" "bpmnParseFactory" "bpmnParser"
        "classLoader" "commandContextFactory" "commandInterceptors" "commandInvoker"
        "configurators" "createExternalWorkerJobInterceptor" "createUserTaskInterceptor"
        "customAsyncRunnableExecutionExceptionHandlers" "customDefaultBPMNParseHandlers"
        "customDefaultBpmnParseHandlers" "customEventHandlers" "customFlowableFunctionDelegates"
        "customJobHandlers" "customPostCommandInterceptors" "customPostDeployers"
        "customPostVariableTypes" "customPreBPMNParseHandlers" "customPreCommandInterceptors"
        "customPreDeployers" "customPreVariableTypes" "customScriptingEngineClasses"
        "customServiceTaskValidator" "customSessionFactories" "defaultCommandInterceptors"
        "delegateExpressionFieldInjectionMode" "delegateInterceptor"
        "endProcessInstanceInterceptor" "engineLifecycleListeners" "eventDispatcher"
        "eventListeners" "executionQueryInterceptor" "failedJobCommandFactory"
        "flowableFunctionDelegates" "historicProcessInstanceQueryInterceptor"
        "historicTaskQueryInterceptor" "historyConfigurationSettings" "identityLinkInterceptor"
        "idmIdentityService" "internalJobParentStateResolver"
        "internalTaskVariableScopeResolver" "jobHandlers" "jobProcessors" "listenerFactory"
        "listenerNotificationHelper" "loggingListener" "parsedDeploymentBuilderFactory"
        "postBpmnParseHandlers" "postDefaultELResolvers" "postDefaultResolverFactories"
        "postEngineBuildConsumer" "preBeanELResolvers" "preBpmnParseHandlers"
        "preDefaultELResolvers" "preDefaultResolverFactories" "processDefinitionCache"
        "processEngineConfigurators" "processInstanceHelper" "processInstanceMigrationCallbacks"
        "processInstanceQueryInterceptor" "processValidator" "resolverFactories" "scriptEngine"
        "scriptingEngines" "sessionFactories" "startProcessInstanceInterceptor"
        "taskPostProcessor" "taskQueryInterceptor" "typedEventListeners"
        "userTaskStateInterceptor" "variableAggregator" "variableJsonMapper"
        "variableLengthVerifier" "variableTypes";
    OLD Flag: "redeployFlowable5ProcessDefinitions" "validateFlowable5EntitiesEnabled";
    OLD Object: "flowable5ActivityBehaviorFactory" "flowable5CompatibilityHandler"
        "flowable5CompatibilityHandlerFactory" "flowable5CustomDefaultBpmnParseHandlers"
        "flowable5CustomMybatisMappers" "flowable5CustomMybatisXMLMappers"
        "flowable5ExpressionManager" "flowable5JobProcessors" "flowable5ListenerFactory"
        "flowable5PostBpmnParseHandlers" "flowable5PreBpmnParseHandlers";
    ONE_WAY Flag: "addDefaultExceptionHandler" "enableEventDispatcher"
        "enableHistoricTaskLogging" "enableLocalization" "enableVerboseExecutionTreeLogging"
        "handleProcessEngineExecutorsAfterEngineCreate" "jsonVariableTypeTrackObjects"
        "runPostEngineBuildConsumer" "serializableVariableTypeTrackDeserializedObjects"
        "servicesEnabledInScripting" "useClassForNameClassLoading";
    ONE_WAY Number: "maxLengthStringVariableType";
    ONE_WAY Text: "engineName" "processEngineName" "xmlEncoding";
    OTHERS Duration: "eventRegistryUniqueProcessInstanceStartLockTime";
    OTHERS Flag: "alwaysLookupLatestDefinitionVersion" "alwaysUseArraysForDmnMultiHitPolicies"
        "dbIdentityUsed" "disableEventRegistry" "disableIdmEngine" "enableEntityLinks"
        "eventRegistryStartProcessInstanceAsync"
        "eventRegistryUniqueProcessInstanceCheckWithLock";
    OTHERS Object: "appResourceConverter" "caseInstanceService" "decisionTableVariableManager"
        "dependentScopeTypes" "eventRegistryConfigurator" "eventRegistryEventConsumer"
        "identityLinkEventHandler" "idmEngineConfigurator";
    RUNNING Object: "activityInstanceEntityManager" "agendaFactory" "asyncExecutor"
        "asyncExecutorConfiguration" "asyncExecutorTaskExecutorConfiguration"
        "asyncTaskExecutor" "attachmentEntityManager" "batchServiceConfiguration"
        "batchServiceConfigurators" "businessCalendarManager" "byteArrayEntityManager"
        "cachingAndArtifactsManager" "candidateManager" "clock" "commandExecutor"
        "commentEntityManager" "deployers" "deploymentEntityManager" "deploymentManager"
        "dynamicBpmnService" "dynamicStateManager" "entityLinkServiceConfiguration"
        "entityLinkServiceConfigurators" "eventLogEntryEntityManager" "eventSubscriptionManager"
        "eventSubscriptionServiceConfiguration" "eventSubscriptionServiceConfigurators"
        "executionEntityManager" "historicActivityInstanceEntityManager"
        "historicDetailEntityManager" "historicProcessInstanceEntityManager"
        "historyCleaningManager" "historyManager" "historyService"
        "identityLinkServiceConfiguration" "identityLinkServiceConfigurators" "identityService"
        "internalHistoryTaskManager" "internalHistoryVariableManager"
        "internalJobCompatibilityManager" "internalJobManager"
        "internalProcessDefinitionLocalizationManager" "internalProcessLocalizationManager"
        "internalTaskAssignmentManager" "internalTaskLocalizationManager" "jobManager"
        "jobServiceConfiguration" "jobServiceConfigurators" "managementService"
        "modelEntityManager" "objectMapper" "processDefinitionDeploymentDeletionManager"
        "processDefinitionEntityManager" "processInstanceMigrationManager"
        "processInstanceMigrationService" "propertyEntityManager" "repositoryService"
        "resourceEntityManager" "runtimeService" "taskService" "taskServiceConfiguration"
        "taskServiceConfigurators" "timerManager" "transactionManager"
        "variableServiceConfiguration" "variableServiceConfigurators";
    TENANTS Flag: "fallbackToDefaultTenant";
    TENANTS Object: "changeTenantEntityTypes" "changeTenantIdManager" "defaultTenantProvider";
    TENANTS Text: "defaultTenantValue";
};
