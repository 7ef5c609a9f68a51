// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

/// A request as a case writes it, made into one that can be sent.
struct CaseRequest {
    var method: String
    /// With the query, escaped.
    var path: String
    var headers = HTTPFields()
    var body: [UInt8]?

    /// - Parameters:
    ///   - json: the request, its variables replaced.
    ///   - token: for requests that do not say how they are authorized.
    /// - Throws: ``SoupError`` with `notSupported` for a body in a shorthand that is not known.
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

    /// A path without the characters that no request line may have.
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

/// The bodies in XML that cases write in short.
enum XMLShorthand {
    /// The XML of `<login env: username=… password=…>` and of `<jobInfo insert Contact CSV>`; any other is meant as it
    /// is when it closes what it opens.
    ///
    /// - Throws: ``SoupError`` with `notSupported` otherwise.
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
        default: throw SoupError(.notSupported, "the shorthand \(xml) is not known")
        }
    }
}
