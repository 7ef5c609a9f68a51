// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// The errors that the check must report. Each line that ends in a comment with "error:" must be reported with these words;
// otherwise the check itself does not work, and fails.

func newerThanTheDeploymentTargets(_ bytes: [UInt8], _ text: String) {
    _ = bytes.span  // error: 'span' is only available in
    _ = text.utf8.span  // error: 'span' is
    let _: InlineArray<2, Int>? = nil  // error: 'InlineArray' is only available in
}

func newerConcurrency() async {
    _ = Task.immediate { 1 }  // error: 'immediate
}
