// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A large local org, served by the command line in a process of its own.
struct ServedOrg {
    struct Address: Decodable {
        var url: String
        var accessToken: String
    }

    let process: ChildProcess
    let address: Address

    /// Starts it, and waits until it answers; making the records of a large org takes a while.
    ///
    /// - Parameter admin: whether it can be asked what it was asked, and told to be slow.
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
            guard process.isRunning else { throw ContestantError("the local org ended before it answered") }
            try await Task.sleep(for: .milliseconds(100))
        }
        process.stop()
        throw ContestantError("the local org did not answer within ten minutes")
    }

    /// Its port on this machine.
    var port: UInt16 { address.url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }
}
