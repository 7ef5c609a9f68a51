// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore
import Synchronization

/// The executable `soup`, with pipes as its standard streams.
enum SoupTool {
    /// The URL of the program, which is in the build folder of the tests.
    static let url: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let sibling = bundle ?? URL(filePath: CommandLine.arguments[0])
        return sibling.deletingLastPathComponent().appending(path: "soup")
    }()

    /// Starts the program.
    ///
    /// - Parameter readingOutput: whether there is a reader at the other end of its standard output.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], readingOutput: Bool = true
    ) throws -> RunningSoup {
        try RunningSoup(url, arguments, environment: environment, readingOutput: readingOutput)
    }

    /// Runs the program to its end.
    static func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:]
    ) async throws -> FinishedSoup {
        try await run(arguments, input: input, environment: environment)
    }

    static func run(
        _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> FinishedSoup {
        let running = try start(arguments, environment: environment)
        try running.write(input)
        var output: [String] = []
        for await line in running.output { output.append(line) }
        var errors: [String] = []
        for await line in running.errors { errors.append(line) }
        return FinishedSoup(status: await running.end(), output: output, errors: errors)
    }
}

/// The exit code and the output of a run of the program.
struct FinishedSoup {
    let status: Int32
    let output: [String]
    let errors: [String]

    /// The lines of standard output, which must be JSON.
    var json: [JSONValue] { get throws { try output.map { try JSONValue(parsing: $0) } } }

    /// The errors on standard error, all of whose lines must be JSON errors or warnings.
    var jsonErrors: [JSONValue] { get throws { try members("error") } }

    /// The warnings on standard error, all of whose lines must be JSON errors or warnings.
    var jsonWarnings: [JSONValue] { get throws { try members("warning") } }

    private func members(_ key: String) throws -> [JSONValue] {
        try errors.compactMap { line in
            let object = try JSONValue(parsing: line)
            guard object.objectValue?.count == 1, object["error"] != nil || object["warning"] != nil else {
                throw SoupError("test", "not an error: \(line)")
            }
            return object[key]
        }
    }
}

/// The program while it runs.
final class RunningSoup: Sendable {
    /// The lines of standard output, as the program prints them.
    let output: AsyncStream<String>
    let errors: AsyncStream<String>
    private let process: Mutex<Process>
    private let input: FileHandle
    private let ended: AsyncStream<Int32>

    init(_ url: URL, _ arguments: [String], environment: [String: String], readingOutput: Bool) throws {
        let process = Process()
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.executableURL = url
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("SOUP_") }
            .merging(environment) { $1 }
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
            end.finish()
        }
        if !readingOutput { try stdout.fileHandleForReading.close() }
        try process.run()
        output = readingOutput ? Self.lines(of: stdout.fileHandleForReading) : AsyncStream { $0.finish() }
        errors = Self.lines(of: stderr.fileHandleForReading)
        input = stdin.fileHandleForWriting
        self.ended = ended
        self.process = Mutex(process)
    }

    /// Writes the standard input of the program, and closes it.
    func write(_ text: String) throws {
        // Ignore the error: a program that reads no input may have ended.
        try? input.write(contentsOf: Data(text.utf8))
        try input.close()
    }

    func kill(_ signal: Int32) { process.withLock { _ = Foundation.kill($0.processIdentifier, signal) } }

    /// Waits for the program.
    ///
    /// - Returns: the exit code, or the negative number of the signal that ended the program.
    func end() async -> Int32 {
        for await status in ended { return status }
        return .min
    }

    /// Reads the next bytes of a pipe; nil at its end.
    ///
    /// `FileHandle.availableData` ends the process if a signal interrupts a read; this function repeats the read.
    private static func read(_ handle: FileHandle) -> ArraySlice<UInt8>? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(handle.fileDescriptor, &buffer, buffer.count)
            if count > 0 { return buffer[..<count] }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Returns the lines of a pipe, which a separate thread reads so that the program never blocks on a full pipe.
    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest: [UInt8] = []
            while let data = Self.read(handle) {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
            continuation.finish()
        }
        return stream
    }
}

#endif
