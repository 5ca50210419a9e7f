"""Documents of connected sentences: a few people, one day after the other, place by place."""

from __future__ import annotations

import random
from functools import cache

from kit.world.drawing import DAY_PLACES, LATE_PLACES, fill
from kit.world.frames import FRAMES, Frame
from kit.world.lexicon import NOUNS, PLACES
from kit.world.phrases import circumstance, noun_phrase
from kit.world.predicates import ING, PAST, WORDS, Style, predicate
from kit.world.scene import Party, Scene

NAMES = {
    "woman": "Clara Nadia Ines Martha Yuki Leila Rosa Greta Amina Judith Edith Paula".split(),
    "man": "Tomas Omar Felix Henry Kofi Pavel Marco Arthur Ravi Simon Emil Walter".split(),
}
JOBS = ("nurse", "teacher", "baker", "gardener", "journalist", "artist", "musician", "tailor",
        "programmer", "carpenter", "photographer", "librarian", "farmer", "mechanic")  # fmt: skip
HOURS = (
    ("morning", "In the morning", "Early that day", "After breakfast", "Soon after sunrise"),
    ("noon", "At noon", "Towards midday", "Around lunchtime"),
    ("afternoon", "In the afternoon", "Later that day", "After lunch"),
    ("evening", "In the evening", "Towards evening", "When the light faded"),
    ("night", "Late that night", "After dark", "Before midnight"),
)
DAYS = ("The next day", "On the following day", "A day later", "The day after that")
WEEKS = ("A week later", "Some days later", "At the end of that week", "When the week was over")
LINKS = ("Then", "After that", "A little later", "Soon", "Next", "Before long", "Finally",
         "For a while", "Later", "At last")  # fmt: skip
ASIDES = ("Nearby,", "Meanwhile,", "Not far away,", "At the same time,", "A few steps away,",
          "On the other side,")  # fmt: skip
SKIES = {
    "outdoors": (
        "The air was cool and clear.", "It had rained a little, and the ground was still wet.",
        "A light wind was blowing.", "The sky was grey, but nobody minded.", "It was warm.",
        "The sun came out from behind the clouds.", "It was colder than the day before.",
        "Clouds were moving quickly across the sky.", "There was not a cloud to be seen.",
    ),
    "indoors": (
        "It was quiet there.", "All the lights were on.", "It was pleasantly warm inside.",
        "It smelled faintly of coffee.", "A clock on the wall struck the hour.",
        "Somebody had left the light on.", "The door stood open.", "It was busier than usual.",
    ),
}  # fmt: skip
FEELINGS = (
    "{He} was in a good mood.", "{He} felt a little tired.", "{He} did not hurry.",
    "{He} liked it there.", "{He} had been there many times before.", "{He} thought of {friend}.",
    "{He} had promised {friend} to come.", "{He} wanted to tell {friend} about it.",
    "{He} smiled.", "{He} lost all sense of time.", "Nobody disturbed {him}.",
    "{He} took {his} time.", "{He} was glad to be there.", "{friend} would have liked it too.",
)  # fmt: skip
PRONOUNS = {"m": ("He", "him", "his"), "f": ("She", "her", "her")}


@cache
def _frames_at(*nouns: str) -> dict[str, list[Frame]]:
    """Of each place its frames; where nouns are given, only those in which one of them does something."""
    found: dict[str, list[Frame]] = {}
    for frame in FRAMES:
        if not nouns or (frame.verb and not set(nouns).isdisjoint(frame.subjects.items)):
            for place in frame.places.items:
                found.setdefault(place, []).append(frame)
    return found


class Storyteller:
    """Writes one document; what was already told is not told again in the same words."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.sex = "f" if rng.random() < 0.5 else "m"
        self.noun = "woman" if self.sex == "f" else "man"
        names = NAMES[self.noun]
        self.name = self._one(names)
        everybody = [name for group in NAMES.values() for name in group if name != self.name]
        self.friend = self._one(everybody)
        self.job = self._one(JOBS)
        self.frames_at = _frames_at(self.noun, self.job)
        self.others_at = _frames_at()
        self.told: set[str] = set()

    def _one(self, options):
        return options[int(self.rng.random() * len(options))]

    def document(self, tokens: int) -> str:
        """Paragraphs parted by an empty line, with at least `tokens` words."""
        He, _, his = PRONOUNS[self.sex]
        age = self._one(("young", "middle-aged", "tall", "lively", "quiet", "cheerful"))
        job = NOUNS[self.job].forms[0][0]
        home = self._one(("in a small town", "near the harbour", "in an old house by the river",
                          "in a big city", "at the edge of a village"))  # fmt: skip
        start = (f"{self.name} was a {age} {job} who lived {home}. {He} often met {his} friend "
                 f"{self.friend}, and no two of {his} days were the same.")  # fmt: skip
        paragraphs, count, day = [start], len(start.split()), 0
        while count < tokens:
            for hour in HOURS:
                if self.rng.random() < 0.35 and count:
                    continue
                paragraph = self._paragraph(hour, day)
                day = 0 if day else day
                paragraphs.append(paragraph)
                count += len(paragraph.split())
                if count >= tokens:
                    break
            day = 1 if self.rng.random() < 0.8 else 2
        return "\n\n".join(paragraphs)

    def _paragraph(self, hour: tuple[str, ...], day: int) -> str:
        """One place at one hour: arriving, a chain of actions, what others did there."""
        rng = self.rng
        place = self._place(hour[0])
        lead = self._one(DAYS if day == 1 else WEEKS) if day else self._one(hour[1:])
        where = circumstance(Scene(place=place), "place", int(rng.random() * WORDS))
        arrival = self._one(("was", "spent some time", "could be found", "was"))
        sentences = [f"{lead}, {self.name} {arrival} {where}."]
        if rng.random() < 0.5:
            sentences.append(self._one(SKIES.get(PLACES[place].setting) or SKIES["outdoors"][:1]))
        frames = self._plan(place)
        for step in range(3 + int(rng.random() * 4)):
            sentences.append(self._deed(frames[step % len(frames)], place, step))
            roll = rng.random()
            if roll < 0.3:
                sentences.append(self._bystander(place))
            elif roll < 0.5:
                sentences.append(self._feeling())
        return " ".join(sentence for sentence in sentences if sentence)

    def _plan(self, place: str) -> list[Frame]:
        """What there is to do at a place: what belongs to one topic first, no skiing in summer."""
        frames = list(self.frames_at[place])
        self.rng.shuffle(frames)
        topic = frames[0].topic
        frames = [frame for frame in frames if topic == frame.topic or frame.topic != "winter"]
        return sorted(frames, key=lambda frame: frame.topic != topic)

    def _place(self, hour: str) -> str:
        """A place where the protagonist has more than one thing to do at that hour."""
        late = hour in ("evening", "night")
        fitting = [
            place
            for place, frames in self.frames_at.items()
            if len(frames) > 1 and place not in (DAY_PLACES if late else LATE_PLACES)
        ]
        return self._one(fitting)

    def _deed(self, frame: Frame, place: str, step: int) -> str:
        """What the protagonist did next: pronoun or name, past tense, place unsaid."""
        for _ in range(4):
            scene = fill(frame, self.rng, 0.9, Party(self.noun), place)
            scene = scene._replace(place=None, time=None, weather=None, beside=None)
            if scene.posture and not scene.spot:
                scene = scene._replace(posture=None)
            words = " ".join(predicate(scene, self._style(), PAST, "", None))
            if words not in self.told and " " in words:  # "walked" alone says too little
                break
        else:
            return ""
        self.told.add(words)
        with_friend = self.rng.random() < 0.1
        subject = self.name if self.rng.random() < 0.25 else PRONOUNS[self.sex][0]
        if with_friend:
            subject = f"{self.name} and {self.friend}"
            if any(own in words.split() for own in ("his", "her")):
                subject = self.name
        if step and self.rng.random() < 0.45:
            lead = self._one(LINKS)
            joined = subject if subject.startswith(self.name) else subject.lower()
            return f"{lead}{'' if lead in ('Then', 'Soon', 'Next') else ','} {joined} {words}."
        return f"{subject} {words}."

    def _bystander(self, place: str) -> str:
        frame = self._one(self.others_at[place])
        scene = fill(frame, self.rng, 0.8, None, place)
        scene = scene._replace(place=None, time=None, weather=None)
        scene = scene if scene.spot else scene._replace(posture=None)
        if scene.verb is None and scene.posture is None:
            return ""
        style = self._style()
        subject = noun_phrase(scene.who, style.word)
        plural = scene.who.high > 1 and scene.who.low > 0
        be = "were" if plural else "was"
        words = f"{subject} {' '.join(predicate(scene, style, ING, be, None))}."
        return f"{self._one(ASIDES)} {words}" if self.rng.random() < 0.6 else words[0].upper() + words[1:]

    def _feeling(self) -> str:
        He, him, his = PRONOUNS[self.sex]
        text = self._one(FEELINGS)
        return text.format(He=He, him=him, his=his, friend=self.friend)

    def _style(self) -> Style:
        return Style("past", False, int(self.rng.random() * WORDS))
