// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

extension SecretMask {
    /// Returns the error with no secret in its texts or in those of its causes.
    public func masked(_ error: SoupError) -> SoupError {
        var error = error
        error.message = masked(error.message)
        error.hint = error.hint.map { masked($0) }
        error.place = error.place.map { masked($0) }
        error.cause = error.cause.map { masked($0) }
        return error
    }

    /// Returns any error with no secret in it.
    ///
    /// The errors of this module keep their type, and so their ``SoupError/delivery``. Another one whose description
    /// contains a secret becomes a ``SoupError``.
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

    private func masked(_ place: Place) -> Place {
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

    /// Returns the failure with no secret in its texts.
    public func masked(_ failure: PushFailure) -> PushFailure {
        var failure = failure
        failure.code = masked(failure.code)
        failure.message = masked(failure.message)
        failure.fields = failure.fields.map { masked($0) }
        return failure
    }

    /// Returns the outcome, with those of its children, with no secret in an error.
    public func masked(_ outcome: PushOutcome) -> PushOutcome {
        var outcome = outcome
        outcome.result =
            switch outcome.result {
            case .ok: .ok
            case .skipped: .skipped
            case .failed(let failure): .failed(masked(failure))
            case .unknown(let failure): .unknown(masked(failure))
            case .notSent(let error): .notSent(masked(error))
            }
        outcome.children = outcome.children.map { masked($0) }
        return outcome
    }
}
