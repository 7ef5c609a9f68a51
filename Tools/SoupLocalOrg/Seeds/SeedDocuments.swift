// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The built-in descriptions of orgs.
enum SeedDocuments {
    /// An org with the demo objects and no rows.
    static let demo = Result { try OrgDefinition(demoDocument()) }
    static let tiny = Result { try OrgDefinition(tinyDocument()) }

    static func demoDocument() throws -> JSONValue { try document([demoText]) }
    static func tinyDocument() throws -> JSONValue { try document([demoText, tinyText]) }

    /// Merges documents.
    private static func document(_ texts: [String]) throws -> JSONValue {
        var document = JSONObject()
        for text in texts {
            for (key, value) in try JSONValue(parsing: text).objectValue?.members ?? [] { document[key] = value }
        }
        return .object(document)
    }

    /// Visits with their items: a lookup, a master-detail, external IDs, an autonumber name, a rule against lost
    /// updates.
    private static let demoText = #"""
        {
          "org": {"id": "00D000000000001EAA", "name": "Demo Org", "type": "Developer Edition", "isSandbox": true,
            "instanceName": "EMU1"},
          "users": [
            {"key": "me", "username": "demo@example.org", "password": "demo", "name": "Demo User"},
            {"key": "other", "username": "other@example.org", "password": "demo", "name": "Other User"}
          ],
          "clients": [{"id": "emu-client", "secret": "emu-secret"}],
          "objects": {
            "Visit__c": {
              "label": "Visit", "labelPlural": "Visits", "keyPrefix": "a00",
              "recordTypes": [{"developerName": "Routine", "name": "Routine", "default": true}],
              "fields": {
                "Name": {"type": "autonumber", "format": "V-{00000}", "label": "Visit Number"},
                "Account__c": {"type": "reference", "referenceTo": ["Account"], "childRelationshipName": "Visits__r"},
                "External_Id__c": {"type": "string", "length": 40, "externalId": true, "unique": true},
                "Status__c": {"type": "picklist", "restricted": true, "picklist": ["Planned", "Done", "Cancelled"],
                  "default": "Planned"},
                "Starts_At__c": {"type": "datetime"},
                "Distance__c": {"type": "double", "precision": 10, "scale": 2},
                "Notes__c": {"type": "textarea", "length": 32000},
                "Version__c": {"type": "int", "default": 0}
              },
              "validationRules": [{"name": "version_moves", "on": "update", "field": "Version__c",
                "when": "Version__c <= OLD.Version__c", "message": "Record was changed by someone else"}]
            },
            "Visit_Item__c": {
              "label": "Visit Item", "labelPlural": "Visit Items", "keyPrefix": "a01",
              "fields": {
                "Name": {"type": "autonumber", "format": "VI-{00000}", "label": "Visit Item Number"},
                "Visit__c": {"type": "masterdetail", "referenceTo": ["Visit__c"],
                  "childRelationshipName": "Visit_Items__r"},
                "External_Id__c": {"type": "string", "length": 40, "externalId": true, "unique": true},
                "Product__c": {"type": "string", "length": 80},
                "Quantity__c": {"type": "double", "precision": 8, "scale": 0}
              }
            },
            "Lead": {"fields": {"Legacy__c": {"type": "string", "length": 20, "externalId": true}}}
          },
          "briefcase": [{"id": "r1", "object": "Account", "where": "OwnerId = :me", "orderBy": "Name", "limit": 500,
            "related": ["Contacts"]}]
        }
        """#

    private static let tinyText = #"""
        {
          "stamp": "2024-01-15T12:00:00.000Z", "freeze": "2024-01-15T12:05:00.000Z",
          "seed": [
            {"object": "Account", "key": "acc1", "values": {"Name": "Acme", "Type": "Prospect", "AnnualRevenue": 1000000,
              "Rating": "Hot", "BillingCity": "Oslo"}},
            {"object": "Account", "key": "acc2", "values": {"Name": "Globex", "AnnualRevenue": 300, "ParentId": "@acc1"}},
            {"object": "Account", "key": "acc3", "values": {"Name": "O'Neil 100%_x"}},
            {"object": "Account", "key": "delAcc", "deleted": true, "values": {"Name": "Deleted"}},
            {"object": "Contact", "key": "con1", "values": {"LastName": "Ng", "FirstName": "Ana",
              "Email": "ana@example.org", "AccountId": "@acc1"}},
            {"object": "Contact", "key": "con2", "values": {"LastName": "Smith", "AccountId": "@acc1"}},
            {"object": "Contact", "key": "con3", "values": {"LastName": "Orphan"}},
            {"object": "Opportunity", "key": "opp1", "values": {"Name": "First", "StageName": "Prospecting",
              "CloseDate": "2024-02-01", "Amount": 100, "AccountId": "@acc1"}},
            {"object": "Opportunity", "key": "opp2", "values": {"Name": "Second", "StageName": "Closed Won",
              "CloseDate": "2024-01-10", "Amount": 300, "AccountId": "@acc1"}},
            {"object": "Case", "key": "case1", "values": {"Subject": "Broken", "AccountId": "@acc2"}},
            {"object": "Visit__c", "key": "vis1", "values": {"External_Id__c": "V/1", "Account__c": "@acc1",
              "Status__c": "Planned"}},
            {"object": "Visit_Item__c", "key": "vit1", "values": {"Visit__c": "@vis1", "External_Id__c": "I-1"}},
            {"object": "Visit_Item__c", "key": "vit2", "values": {"Visit__c": "@vis1", "External_Id__c": "I-2"}},
            {"object": "Lead", "key": "dupA", "values": {"LastName": "Dup A", "Company": "Dup", "Legacy__c": "L-1"}},
            {"object": "Lead", "key": "dupB", "values": {"LastName": "Dup B", "Company": "Dup", "Legacy__c": "L-1"}}
          ]
        }
        """#
}
