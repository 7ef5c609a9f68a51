// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import SoupLocalOrg
import SoupCore
import Testing

/// Describes of objects and their layouts.
@Suite struct LayoutHandlerTests {
    private let client: OrgClient

    init() throws { client = try OrgClient() }

    private static let fieldKeys = """
        aggregatable aiPredictionField autoNumber byteLength calculated calculatedFormula cascadeDelete caseSensitive \
        compoundFieldName controllerName createable custom defaultValue defaultValueFormula defaultedOnCreate \
        dependentPicklist deprecatedAndHidden digits displayLocationInDecimal encrypted externalId extraTypeInfo \
        filterable filteredLookupInfo formulaTreatNullNumberAsZero groupable highScaleNumber htmlFormatted idLookup \
        inlineHelpText label length mask maskType name nameField namePointing nillable permissionable picklistValues \
        polymorphicForeignKey precision queryByDistance referenceTargetField referenceTo relationshipName \
        relationshipOrder restrictedDelete restrictedPicklist scale searchPrefilterable soapType sortable type unique \
        updateable writeRequiresMasterRead
        """
    private static let objectKeys = """
        activateable associateEntityType associateParentEntity createable custom customSetting deepCloneable deletable \
        deprecatedAndHidden feedEnabled hasSubtypes isInterface isSubtype keyPrefix label labelPlural layoutable \
        mergeable mruEnabled name queryable replicateable retrieveable searchable triggerable undeletable updateable urls
        """
    private static let describeKeys = """
        actionOverrides childRelationships compactLayoutable defaultImplementation extendedBy extendsInterfaces fields \
        implementedBy implementsInterfaces listviewable lookupLayoutable namedLayoutInfos networkScopeFieldName \
        recordTypeInfos searchLayoutable supportedScopes
        """

    private func words(_ text: String) -> Set<String> { Set(text.split(separator: " ").map(String.init)) }
    private func keys(_ json: JSONValue?) -> Set<String> { Set(json?.objectValue?.keys ?? []) }

    @Test func `Describes have every key of servers`() async throws {
        let global = try await client.json(.get, "sobjects")
        let objects = try #require(global.sobjects?.arrayValue)
        for object in objects {
            #expect(keys(object) == words(Self.objectKeys))
            let whole = try await client.json(.get, "sobjects/\(object.name?.stringValue ?? "")/describe")
            #expect(keys(whole) == words(Self.objectKeys).union(words(Self.describeKeys)))
            for field in whole.fields?.arrayValue ?? [] {
                #expect(keys(field) == words(Self.fieldKeys), "\(object.name ?? .null).\(field.name ?? .null)")
            }
        }
        let contact = try await client.json(.get, "sobjects/Contact/describe")
        let compounds = contact.fields?.arrayValue?.filter { $0.compoundFieldName == "Name" }.map { $0.name }
        #expect(Set(compounds ?? []).isSuperset(of: ["FirstName", "LastName"]))
    }

    @Test func `A layout has every field`() async throws {
        let answer = try await client.json(.get, "sobjects/Account/describe/layouts")
        #expect(keys(answer) == ["layouts", "recordTypeMappings", "recordTypeSelectorRequired"])
        #expect(answer.recordTypeSelectorRequired == [false])
        let layout = try #require(answer.layouts?[0])
        #expect(
            keys(layout)
                == words(
                    "buttonLayoutSection detailLayoutSections editLayoutSections feedView highlightsPanelLayoutSection id "
                        + "multirowEditLayoutSections offlineLinks quickActionList relatedContent relatedLists saveOptions"
                ))
        func names(_ sections: JSONValue?) -> Set<String> {
            Set(
                (sections?.arrayValue ?? []).flatMap { $0.layoutRows?.arrayValue ?? [] }
                    .flatMap { $0.layoutItems?.arrayValue ?? [] }.flatMap { $0.layoutComponents?.arrayValue ?? [] }
                    .compactMap { $0.value?.stringValue })
        }
        let described = try await client.json(.get, "sobjects/Account/describe").fields?.arrayValue ?? []
        let shown = described.filter { !["Id", "IsDeleted"].contains($0.name) }.filter {
            $0.compoundFieldName == .null
        }
        #expect(names(layout.detailLayoutSections) == Set(shown.compactMap { $0.name?.stringValue }))
        #expect(
            names(layout.editLayoutSections)
                == Set(
                    shown.filter { $0.createable == true || $0.updateable == true }.compactMap { $0.name?.stringValue })
        )
        let master = try await client.json(.get, "sobjects/Account/describe/layouts/012000000000000AAA")
        #expect(master == layout)
        #expect(try await client.send(.get, "sobjects/Account/describe/layouts/012000000000009AAA").status == 404)
        #expect(try await client.send(.get, "sobjects/Nope/describe/layouts").status == 404)
        let compact = try await client.json(.get, "sobjects/Account/describe/compactLayouts")
        #expect(compact.compactLayouts?[0]?.fieldItems?[0]?.layoutComponents?[0]?.value == "Name")
    }

    @Test func `Several record types have layouts of their own`() async throws {
        let client = try OrgClient(
            OrgSeed(
                json: Array(
                    #"""
                    {"objects": {"Shelf__c": {"recordTypes": [{"developerName": "A", "default": true},
                      {"developerName": "B"}], "fields": {"Size__c": {"type": "int"}}}}}
                    """#.utf8)))
        let answer = try await client.json(.get, "sobjects/Shelf__c/describe/layouts")
        #expect(answer.layouts == .null && answer.recordTypeSelectorRequired == [true])
        let types = try #require(answer.recordTypeMappings?.arrayValue)
        #expect(types.map { $0.developerName } == ["A", "B", "Master"])
        for type in types {
            let url = try #require(type.urls?.layout?.stringValue)
            #expect(try await client.json(.get, url).id == type.layoutId)
        }
    }
}
