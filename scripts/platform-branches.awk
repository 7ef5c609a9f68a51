# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
#
# Prints FILE: CONDITION for each #if that depends on the platform and contains code, once for each condition of a file.
# Ignores branches that contain only imports, and branches of traits.

function open_branch(condition) {
    depth++
    text[depth] = condition
    platform[depth] = condition ~ /canImport\(|os\(|targetEnvironment\(|arch\(|_pointerBitWidth\(/
    has_code[depth] = 0
}

FNR == 1 { depth = 0 }

/^[ \t]*#if / {
    condition = $0
    sub(/^[ \t]*#if /, "", condition)
    open_branch(condition)
    next
}
/^[ \t]*#elseif / {
    if (depth > 0 && $0 ~ /canImport\(|os\(|targetEnvironment\(|arch\(|_pointerBitWidth\(/) platform[depth] = 1
    next
}
/^[ \t]*#else/ { next }
/^[ \t]*#endif/ {
    if (depth > 0 && platform[depth] && has_code[depth] && !((FILENAME, text[depth]) in printed)) {
        printed[FILENAME, text[depth]] = 1
        print FILENAME ": " text[depth]
    }
    depth--
    next
}
/^[ \t]*$/ || /^[ \t]*\/\// { next }
/^[ \t]*(@[A-Za-z_]+ )*((public|package|internal|fileprivate|private) )?import / { next }
{ if (depth > 0) has_code[depth] = 1 }
