// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// `fuzz SECONDS FOLDER CORPUS SEED [KIND]`, `fuzz --input KIND FILE...`, `fuzz --recover FOLDER`.
///
/// See `scripts/fuzz.sh`.
@main
struct Fuzz {
    static func main() async {
        do {
            exit(try await run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
        } catch {
            say((error as? Violation)?.message ?? "\(error)")
            exit(2)
        }
    }

    private static func kinds() async throws -> [any FuzzKind] {
        let sample = try await SampleStore()
        var kinds: [any FuzzKind] = [
            JSONKind(), SmartSQLKind(sample: sample), QuerySpecKind(sample: sample),
            ConfigurationKind(name: "userstore"), ConfigurationKind(name: "usersyncs"), SOQLKind(), SOSLKind(),
            try await BridgeKind(), try await EndpointKind(), try OrgKind(), HTTPTargetKind(), SmartStoreKind(),
        ]
        #if Encryption
            kinds.append(try await EncryptedStoreKind())
        #endif
        return kinds
    }

    /// Runs the command; returns whether no violation was found.
    private static func run(_ arguments: [String]) async throws -> Bool {
        var kinds = try await kinds()
        if arguments.first == "--recover", arguments.count == 2 { return try recover(from: arguments[1], kinds: kinds) }
        if arguments.first == "--input", arguments.count > 2 {
            return try await check(Array(arguments.dropFirst(2)), as: kinds.first { $0.name == arguments[1] })
        }
        if arguments.count == 5 { kinds = kinds.filter { $0.name == arguments[4] } }
        guard arguments.count == 4 || (arguments.count == 5 && kinds.count == 1), let seconds = Double(arguments[0]),
            let seed = UInt64(arguments[3])
        else {
            throw Violation("usage: fuzz SECONDS FOLDER CORPUS SEED [KIND]")
        }
        let corpus = try kinds.map { try inputs(in: "\(arguments[2])/\($0.name)") }
        var run = try FuzzRun(kinds: kinds, corpus: corpus, seed: seed, folder: arguments[1])
        say("seed \(seed)")
        try await run.run(seconds: seconds)
        let counts = zip(kinds, run.counts).map { "\($0.name) \($1)" }.joined(separator: ", ")
        say("\(counts): \(run.findings) findings")
        return run.findings == 0
    }

    private static func inputs(in folder: String) throws -> [[UInt8]] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
        guard !names.isEmpty else { throw Violation("\(folder) is empty") }
        return try names.map { Array(try Data(contentsOf: URL(filePath: "\(folder)/\($0)"))) }
    }

    private static func check(_ files: [String], as kind: (any FuzzKind)?) async throws -> Bool {
        guard let kind else { throw Violation("unknown kind of input") }
        var isValid = true
        for file in files {
            do {
                say("\(file): \(try await kind.check(Array(try Data(contentsOf: URL(filePath: file)))))")
            } catch let error as Violation {
                say("\(file): \(error.message)")
                isValid = false
            }
        }
        return isValid
    }

    private static func recover(from folder: String, kinds: [any FuzzKind]) throws -> Bool {
        guard let (kind, input) = try InputRecord.recover(path: folder + "/record"), kinds.indices.contains(kind) else {
            say("no input was running")
            return false
        }
        let file = "\(folder)/crash-\(kinds[kind].name)"
        try Data(input).write(to: URL(filePath: file))
        say("\(kinds[kind].name): the process ended during this input: \(file)")
        return false
    }
}
