// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// What has to be done to the tables of one schema to make them those of another.
struct SchemaDifference {
    struct Column {
        var object: OrgObject
        var field: OrgField
    }

    /// New objects.
    private(set) var added: [OrgObject] = []
    /// Objects that are no more.
    private(set) var removed: [OrgObject] = []
    private(set) var newColumns: [Column] = []
    /// Columns that are no more; their object is the old one.
    private(set) var oldColumns: [Column] = []
    /// Columns whose texts are to be compared in another way.
    private(set) var rebuiltColumns: [Column] = []
    /// Fields that were there, and become a reference to a master, or to one of another object.
    private(set) var newMasters: [Column] = []
    /// Fields that were there, and whose values had not to be unique in the way in which they have to be now.
    private(set) var newlyUnique: [Column] = []
    /// Fields that hold less than before: shorter texts, or smaller numbers.
    private(set) var narrowed: [Column] = []
    /// What cannot be changed where there may be rows.
    private(set) var problems: [ConfigurationProblem] = []

    /// Whether something is no more as it was, so that queries under way cannot go on.
    var isDestructive: Bool { !removed.isEmpty || !oldColumns.isEmpty || !rebuiltColumns.isEmpty }

    init(from old: OrgSchema, to new: OrgSchema) {
        removed = old.objects.filter { new[$0.name] == nil }
        for object in new.objects {
            guard let before = old[object.name] else {
                added.append(object)
                continue
            }
            if before.keyPrefix != object.keyPrefix {
                note(
                    object, [.key("keyPrefix")],
                    "the key prefix of \(object.name) cannot change: its records' ids begin with it",
                    hint: "Leave \"\(before.keyPrefix)\".")
            }
            compare(before, object)
        }
        // A column goes behind the formulas that read it, and comes before them.
        oldColumns = oldColumns.filter { $0.field.formula != nil } + oldColumns.filter { $0.field.formula == nil }
        newColumns = newColumns.filter { $0.field.formula == nil } + newColumns.filter { $0.field.formula != nil }
    }

    private mutating func note(_ object: OrgObject, _ path: [ConfigurationStep], _ message: String, hint: String) {
        let steps: [ConfigurationStep] = [.key("objects"), .key(object.name)] + path
        problems.append(ConfigurationProblem(at: Place(path: steps.text), message, hint: hint))
    }

    private mutating func compare(_ before: OrgObject, _ object: OrgObject) {
        for field in object.fields where field.type.storage != .none {
            guard let known = before.field(field.name), known.type.storage != .none else {
                newColumns.append(Column(object: object, field: field))
                continue
            }
            if known.type.storage != field.type.storage {
                note(
                    object, [.key("fields"), .key(field.name)],
                    "\(object.name).\(field.name) cannot change from \(known.type.rawValue) to \(field.type.rawValue)",
                    hint: "Take the field away, and add it in another change.")
            } else if (known.formula == nil) != (field.formula == nil) {
                note(
                    object, [.key("fields"), .key(field.name)],
                    "\(object.name).\(field.name) cannot become \(field.formula == nil ? "other than " : "")a formula",
                    hint: "Take the field away, and add it in another change.")
            } else if known.formula?.sql != field.formula?.sql {
                oldColumns.append(Column(object: before, field: known))
                newColumns.append(Column(object: object, field: field))
            } else if known.isExact != field.isExact {
                rebuiltColumns.append(Column(object: object, field: field))
            }
            if field.isMasterDetail, !known.isMasterDetail || Set(field.referenceTo) != Set(known.referenceTo) {
                newMasters.append(Column(object: object, field: field))
            }
            if field.formula == nil, known.formula == nil, known.type.storage == field.type.storage,
                field.length < known.length || field.precision - field.scale < known.precision - known.scale
            {
                narrowed.append(Column(object: object, field: field))
            }
            // One that told cases apart may have values twice now.
            if field.isUnique, !known.isUnique || (known.isExact && !field.isExact) {
                newlyUnique.append(Column(object: object, field: field))
            }
        }
        for field in before.fields where field.type.storage != .none {
            let kept = object.field(field.name).map { $0.type.storage != .none } ?? false
            if !kept { oldColumns.append(Column(object: before, field: field)) }
        }
    }
}
