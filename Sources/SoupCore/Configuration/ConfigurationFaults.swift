// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

/// A collection of the faults in a configuration, which reports all of them at once.
///
/// ```swift
/// init(configuration: Configuration) throws {
///     var faults = ConfigurationFaults()
///     faults.check(configuration.unit, isOneOf: ["celsius", "fahrenheit"], at: "unit", what: "unit")
///     if configuration.days < 1 {
///         faults.add(
///             SoupError(.badConfiguration, "days must be at least 1", place: .init(path: "days"), hint: "…"))
///     }
///     try faults.finish()
/// }
/// ```
public struct ConfigurationFaults: Sendable {
    /// The faults so far, in the order in which they were found.
    public private(set) var errors: [SoupError] = []

    /// Creates an empty collection.
    public init() {}

    /// Runs a check and records its error, or several faults if the error is a ``ConfigurationError``.
    ///
    /// - Returns: the result of the check; nil if it threw.
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

    /// Records a fault; its place is a path inside the configuration.
    public mutating func add(_ error: SoupError) { errors.append(error) }

    /// Throws the recorded faults, if there are any.
    ///
    /// - Throws: the ``SoupError`` if there is one fault, a ``ConfigurationError`` with all faults if there are
    ///   several.
    public func finish() throws {
        if errors.count > 1 { throw ConfigurationError(errors.map { ConfigurationProblem($0) }) }
        if let error = errors.first { throw error }
    }

    /// Returns the result of a check if no fault was recorded.
    ///
    /// - Parameter value: the result of ``check(_:)``: nil only if that check threw.
    /// - Throws: the errors of ``finish()``.
    public func finish<T>(returning value: T?) throws -> T {
        try finish()
        guard let value else { throw SoupError(.badConfiguration, "a check returned no value") }
        return value
    }
}

extension ConfigurationFaults {
    /// Records a fault if a text is not one of the allowed ones; case is ignored.
    ///
    /// - Parameter what: the name of the value in the error: `form factor`.
    public mutating func check(_ text: String, isOneOf known: [String], at path: String, what: String) {
        guard !known.contains(where: { $0.lowercased() == text.lowercased() }) else { return }
        add(
            SoupError(
                .badConfiguration, "no \(what) \"\(text)\"", place: SoupError.Place(path: path),
                hint: NameDistance.hint(for: text, among: known)))
    }
}
