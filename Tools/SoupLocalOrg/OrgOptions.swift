// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// How a local org behaves where Salesforce leaves a choice, or where tests want one.
public struct OrgOptions: Sendable, Hashable {
    /// The finest difference between two timestamps.
    public enum Resolution: String, Sendable, Hashable, CaseIterable {
        /// As orgs keep them: two edits within a second look alike.
        case second = "1s"
        case millisecond = "1ms"
    }

    /// How fine the timestamps of records are; `/_emu/…` can change it while the org runs.
    public var resolution = Resolution.second
    /// The time zone of all users, as `Europe/Berlin`: when `TODAY` and other days of queries begin, what
    /// `convertTimezone` and `FORMAT` turn times into, and what identities tell.
    ///
    /// A name that is not known means UTC.
    public var userTimeZone = "UTC"
    /// Rows a page at most, whatever a request asks for.
    public var maximumPageSize = 2000
    /// API calls a day: reported in `/limits` and in the header of each answer, and enforced.
    public var dailyLimit = 100_000
    /// Whether `Id IN ('')` is refused, as servers do.
    public var refusesEmptyIds = true
    /// Whether reading a row by id puts it on the list of recent items, as a page of the user interface does.
    public var getsCountAsViews = false
    /// Whether an id in the body of a PATCH is ignored and not refused.
    public var ignoresIdInPatch = false
    /// How long a query can be continued, in milliseconds.
    public var cursorLifetime: Int64 = 2 * 86_400_000
    /// How long a query can be left alone before it ends, in milliseconds; nil for its whole lifetime.
    public var cursorIdleTime: Int64?
    /// How many queries can be continued at a time; the oldest ends for a new one.
    public var maximumCursors = 2000
    /// Whether later pages show the rows as they were when the query was run, deleted ones included.
    ///
    /// Otherwise the rows are those that were found, with the values that they have when their page is asked for.
    public var cursorsKeepRows = false
    /// Whether queries may say `ALL ROWS`, which makes them see deleted records; servers refuse it over REST.
    public var allowsAllRows = false
    /// Mixes the rows of queries without `ORDER BY`, in a way that depends on the number; nil orders them by id.
    ///
    /// Servers promise no order either: a client that comes to rely on one shows it here.
    public var shuffleSeed: Int64?
    /// How long a change stays unknown to searches, in milliseconds.
    public var searchIndexDelay: Int64 = 0
    /// How long an access token lasts, in milliseconds; nil for ever.
    public var tokenLifetime: Int64?
    /// Whether clients must show their secrets, and the signatures of their assertions are checked.
    ///
    /// A code that was asked for with a challenge needs its verifier in the place of a secret; refreshing a token needs
    /// no secret, since apps on phones have none.
    public var strictGrants = false
    /// Whether each refresh gives out another refresh token and ends the one it came with.
    public var rotatesRefreshTokens = false
    /// How far `/updated` and `/deleted` are behind, in milliseconds.
    public var replicationLag: Int64 = 0
    /// How often somebody can look at a bulk job before its work is done; 0 does it at once.
    public var bulkPolls = 0
    /// The lines of a bulk job's result on a page, for requests that name no number.
    public var bulkPageSize = 50_000
    /// Whether asking for the result of a bulk query that is not done is refused, and not answered with nothing.
    public var refusesEarlyResults = false
    /// The records on a page of a briefcase.
    public var briefcasePageSize = 1000
    /// Whether `/_emu/…` is there: resetting, editing as another user, faults, the journal, the clock.
    public var admin = false
    /// Whether a client may set `CreatedDate` and `LastModifiedDate` of the records that it creates.
    public var allowsAuditFields = false
    /// The SQLite file that keeps the org when it ends, or is killed; nil keeps nothing.
    ///
    /// A file that is not there, or is empty, is filled from the seed. Any other must be one that an org has made: then
    /// the seed is not applied, and rows, schema, tokens and the clock are as they were. One org at a time can use a
    /// file.
    public var stateFile: String?
    /// Host names, beside those of this machine, that requests to the server may have in their `Host` header.
    ///
    /// All others are refused, so that a web page whose name resolves to this machine cannot use the org. Names are
    /// without a port: `host.docker.internal`.
    public var allowedHosts: [String] = []
    /// How long the bodies of requests may be: what servers take.
    var bodyLimits = BodyLimits()
    /// The URL that tokens name as the instance; set by ``LocalOrg/serve(host:port:certificate:onReady:)`` to its own.
    public var instanceURL = "http://localhost"

    /// The defaults: nothing is kept, as Salesforce behaves, without the administration.
    public init() {}
}
