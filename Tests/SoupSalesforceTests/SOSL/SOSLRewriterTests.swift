// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupSalesforce
import SoupCore
import Testing

@Suite struct SOSLRewriterTests {
    @Test(arguments: [
        ("FIND {Joe} RETURNING Account", "FIND {Joe} RETURNING Account(Id,LastModifiedDate)"),
        (
            "find {x} in name fields returning  Account(Name limit 5), Lead , Contact ( LastName )",
            "find {x} in name fields returning  Account(Id,LastModifiedDate,Name limit 5), "
                + "Lead(Id,LastModifiedDate) , Contact (Id,LastModifiedDate, LastName )"
        ),
        (
            "FIND {a\\}\\(b} RETURNING Account(ID, Name, lastmodifieddate)",
            "FIND {a\\}\\(b} RETURNING Account(ID, Name, lastmodifieddate)"
        ),
        (
            "FIND {e\u{301}\\(\u{301}} RETURNING\u{9}Account(id)",
            "FIND {e\u{301}\\(\u{301}} RETURNING\u{9}Account(LastModifiedDate,id)"
        ),
        ("FIND {x}", "FIND {x}"), ("FIND {x} LIMIT 3", "FIND {x} LIMIT 3"),
        (
            "FIND {x} RETURNING Account(toLabel(Rating) WHERE Name IN ('(', 'Id'))",
            "FIND {x} RETURNING Account(Id,LastModifiedDate,toLabel(Rating) WHERE Name IN ('(', 'Id'))"
        ),
    ])
    func `Missing fields are added to each object`(text: String, expected: String) throws {
        let rewritten = try SOSLRewriter(text).selecting(["Id", "LastModifiedDate"])
        #expect(rewritten.text == expected)
        #expect(try SOSLQuery(parsing: expected) == rewritten.search)
        #expect(rewritten.selecting(["Id", "LastModifiedDate"]).text == expected)
    }

    @Test(arguments: [
        ("FIND {x} RETURNING Account", 1999, false), ("FIND {x} RETURNING Account", 2000, true),
        ("FIND {x} LIMIT 5", 5, true), ("FIND {x} LIMIT 5", 4, false), ("FIND {x} RETURNING A(Id LIMIT 2), B", 2, true),
        ("FIND {x} RETURNING A(Id OFFSET 2), B", 0, true),
    ])
    func `A result that reaches a limit may be incomplete`(text: String, count: Int, isCut: Bool) throws {
        #expect(try SOSLRewriter(text).mayBeCut(at: count) == isCut)
    }
}
