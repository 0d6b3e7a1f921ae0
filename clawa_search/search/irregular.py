"""English forms that no stemmer brings together: went and go, children and child.

Other forms of a question's words are evidence of half weight: +1.1 R@5 on the LoCoMo dev set, within
0.2 elsewhere.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from indexer.word import Word

from indexer import analysis

SHARE = 0.5
"""What another form counts of the worth that it has as a word."""

FORMS = """
arise arose arisen; awake awoke awoken; become became; begin began begun; bend bent; bind bound; bite bit bitten;
bleed bled; blow blew blown; break broke broken; bring brought; build built; burn burnt; buy bought; catch caught;
choose chose chosen; cling clung; come came; creep crept; deal dealt; dig dug; draw drew drawn; dream dreamt;
drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found;
flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven;
freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hang hung; hear heard;
hide hid hidden; hold held; keep kept; know knew known; lead led; lean leant; learn learnt; leave left; lend lent;
light lit; lose lost; make made; mean meant; meet met; pay paid; ride rode ridden; ring rang rung; rise rose risen;
run ran; say said; see saw seen; seek sought; sell sold; send sent; shake shook shaken; shine shone; shoot shot;
show shown; shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken;
spend spent; spin spun; split splitting; stand stood; steal stole stolen; stick stuck; strike struck; swear swore sworn;
sweep swept; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought;
throw threw thrown; understand understood; wake woke woken; wear wore worn; weave wove woven; win won; wind wound;
write wrote written; child children; person people; man men; woman women; foot feet; tooth teeth; mouse mice;
goose geese; wife wives; life lives; knife knives; leaf leaves; shelf shelves; half halves; mom mum mother; dad father;
bad worse worst; good better best
"""
_SPACED = " " + FORMS.replace("\n", " ")
_related: dict[str, tuple[str, ...]] = {}


def _may_be_irregular(token: str) -> bool:
    """Does any form begin as *token* does? A stem may differ from its third letter on (fli, fly)."""
    return f" {token[: 3 if len(token) > 3 else 2]}" in _SPACED


def with_forms(words: list[Word]) -> list[Word]:
    """Return *words*, the irregular ones with their other forms, unless those are asked for as well."""
    held = {word.tokens[0] for word in words if word.plain}
    if not any(map(_may_be_irregular, held)):
        return words  # the usual case: no form has to be stemmed
    if not _related:
        stems = iter(analysis.text_tokens(FORMS))  # in one call: one a word, in order
        for group in FORMS.split(";"):
            forms = tuple(dict.fromkeys(next(stems) for _ in group.split()))
            for stem in forms:
                _related[stem] = _related.get(stem, ()) + forms
    found = []
    for word in words:
        forms = _related.get(word.tokens[0], ()) if word.plain else ()
        others = [form for form in dict.fromkeys(forms) if form not in held]
        found.append(word.also([((form,), SHARE) for form in others]) if others else word)
    return found
