# Part of SoupKit, licensed under the Apache License 2.0. See LICENSE.
# SPDX-License-Identifier: Apache-2.0

"""Random damage to the form of a configuration: keys and the kinds of values."""

import copy

VALUES = [None, True, False, 5, 1.5, "", "text", [], {}, ["text"], {"a": "b"}, [{}], [1]]


def places(value, path=()):
    """The paths of all values below a value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, member in members:
        yield (*path, key)
        yield from places(member, (*path, key))


def misspelt(key, random):
    """The key with two letters in another order, or without a letter."""
    position = random.randrange(len(key)) if key else 0
    if len(key) > 1 and random.random() < 0.5:
        return key[:position] + key[position + 1:]
    return key[:position] + "x" + key[position:]


def mutated(document, random):
    """A copy of a document with one to three changes."""
    document = copy.deepcopy(document)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        paths = list(places(document))
        if not paths or random.random() < 0.02:
            return random.choice(VALUES)
        path = random.choice(paths)
        parent = document
        for step in path[:-1]:
            parent = parent[step]
        change = random.choice(["remove", "replace", "replace", "replace", "rename", "add", "text"])
        key = path[-1]
        if change == "remove":
            del parent[key]
        elif change == "replace":
            parent[key] = copy.deepcopy(random.choice(VALUES))
        elif change == "rename" and isinstance(parent, dict):
            value = parent.pop(key)
            parent[misspelt(key, random)] = value
        elif change == "add" and isinstance(parent, dict):
            parent[random.choice(["unknown", "_comment", "extra key"])] = copy.deepcopy(random.choice(VALUES))
        elif change == "text" and isinstance(parent[key], str):
            parent[key] = misspelt(parent[key], random)
    return document
