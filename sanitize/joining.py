"""Where a zero width joiner or non-joiner shapes letters: rule CONTEXTJ of UTS #46 (RFC 5892, appendix A.1 and A.2).

After a virama both choose how letters join. Between two letters that would join, a non-joiner keeps them apart, which is spelling in
Persian and other languages of the Arabic script. Anywhere else they change nothing that a reader sees.

Joining types are those of Unicode's ArabicShaping.txt, for the scripts that living languages are written in: Arabic, Syriac, N'Ko,
Mandaic, Mongolian, Hanifi Rohingya and Adlam.
"""

from __future__ import annotations

from typing import Final

JOINER: Final = "\u200d"
NON_JOINER: Final = "\u200c"

VIRAMAS: Final = (
    r"\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a\u0eba\u0f84\u1039\u103a\u1714\u1715\u1734\u17d2"
    r"\u1a60\u1b44\u1baa\u1bab\u1bf2\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed\U00010a3f\U00011046\U00011070\U0001107f"
    r"\U000110b9\U00011133\U00011134\U000111c0\U00011235\U000112ea\U0001134d\U00011442\U000114c2\U000115bf\U0001163f\U000116b6"
    r"\U0001172b\U00011839\U0001193d\U0001193e\U000119e0\U00011a34\U00011a47\U00011a99\U00011c3f\U00011d44\U00011d45\U00011d97"
)
"""The vowel killers, of canonical combining class 9, as the inside of a regular expression's class. So are the other tables."""

DUAL: Final = (
    r"\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687\u069a-\u06bf\u06c1\u06c2\u06cc"
    r"\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff\u0712-\u0714\u071a-\u071d\u071f-\u0727\u0729\u072b\u072d\u072e\u074e-\u0758\u075c-\u076a"
    r"\u076d-\u0770\u0772\u0775-\u0777\u077a-\u077f\u07ca-\u07ea\u0841-\u0845\u0848\u084a-\u0853\u0855\u0860\u0862-\u0865\u0868\u0886"
    r"\u0889-\u088d\u088f\u08a0-\u08a9\u08af\u08b0\u08b3-\u08b8\u08ba-\u08c8\u1807\u1820-\u1878\u1887-\u18a8\u18aa"
    r"\U00010d01-\U00010d21\U00010d23\U0001e900-\U0001e943"
)
"""Letters that join on both sides."""

LEFT: Final = r"\U00010d00"
"""Letters that join with the one after them alone."""

RIGHT: Final = (
    r"\u0622-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3"
    r"\u06d5\u06ee\u06ef\u0710\u0715-\u0719\u071e\u0728\u072a\u072c\u072f\u074d\u0759-\u075b\u076b\u076c\u0771\u0773\u0774\u0778\u0779"
    r"\u0840\u0846\u0847\u0849\u0854\u0856-\u0858\u0867\u0869\u086a\u0870-\u0882\u088e\u08aa-\u08ac\u08ae\u08b1\u08b2\u08b9\U00010d22"
)
"""Letters that join with the one before them alone."""

TRANSPARENT: Final = (
    r"\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07eb-\u07f3"
    r"\u07fd\u0859-\u085b\u0897-\u089f\u08ca-\u08e1\u08e3-\u08ff\u1885\u1886\u18a9\U00010d24-\U00010d27\U0001e944-\U0001e94b"
)
"""Marks on letters, which join through them. Not the invisible ones, which are dropped."""

JOINED: Final = f"[{VIRAMAS}][{JOINER}{NON_JOINER}]|[{DUAL}{LEFT}][{TRANSPARENT}]*+{NON_JOINER}(?=[{TRANSPARENT}]*+[{DUAL}{RIGHT}])"
"""A regular expression for a joiner that shapes letters, with what is before it."""
