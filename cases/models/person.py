"""People who work with cases, and their teams."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class Team(models.Model):
    """A group of people that owns cases together."""

    name = models.CharField(max_length=120, unique=True)

    def __str__(self) -> str:
        return self.name


class Person(AbstractUser):
    """A member of staff. Never deleted: history names people for ever; they become inactive."""

    class Scheme(models.TextChoices):
        SYSTEM = "system", _("As the system")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, blank=True)
    scheme = models.CharField(max_length=10, choices=Scheme.choices, default=Scheme.SYSTEM)
    keys_off = models.BooleanField(default=False)
    absent_until_date = models.DateField(null=True, blank=True)

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def roles(self) -> frozenset[str]:
        """The roles this person has: names of groups, such as "underwriter"."""
        if "_roles" not in self.__dict__:
            self.__dict__["_roles"] = frozenset(self.groups.values_list("name", flat=True))
        return self.__dict__["_roles"]
