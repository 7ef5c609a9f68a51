// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/_emu/clock`: stops, moves or starts the org's clock.
struct ClockHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    /// Sets the clock as the body asks: all of it, or nothing.
    func set() throws -> OrgAnswer {
        let org = context.org
        let body = try request.json()
        let given = try CheckedMembers(
            body, name: "clock",
            members: [
                .init("freeze", .text), .init("run", .truth), .init("advance", .anything),
                .init("resolution", .word(OrgOptions.Resolution.allCases.map(\.rawValue))),
            ])
        if let empty = given.object.members.first(where: { $0.value.isNull }) {
            throw CheckedMembers.wrong("clock.\(empty.key) must not be null")
        }
        if given["run"] == false { throw CheckedMembers.wrong("clock.run must be true: freeze stops the clock") }
        if given["run"] != nil, given["freeze"] != nil {
            throw CheckedMembers.wrong("the clock cannot run and freeze: send one of them")
        }
        let frozen = try given.text("freeze").map { text in
            guard let time = DateText.milliseconds(text) else {
                throw OrgError(400, "INVALID_INPUT", message: "freeze is not a datetime: \(text)")
            }
            return time
        }
        let advance = try given["advance"].map { value in
            guard let seconds = value.doubleValue, abs(seconds) <= Self.longestAdvance else {
                throw CheckedMembers.wrong(
                    "clock.advance must be a number of seconds from -\(Self.longestAdvance) to "
                        + "\(Self.longestAdvance), not \(value)")
            }
            return Int64(seconds * 1000)
        }
        if let frozen { org.clock.freeze(at: frozen) }
        if given["run"]?.boolValue == true { org.clock.run() }
        if let advance { org.clock.advance(by: advance) }
        if let resolution = given.text("resolution").flatMap(OrgOptions.Resolution.init) {
            org.options.resolution = resolution
        }
        return OrgAnswer(["now": .string(DateText.format(org.clock.now))])
    }

    /// More than the range of timestamps, in seconds.
    private static let longestAdvance = 1e12
}
