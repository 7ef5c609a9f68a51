// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

extension OrgContext {
    /// The login of the partner API, for clients that know no other.
    func soapLogin(_ request: OrgRequest) throws -> OrgAnswer {
        // `/services/Soap/u/59.0`, sometimes with the id of the org behind it.
        guard (4...5).contains(request.segments.count), ["u", "c"].contains(request.segments[2]) else {
            throw OrgError.notFound
        }
        return try allow(["POST"], request) {
            guard self.org.definition.apiVersions.contains(request.segments[3]) else {
                return Self.fault(
                    "UNSUPPORTED_API_VERSION", "Invalid Api version specified on URL", kind: "UnexpectedErrorFault")
            }
            guard let envelope = try? XMLElement.parse(request.body), let login = envelope.descendant("login") else {
                return Self.fault(
                    "INVALID_OPERATION", "The body is no login, and no other operation is there",
                    kind: "UnexpectedErrorFault")
            }
            let orgId = envelope.descendant("organizationId").map { RecordID.normalized($0.text) }
            guard orgId == nil || orgId == self.org.definition.orgId, let username = login.first("username")?.text,
                let password = login.first("password")?.text, let user = self.user(username, password)
            else { return Self.fault("INVALID_LOGIN", Self.badLogin) }
            return self.loggedIn(user, client: envelope.descendant("client")?.text ?? "", request)
        }
    }

    private static let badLogin = "Invalid username, password, security token; or user locked out."

    private func loggedIn(_ user: OrgDefinition.User, client: String, _ request: OrgRequest) -> OrgAnswer {
        let grant = TokenRegister.Grant(userId: user.id, clientId: client, scope: "api", issued: org.clock.now)
        let (instance, orgId) = (org.options.instanceURL, org.definition.orgId)
        let token = org.tokens.makeAccessToken(
            grant, org: orgId, refreshToken: nil, expires: tokenExpiry, now: org.clock.now)
        let version = request.segments[3]
        let isSandbox = org.definition.organization["isSandbox"]?.boolValue ?? true
        let path = "/services/Soap/\(request.segments[2])/\(version)/\(RecordID.short(orgId))"
        return Self.envelope(200, " xmlns=\"urn:partner.soap.sforce.com\"") { body in
            body.element("loginResponse") { response in
                response.element("result") { result in
                    result.element("metadataServerUrl", "\(instance)/services/Soap/m/\(version)")
                    result.element("passwordExpired", "false")
                    result.element("sandbox", isSandbox ? "true" : "false")
                    result.element("serverUrl", instance + path)
                    result.element("sessionId", token)
                    result.element("userId", user.id)
                    result.element("userInfo") { info in
                        info.element("organizationId", orgId)
                        info.element("userEmail", user.email)
                        info.element("userFullName", user.name)
                        info.element("userId", user.id)
                        info.element("userName", user.username)
                    }
                }
            }
        }
    }

    private static func fault(_ code: String, _ message: String, kind: String = "LoginFault") -> OrgAnswer {
        envelope(500, " xmlns:sf=\"urn:fault.partner.soap.sforce.com\"") { body in
            body.element("soapenv:Fault") { fault in
                fault.element("faultcode", code)
                fault.element("faultstring", "\(code): \(message)")
                fault.element("detail") { detail in
                    detail.element("sf:\(kind)") { kind in
                        kind.element("sf:exceptionCode", code)
                        kind.element("sf:exceptionMessage", message)
                    }
                }
            }
        }
    }

    private static func envelope(
        _ status: Int, _ namespaces: String, _ body: (inout XMLWriter) -> Void
    ) -> OrgAnswer {
        var writer = XMLWriter()
        let attributes = " xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\"" + namespaces
        writer.element("soapenv:Envelope", attributes: attributes) { $0.element("soapenv:Body", body) }
        return OrgAnswer(status, body: writer.bytes, contentType: "text/xml;charset=UTF-8")
    }
}
