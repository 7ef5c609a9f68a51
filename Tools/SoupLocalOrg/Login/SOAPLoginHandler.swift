// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// Answers `/services/Soap/u/{version}` and `/services/Soap/c/{version}`: the login of the partner and enterprise APIs.
struct SOAPLoginHandler: ResourceHandler {
    let request: OrgRequest
    let context: OrgContext

    static func accepts(_ path: PathPattern.Values, in context: OrgContext) -> Bool {
        ["u", "c"].contains(path["api"])
    }

    func login() throws -> OrgAnswer {
        guard context.org.definition.apiVersions.contains(request.path["version"]) else {
            return Self.fault(
                "UNSUPPORTED_API_VERSION", "Invalid Api version specified on URL", kind: "UnexpectedErrorFault")
        }
        guard let envelope = try? XMLElement.parse(request.body), let login = envelope.descendant("login") else {
            return Self.fault(
                "INVALID_OPERATION", "The body is not a login: only the operation login is supported",
                kind: "UnexpectedErrorFault")
        }
        let orgId = envelope.descendant("organizationId").map { RecordID.normalized($0.text) }
        guard orgId == nil || orgId == context.org.definition.orgId, let username = login.first("username")?.text,
            let password = login.first("password")?.text,
            let user = context.users.user(named: username, password: password)
        else { return Self.fault("INVALID_LOGIN", Self.badLogin) }
        return loggedIn(user, client: envelope.descendant("client")?.text ?? "")
    }

    private static let badLogin = "Invalid username, password, security token; or user locked out."

    private func loggedIn(_ user: OrgDefinition.User, client: String) -> OrgAnswer {
        let org = context.org
        let grant = TokenRegister.Grant(userId: user.id, clientId: client, scope: "api", issued: org.clock.now)
        let (instance, orgId) = (org.options.instanceURL, org.definition.orgId)
        let token = org.tokens.makeAccessToken(
            grant, org: orgId, refreshToken: nil, expires: context.tokens.expiry, now: org.clock.now)
        let version = request.path["version"]
        let isSandbox = org.definition.organization["isSandbox"]?.boolValue ?? true
        let path = "/services/Soap/\(request.path["api"])/\(version)/\(RecordID.short(orgId))"
        return Self.envelope(200, namespaces: " xmlns=\"urn:partner.soap.sforce.com\"") { body in
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
        envelope(500, namespaces: " xmlns:sf=\"urn:fault.partner.soap.sforce.com\"") { body in
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
        _ status: Int, namespaces: String, _ body: (inout XMLWriter) -> Void
    ) -> OrgAnswer {
        var writer = XMLWriter()
        let attributes = " xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\"" + namespaces
        writer.element("soapenv:Envelope", attributes: attributes) { $0.element("soapenv:Body", body) }
        return OrgAnswer(status, body: writer.bytes, contentType: "text/xml;charset=UTF-8")
    }
}
