// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONText {
    /// Returns an object with these members, whose texts are copied.
    public static func object(_ members: [(name: String, value: JSONText)]) -> JSONText {
        var output: [UInt8] = []
        JSONSplice.append(Array("{}".utf8)[...], removing: [], adding: members.map { ($0.name, $0.value) }, to: &output)
        return JSONText(trusted: output[...])
    }

    /// Returns an array of these texts, which are copied.
    public static func array(_ elements: [JSONText]) -> JSONText {
        var output = Array("[".utf8)
        output.reserveCapacity(elements.reduce(2) { $0 + $1.bytes.count + 1 })
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output += element.bytes
        }
        output.append(UInt8(ascii: "]"))
        return JSONText(trusted: output[...])
    }
}
