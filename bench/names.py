"""Names for very many people: a few that many have, and many that few have."""

from __future__ import annotations

import random

_FIRST = (
    "Anna Sophie Emma Julia Eva Sara Lotte Fleur Noor Lisa Maria Johanna Elisabeth Fatima Aylin "
    "Zeynep Katarzyna Ewa Ingrid Astrid Chloe Zoë Inès Lucía Jan Piet Daan Sem Lucas Milan Levi "
    "Thomas Lars Bram Jesse Ruben Mohammed Ahmed Mehmet Emre Piotr Marek Björn Søren José Luís "
    "Giulia Matteo Thi Nguyen Wei Ming Kwame Amara Olga Ivan Nikola Jelena Ömer Şule"
)
_COMMON = (
    "Jansen|de Jong|de Vries|van den Berg|Bakker|van Dijk|Visser|Janssen|Smit|Meijer|de Boer|"
    "Mulder|de Groot|Bos|Vos|Peters|Hendriks|van Leeuwen|Dekker|Brouwer|de Wit|Dijkstra|Smits|"
    "Kovač|Yılmaz|Nowak|Müller|García|Nguyen|Öztürk"
)
_BEGIN = "Ba Be Bo Bra Da De Do Dra Fa Fe Ha He Ho Ka Ke Ko Kra La Le Lo Ma Me Mo Na Ro Ra Sa Ste"
_MIDDLE = "ne ri lo va ster den ma ke ver der mo li ran bo sen ta"
_END = "man stra sma inga ma berg veld huis hof mans sen ink kamp horst wijk dam beek boom"


class Names:
    """Every third name is one of the common ones."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.first, self.common = _FIRST.split(), _COMMON.split("|")
        self.begin, self.middle, self.end = (one.split() for one in (_BEGIN, _MIDDLE, _END))

    def name(self) -> str:
        choose = self.rng.choice
        if self.rng.random() < 0.33:
            return f"{choose(self.first)} {choose(self.common)}"
        middle = choose(self.middle) if self.rng.random() < 0.7 else ""
        return f"{choose(self.first)} {choose(self.begin)}{middle}{choose(self.end)}"
