"""Split shell commands into words, roughly."""

from dataclasses import dataclass
from typing import Iterator, List

SEPARATORS = {";", "&", "|", "\n"}
QUOTES = "'\""


@dataclass
class Command:
    words: List[str]
    piped: bool = False

    def __bool__(self):
        return bool(self.words)


def split(text: str) -> Iterator[str]:
    """Yield words, and separators as words of their own."""
    word, quote = "", ""
    escaped = False
    for c in text:
        if escaped:
            word += c
            escaped = False
        elif c == "\\" and quote != "'":
            escaped = True
        elif quote:
            word += c
            if c == quote:
                quote = ""
        elif c in QUOTES:
            quote = c
            word += c
        elif c in SEPARATORS:
            if word:
                yield word
            yield c
            word = ""
        elif c.isspace():
            if word:
                yield word
            word = ""
        else:
            word += c
    if word:
        yield word


def commands(text: str) -> Iterator[Command]:
    current = Command([])
    last = ""
    for word in split(text):
        if word in SEPARATORS:
            if current:
                yield current
                current = Command([], piped=word == "|")
            elif last == "|" and word == "|":
                current.piped = False
            last = word
            continue
        last = ""
        current.words.append(word)
    if current:
        yield current


def unquote(word: str) -> str:
    for q in QUOTES:
        if len(word) > 1 and word[0] == q and word[-1] == q:
            return word[1:-1]
    return word


def joined(parts: List[Command]) -> str:
    return "; ".join(" ".join(p.words) for p in parts)
