from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    operations = [
        migrations.CreateModel(
            name="Service",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.TextField(verbose_name="kind")),
                ("name", models.TextField(unique=True, verbose_name="name")),
                ("machine", models.TextField(verbose_name="machine")),
                ("pid", models.IntegerField(verbose_name="process")),
                ("started_at", models.DateTimeField(verbose_name="started")),
                ("seen_at", models.DateTimeField(verbose_name="last seen")),
                ("doing", models.TextField(blank=True, default="", verbose_name="doing")),
                (
                    "skew_ms",
                    models.IntegerField(default=0, verbose_name="clock behind the database (ms)"),
                ),
            ],
            options={
                "verbose_name": "service",
                "verbose_name_plural": "services",
                "db_table": "timers_service",
                "ordering": ["kind", "name"],
            },
        ),
        migrations.CreateModel(
            name="SweepRun",
            fields=[
                ("name", models.TextField(primary_key=True, serialize=False, verbose_name="name")),
                ("every_seconds", models.FloatField(verbose_name="every (seconds)")),
                ("known_since_at", models.DateTimeField(verbose_name="known since")),
                ("last_run_at", models.DateTimeField(null=True, verbose_name="last run")),
                ("last_success_at", models.DateTimeField(null=True, verbose_name="last success")),
                ("last_error", models.TextField(blank=True, default="", verbose_name="last error")),
            ],
            options={
                "verbose_name": "sweep",
                "verbose_name_plural": "sweeps",
                "db_table": "timers_sweep",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Timer",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("case_id", models.BigIntegerField(verbose_name="case")),
                ("visit", models.IntegerField(verbose_name="step visit")),
                ("command", models.IntegerField(verbose_name="command")),
                ("purpose", models.TextField(verbose_name="purpose")),
                ("due_at", models.DateTimeField(verbose_name="due")),
                (
                    "data",
                    models.TextField(blank=True, db_default="", default="", verbose_name="data"),
                ),
            ],
            options={
                "verbose_name": "timer",
                "verbose_name_plural": "timers",
                "db_table": "timers_timer",
                "indexes": [models.Index(fields=["due_at", "id"], name="timers_timer_due")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("case_id", "visit", "command", "purpose"), name="timers_timer_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("offset_seconds", models.BigIntegerField(default=0, verbose_name="seconds ahead")),
            ],
            options={
                "verbose_name": "turn of the clock",
                "verbose_name_plural": "turns of the clock",
                "db_table": "timers_turn",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("id", 1)), name="timers_turn_one_row"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("offset_seconds__gte", 0)), name="timers_turn_ahead"
                    ),
                ],
            },
        ),
    ]
