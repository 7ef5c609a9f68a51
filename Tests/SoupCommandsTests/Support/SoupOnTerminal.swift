// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools && Server

import Foundation
import SoupCore

/// The executable `soup`, with a terminal as its standard output, and as its input if a user types.
enum SoupOnTerminal {
    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - columns: the width of the terminal in characters.
    ///   - text: a line that the user types; nil for no input.
    /// - Returns: the lines that the program printed, without control characters.
    static func run(_ arguments: [String], columns: UInt16, typing text: String? = nil) async throws -> [String] {
        let (master, slave) = try terminal()
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else {
            throw SoupError("test", "the size of the terminal cannot be set")
        }
        let process = Process()
        process.executableURL = SoupTool.url
        process.arguments = arguments
        process.standardInput =
            text == nil ? FileHandle.nullDevice : FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        process.standardOutput = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        process.standardError = FileHandle.nullDevice
        try process.run()
        close(slave)
        if let text {
            let line = Array("\(text)\n".utf8)
            guard write(master, line, line.count) == line.count else { throw SoupError("test", "nothing can be typed") }
        }
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        Thread.detachNewThread {
            var output: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            // Reading at the end of a terminal's output is an error, not an end of file.
            while true {
                let count = read(master, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { break }
                output += buffer[..<count]
            }
            close(master)
            continuation.yield(output)
            continuation.finish()
        }
        var output: [UInt8] = []
        for await bytes in stream { output = bytes }
        process.waitUntilExit()
        let lines = output.split(separator: UInt8(ascii: "\n"))
        return lines.map { String(decoding: $0.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self) }
    }

    /// Opens both ends of a new terminal.
    private static func terminal() throws -> (master: Int32, slave: Int32) {
        #if os(Linux)
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (unlocked, number): (Int32, Int32) = (0, -1)
        // TIOCSPTLCK and TIOCGPTN, which are macros that Swift does not import.
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw SoupError("test", "no terminal can be created")
        }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        #else
        let master = posix_openpt(O_RDWR | O_NOCTTY)
        guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
            throw SoupError("test", "no terminal can be created")
        }
        let slave = open(name, O_RDWR | O_NOCTTY)
        #endif
        guard slave >= 0 else { throw SoupError("test", "the terminal cannot be opened") }
        return (master, slave)
    }
}

#endif
