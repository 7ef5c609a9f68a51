// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// Gathers what is wrong with a configuration, so that its author hears of all of it at once.
///
/// ```swift
/// init(configuration: Configuration) throws {
///     var faults = ConfigurationFaults()
///     faults.check { try SOQLCheck.object(configuration.sobjectType, at: "sobjectType") }
///     if configuration.days < 1 {
///         faults.add(SoupError(.badConfiguration, "there is no such span", place: Place(path: "days"), hint: "…"))
///     }
///     try faults.finish()
/// }
/// ```
public struct ConfigurationFaults: Sendable {
    /// What was found so far, in the order in which it was found.
    public private(set) var errors: [SoupError] = []

    /// Starts with nothing found.
    public init() {}

    /// Does a check and takes note of what it throws; several faults when that is a ``ConfigurationError``.
    ///
    /// - Returns: what the check gave; nil when it threw.
    @discardableResult
    public mutating func check<T>(_ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch let error as ConfigurationError {
            errors += error.problems.filter { $0.severity == .error }.map(\.error)
        } catch let error as SoupError {
            errors.append(error)
        } catch {
            errors.append(SoupError(.badConfiguration, "\(error)", cause: error))
        }
        return nil
    }

    /// Takes note of a fault; its place is a path inside of the configuration.
    public mutating func add(_ error: SoupError) { errors.append(error) }

    /// Returns when nothing was found.
    ///
    /// - Throws: the ``SoupError`` when there is one, a ``ConfigurationError`` with all of them when there are several.
    public func finish() throws {
        if errors.count > 1 { throw ConfigurationError(errors.map { ConfigurationProblem($0) }) }
        if let error = errors.first { throw error }
    }

    /// Gives what a check gave when nothing was found.
    ///
    /// - Parameter value: of ``check(_:)``: nil only where that has thrown.
    /// - Throws: as ``finish()``.
    public func finish<T>(giving value: T?) throws -> T {
        try finish()
        guard let value else { throw SoupError(.badConfiguration, "a check gave nothing") }
        return value
    }
}

extension ConfigurationFaults {
    /// Takes note of a text that is none of those that are allowed; case does not count.
    ///
    /// - Parameter what: what an error calls it: `form factor`.
    public mutating func check(_ text: String, isOneOf known: [String], at path: String, what: String) {
        guard !known.contains(where: { $0.lowercased() == text.lowercased() }) else { return }
        let nearest = NameDistance.nearest(to: text, in: known)
        add(
            SoupError(
                .badConfiguration, "no \(what) \"\(text)\"", place: Place(path: path),
                hint: "Known: \(known.joined(separator: ", "))." + (nearest.map { " Did you mean \"\($0)\"?" } ?? "")))
    }
}
