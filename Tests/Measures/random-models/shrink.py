"""Finds a small model that fails like a large one."""

import copy
import re
import sqlite3

from campaign import ModelCheck
from driver import Mismatch, write


def kind(message):
    """What a message says, without the names in it."""
    return re.sub(r"\W", "", re.sub(r"[\"'`].*?[\"'`]|\b\w*\d[\w.]*\b", "", message))[:24]


def candidates(files):
    """Smaller models, the smallest first. Each is a function that removes something from a copy."""
    for name in list(files):
        yield lambda files, name=name: files.pop(name)
    yield from lists(files, [])
    yield from members(files, [])


def at(value, path):
    for part in path:
        value = value[part]
    return value


def lists(value, path):
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, list):
            for place in reversed(range(len(each))):
                if isinstance(each[place], (dict, str)):
                    yield lambda files, path=[*path, key], place=place: at(files, path).pop(place)
        if isinstance(each, (dict, list)):
            yield from lists(each, [*path, key])


REQUIRED = {"name", "version", "identifier", "properties", "property_type", "type", "entity_name", "association"}


def members(value, path):
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(key, str) and path and key not in REQUIRED:
            yield lambda files, path=path, key=key: at(files, path).pop(key)
        if isinstance(each, (dict, list)):
            yield from members(each, [*path, key])


def remove_inverse(files):
    """Removes the name of each inverse that is missing now."""
    for entity in files.values():
        for property in entity.get("properties", []):
            type = property.get("property_type")
            if isinstance(type, dict) and "inverse" in type:
                target = next((f for f in files.values() if f.get("name") == type["entity_name"]), {})
                if not any(p["name"] == type["inverse"] for p in target.get("properties", [])):
                    del type["inverse"]


def shrink(files, message, start, seed, folder, driver, say):
    """The smallest model found whose migration from version `start` fails like that of `files`, and its message."""
    wanted = kind(message)

    def failure(files):
        write(folder / "Model", files)
        if driver.ask(action="check", folder=str(folder / "Model")).get("error"):
            return None
        check = None
        try:
            check = ModelCheck(files, seed, folder, driver)
            check.run({start})
        except Mismatch as mismatch:
            return str(mismatch) if kind(str(mismatch)) == wanted else None
        except (KeyError, StopIteration, TypeError, ValueError, sqlite3.Error):
            # The interpreter trusts its input.
            return None
        return None

    is_smaller = True
    while is_smaller:
        is_smaller = False
        index = 0
        while True:
            reductions = list(candidates(files))
            if index >= len(reductions):
                break
            smaller = copy.deepcopy(files)
            try:
                reductions[index](smaller)
            except (KeyError, IndexError):
                index += 1
                continue
            remove_inverse(smaller)
            found = failure(smaller)
            if found:
                files, message, is_smaller = smaller, found, True
                say(f"{len(str(files))} characters")
            else:
                index += 1
    return files, message
