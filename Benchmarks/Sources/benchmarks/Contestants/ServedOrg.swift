// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A large local org, which the command line serves in a separate process.
struct ServedOrg {
    struct Address: Decodable {
        var url: String
        var accessToken: String
    }

    let process: ChildProcess
    let address: Address

    /// Starts the org, and waits until it responds; creating the records of a large org takes some time.
    ///
    /// - Parameter admin: whether its administration is enabled: its journal and its faults.
    init(records: Int, program: String, folder: String, admin: Bool = false) async throws {
        let file = folder + "/org-\(records).json"
        process = try ChildProcess(
            program, ["org", "serve", "--seed", "large \(records)", "--json"] + (admin ? ["--admin"] : []),
            output: file)
        for _ in 0..<6000 {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if let line = text.split(separator: "\n").first, text.contains("\n") {
                address = try JSONDecoder().decode(Address.self, from: Data(line.utf8))
                return
            }
            guard process.isRunning else { throw ContestantError("the local org ended before it responded") }
            try await Task.sleep(for: .milliseconds(100))
        }
        process.stop()
        throw ContestantError("the local org did not respond within ten minutes")
    }

    /// The port on this machine.
    var port: UInt16 { address.url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
}
