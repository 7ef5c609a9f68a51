// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import SoupCore

extension OrgCore {
    /// Returns the fault in a request's header `X-Emu-Fault`: a rule, or only its effect.
    ///
    /// The rule's conditions are ignored: it applies to this request.
    ///
    /// - Throws: ``OrgError`` for a malformed header.
    func faultAskedFor(by request: OrgRequest) throws -> Strike? {
        guard options.admin, let text = request.header("X-Emu-Fault") else { return nil }
        guard let json = try? JSONValue(parsing: text) else {
            throw OrgError(400, "INVALID_INPUT", message: "X-Emu-Fault is not JSON: \(text)")
        }
        var fault = try OrgFault(json: json["kind"] == nil ? json : ["do": json])
        if fault.id.isEmpty { fault.id = "header" }
        var random = SplitMix(seed: fault.seed)
        return Strike(fault, SplitMix(seed: random.next()))
    }

    /// Returns the client that sends a request, by its token or by its form; nil if neither names one.
    func sender(of request: OrgRequest) -> String? {
        if let token = request.bearerToken ?? request.header("X-SFDC-Session"),
            let access = tokens.access(token, now: clock.now)
        {
            return access.grant.clientId
        }
        guard request.segments.starts(with: ["services", "oauth2"]) else { return nil }
        let form = OAuthForm(request)
        return form["client_id"] ?? form.basic?.user
    }
}
