// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// The error of all parts of SoupKit, with its reason, its place and a hint.
///
/// Plug-ins create their own codes: a code is any text in lower camel case, and the static ones below are only the
/// known ones.
public struct SoupError: Error, Sendable, CustomStringConvertible {
    /// A stable name that scripts and programs can compare.
    public struct Code: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name in lower camel case, such as `soupNotFound`.
        public let rawValue: String
        /// Creates a code from any text; there is no list of all codes.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Creates a code from a literal, so that a plug-in can throw `SoupError("stationClosed", …)`.
        public init(stringLiteral value: String) { self.rawValue = value }
        /// The name alone, as reported to scripts.
        public var description: String { rawValue }
    }

    /// The code to compare; the message may change between versions.
    public var code: Code
    /// One sentence for users, without a full stop.
    public var message: String
    /// The place of the fault in the input.
    public var place: SoupError.Place?
    /// The action that the user can take.
    public var hint: String?
    /// The underlying error, for logs.
    public var cause: (any Error)?

    /// Creates an error; a caller that knows the place can add it with ``at(_:)``.
    ///
    /// - Parameters:
    ///   - message: one sentence without a full stop, because ``description`` adds one before the hint.
    ///   - cause: for logs, and for ``delivery``; it is not in ``description``.
    public init(
        _ code: Code, _ message: String, place: SoupError.Place? = nil, hint: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint
        self.cause = cause
    }

    /// One line: `place: message. hint`, without missing parts.
    public var description: String {
        var text = place.map { "\($0): " } ?? ""
        text += message
        if let hint { text += (text.hasSuffix(".") ? " " : ". ") + hint }
        return text
    }

    /// Returns the same error, with a place if it had none.
    public func at(_ place: SoupError.Place) -> SoupError {
        var error = self
        error.place = error.place ?? place
        return error
    }
}

/// Errors are equal if all members but their causes are equal: a cause is for logs, and of any type.
extension SoupError: Hashable {
    /// Compares code, message, place and hint.
    public static func == (left: SoupError, right: SoupError) -> Bool {
        (left.code, left.message, left.place, left.hint) == (right.code, right.message, right.place, right.hint)
    }

    /// Hashes the members that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
        hasher.combine(place)
        hasher.combine(hint)
    }
}

extension SoupError {
    /// The error of a closed store: `storeUnusable`.
    ///
    /// ``isStoreClosed`` distinguishes it from the error for an unusable file.
    public static var storeClosed: SoupError {
        SoupError(.storeUnusable, "the store is closed", hint: "Open it again.", cause: StoreWasClosed())
    }

    /// Whether the error only means that the app itself closed the store.
    public var isStoreClosed: Bool { cause is StoreWasClosed }

    private struct StoreWasClosed: Error {}
}

extension SoupError {
    /// A place in a text: a file, a position in it, a path inside its JSON.
    ///
    /// Any part may be unknown.
    public struct Place: Sendable, Hashable, CustomStringConvertible {
        /// The name of the file in messages, which is readable but not always a path to open.
        public var file: String?
        /// The line, counted from 1.
        public var line: Int?
        /// The column, counted from 1 in bytes.
        public var column: Int?
        /// The path inside JSON: `syncs[3].target.query`.
        public var path: String?
        /// The text at the place, up to the end of its line, shortened if it is long: for texts that are not files.
        public var excerpt: String?

        /// Creates a known place; for an offset in bytes see ``init(file:offset:in:path:)``.
        public init(
            file: String? = nil, line: Int? = nil, column: Int? = nil, path: String? = nil, excerpt: String? = nil
        ) {
            self.file = file
            self.line = line
            self.column = column
            self.path = path
            self.excerpt = excerpt
        }

        /// Creates the place of a byte offset in a text, with its line and column.
        public init(file: String? = nil, offset: Int, in text: some Collection<UInt8>, path: String? = nil) {
            let before = text.prefix(offset)
            self.init(
                file: file, line: before.count { $0 == UInt8(ascii: "\n") } + 1,
                column: before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1, path: path)
        }

        /// Creates the place of a byte offset in a text, with its line, its column and an excerpt that begins there.
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

        /// The known parts as `file:line:column: path`; without a file `line 3, column 5, at "an excerpt"`.
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
}

extension SoupError.Code {
    /// No soup with that name is registered in the store.
    public static let soupNotFound: Self = "soupNotFound"
    /// A soup name is empty or contains `:`, `{`, `}` or a control character.
    public static let badSoupName: Self = "badSoupName"
    /// A soup needs at least one index spec.
    public static let noIndexSpecs: Self = "noIndexSpecs"
    /// The soups of a migration plan have changed since it was created.
    public static let outdatedPlan: Self = "outdatedPlan"
    /// The operation needs an index on that path.
    public static let indexNotDefined: Self = "indexNotDefined"
    /// An entry has no value at the path of the external ID.
    public static let externalIdMissing: Self = "externalIdMissing"
    /// More than one entry has that external ID.
    public static let notUnique: Self = "notUnique"
    /// Smart SQL is not a single SELECT statement.
    public static let onlySelect: Self = "onlySelect"
    /// `{soup}` in Smart SQL names a soup that is not registered.
    public static let unknownSoup: Self = "unknownSoup"
    /// Smart SQL contains `{a:b:c}`, or braces that are not closed.
    public static let badReference: Self = "badReference"
    /// Arguments were passed with a query that is not a smart query.
    public static let whereArgsNotSupported: Self = "whereArgsNotSupported"
    /// A path cannot be indexed: it is empty, or contains `{`, `}`, `:` or NUL.
    public static let badPath: Self = "badPath"
    /// A part of a query spec is missing or of the wrong type.
    public static let badQuerySpec: Self = "badQuerySpec"
    /// The name of a top-level member contains a dot: it would be read as a path.
    public static let badMemberName: Self = "badMemberName"
    /// A text is not the expected JSON.
    public static let json: Self = "json"
    /// A text is longer than the store supports.
    public static let tooLong: Self = "tooLong"
    /// The database refused a statement.
    public static let sql: Self = "sql"
    /// A store's name is not a valid file name on all platforms.
    public static let badStoreName: Self = "badStoreName"
    /// The store's file cannot be used.
    public static let storeUnusable: Self = "storeUnusable"
    /// The store is encrypted, and its configuration names no key.
    public static let storeEncrypted: Self = "storeEncrypted"
    /// The store is not encrypted, and its configuration asks for encryption.
    public static let storeNotEncrypted: Self = "storeNotEncrypted"
    /// The key or passphrase is not the one of the file; the file is not damaged.
    public static let wrongKey: Self = "wrongKey"
    /// The key provider has no key for the file, or cannot access it now.
    public static let keyUnavailable: Self = "keyUnavailable"
    /// A text or file is not a key or passphrase.
    public static let badSecret: Self = "badSecret"
    /// The backend lacks a capability that the operation needs.
    public static let notSupported: Self = "notSupported"
    /// A configuration has problems, which are listed individually.
    public static let badConfiguration: Self = "badConfiguration"
    /// A plug-in name is not registered, or two types have it.
    public static let registry: Self = "registry"
    /// No sync with that name or ID exists.
    public static let syncNotFound: Self = "syncNotFound"
    /// The sync is already running.
    public static let syncAlreadyRunning: Self = "syncAlreadyRunning"
    /// A target names a connection that is not defined.
    public static let connectionNotDefined: Self = "connectionNotDefined"
    /// A sync with that name already exists.
    public static let syncNameTaken: Self = "syncNameTaken"
    /// The manager was stopped.
    public static let managerStopped: Self = "managerStopped"
    /// The manager cannot restart because it is not stopped.
    public static let managerNotStopped: Self = "managerNotStopped"
    /// Ghost cleaning was requested for a sync that is not a sync down.
    public static let notASyncDown: Self = "notASyncDown"
    /// The server cannot be reached, or the connection failed.
    public static let network: Self = "network"
    /// The server returned an error; the message contains its own code and text.
    public static let server: Self = "server"
    /// The server currently accepts no requests of any kind: a limit is used up, or it is overloaded.
    public static let unavailable: Self = "unavailable"
    /// The share of the API's daily requests that syncs may use is used up: run the sync again later.
    public static let requestLimit: Self = "requestLimit"
    /// The session has expired and could not be renewed: log in again.
    public static let sessionExpired: Self = "sessionExpired"
    /// The server no longer knows the page cursor: start again from the high-water mark.
    public static let cursorExpired: Self = "cursorExpired"
    /// The server's responses contain fewer or more records than they announce.
    public static let incompleteAnswer: Self = "incompleteAnswer"
    /// Ghost cleaning would remove more than half of the entries that a sync down fetched; no entry was removed.
    public static let tooManyGhosts: Self = "tooManyGhosts"
    /// The entry is no longer in conflict.
    public static let notInConflict: Self = "notInConflict"
    /// The entry is not a creation whose response was lost.
    public static let notUnknown: Self = "notUnknown"
    /// The given ID belongs to another record.
    public static let differentRecord: Self = "differentRecord"
}
