// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import SoupKit

/// Checks and reports of the commands that run syncs.
extension GlobalOptions {
    /// Reports differences between the files and the store, except those of syncs that are not in `names`.
    func reportDrift(of kit: SoupClient, for names: [String], _ console: Console) {
        let syncs = kit.configuration[scope].syncs?.syncs ?? []
        let others = Set(
            syncs.indices.filter { !(syncs[$0].name.map(names.contains) ?? false) }.map { "syncs[\($0)]" })
        for problem in kit.drift where !others.contains(problem.place.path ?? "") {
            console.report(problem, in: kit.configuration)
        }
    }

    /// Reports the warnings about the login if the configuration has no usable credentials.
    ///
    /// The error of the request itself cannot name the files and environment variables.
    func reportMissingLogin(of kit: SoupClient, _ console: Console) async {
        guard let credentials = kit.configuration.credentials, !credentials.canLogIn,
            await !kit.configuration.hasSavedSession(clientOptions)
        else { return }
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

    /// Returns the error for an unknown sync; its hint contains the most similar name or the file to edit.
    func unknownSync(_ name: String, among known: [String], in folder: ConfigurationFolder) -> SoupError {
        let file = scope.syncsFile
        let none =
            folder.files.contains(file)
            ? "Add the sync to \(file); the store has no syncs."
            : "Pass the folder that contains \(file) with --config; the folder \(folder.path) has no \(file)."
        return SoupError(
            .syncNotFound, "there is no sync named \"\(name)\"",
            hint: known.isEmpty ? none : NameDistance.question(for: name, among: known.sorted()))
    }
}

#endif
