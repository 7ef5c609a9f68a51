// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension LocalOrg {
    /// A verb and a path that local orgs answer.
    public struct Route: Sendable, Hashable {
        /// The verb; `*` for any.
        ///
        /// HEAD is answered wherever GET is, except for collections.
        public var method: String
        /// The path; segments in braces match any text, `{name...}` one or more segments.
        public var path: String
        /// The type in the module's sources that answers.
        public var handler: String
    }

    /// Every route of a local org, in the order in which they are matched.
    ///
    /// The routes below `/_emu` are answered only if ``OrgOptions/admin`` is set.
    public static var routes: [Route] {
        Routes.all.filter { !$0.isFallback }.flatMap { resource in
            resource.methods.filter { $0 != "HEAD" }.map {
                Route(method: $0, path: resource.pattern.text, handler: resource.handler)
            }
        }
    }
}

extension Routes {
    /// The rows of the table in the article *Supported resources*.
    static var documentation: [String] {
        all.filter { !$0.isFallback }.map { resource in
            let verbs = resource.methods.filter { $0 != "HEAD" }.map { $0 == "*" ? "any" : "`\($0)`" }
            return "| \(verbs.joined(separator: ", ")) | `\(resource.pattern.text)` |"
        }
    }
}

extension Resource {
    /// Whether the line only refuses paths that no resource has.
    var isFallback: Bool {
        if case .rest("rest")? = pattern.segments.last { return true }
        return handler == String(describing: UnknownPathHandler.self)
    }
}
