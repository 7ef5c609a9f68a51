#!/usr/bin/env python3
# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""Finds words that do not belong in code, comments, messages, documents and scripts, and fails if there are any.

    scripts/check-words.py [FILE...]     by default all files of the package
    scripts/check-words.py --self-test   checks that the words are found

A name such as `settleRow` is read as its words, `settle Row`. The case of letters is ignored.
"""

import os, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = {
    ".swift", ".md", ".py", ".sh", ".awk", ".c", ".h", ".modulemap", ".supp", ".yml", ".js", ".ts", ".css", ".html",
}
NAMES = {"Makefile", "run"}

# Patterns, and what to write instead. Words that are also terms of the field have a form that leaves out the term.
WORDS = [
    (r"nobody|somebody|anybody|everybody|whoever|someone|anyone|everyone|no one",
     "name the actor: the app, the engine, the target, the backend, the server, the user, the caller"),
    (r"settl(e[sd]?|ing)", "resolve, apply"),
    (r"mend(s|ed|ing)?", "fix, correct"),
    (r"minds|minded|(not|never) mind", "check, handle, ignore"),
    (r"bring(s|ing)?|brought", "fetch, return, contain"),
    (r"tell(s|ing)?|told", "report, return, state"),
    (r"lets (it |them )?in|let (it|them) in", "accept"),
    (r"pass(es|ed|ing) over|go(es)? by|went by", "skip, ignore, use"),
    (r"(stands?|stood|standing|lies|lay|lying) (in|at|on|behind|between|below|above|beside|before|there|where)", "is"),
    (r"speaks? to", "communicate with"),
    (r"reviv(al|e[sd]?|ing)", "recreate, restore"),
    (r"blam(e[sd]?|ing)", "name the cause"),
    (r"harmless", "state what happens, or that it has no effect"),
    (r"doomed|astray|strand(s|ed)|in vain", "state the outcome"),
    (r"(im)?patient(ly)?", "name the state"),
    (r"famil(y|ies)", "record tree, parent and children, group"),
    (r"bystanders?|keepers?|seats?", "name the object or the actor"),
    (r"repoint(s|ed|ing)?|climb(s|ed|ing)?", "relink, ancestors"),
    (r"(make|made|making)s? again", "recreate"),
    (r"standing (record|creation|entr(y|ies))s?|seen dates|delete locally", "still on the server, watermark, remove"),
    (r"(keyed|flight|owner|conflict) log", "table, store"),
    (r"as far as|insofar as|that which|those which|of what [a-z]+s\b", "a noun"),
    (r"now and then|all the same|anew|afresh|for good", "occasionally, irrelevant, again, permanently"),
    (r"(keep|held|hold|kept)s? back", "exclude, delay"),
    (r"of course|obviously|needless to say", "nothing"),
]
# The first line of a doc comment is a verb phrase or a noun phrase.
FIRST_LINE = re.compile(r"^\s*/// (What|Whatever|Of what|Who|Why|How)\b")
# Terms, and texts of Salesforce and of the seeds.
TERMS = re.compile(
    r"(font|address|protocol|product)[ -]famil(y|ies)|\b(sa|sin6?|ss|ai)_family(_t)?\b|family_name|\"family\"|CURLOPT_NOBODY|git blame"
    r"|changed by someone else|waiting on someone else", re.I)
PATTERN = re.compile("|".join(rf"\b(?P<w{index}>{pattern})\b" for index, (pattern, _) in enumerate(WORDS)), re.I)


def faults(text):
    """Yields the line, the word and the advice of each fault of a text."""
    for number, line in enumerate(text.splitlines(), 1):
        if FIRST_LINE.match(line):
            yield number, FIRST_LINE.match(line)[1], "a verb phrase or a noun phrase"
        # Single quotes of SQL and of Swift names stay, words of names are separated.
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", TERMS.sub("", line))
        for match in PATTERN.finditer(words):
            yield number, match[0], WORDS[int(match.lastgroup[1:])][1]


def files():
    """Yields the files of the package that are written for readers."""
    for folder, names, found in os.walk(ROOT):
        # Data cases are copies of a specification; build products have their own folders.
        names[:] = sorted(name for name in names if not name.startswith(".build") and name not in {
            ".git", ".docs", ".swiftpm", "corpus", "__pycache__"} and pathlib.Path(folder, name) != ROOT / "Tests/Conformance")
        for name in sorted(found):
            path = pathlib.Path(folder, name)
            if path.suffix in SUFFIXES or name in NAMES:
                yield path


SELF_TEST = {
    "// nobody knows": ["nobody"],
    "func settleRow(toldBefore: Bool)": ["settle", "told"],
    "func deleteLocally() { repointed(flightLog) }": ["delete Locally", "repointed", "flight Log"],
    "let keepers = 1; let family_size = 2": ["keepers", "family"],
    "/// What a job does.": ["What"],
    "    /// Brings the records, as far as they stand in the soup.": ["Brings", "as far as", "stand in"],
    "print(\"it stands behind the quote\")  // font family, git blame, patients": ["stands behind"],
    "// Mindful, tellurium, bringup, seating, ascertained, goby, letting, passes, overseas": [],
}


def self_test():
    """Ends the process if the faults of the examples are not the expected ones."""
    for text, expected in SELF_TEST.items():
        found = [word for _, word, _ in faults(text)]
        if found != expected:
            sys.exit(f"words: the self-test failed for {text!r}: {found}")


def main():
    self_test()
    if sys.argv[1:] == ["--self-test"]:
        return
    count = 0
    for path in [pathlib.Path(name).resolve() for name in sys.argv[1:]] or files():
        if path == pathlib.Path(__file__).resolve():
            continue
        for line, word, advice in faults(path.read_text()):
            count += 1
            print(f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}:{line}: {word}. Instead: {advice}")
    sys.exit(1 if count else 0)


main()
