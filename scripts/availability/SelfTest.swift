// Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
// SPDX-License-Identifier: Apache-2.0

// What the check must report. Each line of this file that ends in a comment with "error:" is to be reported with these
// words; when one is not, the check itself is broken, and fails.

func newerThanTheDeploymentTargets(_ bytes: [UInt8], _ text: String) {
    _ = bytes.span  // error: 'span' is only available in
    _ = text.utf8.span  // error: 'span' is
    let _: InlineArray<2, Int>? = nil  // error: 'InlineArray' is only available in
}

func newerConcurrency() async {
    _ = Task.immediate { 1 }  // error: 'immediate
}
