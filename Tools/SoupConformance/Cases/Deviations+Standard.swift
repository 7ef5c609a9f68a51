// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension Deviations {
    /// The project's own choices: a copy of `Tests/Conformance/deviations.json`, which a test compares with it.
    public static let standard: Deviations = (try? Deviations(Array(text.utf8), file: "deviations.json")) ?? .none

    private static let text = #"""
        {
          "C030/0": {
            "expect": {
              "ids": [
                1
              ]
            },
            "rule": "An entry whose _soupEntryId the soup does not have becomes a new entry.",
            "reason": "The developer guide says so; the platforms update nothing and report success, and the entry is lost."
          },
          "C030/1": {
            "expect": {
              "count": 1
            },
            "rule": "An entry whose _soupEntryId the soup does not have becomes a new entry.",
            "reason": "The developer guide says so; the platforms update nothing and report success, and the entry is lost."
          },
          "C118/1": {
            "expect": {
              "ids": [
                1
              ]
            },
            "rule": "The four local flags match in every spelling: true and false, 1 and 0, quoted or not.",
            "reason": "The platforms keep flags differently, and apps compare them in the way of theirs."
          },
          "C118/2": {
            "expect": {
              "ids": [
                1
              ]
            },
            "rule": "The four local flags match in every spelling: true and false, 1 and 0, quoted or not.",
            "reason": "The platforms keep flags differently, and apps compare them in the way of theirs."
          },
          "C196/3": {
            "expect": {
              "ids": [
                4
              ]
            },
            "rule": "Ids of entries are never given twice, not after an alter either.",
            "reason": "An id that comes again makes a stale reference point at another record."
          },
          "M14": {
            "expect": "select Id from Account where LastModifiedDate > D and (Id != null or Name != null)",
            "rule": "A condition that is added holds for the whole query: what was there goes into parentheses when it has an OR outside of any.",
            "reason": "Without them AND binds closer, and a resync fetches every record that meets the last term."
          },
          "Q23": {
            "expect": "select ParentName, Title, ParentId, ParentModifiedDate, (select ChildName, School, ChildId, ChildLastModifiedDate from Children) from Parent where ParentModifiedDate > D and School = 'MIT' order by ParentModifiedDate",
            "rule": "A parent that changed comes with all of its children, unless changedChildrenOnly is set.",
            "reason": "A child that changed while its parent did not was passed by, and a filter by its own date would miss it for good."
          },
          "Q30": {
            "expect": [
              "GET /sobjects/Account",
              "GET /query?q=select Id, Name, LastModifiedDate from Account where Id IN ('A1', 'A2')"
            ],
            "rule": "Every target selects the id and the modification date, whether its fields name them or not.",
            "reason": "LEAVE_IF_CHANGED compares the date of the record that came down; without it a push overwrites newer records."
          },
          "Q32": {
            "expect": "select Id, Name, LastModifiedDate from Account where Id IN ('A1', 'A2')",
            "rule": "Every target selects the id and the modification date, whether its fields name them or not.",
            "reason": "LEAVE_IF_CHANGED compares the date of the record that came down; without it a push overwrites newer records."
          }
        }
        """#
}
