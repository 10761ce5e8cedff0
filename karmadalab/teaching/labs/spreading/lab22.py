"""Lab 22 put together: three checks, each with its hints."""

from __future__ import annotations

from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs.spreading import culprits, goal, repair

_WITNESS = Check(
    culprits.judge,
    "three questions, of four clusters at most, which three selections answer otherwise than Karmada.",
    (
        "Ask all four the same question and print the answers: `{name: rule(*question) for name, rule in "
        "CULPRITS.items()}` beside `karmada(*question)`. Then change one number.",
        "Go through the rules and give each a question in which it alone decides: too few clusters; a tie in the "
        "score; too little room, with a roomy cluster left over.",
        'Still none? Read them: `show.source(CULPRITS["cyd"])`. For cyd the chosen must be two at least, of unequal '
        "room, and one of them must give way.",
    ),
)

_REPAIR = Check(
    repair.judge,
    "twelve cases and 300 random ones; and a control plane in which web grows and shrinks, placed as by Karmada.",
    (
        "`sorted` with a key that is a tuple does rule 1; a slice does rule 3. Keep the others as a list of their own.",
        "Rule 4 is one pass over the places of the chosen, from the last to the first. At each place: is there room "
        "enough? Then stop. Else look at the roomiest of the others.",
        "Swap, don't replace: who gives way joins the others. `max(rest, key=...)` gives the first of the roomiest.",
    ),
)

_GOAL = Check(
    goal.judge,
    "your constraints: the copies that are wanted, one at least whichever region fails, and all of them again after "
    "that.",
    (
        "Three wishes, and each is a number: how many copies, how many regions to survive, how many regions are left.",
        'The copies are the upper end of "cluster". The survival is the lower end of "region".',
        "Three regions are there, and two are left when one fails. So demand two of them.",
    ),
)

LAB = TeachingLab(checks={"22.1": _WITNESS, "22.2": _REPAIR, "22.3": _GOAL}, usual=goal.Goal(), drawn=goal.drawn)
