"""English words: their forms, and their synonyms. The core reaches it through `kit.extensions.english`.

inflect    plurals, verb forms, a or an
wordnet    synonyms from the files of WordNet, in the form of the word they replace
"""

from kit.english.inflect import article
from kit.english.wordnet import synonyms

__all__ = ["article", "synonyms"]
