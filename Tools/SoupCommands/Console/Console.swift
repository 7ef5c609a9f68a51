// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// The output of a command: results on standard output, everything else on standard error.
///
/// Each line is written at once and without buffering, so that a script that reads a pipe gets it immediately.
struct Console: Sendable {
    /// Whether the output is one JSON object per line instead of text.
    let isJSON: Bool
    /// Whether standard output is a terminal that shows text.
    let isTerminal: Bool

    init(json: Bool) {
        isJSON = json
        isTerminal = !json && isatty(STDOUT_FILENO) == 1
    }

    /// Prints a line of text; nothing with `--json`.
    func print(_ text: String = "") {
        if !isJSON { Self.write(text.printable + "\n", to: .standardOutput) }
    }

    /// Prints a line of JSON, with or without `--json`.
    func emit(_ json: JSONText) { Self.write(json.description + "\n", to: .standardOutput) }

    /// Prints bytes without a change, and a line break.
    func emit(raw bytes: ArraySlice<UInt8>) {
        try? FileHandle.standardOutput.write(contentsOf: Data(bytes + [UInt8(ascii: "\n")]))
    }

    /// Prints a JSON value with `--json`, and nothing without it.
    func event(_ value: JSONValue) {
        if isJSON, let text = try? JSONText(value) { emit(text) }
    }

    /// Prints a table; nothing with `--json`.
    ///
    /// - Parameter sentence: the line to print instead of a table without rows.
    func table(_ table: TextTable, ifEmpty sentence: String) {
        guard !isJSON else { return }
        if table.isEmpty { return print(sentence) }
        Self.write(table.text.printable, to: .standardOutput)
    }

    /// Prints a table whose lines fit the width of the terminal; nothing with `--json`.
    ///
    /// - Parameter whole: whether texts are printed in full, whatever the width is.
    func rows(_ table: TextTable, whole: Bool) {
        if !isJSON { Self.write(table.text(within: whole ? nil : width).printable, to: .standardOutput) }
    }

    /// The width of the terminal in characters; nil if standard output is not a terminal.
    var width: Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
    }

    /// Prints a line that is not a result to standard error; nothing with `--json`.
    func info(_ text: String) {
        if !isJSON { Self.write(text.printable + "\n", to: .standardError) }
    }

    /// Prints a note about a possible mistake to standard error.
    func note(_ text: String, hint: String? = nil) {
        if isJSON {
            var failure = CommandFailure("note", text, hint: hint)
            failure.isWarning = true
            Self.write(failure.json.description + "\n", to: .standardError)
        } else {
            info("note: " + text + (hint.map { ". \($0)" } ?? ""))
        }
    }

    /// Reports a problem in an input on standard error.
    func warn(_ problem: ConfigurationProblem) {
        let failure = CommandFailure(problem)
        Self.write((isJSON ? failure.json.description : failure.text.printable) + "\n", to: .standardError)
    }

    /// Reports an error on standard error.
    func report(_ error: any Error) {
        for failure in CommandFailure.all(in: error) {
            Self.write((isJSON ? failure.json.description : failure.text.printable) + "\n", to: .standardError)
        }
    }

    /// Reports a problem in a configuration.
    ///
    /// Without `--json` the message contains the full path of the file, because terminals turn it into a link.
    ///
    /// - Parameter warningsAreResults: whether warnings are results, which `--json` prints to standard output.
    func report(
        _ problem: ConfigurationProblem, in folder: ConfigurationFolder, warningsAreResults: Bool = false
    ) {
        var failure = CommandFailure(problem)
        if !isJSON, let file = failure.place?.file, folder.path != ".", file != folder.path {
            failure.place?.file = folder.path + (folder.path.hasSuffix("/") ? "" : "/") + file
        }
        let handle: FileHandle = isJSON && failure.isWarning && warningsAreResults ? .standardOutput : .standardError
        Self.write((isJSON ? failure.json.description : failure.text.printable) + "\n", to: handle)
    }

    static func write(_ text: String, to handle: FileHandle) {
        // Ignore the error: the reader has closed its end, so the text cannot be delivered.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}

extension String {
    /// The text with control characters written as `\u{1B}`, except line breaks and tabs.
    ///
    /// A server or a record could otherwise change the terminal, or hide what is printed.
    var printable: String {
        guard unicodeScalars.contains(where: \.isTerminalControl) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isTerminalControl {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isTerminalControl: Bool {
        (value < 0x20 && self != "\n" && self != "\t") || (0x7F...0x9F).contains(value)
    }
}

#endif
