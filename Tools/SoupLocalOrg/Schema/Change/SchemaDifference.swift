// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

internal import SoupCore

/// The changes that convert the tables of one schema to those of another.
struct SchemaDifference {
    struct Column {
        var object: OrgObject
        var field: OrgField
    }

    /// New objects.
    private(set) var added: [OrgObject] = []
    /// Removed objects.
    private(set) var removed: [OrgObject] = []
    private(set) var newColumns: [Column] = []
    /// Removed columns; their object is the old one.
    private(set) var oldColumns: [Column] = []
    /// Columns whose collation changes.
    private(set) var rebuiltColumns: [Column] = []
    /// Existing fields that become a master-detail reference, or refer to a master of another object.
    private(set) var newMasters: [Column] = []
    /// Existing fields with a new uniqueness constraint.
    private(set) var newlyUnique: [Column] = []
    /// Fields with a smaller limit than before: shorter texts, or smaller numbers.
    private(set) var narrowed: [Column] = []
    /// The changes that are not possible if there may be rows.
    private(set) var problems: [ConfigurationProblem] = []

    /// Whether something is removed, so that queries in progress must end.
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
                    object, path: [.key("keyPrefix")],
                    message: "the key prefix of \(object.name) cannot change: its records' ids begin with it",
                    hint: "Leave \"\(before.keyPrefix)\".")
            }
            compare(before, object)
        }
        // A column is removed after the formulas that read it, and added before them.
        oldColumns = oldColumns.filter { $0.field.formula != nil } + oldColumns.filter { $0.field.formula == nil }
        newColumns = newColumns.filter { $0.field.formula == nil } + newColumns.filter { $0.field.formula != nil }
    }

    private mutating func note(_ object: OrgObject, path: [ConfigurationStep], message: String, hint: String) {
        let steps: [ConfigurationStep] = [.key("objects"), .key(object.name)] + path
        problems.append(ConfigurationProblem(at: SoupError.Place(path: steps.text), message, hint: hint))
    }

    private mutating func compare(_ before: OrgObject, _ object: OrgObject) {
        for field in object.fields where field.type.storage != .none {
            let column = Column(object: object, field: field)
            guard let known = before.field(field.name), known.type.storage != .none else {
                newColumns.append(column)
                continue
            }
            compareStorage(Column(object: before, field: known), column)
            compareConstraints(known, column)
        }
        for field in before.fields where field.type.storage != .none {
            let kept = object.field(field.name).map { $0.type.storage != .none } ?? false
            if !kept { oldColumns.append(Column(object: before, field: field)) }
        }
    }

    /// Notes a column that must be built again, or whose change is not possible.
    private mutating func compareStorage(_ before: Column, _ column: Column) {
        let (known, field, object) = (before.field, column.field, column.object)
        let hint = "Remove the field, and add it in another change."
        if known.type.storage != field.type.storage {
            note(
                object, path: [.key("fields"), .key(field.name)],
                message:
                    "\(object.name).\(field.name) cannot change from \(known.type.rawValue) to \(field.type.rawValue)",
                hint: hint)
        } else if (known.formula == nil) != (field.formula == nil) {
            note(
                object, path: [.key("fields"), .key(field.name)],
                message:
                    "\(object.name).\(field.name) cannot become \(field.formula == nil ? "other than " : "")a formula",
                hint: hint)
        } else if known.formula?.sql != field.formula?.sql {
            oldColumns.append(before)
            newColumns.append(column)
        } else if known.isExact != field.isExact {
            rebuiltColumns.append(column)
        }
    }

    /// Notes a column with constraints that the stored values may violate.
    private mutating func compareConstraints(_ known: OrgField, _ column: Column) {
        let field = column.field
        if field.isMasterDetail, !known.isMasterDetail || Set(field.referenceTo) != Set(known.referenceTo) {
            newMasters.append(column)
        }
        if field.formula == nil, known.formula == nil, known.type.storage == field.type.storage,
            field.length < known.length || field.precision - field.scale < known.precision - known.scale
        {
            narrowed.append(column)
        }
        // A field that was case-sensitive may have duplicate values now.
        if field.isUnique, !known.isUnique || (known.isExact && !field.isExact) { newlyUnique.append(column) }
    }
}
