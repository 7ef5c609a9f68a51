// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SoupSQLite
internal import SoupCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A SmartStore database whose entries have been counted and checked.
struct ImportSource: Sendable {
    let database: MobileSDKDatabase
    /// The soups to import.
    let soups: [MobileSDKDatabase.Soup]
    let content: SmartStoreImport

    /// Opens the database, and reads all of its entries once, on a thread where this may block.
    ///
    /// - Throws: ``SoupError``; `CancellationError`.
    static func open(_ url: URL, _ options: SmartStoreImport.Options) async throws -> ImportSource {
        let cancellation = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try ImportSource(url, options, cancellation: cancellation) })
                }
            }
        } onCancel: {
            cancellation.set()
        }
    }

    private init(_ url: URL, _ options: SmartStoreImport.Options, cancellation: CancellationFlag) throws {
        let database = try MobileSDKDatabase.open(at: url, bodies: options.bodies)
        do {
            self.database = database
            soups = try Self.soups(of: database, options)
            content = try Self.content(of: soups, in: database, cancellation)
            if !options.skipsUnreadable, !options.isDryRun { try Self.requireReadable(content, url) }
        } catch {
            try? database.close()
            throw error
        }
    }

    /// Closes the database, and removes its private copy.
    func close() { try? database.close() }

    private static func soups(
        of database: MobileSDKDatabase, _ options: SmartStoreImport.Options
    ) throws -> [MobileSDKDatabase.Soup] {
        let place = SoupError.Place(file: database.url.filePath)
        let names = database.soups.map(\.name)
        if let unknown = options.excluded.subtracting(names).sorted().first {
            throw SoupError(
                .soupNotFound, "there is no soup \"\(unknown)\" to leave out", place: place,
                hint: NameDistance.question(for: unknown.rawValue, among: names.map(\.rawValue).sorted()))
        }
        let soups = database.soups.filter { !options.excluded.contains($0.name) }
        for soup in soups {
            if SoupName.reserved.contains(soup.name), soup.name != SyncsImport.soup {
                throw SoupError(
                    .badSoupName, "the name of soup \"\(soup.name)\" is reserved for the syncs of SoupKit",
                    place: place,
                    hint: "Leave the soup out with --without \(soup.name), or the option excluded.")
            }
            guard soup.name.isValid else {
                throw SoupError(
                    .badSoupName,
                    "soup \"\(soup.name)\" cannot be imported: its name is empty, or contains :, {, } or a control "
                        + "character",
                    place: place,
                    hint: "Leave the soup out with --without, or the option excluded.")
            }
        }
        return soups
    }

    private static func content(
        of soups: [MobileSDKDatabase.Soup], in database: MobileSDKDatabase, _ cancellation: CancellationFlag
    ) throws -> SmartStoreImport {
        var content = SmartStoreImport(soups: [], leftOut: [])
        for soup in soups {
            var counts = SmartStoreImport.Soup(name: soup.name, entries: 0, unsent: 0, leftOut: 0)
            try database.forEachEntry(of: soup) { entry in
                try cancellation.check()
                switch entry {
                case .success(let entry):
                    counts.entries += 1
                    if entry.hasLocalChanges { counts.unsent += 1 }
                case .failure(let unreadable):
                    counts.leftOut += 1
                    content.leftOut.append(unreadable)
                }
            }
            content.soups.append(counts)
        }
        return content
    }

    /// Throws if entries cannot be read; the message names the first of them.
    private static func requireReadable(_ content: SmartStoreImport, _ url: URL) throws {
        guard !content.leftOut.isEmpty else { return }
        let lines = content.leftOut.prefix(10).map { "entry \($0.id) of soup \"\($0.soup)\": \($0.reason)" }
        let rest = content.leftOut.count - lines.count
        throw SoupError(
            .entryUnreadable,
            "\(content.leftOut.count) entries cannot be read: \(lines.joined(separator: "; "))"
                + (rest > 0 ? "; and \(rest) more, which --dry-run lists" : ""),
            place: SoupError.Place(file: url.filePath),
            hint: "Repair them in the app and decrypt its database again, or import all other entries with "
                + "--skip-unreadable, or the option skipsUnreadable. Nothing was imported.")
    }
}
