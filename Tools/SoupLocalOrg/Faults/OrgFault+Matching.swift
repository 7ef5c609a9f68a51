// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension OrgFault {
    /// Returns whether the fault may apply to a request.
    ///
    /// - Parameter sender: the client that sends it, if it is known.
    func matches(_ request: OrgRequest, from sender: String?) -> Bool {
        if let method, method.uppercased() != request.method { return false }
        if let path {
            let target = String(decoding: request.url.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
            guard let pattern = try? Regex(path), (try? pattern.firstMatch(in: target)) != nil else { return false }
        }
        if let object {
            let named = request.segments.contains { $0.lowercased() == object.lowercased() }
            let name = object.lowercased()
            let inBody = String(decoding: request.body, as: UTF8.self).lowercased().utf8.holds("\"\(name)\"".utf8)
            if !named && !inBody { return false }
        }
        if let client, client != "*", client != sender { return false }
        if let bodyContains, !request.body.holds(bodyContains.utf8) { return false }
        return effect.concerns(request)
    }
}

extension OrgFault.Effect {
    /// Returns whether the effect concerns a request: some effects concern requests of one kind only.
    fileprivate func concerns(_ request: OrgRequest) -> Bool {
        switch self {
        case .refreshFails, .moveInstance: request.refreshesToken
        case .badOAuthToken:
            request.segments == ["services", "oauth2", "userinfo"]
                || request.segments == ["services", "oauth2", "singleaccess"]
        case .mutateBetweenPages, .expireCursorsLater: request.continuesQuery
        case .itemError: request.method != "GET" && request.isFor("composite") || request.isForJobs
        case .jobFail, .jobStall: request.isForJobs
        case .reverseIndependent: request.method == "POST" && request.isFor("composite")
        case .searchIndexDelay: request.isFor("search", "parameterizedSearch", "composite")
        case .lateCommit: request.method != "GET"
        case .replicationLag: ["updated", "deleted"].contains(request.segments.last) || request.isFor("composite")
        default: true
        }
    }

    /// Whether it is known only while a request is processed if the fault has an effect: an error for one record may
    /// find no such record.
    var mayMiss: Bool {
        switch self {
        case .itemError, .jobFail, .jobStall, .shrinkPages: true
        default: false
        }
    }
}

extension OrgRequest {
    /// Whether it requests a token with a refresh token.
    fileprivate var refreshesToken: Bool {
        guard segments == ["services", "oauth2", "token"] else { return false }
        let grant = OAuthForm(self)["grant_type"]
        return grant == "refresh_token" || grant == "hybrid_refresh"
    }

    /// Returns whether it is for one of these resources of a version.
    fileprivate func isFor(_ names: String...) -> Bool {
        segments.count > 3 && segments[1] == "data" && names.contains(segments[3])
    }

    /// Whether it is for bulk jobs of either API.
    fileprivate var isForJobs: Bool { isFor("jobs") || segments.starts(with: ["services", "async"]) }

    /// Whether it requests another page of a query.
    fileprivate var continuesQuery: Bool {
        segments.count == 5 && segments[0] == "services" && segments[1] == "data"
            && ["query", "queryAll"].contains(segments[3])
    }
}

extension Collection<UInt8> {
    /// Returns whether the collection contains the bytes of a text in sequence.
    func holds(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first else { return true }
        var rest = self[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: text) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
