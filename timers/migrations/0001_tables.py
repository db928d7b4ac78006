import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [  # all before the first release
        ("timers", "0001_timers_turn_services_and_sweeps"),
        ("timers", "0002_clocks"),
        ("timers", "0003_calendars"),
    ]

    initial = True

    dependencies = []

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
            name="CalendarRow",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.TextField(unique=True, verbose_name="name")),
                ("title", models.TextField(verbose_name="title")),
                ("country", models.TextField(verbose_name="country")),
                ("region", models.TextField(blank=True, default="", verbose_name="region")),
                ("opens", models.TimeField(verbose_name="opens")),
                ("closes", models.TimeField(verbose_name="closes")),
                ("zone", models.TextField(blank=True, default="", verbose_name="time zone")),
                ("kind", models.TextField(blank=True, default="", verbose_name="kind of case")),
                ("team_id", models.BigIntegerField(null=True, verbose_name="team")),
                ("base", models.TextField(blank=True, default="", verbose_name="builds on")),
                ("version", models.BigIntegerField(default=0)),
                ("changed_at", models.DateTimeField()),
                ("swept_version", models.BigIntegerField(default=0)),
                ("sweeping_version", models.BigIntegerField(default=0)),
                ("swept_upto", models.BigIntegerField(default=0)),
            ],
            options={
                "verbose_name": "calendar",
                "verbose_name_plural": "calendars",
                "db_table": "timers_calendar",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(
                            models.Q(("kind", ""), _negated=True),
                            ("team_id__isnull", False),
                            _connector="OR",
                        ),
                        fields=("kind", "team_id"),
                        name="timers_calendar_chosen_once",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CalendarChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(verbose_name="when")),
                ("by", models.TextField(verbose_name="who")),
                ("why", models.TextField(verbose_name="why")),
                ("what", models.TextField(verbose_name="what")),
                ("data", models.TextField(verbose_name="data")),
                (
                    "calendar",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="changes",
                        to="timers.calendarrow",
                    ),
                ),
            ],
            options={
                "verbose_name": "change of a calendar",
                "verbose_name_plural": "changes of calendars",
                "db_table": "timers_calendar_change",
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Clock",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("case_id", models.BigIntegerField(verbose_name="case")),
                ("name", models.TextField(verbose_name="name")),
                ("calendar", models.TextField(blank=True, default="", verbose_name="calendar")),
                ("state", models.TextField(verbose_name="state")),
                ("started_at", models.DateTimeField(verbose_name="started")),
                ("target_at", models.DateTimeField(null=True, verbose_name="target")),
                ("limit_at", models.DateTimeField(null=True, verbose_name="limit")),
                ("is_late", models.BooleanField(default=False, verbose_name="late")),
                ("data", models.TextField(verbose_name="data")),
            ],
            options={
                "verbose_name": "clock",
                "verbose_name_plural": "clocks",
                "db_table": "timers_clock",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "stopped"), _negated=True),
                        fields=["calendar", "case_id"],
                        name="timers_clock_open",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("case_id", "name"), name="timers_clock_once")
                ],
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
        migrations.CreateModel(
            name="CalendarDay",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.DateField(verbose_name="day")),
                ("works", models.BooleanField(verbose_name="working day")),
                ("title", models.TextField(blank=True, default="", verbose_name="name of the day")),
                (
                    "calendar",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="days",
                        to="timers.calendarrow",
                    ),
                ),
            ],
            options={
                "verbose_name": "local day",
                "verbose_name_plural": "local days",
                "db_table": "timers_calendar_day",
                "ordering": ["day"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("calendar", "day"), name="timers_calendar_day_once"
                    )
                ],
            },
        ),
    ]
