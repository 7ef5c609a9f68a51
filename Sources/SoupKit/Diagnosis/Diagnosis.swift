// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

public import SoupCore

/// The findings about a configuration, its store, its server and its syncs, in the order in which they were examined.
///
/// ``SoupClient/diagnose(at:options:report:)`` creates it.
public struct Diagnosis: Sendable {
    /// The part of the configuration that a finding is about.
    public enum Subject: Sendable, Hashable, CustomStringConvertible {
        /// The configuration files.
        case configuration
        /// The store, with its file.
        case store
        /// The org, and the session with it.
        case server
        /// The connection of `org.json` with a name.
        case connection(String)
        /// The sync with a name.
        case sync(String)

        /// `configuration`, `store`, `server`, `connection NAME`, or `sync NAME`.
        public var description: String {
            switch self {
            case .configuration: "configuration"
            case .store: "store"
            case .server: "server"
            case .connection(let name): "connection \(name)"
            case .sync(let name): "sync \(name)"
            }
        }
    }

    /// The effect of a finding on the next runs.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// The part works.
        case ok
        /// The part works, but a user should know the finding.
        case warning
        /// A run would fail, or would leave records behind.
        case failure
    }

    /// A fact about one part, and what to do about it.
    public struct Finding: Sendable, Hashable {
        /// The part.
        public var subject: Subject
        /// The effect on the next runs.
        public var status: Status
        /// The fact, without a full stop.
        public var message: String
        /// The place in a configuration file, if the finding is about one.
        public var place: SoupError.Place?
        /// The action to take, if it is known.
        public var hint: String?
    }

    /// All findings, in the order in which they were found.
    public internal(set) var findings: [Finding] = []

    /// The number of findings with a status.
    public func count(of status: Status) -> Int { findings.count { $0.status == status } }

    mutating func add(
        _ status: Status, _ subject: Subject, message: String, at place: SoupError.Place? = nil, hint: String? = nil
    ) {
        findings.append(Finding(subject: subject, status: status, message: message, place: place, hint: hint))
    }

    /// Adds an error as a failure, or each problem of a configuration error as a finding.
    mutating func add(_ error: any Error, _ subject: Subject) {
        if let error = error as? ConfigurationError { return error.problems.forEach { add($0, subject) } }
        let error = (error as? SoupError) ?? SoupError("unexpected", "\(error)")
        add(.failure, subject, message: error.message, at: error.place, hint: error.hint)
    }

    mutating func add(_ problem: ConfigurationProblem, _ subject: Subject) {
        let isWarning = problem.severity == .warning
        add(isWarning ? .warning : .failure, subject, message: problem.message, at: problem.place, hint: problem.hint)
    }
}
