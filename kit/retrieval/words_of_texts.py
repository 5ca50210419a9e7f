"""The words of a text in any script, and the letters that count as one."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Thai and Lao, Burmese, Khmer; kana, Chinese, Hangul, half-width kana: with few or no spaces between words, each
# character is one.
UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f]"
RUN = re.compile(r"\w+")
WITH_WIDTHS = re.compile(r"[^\W\u00bc-\u00be\u2150-\u215f]+")  # no fractions: of 1½ NFKC would make 11/2
UNSEEN = re.compile("[\u00ad\u200c\u200d]")  # where a line may break, where letters join or do not: no part of a word


def tokens(text: str) -> list[str]:
    """The words of a text, `folded`: runs of letters and digits with their marks.

    Of a script without spaces each character is one.
    """
    return words_in(folded(text))


def words_in(text: str) -> list[str]:
    """The words of a text in normal form NFC, as they are written there."""
    return (RUN if text.isascii() else _word()).findall(text)


def folded(text: str) -> str:
    """A text in which each letter is one however it is written: by case, width, ss for ß, é in one sign or two.

    Signs that show nothing within a word are left out. Turkish İ, I and ı are all i, as I is also the capital of i.
    Signs such as ™ stay as they are, of which NFKC would make letters.
    """
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFC", UNSEEN.sub("", text))
    text = WITH_WIDTHS.sub(lambda run: unicodedata.normalize("NFKC", run[0]), text).casefold()
    return unicodedata.normalize("NFC", text).replace("i\u0307", "i").replace("ı", "i")


@cache
def _word() -> re.Pattern:
    """A word of any script. The marks of Hindi's vowels, say, are no letters to `re`, but parts of the word."""
    marks = "".join(chr(one) for one in range(0x300, 0x20000) if unicodedata.category(chr(one)).startswith("M"))
    return re.compile(rf"(?=[\w{marks}]){UNSPACED}[{marks}]*|(?:(?!{UNSPACED})[\w{marks}])+")
