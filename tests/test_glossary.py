"""The glossary: each entry in three languages, each link from a lesson resolves, each word a lesson sets is there."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from karmadalab import Settings
from tests.lessons import LESSONS, ROOT, read

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
LINK = re.compile(r"\[([^\]]+)\]\(\.\./docs/glossary\.md(?:#([\w-]+))?\)")
ENTRY = re.compile(
    r"## (?P<name>[^\n]+)\n\n(?:Also: (?P<also>[^\n]+)\.\n\n)?简 (?P<zh>[^\n]+?) · 繁 (?P<tw>[^\n]+)\n\n"
    r"(?P<text>[^\n]+)(?:\n\n(?:In Karmada|Here): (?P<where>[^\n]+)\.)?\n*"
)
HAN = re.compile(r"[\u4e00-\u9fff]")
# In bold, but no words to look up: parts of a lesson, and stress.
NO_TERMS = {
    "Look",
    "You will be able to",
    "Change one thing",
    "Why these six?",
    "and",
    "once a year",
    "twice a month",
    "twenty times a month",
}


class Entry(NamedTuple):
    """An entry of the glossary."""

    name: str
    also: tuple[str, ...]
    zh: str
    tw: str
    text: str
    where: str

    @property
    def anchor(self) -> str:
        """As GitHub and JupyterLab make it of a heading."""
        return re.sub(r"[^\w\- ]", "", self.name.lower()).replace(" ", "-")


def entries() -> list[Entry]:
    found = [m.groupdict(default="") for m in ENTRY.finditer(GLOSSARY)]
    return [
        Entry(m["name"], tuple(filter(None, m["also"].split(", "))), m["zh"], m["tw"], m["text"], m["where"])
        for m in found
    ]


def strange(text: str, charset: str) -> str:
    """The Chinese characters that a charset does not have."""
    return "".join(c for c in HAN.findall(text) if c.encode(charset, "replace") == b"?")


@cache
def prose(path: Path) -> str:
    return "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")


every_entry = pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.anchor)
every_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def test_every_heading_is_an_entry_in_the_right_form() -> None:
    headings = re.findall(r"^## (.+)$", GLOSSARY, re.MULTILINE)
    assert [entry.name for entry in entries()] == headings
    assert len(headings) > 70


def test_entries_are_sorted_and_no_name_or_anchor_is_there_twice() -> None:
    names = [entry.name for entry in entries()]
    assert names == sorted(names, key=str.lower)
    anchors = [entry.anchor for entry in entries()]
    assert len(set(anchors)) == len(anchors)
    every_name = [name for entry in entries() for name in {entry.name, *entry.also}]
    assert len(set(every_name)) == len(every_name)


@every_entry
def test_an_entry_has_three_languages_and_one_to_three_short_sentences(entry: Entry) -> None:
    assert HAN.search(entry.zh)
    assert HAN.search(entry.tw)
    assert not HAN.search(entry.name + entry.text)
    assert entry.text.endswith(".")
    assert 1 <= len(re.findall(r"[.:;?!](?= |$)", entry.text)) <= 4
    assert 5 <= len(entry.text.split()) <= 45


@every_entry
def test_each_script_keeps_to_its_own_characters(entry: Entry) -> None:
    """GB 2312 has no traditional characters, Big5 no simplified ones."""
    assert strange(entry.zh, "gb2312") == ""
    assert strange(entry.tw, "big5") == ""
    assert strange("調度", "gb2312") == "調"
    assert strange("调度", "big5") == "调"


@every_entry
def test_a_taiwanese_word_stands_in_brackets_of_its_own(entry: Entry) -> None:
    assert entry.tw.count("（") == entry.tw.count("）")
    assert "台灣" not in re.sub(r"（[^）]*）", "", entry.tw)
    assert "台" not in entry.zh
    if "集群" in entry.tw.partition("（")[0]:
        assert "叢集" in entry.tw or "台灣：" in entry.tw


def test_flags_that_the_glossary_names_exist() -> None:
    flags = {name.replace("_", "-") for name in Settings.__struct_fields__} | {"plugins"}
    named = set(re.findall(r"`--([a-z-]+)", GLOSSARY))
    assert named
    assert named <= flags


@every_lesson
def test_a_lesson_links_its_words_and_every_link_resolves(path: Path) -> None:
    anchors = {entry.anchor for entry in entries()}
    [line] = [line for line in prose(path).splitlines() if line.startswith("**Words.** ")]
    links = LINK.findall(line)
    assert links[-1][1] == "", "the last one leads to the whole glossary"
    assert 4 <= len(links) <= 8
    for name, anchor in LINK.findall(prose(path)):
        assert not anchor or anchor in anchors, name


@every_lesson
def test_a_lesson_links_only_words_that_it_uses(path: Path) -> None:
    text = prose(path).replace("**", "")
    body = "\n".join(line for line in text.splitlines() if not line.startswith("Words. ")).lower()
    by_anchor = {entry.anchor: entry for entry in entries()}
    for name, anchor in LINK.findall(text):
        if anchor:
            names = (by_anchor[anchor].name, *by_anchor[anchor].also)
            assert any(word.lower() in body for word in names), name


def test_words_that_lessons_set_in_bold_are_in_the_glossary() -> None:
    known = {name for entry in entries() for name in (entry.name, *entry.also)}
    missing: dict[str, Any] = {}
    for path in LESSONS:
        for words in re.findall(r"\*\*([^*\n]+)\*\*", prose(path)):
            if words not in known | NO_TERMS and not words.endswith((".", ":")):
                missing.setdefault(words, []).append(path.stem)
    assert missing == {}
