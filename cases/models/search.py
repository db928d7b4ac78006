"""What a case is found by. Written with the events that change it: processes/engine/findable."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.db import models

from cases.fields import DataField


class SearchEntry(models.Model):
    """What is looked in to find one case: title, reference, facts, names of documents.

    `told` has it as people read it: [what, value] pairs. `text` has the same folded, a line each.
    `team_id` is that of the case, so that a team's search reads its own alone; who may see a case
    is asked of the case itself.
    """

    case = models.OneToOneField(
        "cases.Case",
        on_delete=models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="search",
    )
    team_id = models.BigIntegerField(null=True)
    told = DataField(default=list)
    text = models.TextField()

    class Meta:
        verbose_name_plural = "search entries"
        indexes = [
            GinIndex(
                fields=["team_id", "text"],
                opclasses=["int8_ops", "gin_trgm_ops"],
                gin_pending_list_limit=1024,  # kB: a search reads through all of it
                name="search_text",
            ),
        ]

    def __str__(self) -> str:
        return f"case {self.case_id}"


class SearchWord(models.Model):
    """A word that some case is found by: what a misspelt one is compared with.

    A word may stand here twice, where two cases brought it at the same moment: to forbid that would
    let one turn wait for another.
    """

    word = models.CharField(max_length=24)

    class Meta:
        indexes = [
            models.Index(fields=["word"], name="search_word"),
            GinIndex(fields=["word"], opclasses=["gin_trgm_ops"], name="search_word_alike"),
        ]

    def __str__(self) -> str:
        return self.word
