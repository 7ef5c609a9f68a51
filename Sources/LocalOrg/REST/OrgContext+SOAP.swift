// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension OrgContext {
    /// The login of the partner API, for clients that know no other.
    func soapLogin(_ request: OrgRequest) throws -> OrgAnswer {
        guard request.segments.count == 4, request.method == "POST" else { throw OrgError.notFound }
        let body = String(decoding: request.body, as: UTF8.self)
        let type = "text/xml;charset=UTF-8"
        guard let username = Self.element("username", in: body), let password = Self.element("password", in: body),
            let user = user(username, password)
        else {
            let text = "INVALID_LOGIN: Invalid username, password, security token; or user locked out."
            return OrgAnswer(
                500,
                body: Array(
                    """
                    <?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope \
                    xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" \
                    xmlns:sf="urn:fault.partner.soap.sforce.com"><soapenv:Body><soapenv:Fault>\
                    <faultcode>INVALID_LOGIN</faultcode><faultstring>\(text)</faultstring><detail>\
                    <sf:LoginFault><sf:exceptionCode>INVALID_LOGIN</sf:exceptionCode>\
                    <sf:exceptionMessage>\(text.dropFirst("INVALID_LOGIN: ".count))</sf:exceptionMessage></sf:LoginFault>\
                    </detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>
                    """.utf8), contentType: type)
        }
        let expires = org.options.tokenLifetime.map { org.clock.now + $0 }
        let token = org.tokens.makeAccessToken(user: user.id, refreshToken: nil, expires: expires)
        let url = "\(org.options.instanceURL)/services/Soap/u/\(request.segments[3])"
        return OrgAnswer(
            200,
            body: Array(
                """
                <?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope \
                xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:partner.soap.sforce.com">\
                <soapenv:Body><loginResponse><result><passwordExpired>false</passwordExpired><sandbox>true</sandbox>\
                <serverUrl>\(url)</serverUrl><sessionId>\(token)</sessionId><userId>\(user.id)</userId><userInfo>\
                <organizationId>\(org.definition.orgId)</organizationId><userName>\(user.username)</userName></userInfo>\
                </result></loginResponse></soapenv:Body></soapenv:Envelope>
                """.utf8), contentType: type)
    }

    /// The text of the first element with a local name, its entities resolved.
    private static func element(_ name: String, in xml: String) -> String? {
        for piece in xml.split(separator: "<") {
            guard let close = piece.firstIndex(of: ">") else { continue }
            let tag = piece[..<close].prefix { !$0.isWhitespace && $0 != "/" }
            guard tag.split(separator: ":").last.map(String.init) == name, !piece.hasPrefix("/") else { continue }
            var text = String(piece[piece.index(after: close)...])
            for (entity, character) in [
                ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&"),
            ] {
                text = text.split(separator: entity, omittingEmptySubsequences: false).joined(separator: character)
            }
            return text
        }
        return nil
    }
}
