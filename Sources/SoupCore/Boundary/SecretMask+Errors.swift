// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SecretMask {
    /// Returns the error without secrets in its texts and in those of its causes.
    public func masked(_ error: SoupError) -> SoupError {
        var error = error
        error.message = masked(error.message)
        error.hint = error.hint.map { masked($0) }
        error.place = error.place.map { masked($0) }
        error.cause = error.cause.map { masked($0) }
        return error
    }

    /// Returns any error without secrets in it.
    ///
    /// Errors of this module keep their type, and therefore their ``SoupError/delivery``. If the description of another
    /// error contains a secret, returns a ``SoupError`` in its place.
    public func masked(_ error: any Error) -> any Error {
        switch error {
        case let known as SoupError: return masked(known)
        case let known as PushFailure: return masked(known)
        case let known as NetworkFailure: return NetworkFailure(known.delivery, masked(known.reason))
        case let known as ConfigurationError:
            return ConfigurationError(known.problems.map { masked($0) })
        default:
            let text = String(describing: error)
            let clean = masked(text)
            return clean == text ? error : SoupError("unexpected", clean)
        }
    }

    private func masked(_ place: SoupError.Place) -> SoupError.Place {
        var place = place
        place.file = place.file.map { masked($0) }
        place.path = place.path.map { masked($0) }
        place.excerpt = place.excerpt.map { masked($0) }
        return place
    }

    private func masked(_ problem: ConfigurationProblem) -> ConfigurationProblem {
        var problem = problem
        problem.place = masked(problem.place)
        problem.message = masked(problem.message)
        problem.hint = problem.hint.map { masked($0) }
        return problem
    }

    /// Returns the failure without secrets in its texts.
    public func masked(_ failure: PushFailure) -> PushFailure {
        var failure = failure
        failure.code = masked(failure.code)
        failure.message = masked(failure.message)
        failure.fields = failure.fields.map { masked($0) }
        return failure
    }

    /// Returns the outcome without secrets in its errors and in those of its children.
    public func masked(_ outcome: PushOutcome) -> PushOutcome {
        var outcome = outcome
        outcome.result =
            switch outcome.result {
            case .ok: .ok
            case .skipped: .skipped
            case .failed(let failure): .failed(masked(failure))
            case .conflict(let failure): .conflict(masked(failure))
            case .unknown(let failure): .unknown(masked(failure))
            case .notSent(let error): .notSent(masked(error))
            }
        outcome.children = outcome.children.map { masked($0) }
        return outcome
    }
}
