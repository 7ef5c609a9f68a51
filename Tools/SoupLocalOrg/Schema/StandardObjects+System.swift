// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension StandardObjects {
    /// The objects that the org itself needs.
    static let system = #"""
        {
          "User": {"label": "User", "labelPlural": "Users", "keyPrefix": "005", "owner": false,
            "flags": {"createable": false, "deletable": false, "mruEnabled": true}, "fields": {
            "Username": {"type": "string", "length": 80, "required": true, "unique": true, "idLookup": true},
            "LastName": {"type": "string", "length": 80, "required": true},
            "FirstName": {"type": "string", "length": 40},
            "Name": {"type": "string", "length": 121, "label": "Full Name", "calculated": true, "nameField": true},
            "CompanyName": {"type": "string", "length": 80},
            "Title": {"type": "string", "length": 80},
            "Department": {"type": "string", "length": 80},
            "Email": {"type": "email", "length": 128, "required": true, "idLookup": true},
            "Phone": {"type": "phone"},
            "MobilePhone": {"type": "phone"},
            "Alias": {"type": "string", "length": 8},
            "CommunityNickname": {"type": "string", "length": 40, "label": "Nickname"},
            "IsActive": {"type": "boolean", "default": true, "label": "Active"},
            "TimeZoneSidKey": {"type": "picklist", "picklist": ["GMT", "America/Los_Angeles", "America/New_York",
              "Europe/Berlin"], "label": "Time Zone"},
            "LocaleSidKey": {"type": "picklist", "picklist": ["en_US", "de_DE", "fr_FR"], "label": "Locale"},
            "LanguageLocaleKey": {"type": "picklist", "picklist": ["en_US", "de", "fr"], "label": "Language"},
            "ProfileId": {"type": "reference", "referenceTo": ["Profile"]},
            "UserType": {"type": "picklist", "picklist": ["Standard"], "readOnly": true},
            "ManagerId": {"type": "reference", "referenceTo": ["User"]},
            "SmallPhotoUrl": {"type": "url", "readOnly": true, "label": "Url for Thumbnail sized Photo"}}},
          "Profile": {"label": "Profile", "labelPlural": "Profile", "keyPrefix": "00e", "owner": false,
            "flags": {"createable": false, "deletable": false, "mruEnabled": false, "searchable": false},
            "fields": {
            "Name": {"type": "string", "length": 255, "required": true}}},
          "Group": {"label": "Group", "labelPlural": "Group", "keyPrefix": "00G", "owner": false,
            "flags": {"createable": false, "deletable": false, "mruEnabled": false, "searchable": false},
            "fields": {
            "Name": {"type": "string", "length": 40, "required": true},
            "DeveloperName": {"type": "string", "length": 80},
            "Type": {"type": "picklist", "picklist": ["Regular", "Queue", "Organization"]}}},
          "Organization": {"label": "Organization", "labelPlural": "Organizations", "keyPrefix": "00D",
            "owner": false, "flags": {"createable": false, "deletable": false, "mruEnabled": false,
            "searchable": false}, "fields": {
            "Name": {"type": "string", "length": 80, "required": true},
            "Country": {"type": "string", "length": 80},
            "PrimaryContact": {"type": "string", "length": 80},
            "OrganizationType": {"type": "picklist", "picklist": ["Developer Edition", "Enterprise Edition",
              "Professional Edition"], "label": "Edition"},
            "IsSandbox": {"type": "boolean", "default": false},
            "InstanceName": {"type": "string", "length": 5},
            "NamespacePrefix": {"type": "string", "length": 15},
            "TrialExpirationDate": {"type": "datetime"},
            "DefaultLocaleSidKey": {"type": "picklist", "picklist": ["en_US"], "label": "Locale"},
            "TimeZoneSidKey": {"type": "picklist", "picklist": ["GMT"], "label": "Time Zone"},
            "LanguageLocaleKey": {"type": "picklist", "picklist": ["en_US"], "label": "Language"}}},
          "RecordType": {"label": "Record Type", "labelPlural": "Record Types", "keyPrefix": "012", "owner": false,
            "flags": {"createable": false, "deletable": false, "mruEnabled": false, "searchable": false},
            "fields": {
            "Name": {"type": "string", "length": 80, "required": true, "idLookup": true},
            "DeveloperName": {"type": "string", "length": 80, "required": true, "label": "Record Type Name"},
            "NamespacePrefix": {"type": "string", "length": 15},
            "Description": {"type": "textarea", "length": 255},
            "SobjectType": {"type": "picklist", "picklist": [], "length": 40, "required": true,
              "label": "SObject Type Name"},
            "IsActive": {"type": "boolean", "default": true, "label": "Active"}}}
        }
        """#
}
