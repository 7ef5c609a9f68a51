// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The behavior of a local org where Salesforce leaves a choice, or where tests need one.
///
/// Durations have a resolution of a millisecond: the org rounds them up.
public struct OrgOptions: Sendable, Hashable {
    /// The finest difference between two timestamps.
    public enum Resolution: String, Sendable, Hashable, CaseIterable {
        /// Whole seconds, as in orgs: two edits within a second have the same timestamp.
        case second = "1s"
        case millisecond = "1ms"
    }

    /// The resolution of the timestamps of records; the administration can change it while the org runs.
    public var resolution = Resolution.second
    /// The time zone of all users, such as `Europe/Berlin`: it determines when the days of queries such as `TODAY`
    /// begin, the results of `convertTimezone` and `FORMAT`, and the zone in identities.
    ///
    /// An unknown name means UTC.
    public var userTimeZone = "UTC"
    /// The maximum number of rows on a page, regardless of the request.
    public var maximumPageSize = 2000
    /// The API calls a day: reported in `/limits` and in a header of each response, and enforced.
    public var dailyLimit = 100_000
    /// Whether `Id IN ('')` is rejected, as on servers.
    public var refusesEmptyIds = true
    /// Whether reading a row by ID adds it to the recent items, as a page of the user interface does.
    public var getsCountAsViews = false
    /// Whether an ID in the body of a PATCH is ignored instead of rejected.
    public var ignoresIdInPatch = false
    /// The time during which a query can be continued.
    public var cursorLifetime = Duration.seconds(2 * 86_400)
    /// The time after which an idle query ends; nil for its whole lifetime.
    public var cursorIdleTime: Duration?
    /// The maximum number of queries that can be continued at a time; the oldest ends first.
    public var maximumCursors = 2000
    /// Whether later pages contain the rows as they were when the query was run, including rows deleted since.
    ///
    /// Otherwise the rows are those that were found, with the values that they have when their page is requested.
    public var cursorsKeepRows = false
    /// Whether queries may contain `ALL ROWS`, which includes deleted records; servers reject it over REST.
    public var allowsAllRows = false
    /// The seed by which the rows of queries without `ORDER BY` are shuffled; nil orders them by ID.
    ///
    /// Servers guarantee no order: this option finds clients that rely on one.
    public var shuffleSeed: Int64?
    /// The delay after which searches find a change.
    public var searchIndexDelay = Duration.zero
    /// The lifetime of an access token; nil for no limit.
    public var tokenLifetime: Duration?
    /// Whether clients must send their secrets, and the signatures of their assertions are checked.
    ///
    /// A code that was requested with a challenge needs its verifier instead of a secret. Refreshing a token needs no
    /// secret, because apps on phones have none.
    public var strictGrants = false
    /// Whether each refresh issues a new refresh token and ends the previous one.
    public var rotatesRefreshTokens = false
    /// The delay of `/updated` and `/deleted`.
    public var replicationLag = Duration.zero
    /// The number of polls of a bulk job before its work is done; 0 does it at once.
    public var bulkPolls = 0
    /// The number of lines on a page of a bulk job's result, for requests that name none.
    public var bulkPageSize = 50_000
    /// Whether a request for the result of an unfinished bulk query is rejected instead of answered with an empty
    /// response.
    public var refusesEarlyResults = false
    /// The number of records on a page of a briefcase.
    public var briefcasePageSize = 1000
    /// Whether the administration below `/_emu` is available: resets, edits as another user, faults, the journal, the
    /// clock.
    public var admin = false
    /// Whether a client may set `CreatedDate` and `LastModifiedDate` of the records that it creates.
    public var allowsAuditFields = false
    /// The SQLite file in which the org is stored; nil for none.
    ///
    /// A file that does not exist or is empty is filled from the seed. Any other file must have been created by an org:
    /// then the seed is not applied, and rows, schema, tokens and the clock are as they were. One org at a time can use
    /// a file.
    public var stateFile: URL?
    /// Host names that requests to the server may have in their `Host` header, in addition to those of this machine.
    ///
    /// All others are rejected, so that a web page whose name resolves to this machine cannot use the org. Names have
    /// no port: `host.docker.internal`.
    public var allowedHosts: [String] = []
    /// The maximum sizes of request bodies; by default those of servers.
    var bodyLimits = BodyLimits()
    /// The instance URL in token responses; ``LocalOrg/serve(host:port:certificate:onReady:)`` sets it to its own URL.
    public var instanceURL = "http://localhost"

    /// Creates the defaults: the behavior of Salesforce, without a state file and without the administration.
    public init() {}
}
