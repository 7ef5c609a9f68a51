// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The error of every part of SoupKit: what went wrong, where, and what to do about it.
///
/// Plug-ins make their own: a code is any text in lower camel case, and the static ones below are merely the known
/// ones.
public struct SoupError: Error, Sendable, CustomStringConvertible {
    /// A stable name that scripts and programs can test for.
    public struct Code: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name in lower camel case, such as `soupNotFound`.
        public let rawValue: String
        /// Takes any text; there is no list of all codes.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Lets a plug-in throw `SoupError("stationClosed", …)` without declaring the code.
        public init(stringLiteral value: String) { self.rawValue = value }
        /// The name alone, as scripts get it.
        public var description: String { rawValue }
    }

    /// What to test for; the message may change from version to version.
    public var code: Code
    /// One sentence for people, without a full stop.
    public var message: String
    /// Where in the input the fault is.
    public var place: Place?
    /// What the reader can do.
    public var hint: String?
    /// What caused it, for logs.
    public var cause: (any Error)?

    /// The place can be left to a caller that knows it: see ``at(_:)``.
    ///
    /// - Parameters:
    ///   - message: one sentence without a full stop, because ``description`` puts one before the hint.
    ///   - cause: for logs, and for ``delivery``; it is not in ``description``.
    public init(
        _ code: Code, _ message: String, place: Place? = nil, hint: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint
        self.cause = cause
    }

    /// One line: `place: message. hint`, as far as they are known.
    public var description: String {
        var text = place.map { "\($0): " } ?? ""
        text += message
        if let hint { text += ". \(hint)" }
        return text
    }

    /// The same error, with a place if it had none.
    public func at(_ place: Place) -> SoupError {
        var error = self
        error.place = error.place ?? place
        return error
    }
}

/// Errors are equal when all but their causes are: a cause is for logs, and of any type.
extension SoupError: Hashable {
    /// Compares code, message, place and hint.
    public static func == (left: SoupError, right: SoupError) -> Bool {
        (left.code, left.message, left.place, left.hint) == (right.code, right.message, right.place, right.hint)
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(place)
        hasher.combine(hint)
    }
}

extension SoupError {
    /// What a store throws that was closed: `storeUnusable`, and ``isStoreClosed`` tells it from a file that cannot be
    /// used.
    public static var storeClosed: SoupError {
        SoupError(.storeUnusable, "the store is closed", hint: "Open it again", cause: StoreWasClosed())
    }

    /// Whether the store was closed by its own app, and nothing is wrong with it.
    public var isStoreClosed: Bool { cause is StoreWasClosed }

    private struct StoreWasClosed: Error {}
}

/// A place in a text: a file, a position in it, a path inside its JSON.
///
/// Any part may be unknown.
public struct Place: Sendable, Hashable, CustomStringConvertible {
    /// What messages call the file: a name that people know, not always a path to open.
    public var file: String?
    /// Counted from 1.
    public var line: Int?
    /// Counted from 1, in characters as bytes.
    public var column: Int?
    /// For JSON: `syncs[3].target.query`.
    public var path: String?
    /// What stands there, up to the end of its line, cut when it is long: for texts that nobody can open as a file.
    public var excerpt: String?

    /// A place that is known already; for an offset in bytes see ``init(file:offset:in:path:)``.
    public init(
        file: String? = nil, line: Int? = nil, column: Int? = nil, path: String? = nil, excerpt: String? = nil
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.excerpt = excerpt
    }

    /// The line and column of a byte offset in a text.
    public init(file: String? = nil, offset: Int, in text: some Collection<UInt8>, path: String? = nil) {
        let before = text.prefix(offset)
        self.init(
            file: file, line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1, path: path)
    }

    /// The line and column of a byte offset in a text, with an excerpt that begins there.
    public init(offset: Int, quoting text: String) {
        let bytes = Array(text.utf8)
        self.init(offset: offset, in: bytes)
        let rest = bytes.dropFirst(offset).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        let scalars = String(decoding: rest, as: UTF8.self).unicodeScalars
        guard !scalars.isEmpty else { return }
        var cut = String.UnicodeScalarView(scalars.prefix(40))
        if cut.count < scalars.count { cut.append("…") }
        excerpt = String(cut)
    }

    /// `file:line:column: path`, as far as they are known; without a file `line 3, column 5, at "an excerpt"`.
    public var description: String {
        var parts: [String] = []
        if let file {
            parts.append(
                [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":"))
        } else if let line {
            let quoted = excerpt.map { ", at \"\($0)\"" } ?? ""
            parts.append("line \(line)" + (column.map { ", column \($0)" } ?? "") + quoted)
        }
        if let path { parts.append(path) }
        return parts.joined(separator: ": ")
    }
}

extension SoupError.Code {
    /// No soup of that name is registered in the store.
    public static let soupNotFound: Self = "soupNotFound"
    /// A soup name that is empty or holds `:`, `{`, `}` or a control character.
    public static let badSoupName: Self = "badSoupName"
    /// A soup needs at least one index spec.
    public static let noIndexSpecs: Self = "noIndexSpecs"
    /// A migration plan whose soups have changed since it was made.
    public static let outdatedPlan: Self = "outdatedPlan"
    /// The operation needs an index on that path.
    public static let indexNotDefined: Self = "indexNotDefined"
    /// An entry has no value at the path of the external id.
    public static let externalIdMissing: Self = "externalIdMissing"
    /// More than one entry has that external id.
    public static let notUnique: Self = "notUnique"
    /// Smart SQL that is more than a SELECT.
    public static let onlySelect: Self = "onlySelect"
    /// `{soup}` in Smart SQL names a soup that is not registered.
    public static let unknownSoup: Self = "unknownSoup"
    /// `{a:b:c}` in Smart SQL, or braces that do not close.
    public static let badReference: Self = "badReference"
    /// Arguments go with smart queries only.
    public static let whereArgsNotSupported: Self = "whereArgsNotSupported"
    /// A path that cannot be indexed: empty, or with `{`, `}`, `:` or NUL in it.
    public static let badPath: Self = "badPath"
    /// A query spec with a part missing or of the wrong type.
    public static let badQuerySpec: Self = "badQuerySpec"
    /// A name with a dot for a top-level member: it would be read as the path of another one.
    public static let badMemberName: Self = "badMemberName"
    /// Text that is not the JSON asked for.
    public static let json: Self = "json"
    /// Text that is longer than the store can keep.
    public static let tooLong: Self = "tooLong"
    /// The database refused a statement.
    public static let sql: Self = "sql"
    /// A name of a store that could not be a file everywhere.
    public static let badStoreName: Self = "badStoreName"
    /// The store's file cannot be used.
    public static let storeUnusable: Self = "storeUnusable"
    /// The backend lacks a capability that the operation needs.
    public static let notSupported: Self = "notSupported"
    /// A configuration with problems; the problems are listed one by one.
    public static let badConfiguration: Self = "badConfiguration"
    /// A plug-in name that nothing is registered under, or that two claim.
    public static let registry: Self = "registry"
    /// No sync of that name or id.
    public static let syncNotFound: Self = "syncNotFound"
    /// The sync is running already.
    public static let syncAlreadyRunning: Self = "syncAlreadyRunning"
    /// A sync of that name exists.
    public static let syncNameTaken: Self = "syncNameTaken"
    /// The manager was stopped.
    public static let managerStopped: Self = "managerStopped"
    /// The manager was told to restart and is not stopped.
    public static let managerNotStopped: Self = "managerNotStopped"
    /// Ghosts are cleaned for sync downs only.
    public static let notASyncDown: Self = "notASyncDown"
    /// The server cannot be reached, or the connection broke.
    public static let network: Self = "network"
    /// The server answered with an error; the message holds its own code and text.
    public static let server: Self = "server"
    /// The server takes no requests for now, whatever is asked: a limit is used up, or it has too much to do.
    public static let unavailable: Self = "unavailable"
    /// The session is over and could not be renewed: log in again.
    public static let sessionExpired: Self = "sessionExpired"
    /// The page cursor is no longer known to the server: start again from the high-water mark.
    public static let cursorExpired: Self = "cursorExpired"
    /// The server's answers hold fewer or more records than they announce.
    public static let incompleteAnswer: Self = "incompleteAnswer"
    /// Cleaning ghosts would remove more than half of the entries that a sync down brought; nothing was removed.
    public static let tooManyGhosts: Self = "tooManyGhosts"
    /// The entry is in no conflict any more.
    public static let notInConflict: Self = "notInConflict"
    /// The entry is no creation whose answer was lost.
    public static let notUnknown: Self = "notUnknown"
    /// The id that was given is another record's.
    public static let differentRecord: Self = "differentRecord"
}
