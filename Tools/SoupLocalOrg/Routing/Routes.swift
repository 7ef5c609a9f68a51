// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The table of routes: every resource of a local org, with its path, its handler and its verbs.
///
/// Dispatch uses this table and nothing else. ``RequestDispatcher`` checks what is common to an API (the session, the
/// version, the media types), takes the first line whose path matches, creates the line's handler and calls the
/// operation of the verb. A verb without an operation gets 405.
///
/// A handler is a small struct in a file of its own that conforms to ``ResourceHandler``: it takes the request and the
/// ``OrgContext``, finds what the path names in its initializer, and has one method for each verb. Logic that several
/// handlers need is a service, such as ``RowStore``, ``RecordWriter`` or ``QueryRunner``.
///
/// To add a resource, add a handler file to the folder of its API, and one line to this table. If the line's pattern
/// matches paths of another line, put the more specific one first; a test fails otherwise.
enum Routes {
    /// Every resource; the first that matches a path answers.
    static let all: [Resource] =
        discovery + data + sobjects + composite + jobs + userInterface + login + classicBulk + administration

    private static func versioned<Handler: ResourceHandler>(
        _ path: String, ignoresCase: Bool = false, _ operations: ResourceOperation<Handler>...
    ) -> Resource {
        Resource("/services/data/{version}/\(path)", ignoresCase: ignoresCase, operations: operations)
    }

    // MARK: The versions and the resources of a version

    private static let discovery: [Resource] = [
        Resource("/", .get(VersionsHandler.list)),
        Resource("/services/data", .get(VersionsHandler.list)),
        Resource("/services/data/{version}", .get(ResourceListHandler.list)),
    ]

    private static let data: [Resource] = [
        versioned("limits", .get(LimitsHandler.limits)),
        versioned("limits/recordCount", .get(RecordCountHandler.count)),
        versioned("limits/{rest...}", .get(UnknownPathHandler.refuse)),
        versioned("query", .get(QueryHandler.query)),
        versioned("query/{locator}", .get(QueryHandler.nextPage)),
        versioned("queryAll", .get(QueryHandler.queryAll)),
        versioned("queryAll/{locator}", .get(QueryHandler.nextPage)),
        versioned("search", .get(SearchHandler.search)),
        versioned("search/scopeOrder", ignoresCase: true, .get(SearchHandler.scopeOrder)),
        versioned("search/layout", ignoresCase: true, .get(SearchHandler.layouts)),
        versioned(
            "parameterizedSearch", .get(ParameterizedSearchHandler.searchByURL),
            .post(ParameterizedSearchHandler.searchByBody)),
        versioned("recent", .get(RecentItemsHandler.list)),
        versioned("tooling/query", .get(ToolingQueryHandler.query)),
        versioned("connect/briefcase/priming-records", .get(BriefcaseHandler.primingRecords)),
    ]

    // MARK: Objects and records

    private static let sobjects: [Resource] = [
        versioned("sobjects", .get(GlobalDescribeHandler.describe)),
        versioned("sobjects/{object}", .get(SObjectHandler.summary), .post(SObjectHandler.create)),
        versioned("sobjects/{object}/describe", .get(DescribeHandler.describe)),
        versioned("sobjects/{object}/describe/compactLayouts", .get(LayoutHandler.compactLayouts)),
        versioned("sobjects/{object}/describe/layouts", .get(LayoutHandler.layouts)),
        versioned("sobjects/{object}/describe/layouts/{recordType}", .get(LayoutHandler.layouts)),
        versioned("sobjects/{object}/updated", .get(ReplicationHandler.updated)),
        versioned("sobjects/{object}/deleted", .get(ReplicationHandler.deleted)),
        versioned(
            "sobjects/{object}/{id}", .head(SObjectRowHandler.read), .get(SObjectRowHandler.read),
            .patch(SObjectRowHandler.update), .delete(SObjectRowHandler.delete),
            .post(SObjectRowHandler.createWithoutId).unlisted),
        versioned(
            "sobjects/{object}/{id}/password", .get(PasswordHandler.status), .post(PasswordHandler.set),
            .delete(PasswordHandler.reset)),
        versioned(
            "sobjects/{object}/{id}/{relationships...}", .head(RelationshipHandler.read),
            .get(RelationshipHandler.read), .patch(RelationshipHandler.update), .delete(RelationshipHandler.delete)),
        versioned(
            "sobjects/{object}/{field}/{value}", .head(ExternalIdHandler.read), .get(ExternalIdHandler.read),
            .patch(ExternalIdHandler.upsert), .delete(ExternalIdHandler.delete)),
    ]

    private static let composite: [Resource] = [
        versioned("composite", .post(CompositeHandler.run)),
        versioned("composite/batch", .post(CompositeBatchHandler.run)),
        versioned("composite/graph", .post(CompositeGraphHandler.run)),
        versioned("composite/tree/{object}", .post(RecordTreeHandler.create)),
        versioned(
            "composite/sobjects", .post(CollectionsHandler.create), .patch(CollectionsHandler.update),
            .delete(CollectionsHandler.delete)),
        versioned(
            "composite/sobjects/{object}", .get(CollectionRetrieveHandler.retrieveByURL),
            .post(CollectionRetrieveHandler.retrieveByBody), .head(CollectionRetrieveHandler.refuseHead).unlisted),
        versioned("composite/sobjects/{object}/{field}", .patch(CollectionsHandler.upsert)),
    ]

    // MARK: Bulk API 2.0

    private static let jobs: [Resource] = [
        versioned("jobs/ingest", .get(BulkIngestJobsHandler.list), .post(BulkIngestJobsHandler.create)),
        versioned(
            "jobs/ingest/{job}", .get(BulkJobHandler.info), .patch(BulkJobHandler.changeState),
            .delete(BulkJobHandler.delete)),
        versioned("jobs/ingest/{job}/batches", ignoresCase: true, .put(BulkIngestHandler.upload)),
        versioned(
            "jobs/ingest/{job}/successfulResults", ignoresCase: true, .get(BulkIngestHandler.successfulResults)),
        versioned("jobs/ingest/{job}/failedResults", ignoresCase: true, .get(BulkIngestHandler.failedResults)),
        versioned(
            "jobs/ingest/{job}/unprocessedrecords", ignoresCase: true, .get(BulkIngestHandler.unprocessedRecords)),
        versioned("jobs/query", .get(BulkQueryJobsHandler.list), .post(BulkQueryJobsHandler.create)),
        versioned(
            "jobs/query/{job}", .get(BulkJobHandler.info), .patch(BulkJobHandler.changeState),
            .delete(BulkJobHandler.delete)),
        versioned("jobs/query/{job}/results", ignoresCase: true, .get(BulkQueryHandler.results)),
        versioned("jobs/query/{job}/resultPages", ignoresCase: true, .get(BulkQueryPagesHandler.pages)),
    ]

    // MARK: UI API

    private static let userInterface: [Resource] = [
        versioned("ui-api/layout/{object}", .get(UILayoutHandler.layout)),
        versioned("ui-api/object-info", .get(UIObjectInfoHandler.directory)),
        versioned("ui-api/object-info/{object}", .get(UIObjectInfoHandler.info)),
        versioned("ui-api/object-info/batch/{objects}", .get(UIObjectInfoHandler.batch)),
        versioned("ui-api/object-info/{object}/picklist-values/{recordType}", .get(UIPicklistHandler.allFields)),
        versioned("ui-api/object-info/{object}/picklist-values/{recordType}/{field}", .get(UIPicklistHandler.oneField)),
        versioned("ui-api/records/{id}", .get(UIRecordHandler.record)),
        versioned("ui-api/records/batch/{ids}", .get(UIRecordHandler.batch)),
        versioned("ui-api", .get(UnknownPathHandler.refuse)),
        versioned("ui-api/{rest...}", .get(UnknownPathHandler.refuse)),
    ]

    // MARK: Login and identity

    private static let login: [Resource] = [
        Resource("/services/oauth2/token", .post(TokenHandler.grant)),
        Resource("/services/oauth2/authorize", .get(AuthorizeHandler.authorize), .post(AuthorizeHandler.authorize)),
        Resource("/setup/connect", .get(DeviceHandler.connect), .post(DeviceHandler.connect)),
        Resource("/services/oauth2/revoke", .post(RevokeHandler.revoke), .get(RevokeHandler.revoke)),
        Resource("/services/oauth2/introspect", .post(IntrospectHandler.introspect)),
        Resource("/services/oauth2/userinfo", .get(UserInfoHandler.info), .post(UserInfoHandler.info)),
        Resource("/services/oauth2/singleaccess", .post(SingleAccessHandler.url), .get(SingleAccessHandler.url)),
        Resource("/services/Soap/{api}/{version}", .post(SOAPLoginHandler.login)),
        Resource("/services/Soap/{api}/{version}/{organization}", .post(SOAPLoginHandler.login)),
        Resource("/id/{organization}/{user}", .get(IdentityHandler.identity), .post(IdentityHandler.identity)),
    ]

    // MARK: Bulk API 1.0

    private static let classicBulk: [Resource] = [
        Resource("/services/async/{version}/job", .post(ClassicJobsHandler.create)),
        Resource("/services/async/{version}/job/{job}", .get(ClassicJobHandler.info), .post(ClassicJobHandler.change)),
        Resource(
            "/services/async/{version}/job/{job}/batch", .get(ClassicBatchesHandler.list),
            .post(ClassicBatchesHandler.add)),
        Resource("/services/async/{version}/job/{job}/batch/{batch}", .get(ClassicBatchHandler.info)),
        Resource("/services/async/{version}/job/{job}/batch/{batch}/request", .get(ClassicBatchHandler.requestBody)),
        Resource("/services/async/{version}/job/{job}/batch/{batch}/result", .get(ClassicBatchHandler.result)),
        Resource(
            "/services/async/{version}/job/{job}/batch/{batch}/result/{result}", .get(ClassicBatchHandler.queryResult)),
        Resource(
            "/services/async/{version}/job/{job}/batch/{batch}/{rest...}", .get(ClassicBatchHandler.refuseUnknownPath)),
        Resource("/services/async/{version}/job/{job}/{rest...}", .any(ClassicJobHandler.refuseUnknownPath)),
    ]

    // MARK: Administration, if an option allows it

    private static let administration: [Resource] = [
        Resource("/_emu/health", .any(HealthHandler.health)),
        Resource("/_emu/reset", .post(ResetHandler.reset)),
        Resource("/_emu/snapshot", .post(SnapshotHandler.take)),
        Resource("/_emu/restore", .post(SnapshotHandler.restore)),
        Resource("/_emu/schema", .get(SchemaHandler.read), .post(SchemaHandler.change)),
        Resource(
            "/_emu/faults", .get(FaultRulesHandler.list), .post(FaultRulesHandler.add),
            .delete(FaultRulesHandler.remove)),
        Resource("/_emu/clock", .post(ClockHandler.set)),
        Resource("/_emu/edit", .post(RecordAdministrationHandler.edit)),
        Resource("/_emu/undelete", .post(RecordAdministrationHandler.undelete)),
        Resource("/_emu/purge", .post(RecordAdministrationHandler.purge)),
        Resource("/_emu/state/{object}", .get(RecordAdministrationHandler.state)),
        Resource("/_emu/tokens/expire", .post(TokenExpiryHandler.expire)),
        Resource("/_emu/journal", .get(JournalHandler.list)),
        Resource("/_emu/options", .get(OptionsHandler.read), .post(OptionsHandler.change)),
    ]
}
