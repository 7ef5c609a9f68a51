// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The checks of the addresses in a configuration.
enum ServiceAddress {
    /// The address of the list.
    struct List {
        /// The scheme and host of an absolute URL; nil for a path.
        var origin: String?
        /// The path, percent-encoded, without a query; empty if the configuration has faults.
        var path = ""

        /// Reads `url` or `path`, one of which is required.
        init(_ configuration: ServiceConfiguration, faults: inout ConfigurationFaults) {
            switch (configuration.url, configuration.path) {
            case (nil, nil):
                faults.add(
                    ServiceAddress.fault(
                        "the address of the list is missing", at: "path",
                        hint: "Add \"path\", such as \"/api/contacts\", or \"url\" with an absolute URL."))
            case (_?, _?):
                faults.add(
                    ServiceAddress.fault(
                        "both \"url\" and \"path\" are present", at: "path", hint: "Remove one of them."))
            case (let url?, nil):
                if configuration.connection != nil {
                    faults.add(
                        ServiceAddress.fault(
                            "\"url\" cannot be combined with \"connection\"", at: "url",
                            hint: "Write \"path\": the connection contains the host."))
                }
                guard let (origin, path) = ServiceAddress.split(url) else {
                    faults.add(
                        ServiceAddress.fault(
                            "\"\(URLText.masked(url).excerpt(200))\" is not an absolute URL", at: "url",
                            hint: "Write a URL such as https://example.com/api/contacts."))
                    return
                }
                self.origin = origin
                if faults.check({ try ServiceAddress.checkPath(path, at: "url") }) != nil { self.path = path }
            case (nil, let path?):
                if faults.check({ try ServiceAddress.checkPath(path, at: "path") }) != nil { self.path = path }
            }
        }
    }

    /// Parses the path of a request; with an origin also a URL on it.
    ///
    /// - Throws: ``SoupError`` for a text that is not such a path.
    static func template(
        _ text: String, known: [TemplateVariable], allowsFields: Bool = false, at place: String, origin: String?
    ) throws -> Template {
        var path = text
        if let (host, rest) = split(text) {
            guard host == origin else {
                throw fault(
                    "\"\(URLText.masked(text).excerpt(200))\" is on another host than the list", at: place,
                    hint: "Write a path that begins with a slash.")
            }
            path = rest
        }
        let template = try Template(path, known: known, allowsFields: allowsFields, at: place)
        // The template is checked with a value in place of each variable.
        try checkPath(template.text(in: .path) { _ in "0" } ?? "", at: place)
        return template
    }

    /// Checks a path without a query.
    static func checkPath(_ path: String, at place: String) throws {
        if path.contains("?") {
            throw fault(
                "the path contains a query", at: place, hint: "Write its parameters in \"parameters\".")
        }
        guard PageLink(stored: path) != nil else {
            throw fault(
                "\"\(URLText.masked(path).excerpt(200))\" is not a path", at: place,
                hint: "Begin it with a slash, and percent-encode spaces and other special characters.")
        }
    }

    /// Divides an absolute URL into its origin and its path; nil for other texts.
    static func split(_ url: String) -> (origin: String, path: String)? {
        guard let separator = url.firstRange(of: "://") else { return nil }
        let scheme = url[..<separator.lowerBound].lowercased()
        let rest = url[separator.upperBound...]
        let end = rest.unicodeScalars.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let host = rest[..<end]
        guard scheme == "https" || scheme == "http", !host.isEmpty,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"#%<>@\\^`{|}".utf8.contains($0) })
        else { return nil }
        let path = rest[end...]
        return ("\(scheme)://\(host)", path.isEmpty ? "/" : String(path))
    }

    fileprivate static func fault(_ message: String, at place: String, hint: String) -> SoupError {
        SoupError(.badConfiguration, message, place: SoupError.Place(path: place), hint: hint)
    }
}
