// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct SecretMaskTests {
    private let token = #"00D!AQ/a"b\c %é𝄞.end"#

    @Test func `Every encoding of a secret is replaced`() {
        let mask = SecretMask([token])
        let spellings = [
            token,
            "00D%21AQ%2Fa%22b%5Cc%20%25%C3%A9%F0%9D%84%9E.end",
            "00D%21AQ%2fa%22b%5cc+%25%c3%a9%f0%9d%84%9e.end",
            "00D%2521AQ%252Fa%2522b%255Cc%2520%2525%25C3%25A9%25F0%259D%2584%259E.end",
            #"00D!AQ\/a\"b\\c %é𝄞.end"#,
            #"00D\u0021AQ\u002Fa\u0022b\u005cc\u0020%\u00e9\uD834\uDD1E.end"#,
            #"00D!AQ\\\/a\\\"b\\\\c %\\u00e9\\ud834\\udd1e.end"#,
            "00D&#33;AQ&#x2F;a&quot;b&#92;c %&#233;&#x1D11E;.end",
        ]
        for spelling in spellings {
            #expect(mask.masked("<\(spelling)>") == "<***>", "\(spelling)")
            #expect(mask.masked(spelling + spelling) == "******", "\(spelling)")
        }
    }

    @Test func `A secret cut off by the end of the text is replaced`() {
        let mask = SecretMask(["abcdefghijklmnop"])
        #expect(mask.masked("token abcdefghij") == "token ***")
        #expect(mask.masked("token abcdefghij… and more") == "token ***… and more")
        #expect(mask.masked("token abcdefghij...") == "token ***...")
        #expect(mask.masked("token abcd… and more") == "token ***… and more")
        #expect(mask.masked("token abcd...") == "token ***...")
        #expect(mask.masked("token abc…") == "token abc…")
        #expect(mask.masked("token abcdef") == "token abcdef")
        #expect(mask.masked("token abcdefghijX") == "token abcdefghijX")
    }

    @Test func `Escapes with any number of backslashes match`() {
        let mask = SecretMask([token])
        let run = String(repeating: #"\"#, count: 1000)
        #expect(mask.masked("<00D\(run)u0021AQ/a\"b\(run)c %é\(run)ud834\(run)udd1e.end>") == "<***>")
        #expect(mask.masked("\(run)u00300D!AQ") == "\(run)u00300D!AQ")
    }

    /// If the run is counted again at each backslash, this test takes minutes.
    @Test func `A long run of backslashes is scanned in linear time`() {
        let run = String(repeating: #"\"#, count: 200_000)
        let mask = SecretMask(["secret-1", #"\\secret"#])
        let time = ContinuousClock().measure { #expect(mask.masked(run + "x") == run + "x") }
        #expect(time < .seconds(20))
    }

    @Test func `Texts without a secret stay unchanged`() {
        let mask = SecretMask(["secret-1", "", "abc"])
        for text in [
            "", "abc", "secret-2", "secret-", "%73", #"\u0073ecret-2"#, "%", #"\"#, #"\u"#, "&", "&#;", "&amp",
        ] {
            #expect(mask.masked(text) == text)
        }
        #expect(SecretMask().masked("secret-1") == "secret-1")
    }

    /// A gateway that refuses a login can repeat the form as it was sent, or its values.
    @Test func `The values of a password login are masked`() {
        let mask = SecretMask(["Pass Word&5=ü", "Client+Secret/3", "5Aep!Refresh.Token", "a&amp;b"])
        #expect(
            mask.masked(
                "grant_type=password&username=me&password=Pass+Word%265%3D%C3%BC&client_secret=Client%2BSecret%2F3")
                == "grant_type=password&username=me&password=***&client_secret=***")
        #expect(
            mask.masked(#"{"password": "Pass Word\u00265=\u00fc", "refresh_token": "5Aep!Refresh.Token"}"#)
                == #"{"password": "***", "refresh_token": "***"}"#)
        #expect(mask.masked("<b>Pass Word&amp;5=&#252;</b>") == "<b>***</b>")
        #expect(mask.masked("<a&amp;b>") == "<***>")
    }

    @Test func `The longest secret is replaced, also if it is added later`() {
        let mask = SecretMask(["inner"])
        #expect(mask.masked("outer-inner-token") == "outer-***-token")
        mask.add(["outer-inner-token", "inner"])
        #expect(mask.masked("outer-inner-token, inner") == "***, ***")
    }

    @Test func `Masked errors keep everything but the secrets`() {
        let mask = SecretMask(["hunter22"])
        struct OtherError: Error, CustomStringConvertible { var description: String { "other hunter22" } }
        let error = SoupError(
            .server, "it says hunter22", place: SoupError.Place(file: "f", path: "a.hunter22"), hint: "Not hunter22",
            cause: SoupError(.json, "hunter22", cause: OtherError()))
        let clean = mask.masked(error)
        #expect(
            clean
                == SoupError(.server, "it says ***", place: SoupError.Place(file: "f", path: "a.***"), hint: "Not ***"))
        #expect((clean.cause as? SoupError)?.message == "***")
        #expect((clean.cause as? SoupError)?.cause.map { "\($0)" } == "other ***")
        #expect("\(mask.masked(OtherError() as any Error))" == "other ***")
        let unsent = mask.masked(SoupError.network(.notSent, "hunter22"))
        #expect(unsent.delivery == .notSent && (unsent.cause as? NetworkFailure)?.reason == "***")
        #expect(mask.masked(CancellationError() as any Error) is CancellationError)

        let failure = PushFailure(code: "hunter22", message: "no hunter22", fields: ["hunter22"], retry: .inLaterRun)
        let masked = PushFailure(code: "***", message: "no ***", fields: ["***"], retry: .inLaterRun)
        #expect(
            mask.masked(
                PushOutcome(.failed(failure), serverId: "1", children: [.unknown(failure), .ok(serverId: "2")]))
                == PushOutcome(.failed(masked), serverId: "1", children: [.unknown(masked), .ok(serverId: "2")]))
    }
}
