"""Check digits of numbers that belong to a person. Each function takes the number without blanks and signs, in upper
case and of the right length, and says whether its check holds.

Sources: GB 11643-1999 (resident id), ISO/IEC 7812-1 annex B (cards, Canadian SIN, Swedish personnummer: Luhn),
ISO 13616 and ISO/IEC 7064 (IBAN: MOD 97-10; German tax id: MOD 11,10), the issuing offices' descriptions as gathered by
python-stdnum and the articles it names (the rest): 中華民國國民身分證 and 統一證號, HKID (OECD TIN sheet), NRIC/FIN,
個人番号, CPF, CURP, NIR, DNI/NIE, codice fiscale, BSN, PESEL, TFN, NHS number, Medicare (AU), Aadhaar (Verhoeff, 1969).
"""

from __future__ import annotations

from collections.abc import Iterable

_RESIDENT_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_TAIWAN_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"
_SINGAPORE_LETTERS = {
    "S": "JZIHGFEDCBA",
    "T": "GFEDCBAJZIH",
    "F": "XWUTRQPNMLK",
    "G": "RQPNMLKXWUT",
    "M": "TRQPNJLKXWU",
}
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CURP_SIGNS = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ"
_FISCAL_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
_VERHOEFF_STEP = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def luhn(digits: str) -> bool:
    """ISO/IEC 7812-1 check of a card number given as digits."""
    doubled = (int(each) * (1 + position % 2) for position, each in enumerate(reversed(digits)))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def resident_id(number: str) -> bool:
    """GB 11643-1999: 17 digits weighted, modulo 11; the check character is a digit or X."""
    return number[17].upper() == "10X98765432"[_weighted(number[:17], _RESIDENT_WEIGHTS) % 11]


def iban(number: str) -> bool:
    """ISO 13616: country and check digits moved to the end, letters as 10–35, remainder 1 modulo 97."""
    moved = number[4:] + number[:4]
    return int("".join(str(int(each, 36)) for each in moved)) % 97 == 1


def taiwan_id(number: str) -> bool:
    """A letter and nine digits, citizens' (1, 2) and residents' (8, 9): the letter as two digits, weights 1, 9 … 1, 1."""
    letter = _TAIWAN_LETTERS.index(number[0]) + 10
    return (letter // 10 + letter % 10 * 9 + _weighted(number[1:], (8, 7, 6, 5, 4, 3, 2, 1, 1))) % 10 == 0


def hong_kong_id(number: str) -> bool:
    """One or two letters, six digits and the check character (0–9, A), without the brackets; weights 9 … 1, modulo 11."""
    values = [36 if each == " " else int(each, 36) for each in number.rjust(9)]
    return _weighted(values, range(9, 0, -1)) % 11 == 0


def singapore_id(number: str) -> bool:
    """NRIC and FIN: S, T, F, G or M, seven digits weighted, and the letter for their remainder modulo 11."""
    return number[8] == _SINGAPORE_LETTERS[number[0]][_weighted(number[1:8], (2, 7, 6, 5, 4, 3, 2)) % 11]


def japanese_id(number: str) -> bool:
    """個人番号 (My Number), 12 digits."""
    return int(number[11]) == -_weighted(number[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11 % 10


def brazilian_id(number: str) -> bool:
    """CPF, 11 digits, the last two being check digits modulo 11."""
    return len(set(number)) > 1 and all(
        int(number[place]) == -_weighted(number[:place], range(place + 1, 1, -1)) % 11 % 10 for place in (9, 10)
    )


def mexican_id(number: str) -> bool:
    """CURP, 18 characters: values by place in the alphabet with Ñ (here &), weights 18 … 2, modulo 10."""
    values = [_CURP_SIGNS.index(each) for each in number[:17]]
    return int(number[17]) == -_weighted(values, range(18, 1, -1)) % 10


def french_id(number: str) -> bool:
    """NIR, 13 characters and 97 less their remainder; the departments of Corsica count as 19 (2A) and 18 (2B)."""
    plain = number.replace("2A", "19").replace("2B", "18")
    return int(plain[13:]) == 97 - int(plain[:13]) % 97


def spanish_id(number: str) -> bool:
    """DNI (eight digits) and NIE (X, Y, Z and seven digits) with the letter for the remainder modulo 23."""
    digits = number[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return number[-1] == _DNI_LETTERS[int(digits) % 23]


def italian_id(number: str) -> bool:
    """Codice fiscale, 16 characters: odd places by a table, even ones by value, the letter for the sum modulo 26."""
    values = [int(each) if each.isdecimal() else ord(each) - ord("A") for each in number[:15]]
    total = sum(_FISCAL_ODD[each] if place % 2 == 0 else each for place, each in enumerate(values))
    return ord(number[15]) - ord("A") == total % 26


def dutch_id(number: str) -> bool:
    """BSN, nine digits: weights 9 … 2 and −1, modulo 11."""
    return _weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def polish_id(number: str) -> bool:
    """PESEL, 11 digits."""
    return _weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def german_tax_id(number: str) -> bool:
    """Steuer-ID, 11 digits, ISO/IEC 7064 MOD 11,10."""
    product = 10
    for each in number[:10]:
        product = ((int(each) + product) % 10 or 10) * 2 % 11
    return int(number[10]) == (11 - product) % 10


def australian_tax_id(number: str) -> bool:
    """TFN, nine digits."""
    return _weighted(number, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def australian_medicare(number: str) -> bool:
    """Eight digits, the first 2–6, a check digit and the issue; the reference of the person may follow."""
    return number[0] in "23456" and int(number[8]) == _weighted(number[:8], (1, 3, 7, 9, 1, 3, 7, 9)) % 10


def british_health_id(number: str) -> bool:
    """NHS number, ten digits: weights 10 … 1, modulo 11."""
    return _weighted(number, range(10, 0, -1)) % 11 == 0


def verhoeff(number: str) -> bool:
    """Aadhaar, 12 digits, by the multiplication of the symmetries of a pentagon."""
    check = 0
    for place, each in enumerate(reversed(number)):
        value = int(each)
        for _ in range(place % 8):
            value = _VERHOEFF_STEP[value]
        check = _pentagon(check, value)
    return check == 0


def _pentagon(first: int, second: int) -> int:
    turned = (first + second if first < 5 else first - second) % 5
    return turned + 5 * ((first < 5) != (second < 5))


def _weighted(digits: Iterable[str | int], weights: Iterable[int]) -> int:
    return sum(int(each) * weight for each, weight in zip(digits, weights, strict=True))
