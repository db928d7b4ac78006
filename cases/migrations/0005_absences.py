import cases.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


APPEND_ONLY = """
CREATE FUNCTION cases_accountchange_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'restrict_violation',
        MESSAGE = format('%s of %s refused: the record of changes of accounts is append-only.',
                         TG_OP, TG_TABLE_NAME),
        HINT = 'Make a further change that corrects the earlier one.';
END
$$;

CREATE TRIGGER cases_accountchange_no_change BEFORE UPDATE OR DELETE ON cases_accountchange
    FOR EACH ROW EXECUTE FUNCTION cases_accountchange_is_append_only();

CREATE TRIGGER cases_accountchange_no_truncate BEFORE TRUNCATE ON cases_accountchange
    FOR EACH STATEMENT EXECUTE FUNCTION cases_accountchange_is_append_only();
"""

NO_LONGER = """
DROP TRIGGER cases_accountchange_no_truncate ON cases_accountchange;
DROP TRIGGER cases_accountchange_no_change ON cases_accountchange;
DROP FUNCTION cases_accountchange_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0004_drafts"),
    ]

    operations = [
        migrations.AddField(
            model_name="person",
            name="capacity",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="person",
            name="leads",
            field=models.ManyToManyField(blank=True, related_name="leaders", to="cases.team"),
        ),
        migrations.CreateModel(
            name="AccountChange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("by", models.CharField(max_length=80)),
                ("what", models.CharField(max_length=40)),
                ("data", cases.fields.DataField(default=dict)),
                ("why", models.TextField(blank=True, default="")),
                (
                    "person",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="changes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="changes",
                        to="cases.team",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Absence",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("from_date", models.DateField()),
                ("until_date", models.DateField()),
                ("reason", models.CharField(blank=True, default="", max_length=200)),
                ("entered_at", models.DateTimeField()),
                ("entered_by", models.CharField(max_length=80)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="absences",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "substitute",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["from_date", "pk"],
                "indexes": [
                    models.Index(fields=["person", "until_date"], name="absence_of_person"),
                    models.Index(fields=["substitute", "until_date"], name="absence_of_substitute"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("until_date__gte", models.F("from_date"))),
                        name="absence_ends_after_it_begins",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("substitute__isnull", True),
                            models.Q(("substitute", models.F("person")), _negated=True),
                            _connector="OR",
                        ),
                        name="absence_substitute_is_another",
                    ),
                ],
            },
        ),
        migrations.RunSQL(sql=APPEND_ONLY, reverse_sql=NO_LONGER),
    ]
