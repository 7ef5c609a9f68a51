// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A type that answers the requests of one resource.
///
/// The dispatcher creates a handler for each request and then calls the operation of the request's verb. A handler that
/// stores nothing but the request and the context needs no initializer of its own.
protocol ResourceHandler: SendableMetatype {
    /// Returns whether a path that matches the resource's pattern belongs to the resource.
    ///
    /// Several resources may have patterns of the same form; the first that accepts the path answers. By default every
    /// path is accepted.
    static func accepts(_ path: PathPattern.Values, in context: OrgContext) -> Bool

    /// Creates the handler of one request.
    ///
    /// - Throws: ``OrgError`` if the path names something that does not exist. The verb is checked afterwards.
    init(request: OrgRequest, context: OrgContext) throws

    /// Returns the response to a verb that the resource does not have; by default 405 with the verbs that it has.
    ///
    /// - Parameter methods: the verbs of the resource's route.
    func refuseMethod(_ request: OrgRequest, allowed methods: [String]) throws -> OrgAnswer
}

extension ResourceHandler {
    static func accepts(_ path: PathPattern.Values, in context: OrgContext) -> Bool { true }

    func refuseMethod(_ request: OrgRequest, allowed methods: [String]) throws -> OrgAnswer {
        .methodNotAllowed(methods, request)
    }
}

/// The operation of a resource for one verb.
struct ResourceOperation<Handler: ResourceHandler>: Sendable {
    typealias Body = @Sendable (Handler) -> () throws -> OrgAnswer

    /// The verb; `*` for any.
    var method: String
    /// Whether the verb is named in the `Allow` header of a 405 response.
    var isListed = true
    var body: Body

    /// An operation for GET, and for HEAD unless the resource has another one for it.
    static func get(_ body: @escaping Body) -> Self { Self(method: "GET", body: body) }
    /// An operation for HEAD; needed only where the `Allow` header names HEAD.
    static func head(_ body: @escaping Body) -> Self { Self(method: "HEAD", body: body) }
    static func post(_ body: @escaping Body) -> Self { Self(method: "POST", body: body) }
    static func put(_ body: @escaping Body) -> Self { Self(method: "PUT", body: body) }
    static func patch(_ body: @escaping Body) -> Self { Self(method: "PATCH", body: body) }
    static func delete(_ body: @escaping Body) -> Self { Self(method: "DELETE", body: body) }
    /// An operation for every verb.
    static func any(_ body: @escaping Body) -> Self { Self(method: "*", body: body) }

    /// The same operation, not named in the `Allow` header.
    var unlisted: Self { Self(method: method, isListed: false, body: body) }
}

/// A line of the table of routes: a path, its handler, and the verbs with their operations.
struct Resource: Sendable {
    let pattern: PathPattern
    /// The name of the handler's type.
    let handler: String
    /// The verbs, as the `Allow` header lists them.
    let methods: [String]
    /// All verbs with an operation, including those that are not listed.
    let allMethods: [String]
    private let accepts: @Sendable (PathPattern.Values, OrgContext) -> Bool
    private let answer: @Sendable (OrgRequest, OrgContext) throws -> OrgAnswer

    /// - Parameters:
    ///   - path: the pattern of the paths; see ``PathPattern``.
    ///   - ignoresCase: whether the last segment is compared in any case of letters.
    ///   - operations: the operations, in the order of the `Allow` header.
    init<Handler: ResourceHandler>(
        _ path: String, ignoresCase: Bool = false, _ operations: ResourceOperation<Handler>...
    ) {
        self.init(path, ignoresCase: ignoresCase, operations: operations)
    }

    init<Handler: ResourceHandler>(
        _ path: String, ignoresCase: Bool, operations: [ResourceOperation<Handler>]
    ) {
        pattern = PathPattern(path, ignoresCase: ignoresCase)
        handler = String(describing: Handler.self)
        let methods = operations.filter(\.isListed).map(\.method)
        self.methods = methods
        allMethods = operations.map(\.method)
        accepts = { Handler.accepts($0, in: $1) }
        answer = { request, context in
            let handler = try Handler(request: request, context: context)
            let operation =
                operations.first { $0.method == request.method || $0.method == "*" }
                ?? operations.first { $0.method == "GET" && request.method == "HEAD" }
            guard let operation else { return try handler.refuseMethod(request, allowed: methods) }
            return try operation.body(handler)()
        }
    }

    /// Returns the values in the path of a request; nil if the path does not belong to the resource.
    func match(_ request: OrgRequest, in context: OrgContext) -> PathPattern.Values? {
        guard let values = pattern.match(request.segments), accepts(values, context) else { return nil }
        return values
    }

    /// Answers a request whose path belongs to the resource.
    func answer(_ request: OrgRequest, path: PathPattern.Values, in context: OrgContext) throws -> OrgAnswer {
        var request = request
        request.path = path
        return try answer(request, context)
    }
}

/// Answers paths that belong to no resource, in a part of an API that checks the verb before the path.
struct UnknownPathHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    func refuse() throws -> OrgAnswer { throw OrgError.notFound }
}
