// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension HTTPRequest {
    /// Returns whether the request can be sent again after a response of Salesforce.
    func mayRepeat(after answer: HTTPAnswer) -> Bool {
        guard !isSafe else { return [429, 502, 503, 504].contains(answer.status) }
        return isRepeatable ? answer.asksToWait : answer.isThrottled
    }

    /// Whether sending the request twice has the effect of sending it once: it reads, updates by key, or deletes.
    var isRepeatable: Bool { isSafe || [.put, .patch, .delete].contains(method) }

    /// Whether the request only reads, so that sending it twice does no harm.
    ///
    /// This includes a retrieve of a collection, which sends its IDs with POST.
    package var isSafe: Bool {
        switch method {
        case .get, .head, .options: return true
        case .post:
            let path = (self.path ?? "").prefix { $0 != "?" }
            guard let range = path.firstRange(of: "/composite/sobjects/") else { return false }
            let type = path[range.upperBound...]
            return !type.isEmpty && !type.contains("/")
        default: return false
        }
    }
}
