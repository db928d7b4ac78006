import cases.fields
import cases.together
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [  # all before the first release  # all before the first release
        ("processes", "0001_initial"),
        ("processes", "0002_code_runs"),
        ("processes", "0003_webhooks"),
        ("processes", "0004_checks"),
        ("processes", "0005_insight"),
    ]

    initial = True

    dependencies = [
        ("cases", "0001_tables"),
    ]

    operations = [
        cases.together.CreateTogether(
            models=[
                migrations.CreateModel(
                    name="InsightPlace",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("position", models.BigIntegerField(default=0)),
                        ("number", models.IntegerField(default=0)),
                    ],
                ),
                migrations.CreateModel(
                    name="Source",
                    fields=[
                        (
                            "digest",
                            models.CharField(max_length=64, primary_key=True, serialize=False),
                        ),
                        ("kind", models.CharField(max_length=40)),
                        ("step", models.CharField(max_length=60)),
                        ("version", models.IntegerField()),
                        ("file", models.CharField(max_length=300)),
                        ("line", models.IntegerField()),
                        ("text", models.TextField()),
                        ("kept_at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Worker",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("name", models.CharField(max_length=120)),
                        ("lane", models.CharField(max_length=8)),
                        ("started_at", models.DateTimeField()),
                        ("seen_at", models.DateTimeField()),
                        ("is_idle", models.BooleanField(default=False)),
                        ("doing", models.CharField(default="", max_length=200)),
                        ("skew_ms", models.IntegerField(default=0)),
                    ],
                ),
                migrations.CreateModel(
                    name="Activity",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("case_id", models.BigIntegerField()),
                        ("visit", models.IntegerField()),
                        ("command", models.IntegerField()),
                        ("name", models.CharField(max_length=120)),
                        ("arguments", cases.fields.DataField(default=dict)),
                        ("on_behalf", models.CharField(default="", max_length=80)),
                        ("lane", models.CharField(max_length=8)),
                        ("state", models.CharField(default="due", max_length=8)),
                        ("due_at", models.DateTimeField()),
                        ("attempt", models.IntegerField(default=0)),
                        ("failures", models.IntegerField(default=0)),
                        ("losses", models.IntegerField(default=0)),
                        ("worker_id", models.BigIntegerField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        ("published_at", models.DateTimeField(null=True)),
                        ("last_error", models.TextField(default="")),
                        ("progress", cases.fields.DataField(null=True)),
                    ],
                    options={
                        "verbose_name_plural": "activities",
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "due"), ("worker_id__isnull", True)),
                                fields=["lane", "due_at"],
                                name="activity_due",
                            ),
                            models.Index(
                                condition=models.Q(("worker_id__isnull", False)),
                                fields=["worker_id"],
                                name="activity_claimed",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("case_id", "visit", "command"), name="activity_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CasePath",
                    fields=[
                        (
                            "case",
                            models.OneToOneField(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="path",
                                serialize=False,
                                to="cases.case",
                            ),
                        ),
                        ("kind", models.CharField(max_length=40)),
                        ("steps", models.TextField()),
                        ("digest", models.CharField(max_length=16)),
                        ("visits", models.IntegerField()),
                        ("upto", models.IntegerField()),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["kind", "digest"], name="case_path_variant")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CheckRun",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("how", models.CharField(max_length=8)),
                        ("rows", models.BooleanField(default=True)),
                        ("actor", models.CharField(max_length=80)),
                        ("state", models.CharField(default="asked", max_length=8)),
                        ("asked_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        ("stage", models.CharField(default="anchors", max_length=8)),
                        ("last_id", models.BigIntegerField(default=0)),
                        ("total", models.IntegerField(default=0)),
                        ("since", models.BigIntegerField(default=0)),
                        ("position", models.BigIntegerField(default=0)),
                        ("cases", models.BigIntegerField(default=0)),
                        ("events", models.BigIntegerField(default=0)),
                        ("anchors", models.IntegerField(default=0)),
                        ("found", models.IntegerField(default=0)),
                        ("left", models.JSONField(default=list)),
                        ("error", models.TextField(blank=True, default="")),
                    ],
                    options={
                        "db_table": "processes_checkrun",
                        "indexes": [
                            models.Index(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=["asked_at"],
                                name="check_run_unfinished",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CheckFinding",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("reference", models.CharField(max_length=60)),
                        ("number", models.IntegerField()),
                        ("words", models.TextField()),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="findings",
                                to="processes.checkrun",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "processes_checkfinding",
                        "ordering": ["pk"],
                    },
                ),
                migrations.CreateModel(
                    name="CodeRun",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("what", models.CharField(max_length=8)),
                        ("kind", models.CharField(blank=True, default="", max_length=40)),
                        ("step", models.CharField(blank=True, default="", max_length=60)),
                        ("from_version", models.IntegerField(null=True)),
                        ("to_version", models.IntegerField(null=True)),
                        ("reason", models.TextField(blank=True, default="")),
                        ("actor", models.CharField(max_length=80)),
                        ("state", models.CharField(default="asked", max_length=8)),
                        ("asked_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("lease_until", models.DateTimeField(null=True)),
                        ("last_id", models.BigIntegerField(default=0)),
                        ("total", models.IntegerField(default=0)),
                        ("report", cases.fields.DataField(default=dict)),
                        ("error", models.TextField(blank=True, default="")),
                        (
                            "undoes",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="undone",
                                to="processes.coderun",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("ended_at__isnull", True)),
                                fields=["asked_at"],
                                name="code_run_unfinished",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CodeResult",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("step", models.CharField(max_length=60)),
                        ("version", models.IntegerField()),
                        ("visit", models.IntegerField()),
                        ("result", models.CharField(max_length=8)),
                        ("sentence", models.TextField(default="")),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="results",
                                to="processes.coderun",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("run", "case"), name="code_result_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Incident",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("kind", models.CharField(max_length=20)),
                        ("cause", models.CharField(max_length=200)),
                        ("title", models.CharField(max_length=200)),
                        ("expected", models.TextField(default="")),
                        ("came", models.TextField(default="")),
                        ("place", models.CharField(default="", max_length=300)),
                        ("remedy", models.TextField(default="")),
                        ("detail", models.TextField(default="")),
                        ("visit", models.IntegerField()),
                        ("command", models.IntegerField(null=True)),
                        ("opened_at", models.DateTimeField()),
                        ("closed_at", models.DateTimeField(null=True)),
                        ("closed_by", models.CharField(default="", max_length=80)),
                        ("next_try_at", models.DateTimeField(null=True)),
                        ("tries", models.IntegerField(default=0)),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="incidents",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("closed_at__isnull", True)),
                                fields=("case",),
                                name="incident_open_once",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PaperRejected",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("kind", models.CharField(max_length=40)),
                        ("event", models.IntegerField()),
                        ("step", models.CharField(max_length=60)),
                        ("name", models.CharField(max_length=200)),
                        ("at", models.DateTimeField()),
                        (
                            "case",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [models.Index(fields=["kind", "at"], name="paper_rejected_at")],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("case", "event"), name="paper_rejected_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StepVisit",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("kind", models.CharField(max_length=40)),
                        ("number", models.IntegerField()),
                        ("step", models.CharField(max_length=60)),
                        ("came_from", models.CharField(default="", max_length=60)),
                        ("came_by", models.CharField(default="", max_length=100)),
                        ("entered_at", models.DateTimeField()),
                        ("left_at", models.DateTimeField(null=True)),
                        ("left_by", models.CharField(default="", max_length=100)),
                        ("went_to", models.CharField(default="", max_length=60)),
                        ("seconds", models.FloatField(default=0)),
                        ("days", models.IntegerField(default=0)),
                        ("before", models.IntegerField(default=0)),
                        ("is_end", models.BooleanField(default=False)),
                        ("reopened", models.BooleanField(default=False)),
                        (
                            "case",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["kind", "left_at"], name="step_visit_left"),
                            models.Index(fields=["kind", "entered_at"], name="step_visit_entered"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("case", "number"), name="step_visit_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Term",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("kind", models.CharField(max_length=40)),
                        ("began", models.IntegerField()),
                        ("sort", models.CharField(max_length=5)),
                        ("name", models.CharField(max_length=200)),
                        ("step", models.CharField(max_length=60)),
                        ("started_at", models.DateTimeField()),
                        ("due_at", models.DateTimeField(null=True)),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("state", models.CharField(max_length=9)),
                        ("extensions", models.IntegerField(default=0)),
                        ("pauses", models.IntegerField(default=0)),
                        ("paused_seconds", models.FloatField(default=0)),
                        ("taken_back_at", models.DateTimeField(null=True)),
                        (
                            "case",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["kind", "ended_at"], name="term_ended"),
                            models.Index(
                                condition=models.Q(("taken_back_at__isnull", False)),
                                fields=["kind", "taken_back_at"],
                                name="term_taken_back",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("case", "began"), name="term_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="VisitWait",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("kind", models.CharField(max_length=40)),
                        ("number", models.IntegerField()),
                        ("step", models.CharField(max_length=60)),
                        ("left_at", models.DateTimeField()),
                        ("sort", models.CharField(max_length=10)),
                        ("party", models.CharField(max_length=200)),
                        ("seconds", models.FloatField()),
                        (
                            "case",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="cases.case",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["kind", "left_at"], name="visit_wait_left")
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("case", "number", "sort", "party"), name="visit_wait_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Webhook",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("title", models.CharField(blank=True, default="", max_length=120)),
                        ("url", models.CharField(max_length=2000)),
                        ("kinds", cases.fields.DataField(default=list)),
                        ("types", cases.fields.DataField(default=list)),
                        ("state", models.CharField(default="active", max_length=8)),
                        ("why", models.CharField(blank=True, default="", max_length=400)),
                        ("paused_at", models.DateTimeField(null=True)),
                        ("told_at", models.DateTimeField(null=True)),
                        ("salt", models.CharField(max_length=32)),
                        ("salt_before", models.CharField(blank=True, default="", max_length=32)),
                        ("before_until", models.DateTimeField(null=True)),
                        ("position", models.BigIntegerField(default=0)),
                        ("number", models.IntegerField(default=0)),
                        ("tries", models.IntegerField(default=0)),
                        ("failing_since", models.DateTimeField(null=True)),
                        ("next_try_at", models.DateTimeField(null=True)),
                        ("test_id", models.CharField(blank=True, default="", max_length=60)),
                        ("last_ms", models.IntegerField(default=0)),
                        ("claimed_by", models.CharField(blank=True, default="", max_length=60)),
                        ("lease_until", models.DateTimeField(null=True)),
                        ("worked_at", models.DateTimeField(null=True)),
                        ("made_at", models.DateTimeField()),
                        ("made_by", models.CharField(max_length=80)),
                        (
                            "client",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="webhooks",
                                to="cases.client",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="WebhookAttempt",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("event_id", models.CharField(max_length=80)),
                        ("type", models.CharField(max_length=80)),
                        ("case", models.CharField(blank=True, default="", max_length=40)),
                        ("attempt", models.IntegerField()),
                        ("at", models.DateTimeField()),
                        ("ms", models.IntegerField()),
                        ("status", models.IntegerField(default=0)),
                        ("is_delivered", models.BooleanField()),
                        ("answer", models.CharField(blank=True, default="", max_length=500)),
                        ("error", models.CharField(blank=True, default="", max_length=300)),
                        (
                            "webhook",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="attempts",
                                to="processes.webhook",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["webhook", "-id"], name="webhook_attempt_latest"),
                            models.Index(fields=["at"], name="webhook_attempt_at"),
                        ],
                    },
                ),
            ],
        ),
    ]
