// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// An HTTP request, created from the request of a case.
struct CaseRequest {
    var method: String
    /// The percent-encoded path with the query.
    var path: String
    var headers = HTTPFields()
    var body: [UInt8]?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - json: the request of a case, with replaced variables.
    ///   - token: the access token of requests without "auth" and without an authorization header.
    /// - Throws: ``SoupError`` with `notSupported` for a body in an unknown XML shorthand.
    init(_ json: JSONValue, token: String) throws {
        method = json["method"]?.stringValue ?? "GET"
        path = Self.escaped(json["path"]?.stringValue ?? "/")
        if let query = json["query"]?.objectValue, !query.isEmpty {
            path += "?" + Self.form(query)
        }
        try readBody(json)
        for (name, value) in json["headers"]?.objectValue?.members ?? [] {
            guard let name = HTTPField.Name(name) else { continue }
            headers[name] = value.stringValue ?? value.description
        }
        switch json["auth"]?.stringValue {
        case "none": break
        case let other?: headers[.authorization] = "Bearer \(other)"
        case nil: if headers[.authorization] == nil { headers[.authorization] = "Bearer \(token)" }
        }
    }

    private mutating func readBody(_ json: JSONValue) throws {
        if let value = json["json"] {
            headers[.contentType] = "application/json"
            body = Array(try JSONText(CaseVariables.repeating(value)).bytes)
        } else if let form = json["form"]?.objectValue {
            headers[.contentType] = "application/x-www-form-urlencoded"
            body = Array(Self.form(form).utf8)
        } else if let csv = json["csv"]?.stringValue {
            headers[.contentType] = "text/csv"
            body = Array(csv.utf8)
        } else if let xml = json["xml"]?.stringValue {
            headers[.contentType] = "text/xml"
            body = Array(try XMLShorthand.text(of: xml).utf8)
        } else if let text = json["text"]?.stringValue {
            body = Array(text.utf8)
        }
    }

    private static func form(_ members: JSONObject) -> String {
        members.members.map { name, value in
            "\(URLText.form(name))=\(URLText.form(value.stringValue ?? value.description))"
        }.joined(separator: "&")
    }

    /// Returns a path in which the characters that are not allowed in a request line are percent-encoded.
    private static func escaped(_ path: String) -> String {
        var output: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in path.utf8 {
            switch byte {
            case 0x21...0x7E where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "<") && byte != UInt8(ascii: ">"):
                output.append(byte)
            default: output += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

/// The shorthands of cases for XML bodies.
enum XMLShorthand {
    /// Returns the XML of the shorthands `<login env: username=… password=…>` and `<jobInfo insert Contact CSV>`.
    ///
    /// A text with an XML declaration or a closing tag is returned unchanged.
    ///
    /// - Throws: ``SoupError`` with `notSupported` for any other text.
    static func text(of xml: String) throws -> String {
        let bytes = Array(xml.utf8)
        if bytes.starts(with: "<?xml".utf8)
            || zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0x3C && $1 == 0x2F })
        {
            return xml
        }
        let words = bytes.filter { $0 != 0x3C && $0 != 0x3E }.split(separator: 0x20)
            .map { String(decoding: $0, as: UTF8.self) }
        switch words.first {
        case "login":
            var values: [String: String] = [:]
            for word in words.dropFirst() {
                let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1)
                if parts.count == 2 { values[String(parts[0]) ?? ""] = String(parts[1]) ?? "" }
            }
            return """
                <?xml version="1.0" encoding="utf-8"?><env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/">\
                <env:Body><n1:login xmlns:n1="urn:partner.soap.sforce.com"><n1:username>\(values["username"] ?? "")\
                </n1:username><n1:password>\(values["password"] ?? "")</n1:password></n1:login></env:Body></env:Envelope>
                """
        case "jobInfo" where words.count == 4:
            return """
                <?xml version="1.0" encoding="UTF-8"?><jobInfo xmlns="http://www.force.com/2009/06/asyncapi/dataload">\
                <operation>\(words[1])</operation><object>\(words[2])</object><contentType>\(words[3])</contentType></jobInfo>
                """
        default: throw SoupError(.notSupported, "the XML shorthand \(xml) is unknown")
        }
    }
}
