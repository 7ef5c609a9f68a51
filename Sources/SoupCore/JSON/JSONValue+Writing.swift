// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension JSONValue {
    /// An array or object whose parts are being written.
    private struct Container {
        let values: [JSONValue]
        /// The keys of the values; nil for an array.
        let keys: [String]?
        var written = 0
    }

    /// Writes the value as compact JSON.
    ///
    /// The use of the stack does not grow with the depth of the value.
    ///
    /// - Throws: ``JSONError``: `.notFinite`, or `.tooDeep` for a value that no reader accepts.
    func write(to output: inout [UInt8]) throws(JSONError) {
        var open: [Container] = []
        var next: JSONValue? = self
        while let value = next {
            switch value {
            case .array(let values):
                try Self.begin(Container(values: values, keys: nil), in: &open, output: &output)
            case .object(let object):
                let members = object.members
                let container = Container(values: members.map(\.value), keys: members.map(\.key))
                try Self.begin(container, in: &open, output: &output)
            default:
                try value.writeScalar(to: &output)
            }
            next = Self.nextValue(&open, &output)
        }
    }

    private static func begin(
        _ container: Container, in open: inout [Container], output: inout [UInt8]
    ) throws(JSONError) {
        guard open.count < JSONGrammar.maximumDepth else { throw JSONError(.tooDeep, at: output.count) }
        output.append(container.keys == nil ? UInt8(ascii: "[") : UInt8(ascii: "{"))
        open.append(container)
    }

    /// Closes the containers that end here, and returns the next value to write; nil at the end.
    private static func nextValue(_ open: inout [Container], _ output: inout [UInt8]) -> JSONValue? {
        while let last = open.indices.last {
            let position = open[last].written
            if position < open[last].values.count {
                open[last].written += 1
                if position > 0 { output.append(UInt8(ascii: ",")) }
                if let keys = open[last].keys {
                    JSONEscapes.appendQuoted(keys[position].utf8, to: &output)
                    output.append(UInt8(ascii: ":"))
                }
                return open[last].values[position]
            }
            output.append(open[last].keys == nil ? UInt8(ascii: "]") : UInt8(ascii: "}"))
            open.removeLast()
        }
        return nil
    }
}
