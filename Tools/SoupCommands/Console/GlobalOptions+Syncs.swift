// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// What commands that name syncs say before they begin.
extension GlobalOptions {
    /// Reports where the files say something else than the store, but for syncs that are not named.
    func reportDrift(of kit: SoupClient, for names: [String], _ console: Console) {
        let syncs = kit.configuration[scope].syncs?.syncs ?? []
        let others = Set(
            syncs.indices.filter { !(syncs[$0].name.map(names.contains) ?? false) }.map { "syncs[\($0)]" })
        for problem in kit.drift where !others.contains(problem.place.path ?? "") {
            console.report(problem, in: kit.configuration)
        }
    }

    /// Reports why there is no way to be let in by the server, if the configuration says so.
    ///
    /// The error of the request itself knows nothing of files and of variables.
    func reportMissingLogin(of kit: SoupClient, _ console: Console) {
        guard let credentials = kit.configuration.credentials, !credentials.canLogIn else { return }
        for problem in kit.configuration.orgProblems where problem.severity == .warning {
            console.report(problem, in: kit.configuration)
        }
    }

    /// Checks that the store has a sync of this name.
    ///
    /// - Throws: ``SoupError`` with `syncNotFound`.
    func requireSync(named name: String, in kit: SoupClient) async throws {
        guard try await kit.syncs.status(named: name) == nil else { return }
        throw unknownSync(name, among: try await kit.syncs.syncs().compactMap(\.name), in: kit.configuration)
    }

    /// The error for a sync that the store does not have, with the nearest name or the file that would name it.
    func unknownSync(_ name: String, among known: [String], in folder: ConfigurationFolder) -> SoupError {
        let file = scope.syncsFile
        let none =
            folder.files.contains(file)
            ? "The store has no syncs; write the sync into \(file)."
            : "The folder \(folder.path) has no \(file), which defines the syncs: give the folder that has it with --config."
        return SoupError(
            .syncNotFound, "there is no sync named \"\(name)\"",
            hint: known.isEmpty ? none : NameDistance.question(for: name, among: known.sorted()))
    }
}

#endif
