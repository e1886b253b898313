"""Secrets by format, by label, wrapped and disguised; and the talk about secrets that is none.

Values are invented and split in the source, so that scanners of secrets leave this file alone.
"""

from __future__ import annotations

import base64
from random import Random

import pytest

from memoryapp.domain.credentials import find_secrets, redact
from memoryapp.domain.guards import inspect
from memoryapp.domain.messages import clean_text
from memoryapp.domain.policy import DEFAULT_POLICY
from memoryapp.domain.secret_phrases import phrases
from memoryapp.domain.value_shapes import Shape, shape_of

BODY = "FAKEtest" + "9xQ2mZ7LpV4tR8sKjW1nB6cD3hG5fY0a"
GITHUB = "gh" + "p_" + "FAKEtest" + "q1W2e3R4t5Y6u7I8o9P0aSdFgH12"
AWS = "AK" + "IA" + "FAKEKEYQ7WERTY2Z"

FORMATS = [
    "sq" + "0atp-" + BODY,
    "tv" + "ly-dev-" + BODY,
    AWS,
    GITHUB,
    "gh" + "s_" + BODY,
    "github" + "_pat_" + BODY,
    "sk" + "-proj-" + BODY,
    "sk" + "-ant-api03-" + BODY,
    "xo" + "xb-1122334455-FAKE1234abcd5678",
    "sk" + "_live_" + "FAKEtest1234abcd",
    "AI" + "zaSy" + BODY[:33],
    "np" + "m_" + BODY[:36],
    "hf" + "_" + "FAKEtestAbCdEfGhIjKlMnOpQrStUvWxYz",
    "AK" + "ID" + BODY[:32],
    "LT" + "AI" + "5tFAKEtest12345678",
    "S" + "G." + BODY[:22] + "." + BODY + "abc",
    "do" + "p_v1_" + "0a1b2c3d" * 8,
    "hv" + "s." + BODY,
    "gl" + "pat-" + BODY[:20],
    "123456789:" + "AA" + BODY[:33],
    "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJmYWtlIn0." + BODY,
    "shp" + "at_" + "0123456789abcdef" * 2,
    "-----BEGIN EC " + "PRIVATE KEY-----\nZmFrZQ==\n-----END EC PRIVATE KEY-----",
]


@pytest.mark.parametrize("worded", ["AWS_SECRET_ACCESS_KEY={} isn't picked up", "my secret key is {}", "密钥：{}"])
def test_random_bytes_in_base64_are_no_path(worded: str) -> None:
    """A third of such keys have a slash and no plus sign; none of a hundred gets through."""
    random = Random(4)
    for _ in range(100):
        key = base64.b64encode(random.randbytes(30)).decode()
        assert key not in inspect(worded.format(key), DEFAULT_POLICY).text


@pytest.mark.parametrize(
    "path", ["src/Components/Button2/IndexPage/HelpPanel4", "lib/Auth/Session2/RefreshTokenHandler/Main"]
)
def test_a_path_behind_a_label_is_no_key(path: str) -> None:
    assert path in inspect(f"token path: {path}", DEFAULT_POLICY).text


@pytest.mark.parametrize("token", FORMATS)
def test_a_published_format_is_found_beside_chinese_without_a_space(token: str) -> None:
    text = f"新的钥匙{token}，周五前换掉"
    findings = find_secrets(text)
    assert findings
    assert token not in redact(text)
    assert redact(text).startswith("新的钥匙[")


LABELLED = [
    "WIFI:T:WPA;S:Barn;P:goats" + "4ever;;",
    "docker login -u ann -p Pl" + "um-7788",
    "staff:$ap" + "r1$q7Hk2mXz$FAKEtestJd6NPNNBaS8DCG",
    "助记词：潮 欠 篇 凭 乃 " + "斗 绕 恩 煤 唱 脚 舟",
    "Windows TK4QG-2QX" + "TM-9DHRB-44PWC-YL6NZ is still unused",
    "paper wallet 5JFAKE" + "testUFAinhWAajPh9vWjb3P6BQji2HYcJAHiQ1omhu4Jd",
    "服务器密码是 Blue" + "#horse77",
    "WiFi密码：rain" + "y2031",
    "口令为 Open" + "Sesame31",
    "我把登录密码改成了 mor" + "ning88",
    "备份盘的密码就是 moon" + "light52",
    "锁屏密码 73" + "0152",
    "门禁密码 90" + "31#",
    "验证码 58" + "2047",
    "您的验证码为 40" + "18，请在 10 分钟内使用",
    "动态码：77" + "0213",
    "提取码: q" + "7z2",
    "接口密钥是 4f9a0c" + "77be21d3580e6c",
    "支付密码是 19" + "2837",
    "the wifi password is umbrella" + "Stand9",
    "my password is mango" + "stein",
    "the passphrase is purple lamp" + " river tomato",
    "Password: cor" + "ncob",
    "passwd=Zeb" + "ra!2031",
    'DB_PASSWORD="Fe' + 'rn$2031"',
    '{"user":"ann","password":"Gr' + 'een-99-tea"}',
    "api key: 77ab" + "01cd93ef55aa",
    "client_secret = q1W2" + "e3R4t5Y6",
    "OTP 33" + "1 902",
    "Your login code is 90" + "2113",
    "90" + "2113 is your verification code",
    "the door code is 55" + "10#",
    "my PIN is 77" + "31",
    "Kite" + "s_9x is my password",
    "Kite" + "s#9x 是我的密码",
    "账号密码：ann / Pl" + "um-7788",
    "login: ann password: Pl" + "um-7788",
    "curl -u ann:Pl" + "um-7788 https://x.test",
    "mysql -u root -pPl" + "um7788 shop",
    "machine x.test login ann password Pl" + "um7788",
    "postgresql://app:Pl" + "um7788@db.test/x",
    "redis://:Pl" + "um7788@cache.test:6379",
    "Cookie: JSESSIONID=4E5F6A7B8C" + "9D0E1F; theme=dark",
    "Authorization: Bearer 9f8e7d6c" + "5b4a39281706abcd",
    "2FA secret KR" + "SXG5CTMVRXEZLU",
    "助记词：orbit lemon " + "canyon velvet puzzle river amber ticket wagon frost meadow quilt",
]


@pytest.mark.parametrize("text", LABELLED)
def test_a_labelled_value_is_a_secret(text: str) -> None:
    assert find_secrets(text)


TALK = [
    "忘记密码的用户走短信找回",
    "密码至少 10 位，要有大小写",
    "以后别把密码写进代码里",
    "密码用 argon2 加盐存储",
    "密码字段叫 password_hash",
    "验证码 60 秒内不能重发",
    "验证码有效期是 1800 秒",
    "密码管理器我用 Bitwarden",
    "密钥长度 256 位，每季度轮换",
    "私钥放在 HSM，不落盘",
    "登录页要加图形验证码",
    "令牌桶容量 2000",
    "The password must contain a symbol",
    "the password is case-sensitive",
    "My password is too weak",
    "passwords are hashed with scrypt",
    "password = os.environ['DB_PASSWORD']",
    "Password: required field",
    "token=${CI_TOKEN}",
    "API_KEY=<your key here>",
    "secret: ********",
    "api key: xxxxxxxxxxxx",
    "max_tokens=8192",
    "the cache key is order:17:items",
    "The primary key is account_id",
    "our key metric is weekly retention",
    "OTP codes expire in 300 seconds",
    "connect the sensor to pin 21",
    "the error code is 5031",
    "The pass rate was 97.5% in week 31",
    "JWTs are signed with ES256",
    "postgres://user:password@localhost/db is the sample",
    "git clone git@git.test:team/app.git",
    "see credential_store.rs:210 for the bug",
    "build with --features token-cache,auth-client",
    "commit 3f2a9bc04d1e5f6a7b8c9d0e1f2a3b4c5d6e7f80 fixed it",
    "integrity sha512-q0W9e8R7t6Y5u4I3o2P1aSdFgHjKlZxCvBnM0987654321qwertyuiopASDFGHJKLzxcvbnm==",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHk3n2q9 ann@laptop",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2Vw\n-----END PUBLIC KEY-----",
    "the wallet is brown leather with space for cards and coins and keys",
]


@pytest.mark.parametrize("text", TALK)
def test_talk_about_secrets_holds_none(text: str) -> None:
    assert [text[each.start : each.end] for each in find_secrets(text)] == []


def test_a_token_in_full_width_letters_is_found() -> None:
    wide = "".join(chr(ord(each) + 0xFEE0) for each in AWS)
    assert redact(f"密钥：{wide}") == "密钥：[aws_key]"


def test_a_token_split_by_zero_width_characters_is_found() -> None:
    assert GITHUB not in redact("\u200b".join(GITHUB)) and "[github_token]" in redact("\u200b".join(GITHUB))


def test_a_token_cut_into_pieces_is_found_and_the_words_behind_it_stay() -> None:
    pieces = f"{GITHUB[:12]} {GITHUB[12:24]} {GITHUB[24:]}"
    assert redact(f"key is {pieces} please join it") == "key is [github_token] please join it"


def test_a_label_and_value_spelled_with_blanks_are_found() -> None:
    assert find_secrets("密 码 是 " + " ".join("Xk" + "9#mPlum"))


def test_a_concatenated_token_is_found() -> None:
    assert find_secrets(f'"{GITHUB[:4]}" + "{GITHUB[4:]}"')


def test_a_secret_behind_base64_is_found() -> None:
    wrapped = base64.b64encode(b"db_password=Fe" + b"rn$2031!x").decode()
    assert redact(f"config {wrapped}") == "config [encoded]"


def test_plain_base64_is_no_secret() -> None:
    wrapped = base64.b64encode(b"the quick brown fox jumps over it").decode()
    assert not find_secrets(f"config {wrapped}")


def test_redaction_keeps_the_rest_of_the_text() -> None:
    text = "数据库密码：Fe" + "rn$2031，端口 5432"
    assert redact(text) == "数据库密码：[password]，端口 5432"


def test_redaction_of_a_clean_text_changes_nothing() -> None:
    assert redact("Likes jazz.") == clean_text("Likes jazz.")


GIVEN_AWAY = [
    "the boathouse door opens with 55" + "10#",
    "the marina wifi goes with pelican" + "_39",
    "type 77" + "31 to get into the boathouse",
    "船库的门按 77" + "31",
    "码头无线连的时候输 tihu" + "88long",
    "进船库系统用 lifang 配 Tihu" + "&88",
    "kilo tango " + "seven seven opens the garage",
]


@pytest.mark.parametrize("text", GIVEN_AWAY)
def test_a_value_that_no_label_declares_is_known_by_what_is_said_of_it(text: str) -> None:
    verdict = inspect(text, DEFAULT_POLICY)
    assert verdict.refusal or verdict.masked


SAID_OF_OTHER_VALUES = [
    "the boathouse holds 5510 litres",
    "my handle at the marina is pelican_39",
    "船库 7731 年翻修",
    "快递单号 SF10293847",
    "sprint S24-Q3 ends on Friday",
    "commit 9f3c2ab71d04 fixed the login",
    "回复里的密码一律写成 [password]，码写成 [one_time_code]",
    '{"level":"info","door":4471}\n{"level":"warn","door":4472}',
]


@pytest.mark.parametrize("text", SAID_OF_OTHER_VALUES)
def test_a_value_that_opens_nothing_stays(text: str) -> None:
    assert inspect(text, DEFAULT_POLICY).masked == ()


def test_a_likely_secret_is_masked_where_the_sentence_says_something_else() -> None:
    text = "We moved the rowing lessons to Thursday evenings, and the boathouse gate opens with 55" + "10#."
    assert inspect(text, DEFAULT_POLICY).text == (
        "We moved the rowing lessons to Thursday evenings, and the boathouse gate opens with [credential]."
    )


def test_ids_and_lines_of_a_log_are_looked_at_by_rules_alone() -> None:
    line = "order 7731 opened gate 55" + "10#"
    assert redact(line) == line


def test_words_of_a_phrase_and_its_letters_are_a_value_only_behind_a_label() -> None:
    assert [each.shape for each in phrases("the alarm company's password is velvet moose")] == [Shape.PHRASE]
    assert list(phrases("the password is in the vault")) == []
    assert [each.shape for each in phrases("密码是小写的 lanmao 三个零一")] == [Shape.DICTATED]


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("4471", Shape.SHORT_NUMBER), ("G-118204", Shape.SHORT_NUMBER), ("Gull&Feather3", Shape.MARKED), ("tulip_9", Shape.LOW_LINED),
        ("K7Q2M9", Shape.CAPITAL_CODE), ("otter2031", Shape.LETTERS_AND_DIGITS), ("velvetMoose", Shape.CAMEL),
        ("14:05", None), ("v2.14.0", None), ("10km", None), ("iPhone15", None), ("911", None), ("a.b@c.test", None), ("word", None),
    ],
)  # fmt: skip
def test_values_have_shapes_and_quantities_have_none(value: str, shape: Shape | None) -> None:
    assert shape_of(value) is shape
