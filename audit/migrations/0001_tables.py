import audit.models
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [  # all before the first release
        ("audit", "0001_append_only_events"),
        ("audit", "0002_feed"),
        ("audit", "0003_keys_of_cases"),
        ("audit", "0004_anchors"),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Anchor",
            fields=[
                ("number", models.IntegerField(primary_key=True, serialize=False)),
                ("day", models.DateField(verbose_name="day")),
                ("made_at", models.DateTimeField(verbose_name="made")),
                ("text", models.TextField()),
                ("hash", models.BinaryField(max_length=32)),
                ("signatures", models.JSONField()),
                ("position", models.BigIntegerField()),
            ],
            options={
                "db_table": "audit_anchor",
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="AnchoredPage",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "page",
                        "anchor",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("page", models.BigIntegerField()),
                ("anchor", models.IntegerField()),
                ("cases", models.IntegerField()),
                ("events", models.BigIntegerField()),
                ("root", models.BinaryField(max_length=32)),
            ],
            options={
                "db_table": "audit_anchored_page",
            },
        ),
        migrations.CreateModel(
            name="FeedRow",
            fields=[
                ("position", models.BigIntegerField(primary_key=True, serialize=False)),
                ("case_id", models.BigIntegerField()),
                ("first", models.IntegerField()),
                ("last", models.IntegerField()),
            ],
            options={
                "db_table": "audit_feed",
            },
        ),
        migrations.CreateModel(
            name="ReadSeal",
            fields=[
                ("number", models.IntegerField(primary_key=True, serialize=False)),
                ("kind", models.TextField()),
                ("month", models.DateField()),
                ("sealed_at", models.DateTimeField()),
                ("ids", models.TextField(default="")),
                ("rows", models.IntegerField(default=0)),
                ("first_at", models.DateTimeField(null=True)),
                ("last_at", models.DateTimeField(null=True)),
                ("digest", models.BinaryField(max_length=32)),
                ("by", models.TextField(blank=True, default="")),
                ("hash", models.BinaryField(max_length=32)),
            ],
            options={
                "db_table": "audit_read_seal",
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="Unnumbered",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("case_id", models.BigIntegerField()),
                ("first", models.IntegerField()),
                ("last", models.IntegerField()),
            ],
            options={
                "db_table": "audit_unnumbered",
            },
        ),
        migrations.CreateModel(
            name="AnchoredHead",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "case_id",
                        "anchor",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("case_id", models.BigIntegerField()),
                ("anchor", models.IntegerField()),
                ("number", models.IntegerField()),
                ("hash", models.BinaryField(max_length=32)),
            ],
            options={
                "db_table": "audit_anchored_head",
                "indexes": [
                    models.Index(fields=["anchor", "case_id"], name="audit_head_by_anchor")
                ],
            },
        ),
        migrations.CreateModel(
            name="CaseKey",
            fields=[
                ("case_id", models.BigIntegerField(primary_key=True, serialize=False)),
                (
                    "persons",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BinaryField(),
                        size=None,
                        verbose_name="marks of the person",
                    ),
                ),
                ("master", models.TextField(blank=True, verbose_name="master key")),
                ("wrapped", models.BinaryField(null=True, verbose_name="wrapped key")),
                ("made_at", models.DateTimeField(verbose_name="made")),
                ("destroyed_at", models.DateTimeField(null=True, verbose_name="destroyed")),
            ],
            options={
                "verbose_name": "key of a case",
                "verbose_name_plural": "keys of cases",
                "db_table": "audit_casekey",
                "indexes": [
                    django.contrib.postgres.indexes.GinIndex(
                        fields=["persons"], name="audit_casekey_persons"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("destroyed_at__isnull", False), ("wrapped__isnull", True)),
                            models.Q(("destroyed_at__isnull", True), ("wrapped__isnull", False)),
                            _connector="OR",
                        ),
                        name="audit_casekey_is_kept_or_destroyed",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "case_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("case_id", models.BigIntegerField(verbose_name="case")),
                ("number", models.IntegerField(verbose_name="number")),
                ("type", models.TextField(verbose_name="type")),
                ("data", audit.models.EncodedDataField(verbose_name="data")),
                ("actor", models.TextField(verbose_name="actor")),
                (
                    "on_behalf",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="on behalf of"
                    ),
                ),
                ("happened_at", models.DateTimeField(verbose_name="happened")),
                ("recorded_at", models.DateTimeField(verbose_name="recorded")),
                ("hash", models.BinaryField(max_length=32, verbose_name="hash")),
            ],
            options={
                "verbose_name": "event",
                "verbose_name_plural": "events",
                "db_table": "audit_event",
                "ordering": ["case_id", "number"],
                "indexes": [
                    django.contrib.postgres.indexes.BrinIndex(
                        fields=["recorded_at"], name="audit_event_recorded_at"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="audit_event_number_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("actor", ""), _negated=True),
                            models.Q(("type", ""), _negated=True),
                        ),
                        name="audit_event_somebody_did_something",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Read",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(verbose_name="at")),
                ("actor", models.TextField(verbose_name="actor")),
                (
                    "on_behalf",
                    models.TextField(blank=True, default="", verbose_name="on behalf of"),
                ),
                ("through", models.TextField(verbose_name="through")),
                ("what", models.TextField(verbose_name="what")),
                ("item", models.TextField(blank=True, default="", verbose_name="item")),
                ("outcome", models.TextField(verbose_name="outcome")),
                ("case_id", models.BigIntegerField(null=True, verbose_name="case")),
                ("case_number", models.IntegerField(null=True, verbose_name="event")),
                (
                    "case_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(),
                        null=True,
                        size=None,
                        verbose_name="cases",
                    ),
                ),
                ("purpose", models.TextField(blank=True, default="", verbose_name="purpose")),
                ("digest", models.BinaryField(max_length=32, null=True, verbose_name="digest")),
                (
                    "marks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), null=True, size=None, verbose_name="marks"
                    ),
                ),
            ],
            options={
                "db_table": "audit_read",
                "ordering": ["id"],
                "indexes": [
                    django.contrib.postgres.indexes.BrinIndex(fields=["at"], name="audit_read_at"),
                    models.Index(fields=["actor", "at"], name="audit_read_by_actor"),
                    models.Index(
                        condition=models.Q(("case_id__isnull", False)),
                        fields=["case_id", "id"],
                        name="audit_read_by_case",
                    ),
                    django.contrib.postgres.indexes.GinIndex(
                        condition=models.Q(("case_ids__isnull", False)),
                        fields=["case_ids"],
                        name="audit_read_by_cases",
                    ),
                    django.contrib.postgres.indexes.GinIndex(
                        condition=models.Q(("marks__isnull", False)),
                        fields=["marks"],
                        name="audit_read_by_marks",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("actor", ""), _negated=True),
                            models.Q(("what", ""), _negated=True),
                        ),
                        name="audit_read_somebody_saw_something",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="AnchorSending",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("outlet", models.CharField(max_length=8)),
                ("target", models.CharField(max_length=400)),
                ("state", models.CharField(default="due", max_length=8)),
                ("tries", models.IntegerField(default=0)),
                ("next_try_at", models.DateTimeField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
                ("last_error", models.CharField(blank=True, default="", max_length=500)),
                ("answer", models.BinaryField(null=True)),
                (
                    "anchor",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sendings",
                        to="audit.anchor",
                    ),
                ),
            ],
            options={
                "db_table": "audit_anchor_sending",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "due")),
                        fields=["next_try_at"],
                        name="audit_anchor_to_be_sent",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("anchor", "outlet", "target"), name="audit_anchor_sent_once"
                    )
                ],
            },
        ),
    ]
