// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import HTTPTypes
internal import SoupKit
internal import SoupLocalOrg

/// The tests of a configuration folder.
struct TestSuite: Sendable {
    let tests: [TestCase]
    /// The problems of the files that cannot be read as tests, by their files.
    let unreadable: [(file: String, problems: [ConfigurationProblem])]
    private let configuration: ConfigurationFolder
    private let tested: TestedConfiguration
    private let scope: StoreScope
    private let registry: PluginRegistry

    /// The folder for test files beside the configuration.
    static let folder = "tests"

    /// Reads the configuration, and the test files of the folder and of its folder `tests`.
    ///
    /// - Throws: `ConfigurationError` with all problems of the configuration; `SoupError` if there are no test files.
    init(at folder: URL, scope: StoreScope, registry: PluginRegistry) throws {
        (self.scope, self.registry) = (scope, registry)
        // Without the environment: nothing outside the folder can change the result.
        configuration = ConfigurationFolder(reading: folder, registry: registry, environment: [:])
        try configuration.checkForTesting(scope)
        tested = TestedConfiguration(configuration[scope], registry: registry)
        let files = try Self.files(in: configuration.path)
        var tests: [TestCase] = []
        var unreadable: [(file: String, problems: [ConfigurationProblem])] = []
        let tested = tested
        for file in files {
            let contents = FileManager.default.contents(atPath: file)
            let read = contents.map { TestCase.read(Array($0), file: file, testing: tested) }
            if let test = read?.test, read?.problems.isEmpty == true {
                tests.append(test)
            } else {
                unreadable.append((file, read?.problems ?? [Self.unreadable(file)]))
            }
        }
        (self.tests, self.unreadable) = (tests, unreadable)
    }

    private static func unreadable(_ file: String) -> ConfigurationProblem {
        ConfigurationProblem(
            at: SoupError.Place(file: file), "the file cannot be read",
            hint: "Check that you have permission to read it.")
    }

    /// Returns the paths of the test files, in alphabetical order.
    private static func files(in folder: String) throws -> [String] {
        let base = folder.hasSuffix("/") ? folder : folder + "/"
        let found = ["", Self.folder + "/"].flatMap { inner in
            ((try? FileManager.default.contentsOfDirectory(atPath: base + inner)) ?? [])
                .filter { $0.hasSuffix(TestCase.suffix) }.sorted().map { inner + $0 }
        }
        guard found.isEmpty else { return found.map { folder == "." ? $0 : base + $0 } }
        throw SoupError(
            .badConfiguration, "the folder \(folder) contains no tests",
            hint: "Write a test into \(base)\(Self.folder)/first\(TestCase.suffix); see Testing a configuration in the "
                + "documentation of SoupKit.")
    }

    /// Runs a test with a new org and a new store, and returns its differences.
    ///
    /// The first step that fails ends the test; steps after an expectation that fails still run.
    ///
    /// - Throws: `CancellationError`.
    func run(_ test: TestCase) async throws -> [TestDifference] {
        do {
            return try await differences(of: test)
        } catch let error as CancellationError {
            throw error
        } catch let error as ConfigurationError {
            return error.problems.map { TestDifference($0) }
        } catch {
            let failure = error as? SoupError
            var place = failure?.place ?? SoupError.Place()
            place.file = place.file ?? test.file
            return [
                TestDifference(
                    ConfigurationProblem(at: place, failure?.message ?? "\(error)", hint: failure?.hint))
            ]
        }
    }

    private func differences(of test: TestCase) async throws -> [TestDifference] {
        let local = try TestOrg(for: test)
        let check = TestCheck(test, names: Set(local.org.seedKeys.keys), schema: local.org.fieldNames)
        guard check.problems.isEmpty else { throw ConfigurationError(test.document.located(check.problems)) }

        let temporary = FileManager.default.temporaryDirectory.appending(path: "soup-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: temporary) }
        // The key of an app is not accessible in a test, and nothing depends on it.
        var registry = registry
        registry.commonKeyProvider = try TestKey()
        let kit = try await SoupClient.open(
            configuration,
            options: SoupClient.Options(
                scope: scope, store: temporary.appending(path: "store.db"), registry: registry,
                transport: local.transport, network: ClosedNetwork(), clock: local.clock, environment: [:]))
        var session = TestSession(kit, local.org, testing: tested, clock: local.clock)
        var all: [TestDifference] = []
        do {
            for step in test.steps {
                local.clock.advance(by: TestClock.step)
                let found = try await session.perform(step)
                all += found.map { difference in
                    var difference = difference
                    difference.place = test.place(of: difference.path)
                    difference.step = step.number
                    return difference
                }
                if case .expect = step.action { continue }
                if !found.isEmpty { break }
            }
        } catch {
            try? await kit.close()
            throw error
        }
        try await kit.close()
        return all
    }
}

/// The key of the encrypted stores of one test.
private struct TestKey: KeyProvider {
    struct Configuration: Decodable, Sendable {}
    static let name: PluginName = "test"

    private let secret: StoreSecret

    init(configuration: Configuration) throws { try self.init() }
    init() throws {
        secret = try StoreSecret(key: (0..<StoreSecret.keyLength).map { _ in UInt8.random(in: .min ... .max) })
    }

    func secret(for request: KeyRequest) async throws -> StoreSecret { secret }
}

/// The network of a test: there is none.
private struct ClosedNetwork: HTTPTransport {
    func send(_ request: HTTPRequest, body: [UInt8]?) async throws -> HTTPAnswer {
        throw SoupError(
            .notSupported, "a test contacts no server",
            hint: "Remove the step. Tests can run the syncs of an org.")
    }
}

#endif
