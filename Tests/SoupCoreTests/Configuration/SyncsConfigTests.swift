// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import SoupCore
import Testing

@Suite struct SyncsConfigTests: SyncsFileReading {
    static let store = StoreConfig(soups: [
        .init("contacts", [IndexSpec("Id", .string), IndexSpec("__local__", .string)]),
        .init("accounts", [IndexSpec("Name", .string)]),
        .init("broken", []),
    ])

    @Test func `A sync down and a sync up are read`() throws {
        let (config, problems) = try read(
            #"""
            {"syncs": [
              {"syncName": "d", "syncType": "syncDown", "soupName": "contacts",
               "target": {"type": "soql", "query": "SELECT Id FROM Contact"}, "options": {"mergeMode": "OVERWRITE"}},
              {"syncName": "u", "syncType": "syncUp", "soupName": "contacts",
               "options": {"mergeMode": "LEAVE_IF_CHANGED", "fieldlist": ["Id"]}}]}
            """#)
        #expect(problems == [])
        #expect(
            config
                == SyncsConfig(syncs: [
                    SyncDefinition(
                        name: "d", type: .syncDown, soup: "contacts",
                        target: TargetReference(["type": "soql", "query": "SELECT Id FROM Contact"])),
                    SyncDefinition(
                        name: "u", type: .syncUp, soup: "contacts", target: TargetReference([:]),
                        options: SyncOptions(mergeMode: .leaveIfChanged, fieldlist: ["Id"])),
                ]))
    }

    @Test func `Every fault has a place and a hint`() throws {
        let noQuery = #""target": {"type": "soql"}"#
        let cases: [(String, String)] = [
            (
                sync(down, soup, query, options),
                #"1:12: syncs[0].syncName: "syncName" is missing. Add "syncName" with the name of the sync."#
            ),
            (
                sync(name, down, soup, #""target": {"type": "sqol", "query": ""}"#, options),
                #"1:97: syncs[0].target.type: no sync-down target "sqol" is registered. "#
                    + #"Known: mru, parent_children, soql. Did you mean "soql"?"#
            ),
            (
                sync(name, up, soup, #""target": {"iOSImpl": "SFMyTarget"}"#, options),
                #"1:98: syncs[0].target.iOSImpl: no sync-up target "SFMyTarget" is registered. Known: rest."#
            ),
            (
                sync(name, down, soup, #""target": {"type": "custom"}"#, options),
                #"1:97: syncs[0].target.type: a target of type "custom" must name its class. "#
                    + #"Add "swiftImpl", "iOSImpl" or "androidImpl" with a registered name."#
            ),
            (
                sync(name, down, soup, noQuery, options),
                #"1:88: syncs[0].target.query: "query" is missing. Add "query" with a string."#
            ),
            (
                sync(name, down, soup, query, #""options": {"mergeMode": "OVERRIDE"}"#),
                #"1:166: syncs[0].options.mergeMode: no merge mode "OVERRIDE". "#
                    + #"Known: OVERWRITE, LEAVE_IF_CHANGED, MERGE. Did you mean "OVERWRITE"?"#
            ),
            (
                sync(name, #""syncType": "syncdown""#, soup, query, options),
                #"1:42: syncs[0].syncType: no sync type "syncdown". Known: syncDown, syncUp. Did you mean "syncDown"?"#
            ),
            (
                sync(name, soup, query, options),
                #"1:12: syncs[0].syncType: "syncType" is missing. Add "syncType". Known: syncDown, syncUp."#
            ),
            (
                sync(name, down, query, options),
                #"1:12: syncs[0].soupName: "soupName" is missing. Add "soupName" with the soup to sync."#
            ),
            (
                sync(name, down, soup, options),
                #"1:12: syncs[0].target: "target" is missing. "#
                    + #"Add "target" with an object that specifies the source of the records."#
            ),
            (
                sync(name, down, soup, #""target": []"#, options),
                #"1:88: syncs[0].target: expected an object, found an array. Write an object here."#
            ),
            (
                sync(name, down, soup, #""target": {"type": 1}"#, options),
                #"1:97: syncs[0].target.type: expected a string, found the number 1. Write a string here."#
            ),
            (
                sync(name, down, #""soupName": "contact""#, query, options),
                #"1:66: syncs[0].soupName: the store has no soup "contact". "#
                    + #"Known: accounts, broken, contacts. Did you mean "contacts"?"#
            ),
            (
                sync(name, up, soup, #""options": {"mergeMode": "OVERWRITE", "fieldlist": ["a", 2]}"#),
                #"1:133: syncs[0].options.fieldlist[1]: expected a string, found the number 2. Write a string here."#
            ),
            (
                sync(name, down, soup, #""target": {"type": "soql", "query": "select"}"#, options),
                #"1:114: syncs[0].target.query: a query starts with SELECT (line 1, column 1 of the text)"#
            ),
            (#"{"syncs": {}}"#, "1:11: syncs: expected an array, found an object. Write an array here."),
            (
                #"{"sync": []}"#,
                #"1:1: syncs: "syncs" is missing. Add "syncs" with an array; [] for none."#
            ),
            ("[", "1:2: not JSON: the text ends in the middle of a value. Close the open bracket or quote."),
        ]
        for (text, problem) in cases {
            let (_, problems) = try read(text)
            #expect(problems.filter { !$0.contains("warning") } == [problem], "\(text)")
        }
    }

    @Test func `Missing options have defaults`() throws {
        let (first, problems) = try read(sync(name, down, soup, query))
        #expect(
            problems == [
                #"1:12: syncs[0].options: warning: the sync has no options; OVERWRITE is assumed. "#
                    + #"Add "options": {"mergeMode": "OVERWRITE"}, or "LEAVE_IF_CHANGED" or "MERGE"."#
            ])
        #expect(first.syncs.map(\.options) == [SyncOptions()])
        let (second, more) = try read(sync(name, down, soup, query, #""options": {}"#))
        #expect(more.count == 1 && more[0].contains("no merge mode"))
        #expect(second.syncs.map(\.options) == [SyncOptions()])
    }

    @Test func `A repeated sync name is an error`() throws {
        let one = "{\(name), \(down), \(soup), \(query), \(options)}"
        let (_, problems) = try read("{\"syncs\": [\(one),\n\(one)]}")
        #expect(
            problems == [
                #"2:14: syncs[1].syncName: the sync name "s" is already used by syncs[0]. "#
                    + "Rename one of the two."
            ])
    }

    @Test func `All faults of a file are found in one run`() throws {
        let (config, problems) = try read(
            #"""
            {"syncs": [
              {"syncType": "syncDown", "soupName": "nowhere", "target": {"type": "soql"}, "options": {"mergeMode": "X"}},
              {"syncName": "a", "syncType": "sync", "soupName": "", "target": {"type": "mru"}},
              null,
              {"syncName": "a", "syncType": "syncUp", "soupName": "contacts", "target": {"androidImpl": "x.Y"},
               "options": {"mergeMode": "OVERWRITE"}},
              {"syncName": "b", "syncType": "syncDown", "soupName": "contacts",
               "target": {"type": "mru", "fieldlist": "Name"}, "options": {"mergeMode": "OVERWRITE"}}
            ]}
            """#)
        #expect(
            problems.filter { !$0.contains("warning") }.map { String($0.prefix { $0 != " " }) } == [
                "2:3:", "2:40:", "2:61:", "2:104:", "3:33:", "3:53:", "4:3:", "5:16:", "5:93:", "8:14:", "8:43:",
            ])
        #expect(config.syncs.map(\.name) == ["a", "b"])
    }

    /// One sync with several faults, all of which are reported in one run.
    @Test func `Faults of one sync do not hide each other`() throws {
        let nowhere = #""soupName": "nowhere""#
        let tree = #"""
            "target": {"type": "parent_children", "parent": {"soupName": "missing"}, "children": {"soupName": "nothing"}}
            """#
        let known = "Known: mru, parent_children, rest, soql"
        let cases: [([String], [String])] = [
            (
                [name, down, nowhere, #""target": {"type": "soql"}"#, options],
                [#"soupName: the store has no soup "nowhere""#, #"target.query: "query" is missing"#]
            ),
            (
                [name, down, nowhere, #""target": {"type": "sqol"}"#, #""options": {"mergeMode": "X"}"#],
                [
                    #"soupName: the store has no soup "nowhere""#,
                    #"target.type: no sync-down target "sqol" is registered"#, #"options.mergeMode: no merge mode "X""#,
                ]
            ),
            (
                [name, down, nowhere, #""target": 5"#, options],
                [#"soupName: the store has no soup "nowhere""#, "target: expected an object, found the number 5"]
            ),
            (
                [name, down, nowhere, options],
                [#"target: "target" is missing"#, #"soupName: the store has no soup "nowhere""#]
            ),
            (
                [name, #""syncType": "sync""#, nowhere, #""target": {"type": "sqol"}"#, options],
                [
                    #"syncType: no sync type "sync""#, #"soupName: the store has no soup "nowhere""#,
                    #"target.type: no sync target "sqol" is registered. \#(known). Did you mean "soql"?"#,
                ]
            ),
            (
                [name, nowhere, #""target": {"androidImpl": "x.Y", "type": "soql"}"#, options],
                [
                    #"syncType: "syncType" is missing"#, #"soupName: the store has no soup "nowhere""#,
                    #"target.androidImpl: no sync target "x.Y" is registered. \#(known)."#,
                ]
            ),
            (
                [name, #""syncType": "sync""#, nowhere, #""target": {"type": "custom"}"#, options],
                [
                    #"syncType: no sync type "sync""#, #"soupName: the store has no soup "nowhere""#,
                    #"target.type: a target of type "custom" must name its class"#,
                ]
            ),
            (
                [name, #""syncType": "sync""#, nowhere, #""target": {"type": "rest"}"#, options],
                [#"syncType: no sync type "sync""#, #"soupName: the store has no soup "nowhere""#]
            ),
            (
                [
                    name, down, nowhere,
                    #""target": {"type": "briefcase", "infos": [{"soupName": "contacts"}, {"soupName": "missing"}]}"#,
                    options,
                ],
                [
                    #"target.type: no sync-down target "briefcase" is registered"#,
                    #"target.infos[1].soupName: the store has no soup "missing""#,
                ]
            ),
            (
                [name, down, nowhere, tree, options],
                [
                    #"target.parentFieldlist: "parentFieldlist" is missing"#,
                    #"target.parent.soupName: the store has no soup "missing""#,
                    #"target.children.soupName: the store has no soup "nothing""#,
                ]
            ),
        ]
        for (parts, expected) in cases {
            let text = "{\"syncs\": [{\(parts.joined(separator: ", "))}]}"
            let found = try read(text).1.filter { !$0.contains("warning") }
            let missing = expected.filter { fault in !found.contains { $0.contains("syncs[0].\(fault)") } }
            #expect(missing == [], "\(found)")
            if text.contains("parent") || text.contains("infos") {
                #expect(!found.contains { $0.contains("syncs[0].soupName") }, "only the target's own soups are checked")
            } else {
                #expect(found.count == expected.count, "\(found)")
            }
        }
    }

    /// The names of plug-ins that exist elsewhere are not misspellings of similar names.
    @Test(arguments: [
        "sosl", "SOSL", "refresh", "layout", "metadata", "briefcase", "SFSoslSyncDownTarget",
        "com.salesforce.androidsdk.mobilesync.target.SoslSyncDownTarget",
    ])
    func `Known targets that are not registered get no suggestion`(type: String) throws {
        var registry = try TestTargets.registry()
        registry.knownNames = [
            "sosl", "refresh", "layout", "metadata", "briefcase", "SFSoslSyncDownTarget",
            "com.salesforce.androidsdk.mobilesync.target.SoslSyncDownTarget",
        ]
        for key in ["type", "iOSImpl"] {
            let text = sync(name, down, soup, #""target": {"\#(key)": "\#(type)"}"#, options)
            let (_, problems) = try read(text, registry: registry)
            #expect(problems.count == 1)
            #expect(
                problems[0].hasSuffix(
                    #"no sync-down target "\#(type)" is registered. Known: mru, parent_children, soql."#))
        }
    }
}
