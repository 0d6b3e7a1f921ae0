"""What wraps a question counts for nothing: function words of its language, polite frames."""

import pytest

from clawa_search.search.query import parse
from indexer.analysis import text_tokens
from indexer.closed_classes import CLOSED_CLASSES
from tests.builders import user

QUESTIONS = {
    "wo ist das Passwort der Datenbank?": "passwort datenbank",
    "welche Bücher möchte ich über Küsten für den Urlaub?": "Bücher Küsten Urlaub",
    "où est le mot de passe de la base?": "mot passe base",
    "¿dónde está la contraseña de la base?": "contraseña base",
    "waar is het wachtwoord van de database?": "wachtwoord database",
    "где лежит пароль от базы?": "лежит пароль базы",
    "could you please tell me where the password of the database is?": "password database",
    "Sorry to ask again, do you remember the password?": "password",
    "the man who died hard": "man died hard",
    "die hard": "die hard",
    "please remember": "please remember",
    "find the password": "find password",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_only_what_is_asked_for_is_looked_for(question):
    wanted = text_tokens(QUESTIONS[question])
    assert [token for word in parse(question).words for token in word.tokens] == wanted


@pytest.mark.parametrize("language", CLOSED_CLASSES)
def test_closed_classes_are_tokens_as_texts_have_them(language):
    words = CLOSED_CLASSES[language].split()
    assert len(words) == len(set(words)) > 30
    for word in words:
        assert text_tokens(word), word


def test_a_question_that_only_shares_its_frame_with_an_entry_finds_another(home):
    home.write("a.jsonl", user("wo ist das nur und wann war das"), user("Passwort: Datenbank"))
    home.ready()
    hits = home.hits("wo ist das Passwort der Datenbank")
    assert hits[0].excerpt == "Passwort: Datenbank"
    assert hits[0].tier == "match"
