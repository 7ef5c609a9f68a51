// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension ConformanceDeviations {
    /// The deviations of this project: a copy of `Tests/Conformance/deviations.json`, which a test compares with it.
    public static let standard: ConformanceDeviations =
        (try? ConformanceDeviations(Array(text.utf8), file: "deviations.json")) ?? .none

    private static let text = #"""
        {
          "C030/0": {
            "expect": {
              "ids": [
                1
              ]
            },
            "rule": "An entry with an unknown _soupEntryId is inserted as a new entry.",
            "reason": "The developer guide documents it; the platforms update nothing and report success, and the entry is lost."
          },
          "C030/1": {
            "expect": {
              "count": 1
            },
            "rule": "An entry with an unknown _soupEntryId is inserted as a new entry.",
            "reason": "The developer guide documents it; the platforms update nothing and report success, and the entry is lost."
          },
          "C118/1": {
            "expect": {
              "ids": [
                1
              ]
            },
            "rule": "The four local flags match in every spelling: true and false, 1 and 0, quoted or not.",
            "reason": "The platforms store the flags differently, and apps compare them with the values of their platform."
          },
          "C118/2": {
            "expect": {
              "ids": [
                1
              ]
            },
            "rule": "The four local flags match in every spelling: true and false, 1 and 0, quoted or not.",
            "reason": "The platforms store the flags differently, and apps compare them with the values of their platform."
          },
          "C196/3": {
            "expect": {
              "ids": [
                4
              ]
            },
            "rule": "IDs of entries are never reused, even after a soup was altered.",
            "reason": "A reused ID makes a stale reference point to another record."
          },
          "M14": {
            "expect": "select Id from Account where LastModifiedDate > D and (Id != null or Name != null)",
            "rule": "An added condition applies to the whole query: an existing condition with an OR outside of parentheses is put into parentheses.",
            "reason": "Without the parentheses AND has precedence, and a resync fetches every record that meets the last term."
          },
          "Q23": {
            "expect": "select ParentName, Title, ParentId, ParentModifiedDate, (select ChildName, School, ChildId, ChildLastModifiedDate from Children) from Parent where ParentModifiedDate > D and School = 'MIT' order by ParentModifiedDate",
            "rule": "A changed parent is fetched with all its children, unless changedChildrenOnly is set.",
            "reason": "A child that changed while its parent did not was not fetched, and a filter by the child's own date would never fetch it."
          },
          "Q30": {
            "expect": [
              "GET /sobjects/Account",
              "GET /query?q=select Id, Name, LastModifiedDate from Account where Id IN ('A1', 'A2')"
            ],
            "rule": "Every target selects the ID and the modification date, whether or not its fields contain them.",
            "reason": "LEAVE_IF_CHANGED compares the date of the fetched record; without it a push overwrites newer records."
          },
          "Q32": {
            "expect": "select Id, Name, LastModifiedDate from Account where Id IN ('A1', 'A2')",
            "rule": "Every target selects the ID and the modification date, whether or not its fields contain them.",
            "reason": "LEAVE_IF_CHANGED compares the date of the fetched record; without it a push overwrites newer records."
          },
          "Q33": {
            "expect": "select Id, Name, LastModifiedDate from Account where Id IN ('A1', 'A2') AND SystemModstamp > D",
            "rule": "Later runs query changes by SystemModstamp, unless the configuration names another field.",
            "reason": "The server changes only SystemModstamp when a record is undeleted, or when its parent is deleted."
          }
        }
        """#
}
