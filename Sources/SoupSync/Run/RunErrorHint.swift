// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The source of hints for errors of runs.
enum RunErrorHint {
    case syncDown
    /// A sync up, with the number of changes whose outcome is unknown.
    case syncUp(unknown: Int)
    case cleaning

    init(_ type: SyncType, _ result: SyncResult) {
        switch type {
        case .syncDown: self = .syncDown
        case .syncUp: self = .syncUp(unknown: result.unknown)
        }
    }

    /// Returns the error with a hint: its own, or one for its code.
    func added(to error: SoupError) -> SoupError {
        var error = error
        if let hint = error.hint {
            if case .syncUp(unknown: 1...) = self { error.hint = "\(hint) \(nextRun)" }
            return error
        }
        let isConfigurationError = Self.configurationErrors.contains(error.code)
        let cause = isConfigurationError ? "Correct the configuration of the sync." : Self.cause(of: error.code)
        error.hint = [cause, isConfigurationError ? nil : nextRun].compactMap { $0 }.joined(separator: " ")
        return error
    }

    /// The sentences about the work that is kept, and about the next run.
    private var nextRun: String {
        switch self {
        case .syncDown: "The saved records are kept, and the next run continues from there."
        case .syncUp(unknown: 0): "The local changes are kept, and the next run sends them."
        case .syncUp(let unknown):
            "The next run sends the changes that were not sent. It asks the server about those without a response "
                + "(\(unknown)) if it can; `soup resolve` lists the creations that stay unknown."
        case .cleaning: "Nothing was removed. Run the cleaning again."
        }
    }

    /// The errors that every run repeats until the configuration of the sync is changed.
    private static let configurationErrors: Set<SoupError.Code> = [.badConfiguration, .indexNotDefined, .notSupported]

    /// Returns the hint for an error code.
    private static func cause(of code: SoupError.Code) -> String? {
        switch code {
        case .network: "Check the connection, and the URL of the server."
        case .json:
            "The response is incomplete, or does not come from the server. If this happens again, check the URL of the server, and "
                + "whether the network shows a login page. \(SoupError.changedResponsesHint)"
        case .unavailable: "The server is unavailable. Try again later."
        case .server: "Try again later, or ask the administrator of the server."
        case .incompleteAnswer:
            "Records are missing from the server's responses. \(SoupError.changedResponsesHint)"
        case .cursorExpired: "The server no longer has the cursor of the query."
        default: nil
        }
    }
}
