// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

#if Tools

internal import Foundation
internal import SoupKit

/// Where a command prints: results on standard output, everything else on standard error.
///
/// Every line is written whole and at once, so that a script behind a pipe sees it when it happens.
struct Console: Sendable {
    /// One JSON object a line instead of text for people.
    let isJSON: Bool
    /// Whether people see the output as it comes.
    let isTerminal: Bool

    init(json: Bool) {
        isJSON = json
        isTerminal = !json && isatty(STDOUT_FILENO) == 1
    }

    /// Prints a line of text for people; scripts do not see it.
    func say(_ text: String = "") {
        if !isJSON { Self.write(text + "\n", to: .standardOutput) }
    }

    /// Prints a line of JSON, in either mode.
    func emit(_ json: JSONText) { Self.write(json.description + "\n", to: .standardOutput) }

    /// Prints bytes as they are, and a line break.
    func emit(raw bytes: ArraySlice<UInt8>) {
        try? FileHandle.standardOutput.write(contentsOf: Data(bytes + [UInt8(ascii: "\n")]))
    }

    /// Prints a JSON object for scripts; people do not see it.
    func event(_ value: JSONValue) {
        if isJSON, let text = try? JSONText(value) { emit(text) }
    }

    /// Prints a table for people; scripts do not see it.
    ///
    /// - Parameter sentence: what is said in the place of a table without rows.
    func table(_ table: Table, orSay sentence: String) {
        guard !isJSON else { return }
        if table.isEmpty { return say(sentence) }
        Self.write(table.text, to: .standardOutput)
    }

    /// Prints a table for people, cut to the width of the terminal if there is one.
    ///
    /// - Parameter whole: whether nothing is to be cut in any case.
    func rows(_ table: Table, whole: Bool) {
        if !isJSON { Self.write(table.text(within: whole ? nil : width), to: .standardOutput) }
    }

    /// How many characters a line of the terminal holds; nil when the output goes elsewhere.
    var width: Int? {
        guard isTerminal else { return nil }
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        return ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
    }

    /// Tells people something that is not a result.
    func remark(_ text: String) {
        if !isJSON { Self.write(text + "\n", to: .standardError) }
    }

    /// Tells of something that may not be meant, on standard error.
    func note(_ text: String, hint: String? = nil) {
        if isJSON {
            var failure = Failure("note", text, hint: hint)
            failure.isWarning = true
            Self.write(failure.json.description + "\n", to: .standardError)
        } else {
            remark("note: " + text + (hint.map { "; \($0)" } ?? ""))
        }
    }

    /// Reports a problem of something that was read, on standard error.
    func warn(_ problem: ConfigurationProblem) {
        let failure = Failure(problem)
        Self.write((isJSON ? failure.json.description : failure.text) + "\n", to: .standardError)
    }

    /// Reports an error.
    func fail(_ error: any Error) {
        for failure in Failure.all(in: error) {
            Self.write((isJSON ? failure.json.description : failure.text) + "\n", to: .standardError)
        }
    }

    /// Reports a problem of a configuration; for people with the file's whole path, which terminals make a link of.
    ///
    /// - Parameter warningsAreResults: whether warnings are what a script asked for, and go to standard output.
    func report(
        _ problem: ConfigurationProblem, in folder: ConfigurationFolder, warningsAreResults: Bool = false
    ) {
        var failure = Failure(problem)
        if !isJSON, let file = failure.place?.file, folder.path != ".", file != folder.path {
            failure.place?.file = folder.path + (folder.path.hasSuffix("/") ? "" : "/") + file
        }
        let handle: FileHandle = isJSON && failure.isWarning && warningsAreResults ? .standardOutput : .standardError
        Self.write((isJSON ? failure.json.description : failure.text) + "\n", to: handle)
    }

    static func write(_ text: String, to handle: FileHandle) {
        // A reader that went away wants nothing more; there is nobody to tell.
        try? handle.write(contentsOf: Data(text.utf8))
    }
}

#endif
