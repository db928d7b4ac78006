"""People who work with cases, and their teams."""

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.expressions import ArraySubquery
from django.db import models
from django.db.models import OuterRef
from django.utils.translation import gettext_lazy as _

from cases.models.notice import Digest


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
    language = models.CharField(max_length=10, blank=True, default="")  # "": as the browser asks
    scheme = models.CharField(max_length=10, choices=Scheme.choices, default=Scheme.SYSTEM)
    keys_off = models.BooleanField(default=False)
    digest = models.CharField(max_length=10, choices=Digest.How.choices, default=Digest.How.DAILY)
    capacity = models.PositiveSmallIntegerField(null=True, blank=True)  # open cases at a time
    # Teams that a supervisor leads besides the one they belong to.
    leads = models.ManyToManyField(Team, blank=True, related_name="leaders")
    start_list = models.ForeignKey(
        "cases.SavedList", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )

    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def reads_in(self) -> str:
        """The language of what is written to this person while no browser says one."""
        return self.language or settings.LANGUAGE_CODE

    @property
    def roles(self) -> frozenset[str]:
        """The roles this person has: names of groups, such as "underwriter"."""
        if "_roles" not in self.__dict__:
            self.__dict__["_roles"] = frozenset(self.groups.values_list("name", flat=True))
        return self.__dict__["_roles"]

    @property
    def team_ids(self) -> frozenset[int]:
        """The teams whose cases this person works on: their own, and those that they lead."""
        own = frozenset({self.team_id} - {None})
        if "supervisor" not in self.roles:
            return own
        if "_led" not in self.__dict__:
            self.__dict__["_led"] = frozenset(self.leads.values_list("pk", flat=True))
        return own | self.__dict__["_led"]

    def know_place(self) -> None:
        """Read roles and teams in one query, where they are three: for the pages, all of which
        show and ask both."""
        roles = Person.groups.through.objects.filter(person=OuterRef("pk")).values("group__name")
        led = Person.leads.through.objects.filter(person=OuterRef("pk")).values("team_id")
        found = Person.objects.filter(pk=self.pk).annotate(
            _names=ArraySubquery(roles), _leads=ArraySubquery(led)
        )
        row = found.select_related("team").get()
        self.team = row.team
        self.__dict__["_roles"] = frozenset(row._names)
        self.__dict__["_led"] = frozenset(row._leads)


class Identity(models.Model):
    """By what an organisation's own sign-in service knows a person. Kept for good: an address may
    be given to somebody else one day, this name never is."""

    person = models.ForeignKey(Person, on_delete=models.PROTECT, related_name="identities")
    issuer = models.CharField(max_length=300)
    subject = models.CharField(max_length=255)
    linked_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "identities"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="identity_once"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} ({self.issuer})"
