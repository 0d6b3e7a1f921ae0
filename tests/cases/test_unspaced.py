"""Whole questions in scripts without spaces find what was said in other words, in both stores."""

from unicodedata import normalize

import pytest

from clawa_search.search.query import parse
from indexer.analysis import query_words, windows
from tests.builders import user

SAID = {
    "zh": [
        ("我们昨天把服务器部署到了东京机房，延迟降低了一半。", "服务器现在部署在哪个机房？"),
        ("数据库密码每三个月更换一次，由运维负责。", "数据库的密码多久换一次？"),
        ("我对花生过敏，点餐的时候请注意。", "我对什么食物过敏？"),
        ("小王离职以后，支付模块由李娜接手。", "现在谁负责支付模块？"),
        ("把redis缓存的有效期改成十分钟。", "redis缓存有效期多长？"),
    ],
    "ja": [
        (
            "サーバーは来月東京のデータセンターに移行する予定です。",
            "サーバーの移行先はどこですか？",
        ),
        ("バックアップは毎晩二時に自動で実行されます。", "バックアップは何時に実行されますか？"),
        ("犬の散歩は朝七時と夕方六時に行っています。", "犬の散歩は何時ですか？"),
    ],
    "ko": [
        ("서버를 다음 달에 도쿄 데이터센터로 옮기기로 했습니다.", "서버는 어디로 옮기나요?"),
        ("저는 땅콩 알레르기가 있어서 조심해야 합니다.", "무슨 알레르기가 있어?"),
        ("강아지 이름은 보리이고 산책을 좋아해요.", "강아지 이름이 뭐였지?"),
    ],
    "th": [
        ("เซิร์ฟเวอร์จะย้ายไปที่กรุงเทพเดือนหน้า", "เซิร์ฟเวอร์จะย้ายไปที่ไหน"),
        ("แมวของฉันชื่อส้มและชอบกินปลา", "แมวของฉันชื่ออะไร"),
        ("ฉันแพ้ถั่วลิสงต้องระวังอาหาร", "ฉันแพ้อะไร"),
    ],
}
PAIRS = [pair for pairs in SAID.values() for pair in pairs]


@pytest.mark.parametrize("memories", [False, True], ids=["sessions", "memories"])
def test_a_question_finds_what_was_said(either, memories):
    if memories:
        for said, _ in PAIRS:
            either.recall.remember(said)
    else:
        either.write("a.jsonl", *(user(said) for said, _ in PAIRS))
        either.ready()
    for said, question in PAIRS:
        hits = either.hits(question, everything=True)
        assert hits, question
        assert hits[0].excerpt == said
        assert hits[0].tier == "match"


@pytest.mark.parametrize("script", SAID)
def test_what_nobody_wrote_about_is_weak_or_not_found(either, script):
    others = [said for name, pairs in SAID.items() if name != script for said, _ in pairs]
    either.write("a.jsonl", *(user(said) for said in others))
    either.ready()
    for _, question in SAID[script]:
        if "redis" not in question:
            assert all(hit.tier == "weak" for hit in either.hits(question, everything=True))


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
@pytest.mark.parametrize("word", ["服务器", "猫", "数据", "サーバ", "서버", "ไม้", "「서버」"])
def test_a_short_run_is_one_word(word, form):
    typed = query_words(normalize(form, word))
    assert len([part for one in typed for part in windows(one, 9)]) == 1


@pytest.mark.parametrize("script", SAID)
def test_a_question_is_the_same_in_every_form(script):
    for _, question in SAID[script]:
        asked = [parse(normalize(form, question)) for form in ("NFC", "NFD")]
        assert len({tuple(word.tokens for word in query.words) for query in asked}) == 1


def test_a_short_run_finds_only_itself(either):
    either.write("a.jsonl", user("服务很好，机器也新"), user("服务器很慢"))
    either.ready()
    assert [hit.excerpt for hit in either.hits("服务器")] == ["服务器很慢"]


@pytest.mark.parametrize("sign", ["服", "ก", "서", "サ"])
def test_a_text_of_twenty_thousand_signs_is_a_question_like_any_other(either, sign):
    text = "".join(chr(ord(sign) + number % 37) for number in range(20_000))
    either.write("a.jsonl", user(text), user("tea"))
    either.ready()
    either.recall.remember(text)
    for query in (text, f'"{text}"', f'tea -"{text}"'):
        assert either.hits(query)


@pytest.mark.parametrize("typed", ["฿฿", "〒〓", '"฿฿"', "฿", "〒"])
def test_signs_among_the_letters_of_an_unspaced_script_are_found(either, typed):
    either.write("a.jsonl", user("price ฿฿ and 〒〓 box"))
    either.recall.remember("price ฿฿ and 〒〓 box")
    either.ready()
    assert len(either.hits(typed)) == 2
